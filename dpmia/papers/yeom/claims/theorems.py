"""Claims about the theorems and about figure 1, which shows one of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import theorem
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import above, at_most, below, exactly, listed_numbers, near, near_each, spelled
from dpmia.claims.decisions import Condition
from dpmia.papers.yeom import theory
from dpmia.theory.overfitting import (
    UNKNOWN_SIGMA_LIMIT,
    binary_attribute_advantage,
    gaussian_advantage,
    most_telling_influence,
    unknown_sigma_advantage,
)

#: Theorem 3: ratio -> advantage.
ADVANTAGES = {2: 0.3227, 5: 0.6471, 10: 0.7982}
#: Ratios at which the attack is simulated.
SIMULATED = (1.5, 2.0, 5.0)
#: What the advantage without sigma_D tends to.
LIMIT = 0.6827
#: Figure 1: ratio -> height of the peak, and the influence there.
HEIGHTS = {2: 0.1613, 5: 0.3236, 10: 0.3991}
PEAKS = {2: 2.72, 5: 3.66, 10: 4.31}
#: Influences of figure 1; at the last one nothing is left of the advantage.
INFLUENCES = np.linspace(0, 200, 200_001)


def _by_ratio(values: dict[int, float]) -> dict[str, float]:
    return {f"ratio {ratio}": float(value) for ratio, value in values.items()}


def _smallest_step(tables: Tables) -> float:
    return np.diff(gaussian_advantage(np.geomspace(1, 100, 200))).min()


def _distance_of_simulation(tables: Tables) -> float:
    simulated = theory.simulated_advantages(SIMULATED)
    return max(abs(advantage - float(gaussian_advantage(ratio))) for ratio, advantage in simulated.items())


def _unknown_sigma() -> np.ndarray:
    return unknown_sigma_advantage(np.geomspace(1, 1e6, 400))


def _curves() -> dict[str, np.ndarray]:
    """Return the attribute advantage on `INFLUENCES` by ratio."""
    return {f"ratio {ratio}": binary_attribute_advantage(INFLUENCES, 1.0, ratio) for ratio in HEIGHTS}


def _heights(tables: Tables) -> dict[str, float]:
    return {name: curve.max() for name, curve in _curves().items()}


def _places(tables: Tables) -> dict[str, float]:
    return {name: INFLUENCES[curve.argmax()] for name, curve in _curves().items()}


def _rises(tables: Tables) -> dict[str, float]:
    return {name: np.diff(curve[: curve.argmax() + 1]).min() for name, curve in _curves().items()}


def _falls(tables: Tables) -> dict[str, float]:
    return {name: np.diff(curve[curve.argmax() :]).max() for name, curve in _curves().items()}


_claim = partial(theorem, artifact="yeom_theory")

CLAIMS = (
    _claim(
        "yeom-thm3-values",
        "The advantage of the best threshold on normal errors follows from the ratio of their deviations.",
        Condition(
            "advantage",
            near_each(_by_ratio(ADVANTAGES), 0.0005),
            lambda tables: _by_ratio({ratio: float(gaussian_advantage(ratio)) for ratio in ADVANTAGES}),
        ),
        Condition("advantage at ratio 1", exactly(0), lambda tables: gaussian_advantage(1)),
        Condition("smallest step of the advantage from ratio 1 to 100", above(0), _smallest_step),
        expected=", ".join(map(spelled, ADVANTAGES.values())),
        note="exact, at ratio 2; {1:.4f} at 5, {2:.4f} at 10",
    ),
    _claim(
        "yeom-thm3-sim",
        "The threshold attack on drawn normal errors reaches theorem 3.",
        Condition(
            f"largest distance of the simulated advantage from theorem 3 at ratios {listed_numbers(SIMULATED)}",
            below(0.005),
            _distance_of_simulation,
        ),
        note="simulated, a million errors of either kind",
        simulated=True,
    ),
    _claim(
        "yeom-unknown-limit",
        "Without the error on new records the advantage is at most erf(1 / sqrt 2).",
        Condition("largest advantage", at_most(LIMIT, 1e-4), lambda tables: _unknown_sigma().max()),
        Condition("erf(1 / sqrt 2)", near(LIMIT, 1e-4), lambda tables: UNKNOWN_SIGMA_LIMIT),
        Condition(
            "smallest step of the advantage as the ratio rises",
            above(0),
            lambda tables: np.diff(_unknown_sigma()).min(),
        ),
        expected=spelled(LIMIT),
    ),
    theorem(
        "yeom-fig1-shape",
        "Attribute advantage has one peak below 1/2, between no influence and too much; the ratio raises it.",
        Condition("height of the peak", near_each(_by_ratio(HEIGHTS), 0.002), _heights),
        Condition("influence at the peak", near_each(_by_ratio(PEAKS), 0.01), _places),
        Condition(
            "the same by formula",
            near_each(_by_ratio(PEAKS), 0.01),
            lambda tables: _by_ratio({ratio: float(most_telling_influence(ratio)) for ratio in PEAKS}),
        ),
        Condition("height of the peak", below(0.5), _heights),
        Condition("smallest step up to the peak", above(0), _rises),
        Condition("largest step beyond it", at_most(0, 1e-12), _falls),
        Condition(
            "advantage without influence",
            exactly(0),
            lambda tables: {name: curve[0] for name, curve in _curves().items()},
        ),
        Condition(
            f"advantage at influence {INFLUENCES[-1]:g}",
            below(1e-9),
            lambda tables: {name: curve[-1] for name, curve in _curves().items()},
        ),
        artifact="yeom_fig1",
        expected=", ".join(map(spelled, HEIGHTS.values())),
        note="exact, at ratio 2, influence {3:.2f}",
    ),
)
