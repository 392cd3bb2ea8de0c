"""How rare the target's loss is among the losses of non-members, and below which loss it is rarer than a level.

Each estimator gives both sides of one estimate of the distribution function F of losses under the null hypothesis
(the record was not in the training set): `alpha` = F(loss of the target), the false positive rate at which the
record would just be predicted a member, and `threshold`, the largest loss c with F(c) <= level. So "loss <= threshold"
and "alpha <= level" are one decision, and the ROC over all levels is that of the score -alpha.

Of K values that rank alone is known of, none is rarer than 1 / (K + 1): with K reference models a rank-based attack
reaches no lower false positive rate: `empirical` stops there, `linear` extrapolates by a straight line from loss 0
to the smallest value, `logit_gaussian` by a Gaussian.

Source: Ye et al. 2022, equations 9 and 10, and the threshold functions of their tool.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from dpmia.attacks.confidence import HIGHEST, LOWEST, SMALLEST_SPREAD, confidence, loss_of
from dpmia.common.errors import AttackError
from dpmia.metrics.ranking import passing_at

#: The tool of Ye et al. interpolates between the losses and two invented ones, 0 and this.
LARGEST_INTERPOLATED = 1000.0

#: Halvings of the bracket of a threshold that has no closed form: its width is then below rounding.
HALVINGS = 60


@dataclass(frozen=True)
class NullLosses:
    """For each query the losses that stand for those of a non-member.

    Queries may share them: all queries (attack P), those of a class (S), or none (R, D, L).

    Attributes:
        values: float64, shape (losses,), group after group and sorted within each.
        start: int64, shape (groups + 1,), where the groups begin in `values`; a group may be empty.
        group: int64, shape (queries,), the group of each query.
    """

    values: np.ndarray
    start: np.ndarray
    group: np.ndarray

    @classmethod
    def gather(cls, values: np.ndarray, belongs: np.ndarray, groups: int, group: np.ndarray) -> NullLosses:
        """Sort losses into groups.

        Args:
            values: float64, shape (losses,).
            belongs: int64, shape (losses,), the group of each.
            groups: their number.
            group: int64, shape (queries,), the group of each query.

        Raises:
            AttackError: there are no losses at all.
            ValueError: some are not numbers.
        """
        if not len(values):
            problem = "there are no losses to compare with: no model is on the side that the attack reads"
            raise AttackError("attack", problem, "Take models trained both with and without these records")
        if np.isnan(values).any():
            raise ValueError(f"{np.isnan(values).sum()} losses to compare with are not numbers")
        order = np.lexsort((values, belongs))
        start = np.concatenate([[0], np.cumsum(np.bincount(belongs, minlength=groups))])
        return cls(values[order], start, group)

    @property
    def counts(self) -> np.ndarray:
        """Number of losses for each query; int64, shape (queries,)."""
        return np.diff(self.start)[self.group]

    def of(self, query: int) -> np.ndarray:
        """Return the losses that one query is compared with, sorted."""
        group = self.group[query]
        return self.values[self.start[group] : self.start[group + 1]]

    def rank(self, losses: np.ndarray) -> np.ndarray:
        """Return for each query how many of its values are at most its entry of `losses`: a binary search for all."""
        first = self.start[self.group]
        low, high = first, self.start[self.group + 1]
        while (searching := low < high).any():
            middle = (low + high) // 2
            below = self.values[np.minimum(middle, len(self.values) - 1)] <= losses
            low = np.where(searching & below, middle + 1, low)
            high = np.where(searching & ~below, middle, high)
        return low - first

    def ordered(self, place: np.ndarray) -> np.ndarray:
        """Return for each query its value at `place`, the smallest at 0; beyond the ends the value at the end."""
        last = np.maximum(self.counts - 1, 0)
        return self.values[np.minimum(self.start[self.group] + np.clip(place, 0, last), len(self.values) - 1)]

    @cached_property
    def gaussian(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation (n - 1) of the confidences of each query's values; NaN where too few."""
        counts = np.diff(self.start)
        belongs = np.repeat(np.arange(len(counts)), counts)
        phi = confidence(self.values)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.bincount(belongs, phi, len(counts)) / counts
            squares = np.bincount(belongs, (phi - mean[belongs]) ** 2, len(counts))
            spread = np.sqrt(squares / (counts - 1))
        spread = np.where(counts > 1, np.maximum(spread, SMALLEST_SPREAD), np.nan)
        return mean[self.group], spread[self.group]


class Estimator(ABC):
    """One estimate of the distribution of losses under the null hypothesis."""

    #: With fewer values than this a query cannot be judged: it is never predicted a member.
    fewest = 1

    def judged(self, null: NullLosses) -> np.ndarray:
        """Return which queries have values enough; bool, shape (queries,)."""
        return null.counts >= self.fewest

    def rarest(self, null: NullLosses) -> np.ndarray:
        """Return the smallest F that a loss of each query can have; float64, shape (queries,)."""
        return np.where(self.judged(null), self._rarest(null), 1.0)

    def _rarest(self, null: NullLosses) -> np.ndarray:
        return np.zeros(len(null.group))

    def alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        """Return F(loss) of each query.

        Args:
            null: the values it is compared with.
            losses: float64, shape (queries,), of the target model.

        Returns:
            float64, shape (queries,), in [0, 1]: 1 for a query that cannot be judged, NaN where the loss is NaN.
        """
        alphas = np.where(self.judged(null), self._alpha(null, losses), 1.0)
        return np.where(np.isnan(losses), np.nan, alphas)

    def threshold(self, null: NullLosses, level: float) -> np.ndarray:
        """Return the largest loss at which each query is predicted a member at false positive rate `level`.

        Returns:
            float64, shape (queries,); -inf where no loss is rare enough or the query cannot be judged.
        """
        return np.where(self.judged(null), self._threshold(null, level), -np.inf)

    @abstractmethod
    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def _threshold(self, null: NullLosses, level: float) -> np.ndarray: ...


class Empirical(Estimator):
    """The rank among K values: F(l) = (1 + number of values <= l) / (K + 1).

    If the target's loss and the values are exchangeable, "alpha <= level" has a false positive rate of at most
    `level`, for any K: the target counts as one of K + 1. Values equal to the loss count against "member".
    The percentile of the published tool (numpy's "lower") is the same value of the sorted list or a neighbour of it.
    """

    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        return (1 + null.rank(losses)) / (null.counts + 1)

    def _rarest(self, null: NullLosses) -> np.ndarray:
        return 1 / (null.counts + 1)

    def _threshold(self, null: NullLosses, level: float) -> np.ndarray:
        allowed = passing_at(level, null.counts + 1)
        # Fewer than `allowed` values may be as small as the loss, so it must stay below that one.
        below = np.nextafter(null.ordered(allowed - 1), -np.inf)
        return np.where(allowed < 1, -np.inf, np.where(allowed > null.counts, np.inf, below))


class Linear(Estimator):
    """Straight lines through the points (k-th smallest value, k / (K + 1)), (0, 0) and (1000, 1).

    Strictly increasing in the loss: where all queries share their values, the ROC is that of the loss itself.
    Values equal to the loss count against "member".
    """

    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        losses = np.clip(losses, 0, LARGEST_INTERPOLATED)
        rank = null.rank(losses)
        low, high = self._point(null, rank), self._point(null, rank + 1)
        share = np.divide(losses - low, high - low, out=np.zeros(len(losses)), where=high > low)
        return np.where(losses >= LARGEST_INTERPOLATED, 1.0, (rank + share) / (null.counts + 1))

    def _threshold(self, null: NullLosses, level: float) -> np.ndarray:
        place = level * (null.counts + 1)
        rank = np.minimum(np.floor(place).astype(np.int64), null.counts)
        low, high = self._point(null, rank), self._point(null, rank + 1)
        interpolated = low + (place - rank) * (high - low)
        # Where F jumps (equal values), the loss of the jump itself is already too common.
        return np.where(high > low, interpolated, np.nextafter(low, -np.inf))

    @staticmethod
    def _point(null: NullLosses, rank: np.ndarray) -> np.ndarray:
        """Return the `rank`-th of the sorted values with 0 put before and 1000 after them."""
        inside = np.minimum(null.ordered(rank - 1), LARGEST_INTERPOLATED)
        return np.where(rank < 1, 0.0, np.where(rank > null.counts, LARGEST_INTERPOLATED, inside))


class LogitGaussian(Estimator):
    """A Gaussian fitted to the confidences log(p / (1 - p)): F(l) = P(N(mean, sd) >= confidence of l).

    Mean and standard deviation are taken as known: with few values the false positive rate is above its level
    (10 values: 2.7 % at 1 %, 8 times the level at .1 %).
    """

    fewest = 2

    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        mean, spread = null.gaussian
        return ndtr((mean - confidence(losses)) / spread)

    def _threshold(self, null: NullLosses, level: float) -> np.ndarray:
        mean, spread = null.gaussian
        phi = mean - spread * ndtri(level)
        return np.where(phi > HIGHEST, -np.inf, np.where(phi <= LOWEST, np.inf, loss_of(phi)))


class _LinearAndLogit(Estimator):
    """What combines the two."""

    fewest = LogitGaussian.fewest

    def __init__(self) -> None:
        self.parts = (Linear(), LogitGaussian())


class Minimum(_LinearAndLogit):
    """The smaller threshold of `linear` and `logit_gaussian`, so the larger alpha."""

    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        return np.maximum(*(part.alpha(null, losses) for part in self.parts))

    def _threshold(self, null: NullLosses, level: float) -> np.ndarray:
        return np.minimum(*(part.threshold(null, level) for part in self.parts))


class Mean(_LinearAndLogit):
    """The mean of the alphas of `linear` and `logit_gaussian`, as in the published ROC curves.

    The published tool averages the thresholds instead, which is another decision; here the threshold is where the
    mean of the alphas passes the level.
    """

    def _alpha(self, null: NullLosses, losses: np.ndarray) -> np.ndarray:
        linear, logit = (part.alpha(null, losses) for part in self.parts)
        return (linear + logit) / 2

    def _threshold(self, null: NullLosses, level: float) -> np.ndarray:
        # Both alphas are within the level at the smaller threshold and beyond it above the larger one.
        ends = [np.clip(part.threshold(null, level), 0, LARGEST_INTERPOLATED) for part in self.parts]
        low, high = np.minimum(*ends), np.maximum(*ends)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            within = self._alpha(null, middle) <= level
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return np.where(self._alpha(null, np.zeros_like(low)) <= level, low, -np.inf)


#: Estimators by the name that settings use.
ESTIMATORS: dict[str, Estimator] = {
    "empirical": Empirical(),
    "linear": Linear(),
    "logit_gaussian": LogitGaussian(),
    "minimum": Minimum(),
    "mean": Mean(),
}
