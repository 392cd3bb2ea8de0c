"""What the rule of an oracle reaches with scores that know nothing."""

from __future__ import annotations

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.formats.signals import Signal
from dpmia.metrics.ranking import best_threshold


class RandomScores(Attack):
    """Scores at random and takes the threshold that is best on these very records.

    Its advantage is the bias of the oracle, nothing else: an oracle counts only for what it reaches beyond it.
    """

    oracle = True

    def scores(self, signal: Signal, known: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        return rng.random(len(signal.records))

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        evaluated = signal.is_member | signal.is_nonmember
        return scores >= best_threshold(scores[evaluated], signal.is_member[evaluated])
