"""The attack that needs to know nothing but how large a loss can be."""

from __future__ import annotations

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.formats.signals import Signal


def decisions(losses: np.ndarray, largest_loss: float, rng: np.random.Generator) -> np.ndarray:
    """Predict "non-member" with a probability in proportion to the loss.

    Args:
        losses: any shape, in [0, `largest_loss`].
        largest_loss: B > 0; no loss is larger.
        rng: source of randomness.

    Returns:
        bool, True where the attack predicts "member".

    Raises:
        ValueError: a loss is outside [0, B].

    Source: Yeom et al. 2018, adversary 1.
    """
    losses = np.asarray(losses, dtype=float)
    if not ((losses >= 0) & (losses <= largest_loss)).all():
        raise ValueError(f"expected losses between 0 and {largest_loss}, got {losses.min()} to {losses.max()}")
    return rng.random(losses.shape) * largest_loss >= losses


class ZeroOneLoss(Attack):
    """Predicts "member" where the model is right: the bounded-loss attack on the 0-1 loss, which is deterministic.

    Its advantage is the generalisation error: accuracy on members minus accuracy on non-members.
    Source: Yeom et al. 2018, adversary 1 and theorem 2.
    """

    needs_classes = True

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        return signal.correct.astype(np.float64)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores >= 1
