"""Claims about figures 7 to 10: deletion capacity, an example, and the bound beside older ones. All exact."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap

import numpy as np
from scipy.optimize import brentq

from dpmia.claims.build import theorem
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import above, at_least, listed_numbers, near, near_each, near_percent, spelled
from dpmia.claims.decisions import Condition
from dpmia.papers.thudi import theory
from dpmia.papers.thudi.earlier_bounds import EPSILONS, FEW_EPSILONS, PRIORS
from dpmia.theory import logistic_example
from dpmia.theory.precision_bounds import (
    erlingsson_accuracy,
    precision_bound,
    sablayrolles_precision,
)

#: Figure 7: expected records -> capacity by the printed formula.
CAPACITIES = {1: 6065, 10: 606, 200: 29.8}

#: Figure 8: the best accuracy; threshold -> precision; the thresholds among which accuracy is best.
BEST, PRECISIONS, THRESHOLDS = 0.549, {-100: 0.998, -50: 0.955, 0: 0.545}, np.linspace(-10, 10, 2001)

#: Figure 9: the epsilon from which on the bound is lower, and not only as low.
FROM = 0.5


def _as_many_as_records(tables: Tables) -> float:
    """Return where the capacity is the number of records itself.

    That is a line of slope 1, which the drawn one is not: where that meets the curve is our choice.
    """
    return brentq(lambda size: theory.printed_capacity(size) - size, 1, 200)


def _by_threshold(values: Iterable[float]) -> dict[str, float]:
    return {f"threshold {threshold}": float(value) for threshold, value in zip(PRECISIONS, values, strict=True)}


def _capacity(size: int, printed: float) -> Condition:
    """Return the condition that the capacity is near the printed one."""
    return Condition(
        f"deletion capacity where {size} of the records are expected in training",
        near_percent(printed, 1),
        lambda tables: theory.printed_capacity(size),
    )


def _gap_to_older() -> np.ndarray:
    """Return the distance of the bound at rate 1/2 to the lower one of two older ones."""
    others = np.minimum(erlingsson_accuracy(EPSILONS), sablayrolles_precision(EPSILONS, 0.5))
    return others - precision_bound(EPSILONS, 0.5)


def _gap_to_sablayrolles(tables: Tables) -> float:
    return min(
        float((sablayrolles_precision(epsilon, PRIORS) - precision_bound(epsilon, PRIORS)).min())
        for epsilon in FEW_EPSILONS
    )


CLAIMS = (
    theorem(
        "thudi-fig7-capacity",
        "By the printed formula deletion capacity falls with the training set, from far above its size to below it.",
        *starmap(_capacity, CAPACITIES.items()),
        Condition("number of expected records that is the capacity itself", near(80, 10), _as_many_as_records),
        artifact="thudi_fig7",
        expected=", ".join(map(spelled, CAPACITIES.values())),
        note="exact; {1:.1f} at 10, {2:.2f} at 200; as many as records at {3:.1f}",
    ),
    theorem(
        "thudi-fig8-positive-accuracy",
        "Precision tends to 1 at low thresholds while accuracy stays near chance.",
        Condition("best accuracy", near(BEST, 0.002), lambda tables: logistic_example.accuracy(THRESHOLDS).max()),
        Condition(
            "threshold of the best accuracy",
            near(theory.BEST_THRESHOLD, 0.02),
            lambda tables: THRESHOLDS[logistic_example.accuracy(THRESHOLDS).argmax()],
        ),
        Condition(
            "precision",
            near_each(_by_threshold([*PRECISIONS.values()]), 0.002),
            lambda tables: _by_threshold(logistic_example.precision([*PRECISIONS])),
        ),
        artifact="thudi_fig8",
        expected=f"{spelled(PRECISIONS[-100])}; {spelled(BEST)}",
        note="exact; at {1:.2f}; precision at -100, -50, 0: {2:.3f}, {3:.3f}, {4:.3f}",
    ),
    theorem(
        "thudi-fig9-order",
        "The bound is below those of Erlingsson et al. and Sablayrolles et al. at rate 1/2.",
        Condition(
            f"smallest distance to the lower of the two older bounds from epsilon {FROM:g} up",
            above(0),
            lambda tables: _gap_to_older()[EPSILONS >= FROM].min(),
        ),
        Condition("smallest distance at any epsilon", at_least(0, 1e-12), lambda tables: _gap_to_older().min()),
        artifact="thudi_fig9",
    ),
    theorem(
        "thudi-fig10-order",
        "The bound is at or below that of Sablayrolles et al. at every rate.",
        Condition(
            f"smallest distance to the bound of Sablayrolles et al. at epsilon {listed_numbers(FEW_EPSILONS)}",
            at_least(0, 1e-12),
            _gap_to_sablayrolles,
        ),
        artifact="thudi_fig10",
    ),
)
