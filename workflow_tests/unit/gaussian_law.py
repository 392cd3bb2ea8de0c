"""Scores with a known law, on which what an attack should reach can be computed.

The confidence phi = log(p / (1 - p)) of a model on a record is

    level + difficulty of the record + drift of the data + noise of the training + shift, if trained on it,

the first three random parts Gaussian and independent. Models that see the same data (the target, models distilled
from it, models with one record left out) share the drift of each record; reference models each have their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpmia.attacks.base import Knowledge
from dpmia.attacks.confidence import loss_of
from dpmia.formats.losses import References
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal

#: No model was trained.
CARD = ModelCard(arm="gaussian", iid=True, epsilon="inf", role="target", meaning=[])


@dataclass(frozen=True)
class GaussianLaw:
    """The law, in units of phi.

    Attributes:
        shift: what training on a record adds.
        noise: standard deviation over trainings on the same data.
        drift: standard deviation over data sets.
        difficulty: standard deviation over records of a class.
        level: mean.
        between: by how much class 1 lies above class 0.
    """

    shift: float
    noise: float = 1.0
    drift: float = 0.0
    difficulty: float = 0.0
    level: float = 0.0
    between: float = 0.0

    def spread(self, *parts: str) -> float:
        """Return the standard deviation that the named parts have together."""
        return float(np.sqrt(sum(getattr(self, part) ** 2 for part in parts)))

    def auc(self, spread: float) -> float:
        """Return the AUC of an attack whose statistic has this standard deviation, and the shift between its means."""
        return float(ndtr(self.shift / (np.sqrt(2) * spread)))

    def tpr(self, spread: float, fpr: float) -> float:
        """Return its true positive rate at a false positive rate."""
        return float(ndtr(self.shift / spread + ndtri(fpr)))

    def draw(
        self,
        rng: np.random.Generator,
        members: int,
        nonmembers: int,
        population: int = 0,
        references: int = 0,
        distilled: int = 0,
        leave_one_out: int = 0,
    ) -> tuple[Signal, Knowledge]:
        """Draw the outputs of a target model and of the attacker's models on the same records.

        Args:
            rng: source of randomness.
            members: number of records.
            nonmembers: number of records.
            population: number of records; no model is trained on them.
            references: number of models; half of them, rounded down, are trained on each member and non-member.
            distilled: number of models; none is trained on any query.
            leave_one_out: as `distilled`.

        Returns:
            Outputs with two classes, half of the records in each; float32 logits, so phi is rounded at 1e-7.
        """
        part = np.repeat(np.array([MEMBER, NONMEMBER, POPULATION], dtype=np.uint8), [members, nonmembers, population])
        queries = len(part)
        labels = np.arange(queries) % 2
        centre = self.level + self.between * labels + self.difficulty * rng.standard_normal(queries)
        here = centre + self.drift * rng.standard_normal(queries)

        def confidences(models: int, middle: np.ndarray, drift: float, trained_on: np.ndarray) -> np.ndarray:
            random = self.noise * rng.standard_normal((models, queries)) + drift * rng.standard_normal(
                (models, queries)
            )
            return middle + random + self.shift * trained_on

        def close(models: int) -> References | None:
            nobody = np.zeros((models, queries), dtype=bool)
            return References(loss_of(confidences(models, here, 0, nobody)), nobody) if models else None

        order = np.argsort(rng.random((references, queries)), axis=0)
        trained_on = (order < references // 2) & (part != POPULATION)
        elsewhere = confidences(references, centre, self.drift, trained_on)
        target = confidences(1, here, 0, part == MEMBER)[0]

        logits = np.zeros((queries, 2), dtype=np.float32)
        logits[np.arange(queries), labels] = target
        knowledge = Knowledge(
            references=References(loss_of(elsewhere), trained_on) if references else None,
            distilled=close(distilled),
            leave_one_out=close(leave_one_out),
        )
        return Signal(CARD, np.arange(queries), labels, part, logits), knowledge
