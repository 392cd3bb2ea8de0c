"""What no attack can exceed: exactly, for a known mechanism, and by (epsilon, delta) alone."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dpmia.api.arrays import array_of, false_positive_rates, number
from dpmia.api.mechanism import (
    RELATIONS,
    check_counted,
    checked_count,
    checked_noise,
    checked_sampling,
    epsilon_of,
    one_of,
    require,
    require_acceptance,
    require_prior,
)
from dpmia.common.errors import ArgumentError
from dpmia.common.formatting import format_bound, format_percent, format_significant, rounded_up
from dpmia.common.limits import DELTAS
from dpmia.metrics.ranking import tpr_name
from dpmia.theory.bounds import advantage_bound, auc_bound, tpr_bound
from dpmia.theory.precision_bounds import precision_bound

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dpmia.privacy.upper_bounds import TradeOff


@dataclass(frozen=True, repr=False)
class Bounds(ABC):
    """Largest values that any attack can reach, on average over models.

    Attributes:
        advantage: of TPR - FPR.
        auc: of the area under the ROC.
        tpr_at_fpr: false positive rate -> largest true positive rate.
        precision: largest probability that a record which an attack predicts a member is one, of attacks that find at
            least the share `acceptance` of the members, where the probability of membership is `prior`.
        prior: see `precision`.
        acceptance: see `precision`.
        compares: what separates the two training sets that an attack compares: `replace_one` or `add_remove`.
    """

    advantage: float
    auc: float
    tpr_at_fpr: Mapping[float, float]
    precision: float
    prior: float
    acceptance: float
    compares: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each bound: metric, bound."""
        import pandas as pd

        return pd.DataFrame(self._values().items(), columns=["metric", "bound"])

    def _values(self) -> dict[str, float]:
        rates = {tpr_name(rate): value for rate, value in self.tpr_at_fpr.items()}
        return {"advantage": self.advantage, "auc": self.auc, **rates, "precision": self.precision}

    @abstractmethod
    def _head(self) -> str:
        """Return the line that says of what these are the bounds."""

    def __repr__(self) -> str:
        lines = [f"  {name:<18} {format_bound(value, 4)}" for name, value in self._values().items()]
        lines[-1] += f"  (prior {self.prior:g}, of attacks that find {format_percent(self.acceptance)} of the members)"
        return "\n".join([self._head(), *lines])


@dataclass(frozen=True, repr=False)
class GuaranteeBounds(Bounds):
    """What (epsilon, delta) alone bounds: `Bounds`, and the guarantee behind them.

    Attributes:
        epsilon: of the guarantee.
        delta: of the guarantee.
        relation: of the guarantee: `add_remove` or `replace_one`.
    """

    epsilon: float
    delta: float
    relation: str

    def _head(self) -> str:
        guarantee = f"epsilon {rounded_up(self.epsilon, 4)}, delta {format_significant(self.delta)} ({self.relation})"
        return f"Bounds on any attack ({self.compares}) by {guarantee}"


@dataclass(frozen=True, repr=False)
class UpperBound(Bounds):
    """The exact upper bound of a mechanism: `Bounds`, and the curve behind them.

    Attributes:
        noise_multiplier: sigma, in units of the clip norm.
        sampling_rate: q, probability that a record is in a batch.
        steps: number of optimiser steps.
        epochs: passes over the data; counts for the sampler `shuffle` only.
        sampler: `poisson`, `full` or `shuffle`.
        curve: the largest true positive rate at each false positive rate.
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int
    epochs: int
    sampler: str
    curve: TradeOff = field(compare=False)

    def tpr(self, fpr: ArrayLike) -> np.ndarray:
        """Return the largest true positive rate at each false positive rate.

        Raises:
            ArgumentError: a false positive rate is not between 0 and 1.
        """
        from dpmia.privacy.upper_bounds import tpr_ceiling

        rates = array_of(fpr, "upper_bound.tpr, fpr").astype(np.float64)
        wrong = rates[~((rates >= 0) & (rates <= 1))]
        require("upper_bound.tpr, fpr", not wrong.size, wrong[:1].tolist(), "numbers from 0 to 1")
        return tpr_ceiling(self.curve, rates)

    def epsilon(self, delta: float, relation: str = "add_remove") -> float:
        """Return the epsilon of (epsilon, delta) that this mechanism has, by its privacy loss distribution.

        Args:
            delta: from 1e-11, below which the accountant is too coarse, to 1 (excluded).
            relation: of the guarantee; `add_remove` is that of Opacus. `shuffle` has `replace_one` only.

        Raises:
            ArgumentError: an argument is wrong.
        """
        delta = number(delta, "upper_bound.epsilon, delta")
        valid = f"a number from {DELTAS[0]:g} up and below 1"
        require("upper_bound.epsilon, delta", DELTAS[0] <= delta < 1, delta, valid)
        mechanism = (self.sampler, self.sampling_rate, self.steps, self.epochs, self.noise_multiplier)
        return epsilon_of(*mechanism, delta, relation)

    def plot(self) -> Figure:
        """Draw the curve on logarithmic axes."""
        from dpmia.api.drawing import bound_figure

        return bound_figure(self)

    def _head(self) -> str:
        sampling = {
            "poisson": f"sampling rate {self.sampling_rate:g}, {self.steps} steps",
            "full": f"every record in each of {self.steps} steps",
            "shuffle": f"{self.epochs} shuffled epochs",
        }[self.sampler]
        return f"UpperBound: noise multiplier {rounded_up(self.noise_multiplier, 5)}, {sampling} ({self.compares})"


def upper_bound(
    *,
    noise_multiplier: float,
    sampling_rate: float | None = None,
    steps: int | None = None,
    epochs: int | None = None,
    sampler: str | None = None,
    compares: str = "replace_one",
    fprs: Iterable[float] = (0.01, 0.001),
    prior: float = 0.5,
    acceptance: float = 0.01,
) -> UpperBound:
    """Return what no attack on a model trained by DP-SGD (or DP-Adam) can exceed, though it sees every step.

    Exact: from the privacy loss distribution of the mechanism, several times below the bound by (epsilon, delta).

    Args:
        noise_multiplier: sigma, > 0, in units of the clip norm.
        sampling_rate: q, the probability that a record is in a batch: batch size / records; for the sampler `poisson`.
            Left out, every record is in every batch.
        steps: number of optimiser steps; needed for the sampler `poisson`, 1 where left out for `full`.
        epochs: passes over the data; needed for the sampler `shuffle`, and for no other.
        sampler: `poisson` (default with a sampling rate), `full` (default without), or `shuffle`: every record once an
            epoch, in a place that the attacker is taken to know.
        compares: `replace_one`: training sets of a fixed size; `add_remove`: each record joined on its own. The former
            is the larger bound.
        fprs: false positive rates at which true positive rates are bounded.
        prior: probability that a record is in the training set.
        acceptance: the bound on precision is for attacks that find at least this share of the members.

    Raises:
        ArgumentError: an argument is out of its range, missing, or does not count for the sampler.

    Examples:
        >>> from dpmia import upper_bound
        >>> bound = upper_bound(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> bound
        UpperBound: noise multiplier 1, sampling rate 0.01, 1000 steps (replace_one)
          advantage          0.2644
          auc                0.6836
          tpr_at_1pct_fpr    0.0497
          tpr_at_0.1pct_fpr  0.0080
          precision          0.8831  (prior 0.5, of attacks that find 1 % of the members)
        >>> round(bound.epsilon(delta=1e-5), 2)
        1.83

        One release of a sum with Gaussian noise, in closed form:

        >>> from scipy.stats import norm
        >>> once = upper_bound(noise_multiplier=2.0, compares="add_remove")
        >>> print(f"{once.advantage:.6f} {2 * norm.cdf(1 / 4) - 1:.6f}")
        0.197413 0.197413
    """
    from dpmia.privacy.upper_bounds import advantage_ceiling as advantage
    from dpmia.privacy.upper_bounds import auc_ceiling, tpr_ceiling, trade_off
    from dpmia.privacy.upper_bounds import precision_ceiling as precision

    where = "upper_bound"
    sampler, rate = checked_sampling(where, sampler, sampling_rate, compares)
    noise_multiplier = checked_noise(f"{where}, noise_multiplier", noise_multiplier)
    steps = None if steps is None else checked_count(f"{where}, steps", steps)
    epochs = None if epochs is None else checked_count(f"{where}, epochs", epochs)
    rates, prior, acceptance = _checked(where, fprs, prior, acceptance)
    given = {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate, "steps": steps, "epochs": epochs}
    missing = check_counted(where, sampler, given)
    if missing and sampler != "full":
        raise ArgumentError(f"{where}, {missing[0]}", "missing", f"It counts for the sampler {sampler!r}: give it")
    steps, epochs = steps or 1, epochs or 1
    curve = trade_off(
        sampler=sampler,
        rate=rate,
        steps=steps,
        epochs=epochs,
        noise_multiplier=noise_multiplier,
        relation=compares,
    )
    return UpperBound(
        advantage=advantage(curve),
        auc=auc_ceiling(curve),
        tpr_at_fpr={rate: float(tpr_ceiling(curve, rate)) for rate in rates},
        precision=float(precision(curve, prior, acceptance)),
        prior=prior,
        acceptance=acceptance,
        compares=compares,
        noise_multiplier=noise_multiplier,
        sampling_rate=rate,
        steps=steps,
        epochs=epochs,
        sampler=sampler,
        curve=curve,
    )


def bounds(
    epsilon: float,
    delta: float = 0.0,
    *,
    relation: str = "add_remove",
    compares: str = "replace_one",
    fprs: Iterable[float] = (0.01, 0.001),
    prior: float = 0.5,
    acceptance: float = 0.01,
) -> GuaranteeBounds:
    """Return what (epsilon, delta) alone bounds. For a known mechanism `upper_bound` is several times lower.

    Args:
        epsilon: at least 0; infinity bounds nothing.
        delta: in [0, 1).
        relation: of the guarantee. `add_remove` is that of Opacus, of `UpperBound.epsilon` and of `plan_noise`; if
            yours is under `replace_one`, say so: the bounds are lower.
        compares: what an attack compares (see `upper_bound`). A guarantee under `add_remove` holds (2 epsilon,
            (1 + e^epsilon) delta) under `replace_one` (group privacy).
        fprs: false positive rates at which true positive rates are bounded.
        prior: probability that a record is in the training set.
        acceptance: the bound on precision is for attacks that find at least this share of the members.

    Raises:
        ArgumentError: an argument is out of its range, or a guarantee under `replace_one` is to bound what compares
            `add_remove`, which it does not.

    Examples:
        >>> from dpmia import bounds
        >>> bounds(1.0, 1e-5)
        Bounds on any attack (replace_one) by epsilon 1, delta 1e-5 (add_remove)
          advantage          0.7617
          auc                0.8809
          tpr_at_1pct_fpr    0.0740
          tpr_at_0.1pct_fpr  0.0075
          precision          0.8812  (prior 0.5, of attacks that find 1 % of the members)
        >>> bounds(1.0, 1e-5, relation="replace_one")
        Bounds on any attack (replace_one) by epsilon 1, delta 1e-5 (replace_one)
          advantage          0.4622
          auc                0.7311
          tpr_at_1pct_fpr    0.0272
          tpr_at_0.1pct_fpr  0.0028
          precision          0.7313  (prior 0.5, of attacks that find 1 % of the members)
    """
    where = "bounds"
    epsilon, delta = number(epsilon, f"{where}, epsilon"), number(delta, f"{where}, delta")
    require(f"{where}, epsilon", epsilon >= 0, epsilon, "a number of at least 0")
    require(f"{where}, delta", 0 <= delta < 1, delta, "a number from 0 and below 1")
    epsilon, delta = float(epsilon), float(delta)
    for name, value in (("relation", relation), ("compares", compares)):
        one_of(f"{where}, {name}", value, RELATIONS)
    if (relation, compares) == ("replace_one", "add_remove"):
        problem = "a guarantee under 'replace_one' says nothing of training sets of different size"
        raise ArgumentError(f"{where}, compares", problem, "Set compares='replace_one'")
    rates, prior, acceptance = _checked(where, fprs, prior, acceptance)
    stated = float(epsilon), float(delta)
    advantage = float(advantage_bound(epsilon, delta, relation, compares))
    if relation != compares and math.isfinite(epsilon):  # group privacy, two records
        epsilon, delta = 2 * epsilon, min(1.0, float((1 + np.exp(min(epsilon, 700.0))) * delta))
    return GuaranteeBounds(
        advantage=min(advantage, 1.0),
        auc=float(auc_bound(epsilon, delta)),
        tpr_at_fpr={rate: float(tpr_bound(rate, epsilon, delta)) for rate in rates},
        precision=float(precision_bound(epsilon, prior, delta, acceptance)) if delta < 1 else 1.0,
        prior=prior,
        acceptance=acceptance,
        compares=compares,
        epsilon=stated[0],
        delta=stated[1],
        relation=relation,
    )


def _checked(
    where: str, fprs: Iterable[float], prior: float, acceptance: float
) -> tuple[tuple[float, ...], float, float]:
    rates = false_positive_rates(fprs, f"{where}, fprs")
    prior, acceptance = number(prior, f"{where}, prior"), number(acceptance, f"{where}, acceptance")
    require_prior(where, prior)
    require_acceptance(where, acceptance)
    return rates, prior, acceptance
