"""Claims about figure 1: the bound beside older ones."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import theorem
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import UNPRINTED, at_least, at_most, near, spelled
from dpmia.claims.decisions import Condition
from dpmia.papers.humphries.bounds import DELTA, EPSILONS
from dpmia.theory.bounds import erlingsson_advantage, humphries_advantage, yeom_advantage

#: Where the largest gap is looked for.
GRID = np.linspace(0.01, 10, 99_901)

#: The largest gap and its epsilon, computed by us, and the epsilons between which the paper sees a gap of almost .2.
LARGEST, AT, RANGE = 0.1716, 0.881, (0.1, 2)


def _smallest_distance(tables: Tables) -> float:
    others = np.minimum(yeom_advantage(EPSILONS), erlingsson_advantage(EPSILONS, DELTA))
    return (others - humphries_advantage(EPSILONS, DELTA)).min()


def _gaps(epsilons: np.ndarray = GRID) -> np.ndarray:
    """Return the distance to the bound of Erlingsson et al., without delta."""
    return erlingsson_advantage(epsilons) - humphries_advantage(epsilons)


def _largest_in_range(tables: Tables) -> float:
    return _gaps(np.linspace(*RANGE, 19_001)).max()


def _gaps_at_its_ends(tables: Tables, finding: Finding) -> str:
    gaps = [
        f"{erlingsson_advantage(epsilon) - humphries_advantage(epsilon):.3f} at ε = {epsilon:g}" for epsilon in RANGE
    ]
    return f"exact; {', '.join(gaps)}"


_claim = partial(theorem, artifact="humphries_fig1")

CLAIMS = (
    _claim(
        "humphries-fig1-tightest",
        "The paper's bound lies at or below those of Yeom et al. and of Erlingsson et al. at every epsilon.",
        Condition("smallest distance to the lower of the two older bounds", at_least(0, 1e-12), _smallest_distance),
        paper_value="tightest of the three",
    ),
    _claim(
        "humphries-fig1-max-gap",
        "What the bound gains on that of Erlingsson et al. is largest near epsilon 0.88.",
        Condition("largest gap between the two bounds", near(LARGEST, 0.002), lambda tables: _gaps().max()),
        Condition("epsilon of the largest gap", near(AT, 0.02), lambda tables: GRID[_gaps().argmax()]),
        expected=f"{spelled(LARGEST)} at ε = {AT:g}",
        ours=True,
        note="exact; at ε = {1:.3f}",
    ),
    _claim(
        "humphries-fig1-gap",
        "Between epsilon 0.1 and 2 the bound gains up to almost 0.2 on that of Erlingsson et al.",
        Condition(
            f"largest gap between the two bounds, epsilon from {RANGE[0]:g} to {RANGE[1]:g}",
            near(0.2, UNPRINTED),
            _largest_in_range,
        ),
        paper_value="almost 0.2",
        note=_gaps_at_its_ends,
    ),
    _claim(
        "humphries-fig1-regimes",
        "Epsilon up to 0.1 leaves an attacker next to nothing; at epsilon 10 the bound is vacuous.",
        Condition("bound at epsilon 1", near(0.462, 0.002), lambda tables: humphries_advantage(1, DELTA)),
        Condition("bound at epsilon 0.1", at_most(0.051), lambda tables: humphries_advantage(0.1, DELTA)),
        Condition("bound at epsilon 10", at_least(0.999), lambda tables: humphries_advantage(10, DELTA)),
        note="exact, at ε = 1; {1:.4f} at 0.1, {2:.4f} at 10",
    ),
)
