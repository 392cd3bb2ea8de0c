"""What the rule of an oracle reaches with scores that know nothing."""

from __future__ import annotations

import numpy as np

from dpmia.attacks.base import Knowledge
from dpmia.attacks.threshold import OptimalThreshold
from dpmia.formats.signals import Signal


class RandomScores(OptimalThreshold):
    """Scores at random and takes the threshold that is best on these very records.

    Its advantage is the bias of the oracle, nothing else: an oracle counts only for what it reaches beyond it.
    """

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        return rng.random(len(signal.records))
