"""How the claims of Humphries et al. 2023 are checked.

Differences between an arm and its IID arm, and between arms, are taken within each replicate. Where a claim speaks of
several epsilons, attacks or arms, all are judged together (`dpmia.claims.comparisons.every`, Bonferroni). Of the
epsilons that a claim names, those that a scale left out are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import (
    Cell,
    Comparison,
    above,
    at_least,
    at_most,
    below,
    every,
    exact,
    mean,
    near,
    not_above,
    not_below,
    some,
)
from dpmia.claims.rows import Replicates, tell
from dpmia.papers.humphries.bounds import DELTA, EPSILONS
from dpmia.papers.humphries.table2 import COLUMNS, PRINTED
from dpmia.settings.arms import IID_SUFFIX
from dpmia.theory.bounds import erlingsson_advantage, humphries_advantage, yeom_advantage

AVERAGE, OPTIMAL, SHADOW, RANDOM = "average_threshold", "optimal_threshold", "shadow", "random"
#: Epsilons of the paper's figures from .1 up; the smallest, .01, is next to no training at all.
GRID = (0.1, 1, 10, 100, 1000, np.inf)
SHARES = ("p0", "p25", "p50", "p75", "p100")

Check = Callable[[Tables], Finding]
Experiment = Callable[[Replicates], Finding]


# Theory


def tightest(tables: Tables) -> Finding:
    """Return by how much the bound lies below the lower one of two older ones, at least."""
    others = np.minimum(yeom_advantage(EPSILONS), erlingsson_advantage(EPSILONS, DELTA))
    gap = (others - humphries_advantage(EPSILONS, DELTA)).min()
    return exact(gap, gap >= -1e-12)


def largest_gap(tables: Tables) -> Finding:
    """Return the largest distance to the bound of Erlingsson et al., without delta."""
    epsilons = np.linspace(0.01, 10, 99_901)
    gaps = erlingsson_advantage(epsilons) - humphries_advantage(epsilons)
    top = int(gaps.argmax())
    holds = abs(gaps[top] - 0.1716) <= 0.002 and abs(epsilons[top] - 0.881) <= 0.02
    return exact(gaps[top], holds, f"exact; at ε = {epsilons[top]:.3f}")


def regimes(tables: Tables) -> Finding:
    """Return the bound at epsilon 0.1, 1 and 10."""
    small, middle, large = humphries_advantage([0.1, 1, 10], DELTA)
    holds = small <= 0.051 and abs(middle - 0.462) <= 0.002 and large >= 0.999
    return exact(middle, holds, f"exact, at ε = 1; {small:.4f} at 0.1, {large:.4f} at 10")


# Table II

#: Where our files give other numbers than the paper prints, and why: (experiment, column) -> number, reason.
EXCEPTIONS = {
    ("adult_cluster", "population"): (15_135, "k-means leaves three records more in the smaller cluster"),
    ("census_adult", "features"): (99, "as in the test part of the census alone"),
    ("census_adult", "population"): (18_259, "as in the test part of the census alone"),
}


def sizes(tables: Tables) -> Finding:
    """Return how many numbers of Table II are others than the paper's, without a known reason."""
    sizes = pd.concat(tables.values()).set_index(["experiment", "arm"])
    off, excepted = [], []
    for (experiment, arm), (_, _, *printed) in PRINTED.items():
        if (experiment, arm) not in sizes.index:
            continue
        for column, value in zip(COLUMNS[2:], printed, strict=True):
            ours = int(sizes.loc[(experiment, arm), column])
            if value is None or ours == value:
                continue
            told = f"{experiment} {column} {ours} for {value}"
            if (experiment, column) in EXCEPTIONS and ours == EXCEPTIONS[experiment, column][0]:
                excepted.append(f"{told} ({EXCEPTIONS[experiment, column][1]})")
            else:
                off.append(told)
    note = "; ".join(["numbers that differ without a reason: " + (", ".join(off) or "none"), *excepted])
    return exact(len(off), not off, note)


def cluster_sizes(tables: Tables) -> Finding:
    """Return the size of the smaller cluster, from what it left to the attacker."""
    sizes = tables["sizes/adult_cluster"].set_index("arm").loc["cluster"]
    # Half of the shadow records come from either cluster: what the smaller has left, and as many as members.
    smaller = int(sizes["population"] + sizes["members"] - sizes["nonmembers"])
    holds = abs(smaller - 15_132) <= 0.02 * 15_132 and abs(48_842 - smaller - 33_710) <= 0.02 * 33_710
    return exact(smaller, holds, f"counted; the other one has {48_842 - smaller}")


# What several figures share


def over_iid(
    arms: Iterable[str], attacks: Iterable[str], epsilons: Iterable[float], comparison: Comparison
) -> Experiment:
    """Return the check that in all of these an arm exceeds its IID arm by so much."""

    def check(rows: Replicates) -> Finding:
        return every(
            Cell(f"{arm}, {attack}, ε = {tell(epsilon)}", _gap(rows, arm, epsilon, attack), comparison)
            for arm in arms
            for attack in attacks
            for epsilon in rows.chosen(epsilons, arm, attack)
        )

    return check


def _gap(rows: Replicates, arm: str, epsilon: float, attack: str, metric: str = "advantage") -> pd.Series:
    return rows(arm, epsilon, attack, metric) - rows(arm + IID_SUFFIX, epsilon, attack, metric)


def above_bound(arm: str, attack: str, epsilons: Iterable[float]) -> Experiment:
    """Return the check that at one of these epsilons an attack exceeds the bound for independent records."""

    def check(rows: Replicates) -> Finding:
        return some(
            Cell(f"ε = {tell(epsilon)}", rows(arm, epsilon, attack) - humphries_advantage(epsilon, DELTA), above(0))
            for epsilon in rows.chosen(epsilons, arm, attack)
        )

    return check


def iid_below_ceiling(arms: Iterable[str], attacks: Iterable[str]) -> Experiment:
    """Return the check that attacks on independent records stay below the exact ceiling of the mechanism.

    The optimal threshold is an oracle. On samples it exceeds its true advantage by no more, on average, than the
    largest deviation of two samples, which is what random scores reach under the same rule; so much is taken off.
    """

    def check(rows: Replicates) -> Finding:
        cells = []
        for arm in arms:
            for epsilon in rows.epsilons(arm, metric="advantage_ceiling"):
                ceiling = rows(arm, epsilon, metric="advantage_ceiling")
                reached = {attack: rows(arm, epsilon, attack) for attack in attacks}
                reached[f"{OPTIMAL} less {RANDOM}"] = rows(arm, epsilon, OPTIMAL) - rows(arm, epsilon, RANDOM)
                cells += [
                    Cell(f"{arm}, {name}, ε = {tell(epsilon)}", advantage - ceiling, at_most(0))
                    for name, advantage in reached.items()
                ]
        return every(cells)

    return check


# Figure 2


def near_one(rows: Replicates) -> Finding:
    """Return the mean advantage on clusters of Adult from epsilon 1 up."""
    return mean(rows.mean("cluster", rows.epsilons("cluster", OPTIMAL, least=1), OPTIMAL), at_least(0.8))


def iid_below_bound(rows: Replicates) -> Finding:
    """Return by how much the average threshold stays below the bound on shuffled records."""
    arm = "cluster" + IID_SUFFIX
    return every(
        Cell(f"ε = {tell(epsilon)}", rows(arm, epsilon, AVERAGE) - humphries_advantage(epsilon, DELTA), at_most(0))
        for epsilon in rows.epsilons(arm, AVERAGE)
    )


def above_ceiling(rows: Replicates) -> Finding:
    """Return whether the average threshold passes the exact ceiling for IID on clusters."""
    return some(
        Cell(
            f"ε = {tell(epsilon)}",
            rows("cluster", epsilon, AVERAGE) - rows("cluster", epsilon, metric="advantage_ceiling"),
            above(0),
        )
        for epsilon in rows.epsilons("cluster", metric="advantage_ceiling", most=1)
    )


def grows(rows: Replicates) -> Finding:
    """Return the rank correlation of epsilon and advantage, of each replicate by itself."""
    epsilons = rows.epsilons("cluster", OPTIMAL)
    curves = pd.concat([rows("cluster", epsilon, OPTIMAL) for epsilon in epsilons], axis=1).to_numpy()
    ranks = np.arange(len(epsilons))
    return mean([spearmanr(ranks, curve).statistic for curve in curves], at_least(0.8), f"{len(epsilons)} epsilons")


def rises_again(rows: Replicates) -> Finding:
    """Return whether accuracy is flat from epsilon 1 to infinity while the advantage rises."""
    flat = rows("cluster", np.inf, metric="accuracy_members") - rows("cluster", 1, metric="accuracy_members")
    rise = rows("cluster", np.inf, AVERAGE) - rows("cluster", 1, AVERAGE)
    return every([Cell("rise of the accuracy", flat, near(0, 0.05)), Cell("rise of the advantage", rise, above(0))])


def reverse(tables: Tables) -> Finding:
    """Return how far the advantages with members from either cluster lie apart."""
    forward, back = (Replicates(tables[f"replicates/{name}"]) for name in ("adult_cluster", "adult_cluster_reverse"))
    cells = []
    for epsilon in back.epsilons("cluster", OPTIMAL, least=1):
        apart = back("cluster", epsilon, OPTIMAL) - forward("cluster", epsilon, OPTIMAL)
        cells.append(Cell(f"ε = {tell(epsilon)}", apart, near(0, 0.1)))
    return every(cells)


# Figures 4 and 5


def falls_with_men(attack: str) -> Experiment:
    """Return the check that the advantage falls from p = 0 to p = 1, and is not shown to rise at any step."""

    def check(rows: Replicates) -> Finding:
        cells = []
        for epsilon in rows.epsilons("p0", attack, least=1):
            values = [rows(arm, epsilon, attack) for arm in SHARES]
            told = f"ε = {tell(epsilon)}"
            cells.append(Cell(f"p0 less p100, {told}", values[0] - values[-1], above(0)))
            steps = zip(SHARES, SHARES[1:], values, values[1:], strict=False)
            cells += [Cell(f"{a} less {b}, {told}", more - less, not_below(0)) for a, b, more, less in steps]
        return every(cells)

    return check


def negative(rows: Replicates) -> Finding:
    """Return whether the average threshold is misled where most or all members are men."""
    epsilons = rows.epsilons("p100", AVERAGE, least=1)
    return every(
        [
            Cell("p = 1", rows.mean("p100", epsilons, AVERAGE), below(0)),
            Cell("p = 0.75", rows.mean("p75", epsilons, AVERAGE), not_above(0)),
        ]
    )


def bias_as_leaky(rows: Replicates) -> Finding:
    """Return how far bias under strict privacy and no bias without privacy lie apart."""
    return mean(rows("p0", 0.1, AVERAGE) - rows("p50", np.inf, AVERAGE), near(0, 0.05))


def same_accuracy(rows: Replicates) -> Finding:
    """Return how far accuracies on members and on other records drawn like them lie apart."""
    apart = [
        (rows(arm, epsilon, metric="accuracy_members") - rows(arm, epsilon, metric="accuracy_validation")).abs()
        for arm in SHARES
        for epsilon in rows.epsilons(arm, metric="accuracy_validation", most=1)
    ]
    return mean(pd.concat(apart, axis=1).mean(axis=1), at_most(0.02))


def nonmembers_better(arm: str) -> Experiment:
    """Return the check that non-members are classified better than members up to epsilon 1."""

    def check(rows: Replicates) -> Finding:
        return every(
            Cell(
                f"ε = {tell(epsilon)}",
                rows(arm, epsilon, metric="accuracy_nonmembers") - rows(arm, epsilon, metric="accuracy_members"),
                above(0),
            )
            for epsilon in rows.epsilons(arm, metric="accuracy_members", most=1)
        )

    return check


def rises_with_education(rows: Replicates) -> Finding:
    """Return whether the advantage rises with the share of members of little education."""
    cells = []
    for epsilon in rows.epsilons("p100", OPTIMAL, least=1):
        half = rows("p50", epsilon, OPTIMAL)
        cells += [
            Cell(f"p100 less p50, ε = {tell(epsilon)}", rows("p100", epsilon, OPTIMAL) - half, above(0)),
            Cell(f"p75 less p50, ε = {tell(epsilon)}", rows("p75", epsilon, OPTIMAL) - half, not_below(0)),
        ]
    return every(cells)


# Figures 6 to 9

HOSPITALS = ("cleveland", "hungary", "switzerland", "va")


def hospital_above_bound(rows: Replicates) -> Finding:
    """Return whether the oracle passes the bound in some hospital, on shuffled records."""
    bound = humphries_advantage(0.1, DELTA)
    return some(Cell(arm, rows(arm + IID_SUFFIX, 0.1, OPTIMAL) - bound, above(0)) for arm in HOSPITALS)


def school(rows: Replicates) -> Finding:
    """Return by how much the advantage on one school exceeds that on shuffled records."""
    arm, epsilons = "gabriel_pereira", rows.epsilons("gabriel_pereira", OPTIMAL, least=1)
    return mean(rows.mean(arm, epsilons, OPTIMAL) - rows.mean(arm + IID_SUFFIX, epsilons, OPTIMAL), above(0))


def modest(tables: Tables) -> Finding:
    """Return whether dependence helps less on Texas than on Adult, and still by a fifth."""
    texas, adult = (Replicates(tables[f"replicates/{name}"]) for name in ("texas", "adult_cluster"))
    epsilons = [each for each in texas.epsilons("region_3", OPTIMAL) if each in adult.epsilons("cluster", OPTIMAL)]
    gaps = [
        pd.concat([_gap(rows, arm, epsilon, OPTIMAL) for epsilon in epsilons], axis=1).mean(axis=1)
        for rows, arm in ((adult, "cluster"), (texas, "region_3"))
    ]
    cells = [Cell("mean gap of adult less that of texas", gaps[0] - gaps[1], above(0))]
    for epsilon in texas.chosen((1, 10, 100), "region_3", OPTIMAL):
        iid = texas("region_3" + IID_SUFFIX, epsilon, OPTIMAL)
        # A ratio above 1.2, without dividing by what may be 0.
        more = texas("region_3", epsilon, OPTIMAL) - 1.2 * iid
        cells.append(Cell(f"non-IID less 1.2 times IID, ε = {tell(epsilon)}", more, above(0)))
    return every(cells)


def texas_accuracy(rows: Replicates) -> Finding:
    """Return by how much accuracies on Texas differ from those on shuffled records, without privacy."""
    members, others = (
        _gap(rows, "region_3", np.inf, "model", f"accuracy_{part}") for part in ("members", "nonmembers")
    )
    return every([Cell("members", members, at_least(0)), Cell("non-members", others, at_most(0))])
