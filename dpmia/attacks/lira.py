"""LiRA: is the target's confidence on a record likelier under models trained with it, or without it?

For each record the confidence phi = log(p / (1 - p)) of its true class, under models trained with the record and
under models trained without it, is taken for Gaussian on either side. The mean of each side is the record's own. The
standard deviation is estimated as the option `variance` says:

* `pooled` (default): one for all records on each side, from the deviations around each record's own mean, divided by
  their degrees of freedom. With tens of models the only stable form; right if records vary alike.
* `per_point`: each record's own (n - 1); a record with fewer than two models on a side gets the pooled one.
* `published`: as in the published code with a fixed variance: centres are medians, and one standard deviation of all
  confidences of a side at once, so that the differences between records count as noise; online, that of the models
  trained with the record serves both sides.

A record without a model on one side gets, online, its mean on the other side, moved by the mean difference of the two
sides over all records; offline, or without any model, the mean of that side over all records. The log reports the share
of such records. Where members and non-members have very unequal shares of them, the attack is refused
(`dpmia.attacks.needs.check_missing`).
Pooled are the records that are scored as members or non-members, as in the published code; population records, which
other attacks need, change no score.
Without augmentations: one query per record.

The adversary knows how the target was trained and has data to train models like it; online, it trains models on the
very query records, anew for new records; offline, it does not.

Source: Carlini et al. 2022, "Membership Inference Attacks From First Principles", algorithm 1 and its variants with
a global variance and without models trained on the record (offline).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.confidence import SMALLEST_SPREAD, confidence
from dpmia.attacks.needs import check_even, check_missing, check_side, models_of, one_of, rate
from dpmia.common.errors import KnowledgeError
from dpmia.formats.signals import Signal

TOO_FEW = "Add reference models: at least two trained with each record, and two without it (offline: without it)."

VARIANCES = ("pooled", "per_point", "published")


@dataclass(frozen=True)
class Side:
    """The Gaussian of each record under models trained with it, or without it.

    Attributes:
        centre: float64, shape (queries,).
        spread: float64, shape (queries,), standard deviations.
        models: int64, shape (queries,), how many models the two come from.
    """

    centre: np.ndarray
    spread: np.ndarray
    models: np.ndarray

    def filled(self, other: Side, queries: np.ndarray) -> Side:
        """Return the same with a centre for each record that has models on the other side only.

        It is the centre there, moved by the mean difference of the two over the `queries` that have both.
        """
        both = (self.models > 0) & (other.models > 0) & queries
        gap = (self.centre - other.centre)[both].mean() if both.any() else 0.0
        lacking = (self.models == 0) & (other.models > 0)
        return replace(self, centre=np.where(lacking, other.centre + gap, self.centre))

    def standardised(self, phi: np.ndarray) -> np.ndarray:
        """Return how many standard deviations each confidence lies above the centre."""
        return (phi - self.centre) / self.spread


def fit_side(phi: np.ndarray, counted: np.ndarray, variance: str, pooled: np.ndarray | None = None) -> Side:
    """Estimate one side.

    Args:
        phi: float64, shape (models, queries), confidences.
        counted: bool, shape (models, queries), which of them belong to this side.
        variance: one of `VARIANCES`.
        pooled: bool, shape (queries,), the queries that give the numbers which all share; None for all.

    Raises:
        KnowledgeError: no model is on this side, or no record has two models there, so nothing varies.
    """
    models = counted.sum(axis=0)
    pooled = np.ones(len(models), dtype=bool) if pooled is None else pooled
    if not models[pooled].any():
        raise KnowledgeError("LiRA", "no reference model was trained with the queries, or none without them", TOO_FEW)
    values = phi[counted & pooled]
    mean = np.divide(np.where(counted, phi, 0).sum(axis=0), models, out=np.full(len(models), values.mean()),
                     where=models > 0)  # fmt: skip
    if variance == "published":
        centre = mean.copy()
        centre[models > 0] = np.nanmedian(np.where(counted, phi, np.nan)[:, models > 0], axis=0)
        return Side(centre, np.full(len(models), max(values.std(), SMALLEST_SPREAD)), models)
    squares = np.where(counted, (phi - mean) ** 2, 0).sum(axis=0)
    freedom = np.maximum(models - 1, 0)
    if not freedom[pooled].any():
        raise KnowledgeError("LiRA", "no record has two reference models on one side, as a variance needs", TOO_FEW)
    spread = np.full(len(models), np.sqrt(squares[pooled].sum() / freedom[pooled].sum()))
    if variance == "per_point":
        spread[freedom > 0] = np.sqrt(squares[freedom > 0] / freedom[freedom > 0])
    return Side(mean, np.maximum(spread, SMALLEST_SPREAD), models)


class _Lira(Attack):
    uses = ("references",)
    each_side = 2

    def __init__(self, variance: str = "pooled") -> None:
        self.variance = one_of("variance", variance, VARIANCES)
        if variance == "published":
            self.each_side = 1  # one variance over all records

    def _side(self, signal: Signal, knowledge: Knowledge, inside: bool) -> Side:
        """Fit the side of models trained with the records (`inside`) or without them, and log what is missing."""
        models = models_of(knowledge, "references", signal)
        scored = signal.is_member | signal.is_nonmember
        side = fit_side(confidence(models.losses), models.trained_on == inside, self.variance, scored)
        word = "with" if inside else "without"
        check_side(signal, side.models == 0, inside)
        if self.variance == "per_point":
            check_missing(signal, side.models == 1, f"have one model trained {word} them and get the pooled variance")
            check_even(signal, side.models, f"reference models {word} the record")
        return side


class OnlineLira(_Lira):
    """Scores by the logarithm of the likelihood ratio "trained with" against "trained without".

    Needs models on both sides of each record, so models trained on the query records.
    Source: Carlini et al. 2022, algorithm 1.
    """

    both_sides = True

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        phi = confidence(signal.losses)
        inside, outside = self._side(signal, knowledge, True), self._side(signal, knowledge, False)
        scored = signal.is_member | signal.is_nonmember
        inside, outside = inside.filled(outside, scored), outside.filled(inside, scored)
        # The published code takes the spread of the models trained with the record for both sides.
        spread = inside.spread if self.variance == "published" else outside.spread
        outside = Side(outside.centre, spread, outside.models)
        squares = outside.standardised(phi) ** 2 - inside.standardised(phi) ** 2
        return squares / 2 + np.log(outside.spread / inside.spread)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        # Where the Gaussians are right, both errors together are smallest there.
        return scores >= 0


class OfflineLira(_Lira):
    """Scores by how far the target's confidence lies above those of models trained without the record.

    One-sided, as in the paper: only confidences that are too high speak for a member. The published code takes the
    density instead, for which a confidence that is too low speaks as much: with `variance="published"` so does this.
    Only models trained without a record speak of it.
    Source: Carlini et al. 2022, the offline form of algorithm 1.
    """

    def __init__(self, variance: str = "pooled", alpha: float = 0.1) -> None:
        """Set up the attack.

        Args:
            variance: one of `VARIANCES`.
            alpha: false positive rate aimed at by decisions, between 0 and 1, if the Gaussian is right and known; with
                few models it is exceeded: what counts as a standard normal variable is sqrt(1 + 1/n) times one, with n
                models without the record, and with their own variance (`per_point`) a Student t with n - 1 degrees of
                freedom.

        Raises:
            ValueError: an option is not allowed.
        """
        super().__init__(variance)
        self.alpha = rate("alpha", alpha)

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`; in standard deviations."""
        above = self._side(signal, knowledge, False).standardised(confidence(signal.losses))
        return np.abs(above) if self.variance == "published" else above

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        tails = 2 if self.variance == "published" else 1
        return scores >= -ndtri(self.alpha / tails)
