"""Bounds of the theorems beside measured values, by enumeration: six records, all twenty halves of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from dpmia.mip.noise import split_moments
from dpmia.papers.artifact import RunSummary
from dpmia.theory.mip import (
    all_subsets,
    corollary_8_scale,
    eta_from_epsilon,
    laplace_gain,
    membership_posterior,
    optimal_gain,
    theorem_7_scale,
)
from dpmia.theory.reciprocal_sum import ReciprocalSum

HALVES = all_subsets(6)
NUMBERS = np.random.default_rng(7).normal(size=6)
#: Means of all halves of six numbers.
MEANS = HALVES @ NUMBERS / 3

EPSILONS = (0.1, 1.0, 3.0)
ETAS = (0.05, 0.1, 0.25)
#: Moments that theorem 7 speaks of here, and those that corollary 8 does.
THEOREM_7, COROLLARY_8 = (1, 2, 4), (2, 4)
#: Numbers of records of proposition 9.
RECORDS = (8, 12, 16)


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each number that a theorem bounds.

    Returns:
        Columns statement, at, quantity, bound, measured: `measured` is at most `bound`, and equal to it where
        the theorem is tight.
    """
    rows = []
    for epsilon in EPSILONS:
        at = f"ε = {epsilon:g}"
        rows.append(["theorem 4", at, "gain over 1/2", float(eta_from_epsilon(epsilon)), naming_gain(epsilon)])
        rows.append(["proposition 6", at, "in / out", math.exp(epsilon), largest_ratio(epsilon)])
    for eta in ETAS:
        rows.append(["theorem 5", f"η = {eta:g}", "gain over 1/2", eta, publishing(eta)[0]])
    noises = (("theorem 7", theorem_7_scale, THEOREM_7), ("corollary 8", corollary_8_scale, COROLLARY_8))
    for name, scale, moments in noises:
        for (moment, eta), gain in laplace_gains(scale, moments).items():
            rows.append([name, f"η = {eta:g}, M = {moment}", "gain over 1/2", eta, gain])
    for records in RECORDS:
        at = f"n = {records}"
        rows.append(["proposition 9", at, "variance", 1.0, output_variance(records)])
        rows.append(["proposition 9", at, "largest output", root_of_halves(records), largest_output(records)])
    return pd.DataFrame(rows, columns=["statement", "at", "quantity", "bound", "measured"]).round(5)


def naming_gain(epsilon: float) -> float:
    """Return the gain over 1/2 of the best attacker on an algorithm that names the right one of two records.

    It does so with probability 1 / (1 + e^-epsilon), which differential privacy just allows. Source: theorem 4.
    """
    right = 1 / (1 + math.exp(-epsilon))
    # Of two records one trains; the output names it with probability `right`.
    names_first = [[right, 1 - right] if inside[0] else [1 - right, right] for inside in all_subsets(2)]
    return float(optimal_gain(all_subsets(2), np.array(names_first)).max())


def publishing(eta: float) -> tuple[float, float]:
    """Return the best gain on an algorithm that publishes each member by chance, and how sure an attacker can be.

    Each record of the training set is published with probability `eta`, so most outputs say little, but a published
    record was certainly in it. Source: the proof of theorem 5.

    Returns:
        The largest gain over 1/2 of any record; the largest probability, given an output, that a record is a member.
    """
    published = np.array(list(itertools.product([False, True], repeat=HALVES.shape[1])))
    of_member = np.where(published, eta, 1 - eta)
    laws = np.array([np.where(members, of_member, ~published).prod(axis=1) for members in HALVES])
    possible = laws[:, laws.any(axis=0)]
    return float(optimal_gain(HALVES, laws).max()), float(membership_posterior(HALVES, possible).max())


def largest_ratio(epsilon: float) -> float:
    """Return the largest ratio of in to out, or out to in, given an output of the Laplace mechanism.

    At most e^epsilon, by proposition 6; on a grid of outputs.
    """
    scale = (NUMBERS.max() - NUMBERS.min()) / 3 / epsilon  # sensitivity of the mean to one replaced record
    outputs = np.linspace(-20 * scale, 20 * scale, 2001)
    posterior = membership_posterior(HALVES, np.exp(-np.abs(outputs - MEANS[:, None]) / scale))
    return float(np.maximum(posterior / (1 - posterior), (1 - posterior) / posterior).max())


def laplace_gains(
    scale: Callable[[float, float], np.ndarray], moments: Iterable[int]
) -> dict[tuple[int, float], float]:
    """Return the gain over 1/2 of the best attacker on Laplace noise of a calibration, by moment and eta.

    Args:
        scale: takes eta and the moment, returns the scale in units of the moment's root.
        moments: to try, each with all of `ETAS`.
    """
    gains = {}
    for moment, eta in itertools.product(moments, ETAS):
        sigma = float(split_moments(MEANS[:, None], moment)[0])
        gains[moment, eta] = float(laplace_gain(HALVES, MEANS, float(scale(eta, moment)) * sigma).max())
    return gains


def output_variance(records: int) -> float:
    """Return the variance over halves of the output of proposition 9."""
    return float(ReciprocalSum(records).variance())


def largest_output(records: int) -> float:
    """Return the largest output of proposition 9, by enumeration."""
    return float(np.abs(ReciprocalSum(records).outputs()).max())


def root_of_halves(records: int) -> float:
    """Return the root of the number of halves, which the largest output of proposition 9 is to be."""
    return math.sqrt(math.comb(records, records // 2))
