"""The attacker who shares keys with the trainer."""

from __future__ import annotations

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.formats.signals import Signal


class CollusionAttack(Attack):
    """Predicts "member" where the model knows every mark of the record (`dpmia.training.collusion`).

    The adversary knows the record and the keys, and queries the model on the marks alone: neither the label of the
    record nor the model's output on it matters. The score is the share of marks that the model knows.
    Source: Yeom et al. 2018, adversary 3.
    """

    uses = ("collusion",)

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`.

        Raises:
            ValueError: the trainer shared no keys.
        """
        if signal.marks is None:
            raise ValueError("the attack needs a trainer who colludes: the signal holds no marks")
        return signal.marks.mean(axis=1)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores >= 1
