"""Predicts "member" where the model is confident, correct or not: needs no labels."""

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.formats.signals import Signal


class Sureness(Attack):
    """Scores by the distance between the two largest logits."""

    needs_classes = True

    def __init__(self, alpha: float = 0.1) -> None:
        """Predict "member" for the share `alpha` of the records."""
        self.alpha = alpha

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        two = np.sort(signal.logits, axis=1)[:, -2:]
        return (two[:, 1] - two[:, 0]).astype(np.float64)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores >= np.quantile(scores, 1 - self.alpha)
