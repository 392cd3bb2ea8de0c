"""Claims about theorem 3.3 and figures 1 and 2, which show it."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import theorem
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import above, below, near, near_each, spelled
from dpmia.claims.decisions import Condition
from dpmia.papers.thudi import budgets, rates
from dpmia.papers.thudi.earlier_bounds import EPSILONS, PRIORS
from dpmia.theory.bounds import humphries_advantage
from dpmia.theory.precision_bounds import precision_bound

#: Epsilon -> the bound at rate 1/2 that figures 5 and 6 keep.
LABELS = {1: 0.731, 2: 0.881, 3: 0.953}

#: Figure 1: a rate next to 0, and an epsilon next to 0.
RARE, TINY = 1e-4, 1e-6

#: Figure 2: a low t, at which the term of the rate is many times that of epsilon.
LOW = 0.05


def _by_epsilon(values: list[float]) -> dict[str, float]:
    return {f"ε = {epsilon}": float(value) for epsilon, value in zip(LABELS, values, strict=True)}


def _distance_from_humphries(tables: Tables) -> float:
    ours = precision_bound(EPSILONS, 0.5)
    apart = np.abs(ours - (1 + humphries_advantage(EPSILONS)) / 2).max()
    return max(apart, np.abs(ours - 1 / (1 + np.exp(-EPSILONS))).max())


def _distance_from_rate(tables: Tables) -> float:
    return np.abs(precision_bound(TINY, PRIORS) - PRIORS).max()


def _smallest_step(axis: int) -> float:
    """Return the smallest step of the bound along epsilons (0) or rates (1)."""
    return np.diff(precision_bound(np.linspace(0.1, 5, 50)[:, None], PRIORS), axis=axis).min()


def _terms(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the terms of epsilon and of the rate, of figure 2, on a grid of t."""
    epsilon, rate = rates.TERMS.values()
    t = np.linspace(low, high, 100)
    return epsilon(t), rate(t)


def _below_crossing(tables: Tables) -> float:
    epsilon, rate = _terms(0.01, rates.crossing() - 0.01)
    return (rate - epsilon).min()


def _above_crossing(tables: Tables) -> float:
    epsilon, rate = _terms(rates.crossing() + 0.01, 1)
    return (rate - epsilon).max()


def _ratio_of_terms(tables: Tables) -> float:
    epsilon, rate = _terms(LOW, LOW)
    return (rate / epsilon).min()


_theory = partial(theorem, artifact="thudi_theory")

CLAIMS = (
    _theory(
        "thudi-thm33-labels",
        "The bounds that figures 5 and 6 keep are theorem 3.3 at rate 1/2 and epsilon 1, 2 and 3.",
        Condition(
            "bound",
            near_each(_by_epsilon([*LABELS.values()]), 0.001),
            lambda tables: _by_epsilon(sorted(budgets.target_bounds())),
        ),
        paper_value=", ".join(map(spelled, LABELS.values())),
        note="exact; {1:.4f} and {2:.4f} besides",
    ),
    _theory(
        "thudi-thm33-equals-humphries",
        "At rate 1/2 without delta the theorem is the bound of Humphries et al. as accuracy.",
        Condition(
            "largest distance from the bound of Humphries et al. and from 1 / (1 + e^-epsilon)",
            below(1e-12),
            _distance_from_humphries,
        ),
    ),
    theorem(
        "thudi-fig1-limits",
        "The bound falls to 0 with the sampling rate, and to the rate with epsilon.",
        Condition(f"bound at rate {RARE:g} and epsilon 5", below(0.02), lambda tables: precision_bound(5, RARE)),
        Condition(f"largest distance of the bound from the rate at epsilon {TINY:g}", below(1e-5), _distance_from_rate),
        Condition("smallest step of the bound as epsilon rises", above(0), lambda tables: _smallest_step(0)),
        Condition("smallest step of the bound as the rate rises", above(0), lambda tables: _smallest_step(1)),
        artifact="thudi_fig1",
    ),
    theorem(
        "thudi-fig2-order",
        "Lowering the sampling rate helps without end, lowering epsilon only up to a factor.",
        Condition("t at which both terms are equal", near(0.66, 0.02), lambda tables: rates.crossing()),
        Condition("term of the rate minus that of epsilon, smallest at lower t", above(0), _below_crossing),
        Condition("the same, largest at higher t", below(0), _above_crossing),
        Condition(f"term of the rate divided by that of epsilon at t = {LOW:g}", above(10), _ratio_of_terms),
        artifact="thudi_fig2",
        expected="about 0.66",
    ),
)
