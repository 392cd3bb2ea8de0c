"""Claims about the theorems, checked by enumeration: six records, all twenty halves of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from dpmia.claims.build import theorem
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import above, at_least, at_most, below, listed_numbers, near, near_each
from dpmia.claims.decisions import Condition
from dpmia.mip.noise import Noise, random_halves, split_moments
from dpmia.papers.izzo import theory
from dpmia.theory.mip import (
    corollary_8_scale,
    epsilon_from_eta,
    eta_from_epsilon,
    optimal_gain,
    theorem_7_scale,
)

#: Theorem 4: an epsilon next to 0, and eta at two others.
TINY, ETAS = 1e-4, {0.1: 0.02498, 1.0: 0.23106}

#: Moments for which corollaries 8 and 11 are tried.
MOMENTS = (2, 4, 8)

#: Halves from which algorithm 1 estimates moments; the paper takes 128.
HALVES = (16, 128, 1024)


def _by_epsilon(etas: Iterable[float]) -> dict[str, float]:
    return {f"ε = {epsilon:g}": float(eta) for epsilon, eta in zip(ETAS, etas, strict=True)}


def _inverse_error(tables: Tables) -> float:
    grid = np.geomspace(0.01, 10, 50)
    return np.abs(epsilon_from_eta(eta_from_epsilon(grid)) - grid).max()


def _distance_from_theorem_4(tables: Tables) -> float:
    return max(abs(theory.naming_gain(epsilon) - float(eta_from_epsilon(epsilon))) for epsilon in theory.EPSILONS)


def _published_gains(tables: Tables) -> dict[str, float]:
    return {f"η = {eta:g}": theory.publishing(eta)[0] - eta for eta in theory.ETAS}


def _excess_of_other_attackers(tables: Tables) -> float:
    rng = np.random.default_rng(0)
    excess = -1.0
    for _ in range(20):
        laws = rng.dirichlet(np.ones(8), size=len(theory.HALVES))
        best = optimal_gain(theory.HALVES, laws) + 0.5
        attackers = np.concatenate(
            [rng.random((500, 8)), rng.integers(2, size=(500, 8))]
        )  # P(predicts member | output)
        for record, inside in enumerate(theory.HALVES.T):
            member, other = laws[inside].sum(axis=0), laws[~inside].sum(axis=0)
            right = (attackers @ member + (1 - attackers) @ other) / len(theory.HALVES)
            excess = max(excess, float(right.max() - best[record]))
    return excess


def _largest_ratio(tables: Tables) -> float:
    return max(theory.largest_ratio(epsilon) / math.exp(epsilon) for epsilon in theory.EPSILONS)


def _theorem_7_excess(tables: Tables) -> float:
    return max(gain - eta for (_, eta), gain in theory.laplace_gains(theorem_7_scale, theory.THEOREM_7).items())


def _theorem_7_gain(tables: Tables) -> float:
    return max(theory.laplace_gains(theorem_7_scale, theory.THEOREM_7).values())


def _corollary_8_excess(tables: Tables) -> float:
    return max(gain - eta for (_, eta), gain in theory.laplace_gains(corollary_8_scale, theory.COROLLARY_8).items())


def _ratio_of_scales(tables: Tables) -> float:
    """Return the largest ratio of the scale of corollary 8 to that of theorem 7."""
    etas = np.array(theory.ETAS)
    return max((corollary_8_scale(etas, moment) / theorem_7_scale(etas, moment)).max() for moment in MOMENTS)


def _moment_of_norm(tables: Tables) -> float:
    outputs = np.random.default_rng(1).standard_t(5, size=(200, 12)) * np.geomspace(0.01, 100, 12)
    largest = 0.0
    for moment in MOMENTS:
        noise = Noise(split_moments(outputs, moment), moment, 1.0)
        largest = max(largest, float((noise.norm(outputs - outputs.mean(axis=0)) ** moment).mean()))
    return largest


def _errors() -> list[float]:
    """Return the mean relative error of the moment from each number of `HALVES`, 50 times, for means of 200 numbers."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=200)
    many = np.array([numbers[half].mean() for half in random_halves(200, 4096, rng)])[:, None]
    limit = split_moments(many, 2)[0]
    errors = []
    for count in HALVES:
        draws = [many[rng.choice(len(many), count, replace=False)] for _ in range(50)]
        sigmas = np.array([split_moments(draw, 2)[0] for draw in draws])
        errors.append(np.abs(sigmas - limit).mean() / limit)
    return errors


def _errors_note(tables: Tables, finding: Finding) -> str:
    counts, errors = ", ".join(map(str, HALVES)), ", ".join(f"{error:.3f}" for error in _errors())
    return f"simulated; mean relative error at {counts} halves: {errors}"


def _for_each_n(quantity: Callable[[int], float]) -> dict[str, float]:
    """Return a number of proposition 9 for each number of records, the largest first."""
    return {f"n = {records}": quantity(records) for records in reversed(theory.RECORDS)}


_claim = partial(theorem, artifact="izzo_theory")

CLAIMS = (
    _claim(
        "izzo-thm4-eta",
        "Differential privacy gives MIP with eta = 1 / (1 + e^-epsilon) - 1/2, about epsilon / 4 where it is small.",
        Condition(f"eta / epsilon at epsilon {TINY:g}", near(0.25, 1e-4), lambda tables: eta_from_epsilon(TINY) / TINY),
        Condition(
            "eta", near_each(_by_epsilon(ETAS.values()), 1e-4), lambda tables: _by_epsilon(eta_from_epsilon([*ETAS]))
        ),
        Condition("largest error of the inverse from epsilon 0.01 to 10", at_most(1e-6), _inverse_error),
        expected="0.25",
        note="exact; eta {1:.5f} at ε = 0.1, {2:.5f} at ε = 1",
    ),
    _claim(
        "izzo-thm4-tight",
        "Theorem 4 is tight: on two records an algorithm that names the right one reaches it.",
        Condition(
            "largest distance of the best attacker's gain from 1 / (1 + e^-epsilon) - 1/2",
            at_most(0.01),
            _distance_from_theorem_4,
        ),
        note="exact, by enumeration",
    ),
    _claim(
        "izzo-thm5-weaker",
        "For any eta an algorithm is eta-MIP without differential privacy at any epsilon.",
        Condition(
            "gain of the best attacker minus eta where each member is published with probability eta, for each eta",
            at_most(0),
            _published_gains,
        ),
        Condition(
            "largest probability that a record is a member, given an output, for each eta",
            at_least(1, 1e-9),
            lambda tables: {f"η = {eta:g}": theory.publishing(eta)[1] for eta in theory.ETAS},
        ),
        note="exact, by enumeration; certain membership has an infinite ratio, which no epsilon allows",
    ),
    _claim(
        "izzo-prop2-optimal",
        "No attacker is right more often than the one that predicts what is more likely given the output.",
        Condition(
            "largest accuracy of other attackers minus that of the best", at_most(0, 1e-12), _excess_of_other_attackers
        ),
        note="exact accuracies of 1000 attackers on each of 20 random algorithms",
        simulated=True,
    ),
    _claim(
        "izzo-prop6-ratio",
        "Given any output of a differentially private algorithm, in and out differ by at most a factor e^epsilon.",
        Condition("largest ratio of the two, divided by e^epsilon", at_most(1, 1e-6), _largest_ratio),
        note="exact on a grid of outputs, Laplace mechanism",
    ),
    _claim(
        "izzo-thm7-valid",
        "Noise of the scale (7.5 / eta)^(1 + 2/M) sigma gives eta-MIP.",
        Condition(
            f"gain of the best attacker minus eta, largest over M = {listed_numbers(theory.THEOREM_7)} and "
            f"eta = {listed_numbers(theory.ETAS)}",
            at_most(0, 1e-6),
            _theorem_7_excess,
        ),
        note="exact, by enumeration",
    ),
    _claim(
        "izzo-thm7-loose",
        "The scale of theorem 7 is many times what is needed.",
        Condition(
            f"largest gain of the best attacker where up to {max(theory.ETAS):g} is allowed",
            at_most(0.01),
            _theorem_7_gain,
        ),
        ours=True,
        note="exact, by enumeration",
    ),
    _claim(
        "izzo-cor11-constant",
        "For M >= 2 the constant 6.16 will do in place of 7.5.",
        Condition(
            f"gain of the best attacker minus eta, largest over M = {listed_numbers(theory.COROLLARY_8)} and "
            f"eta = {listed_numbers(theory.ETAS)}",
            at_most(0, 1e-6),
            _corollary_8_excess,
        ),
        Condition(
            f"scale divided by that of theorem 7, largest over M = {listed_numbers(MOMENTS)}",
            below(1),
            _ratio_of_scales,
        ),
        paper_value="6.16",
        note="exact, by enumeration; M = 2 and 4",
    ),
    _claim(
        "izzo-cor8-norm",
        "In the norm of corollary 8 the output's deviation has an M-th moment of at most 1.",
        Condition(
            f"mean of the norm to the power M, largest over M = {listed_numbers(MOMENTS)}",
            at_most(1, 1e-9),
            _moment_of_norm,
        ),
        expected="1",
        note="exact, of 200 drawn outputs of 12 numbers; M = 2, 4 and 8",
        simulated=True,
    ),
    _claim(
        "izzo-alg1-consistency",
        "The moments of algorithm 1 converge as halves are added.",
        Condition(
            f"fall of the mean relative error from {HALVES[0]} to {HALVES[1]} and from {HALVES[1]} to {HALVES[2]} "
            "halves",
            above(0),
            lambda tables: dict(enumerate(-np.diff(_errors()))),
        ),
        note=_errors_note,
        simulated=True,
    ),
    _claim(
        "izzo-prop9-construction",
        "An output may vary by less than 1 over halves and yet change exponentially with one record.",
        Condition(
            f"largest output for n = {listed_numbers(theory.RECORDS)}",
            near_each(_for_each_n(theory.root_of_halves), 1e-6, "the root of the number of halves"),
            lambda tables: _for_each_n(theory.largest_output),
        ),
        Condition("variance, for each n", at_most(1), lambda tables: _for_each_n(theory.output_variance)),
        expected="113.446 (n = 16)",
        note=f"exact, by enumeration; n = {theory.RECORDS[-1]}, variance {{3:.5f}}",
    ),
)
