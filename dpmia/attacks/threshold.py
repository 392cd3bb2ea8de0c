"""Attacks that compare the loss of a record with one threshold for all records of a model."""

from __future__ import annotations

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.formats.signals import Signal
from dpmia.metrics.ranking import best_threshold


class LossScore(Attack):
    """Scores by minus the loss: models fit their members better (Yeom et al. 2018)."""

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        return -signal.losses


class AverageThreshold(LossScore):
    """Predicts "member" where the loss is at most the mean training loss of the target model.

    The adversary knows the record, its label, the model's output and the mean training loss. Where not all members are
    query records, that is the mean over those that are.
    Source: Yeom et al. 2018, adversary 1 in its loss-threshold form; Humphries et al. 2023, IV-A.
    """

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        of_members = scores[signal.is_member]
        # Of equal scores the mean may be rounded up, above all of them.
        return scores >= min(of_members.mean(), of_members.max())


class OptimalThreshold(LossScore):
    """Predicts "member" where the loss is at most the threshold that is best on these very records.

    An oracle: it uses the true membership. Its advantage is never negative and is biased upwards on small sets; a
    random score under the same rule (`dpmia.attacks.control`) shows by how much.
    Source: Humphries et al. 2023, IV-A.
    """

    oracle = True

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        evaluated = signal.is_member | signal.is_nonmember
        return scores >= best_threshold(scores[evaluated], signal.is_member[evaluated])
