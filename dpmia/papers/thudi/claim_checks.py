"""How the claims of Thudi et al. 2024 are checked.

Models of one replicate share their split, so differences between them are taken within each replicate, and means over
epsilons too. Where a claim speaks of several sampling rates, epsilons or data sets, all are judged together
(`dpmia.claims.comparisons.every`, Bonferroni). Epsilons that a scale left out are passed over.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from dpmia.claims.claim import Finding, MissingRowsError, Tables
from dpmia.claims.comparisons import (
    Cell,
    Comparison,
    above,
    at_most,
    consistent_with,
    every,
    exact,
    leader,
    near,
    no_later,
    not_below,
    some,
)
from dpmia.claims.rows import Replicates, tell
from dpmia.papers.thudi import budgets, capacity, names, rates
from dpmia.papers.thudi.earlier_bounds import EPSILONS as FIG9_EPSILONS
from dpmia.papers.thudi.earlier_bounds import FEW_EPSILONS, PRIORS
from dpmia.precision import random_best_quantile
from dpmia.theory import logistic_example
from dpmia.theory.bounds import humphries_advantage
from dpmia.theory.positive_accuracy import (
    epsilon_for_bound,
    erlingsson_accuracy,
    positive_accuracy_bound,
    sablayrolles_positive_accuracy,
)
from dpmia.theory.unlearning import deletion_capacity_as_printed, generalisation_bound

DELTA, ACCEPTANCE = budgets.DELTA, budgets.ACCEPTANCE
ARMS = {rate: names.arm_of(rate) for rate in names.RATES}

# Theory


def labels(tables: Tables) -> Finding:
    """Return the bounds that figures 5 and 6 are labelled with."""
    low, middle, high = sorted(budgets.target_bounds())
    holds = np.abs(np.array([low, middle, high]) - [0.731, 0.881, 0.953]).max() <= 0.001
    return exact(low, holds, f"exact; {middle:.4f} and {high:.4f} besides")


def as_humphries(tables: Tables) -> Finding:
    """Return how far two bounds on accuracy at prior 1/2 lie apart."""
    ours = positive_accuracy_bound(FIG9_EPSILONS, 0.5)
    apart = np.abs(ours - (1 + humphries_advantage(FIG9_EPSILONS)) / 2).max()
    apart = max(apart, np.abs(ours - 1 / (1 + np.exp(-FIG9_EPSILONS))).max())
    return exact(apart, apart < 1e-12)


def limits(tables: Tables) -> Finding:
    """Return the bound at a tiny sampling rate, checked at its other limits."""
    rare = float(positive_accuracy_bound(5, 1e-4))
    baseline = np.abs(positive_accuracy_bound(1e-6, PRIORS) - PRIORS).max()
    grid = positive_accuracy_bound(np.linspace(0.1, 5, 50)[:, None], PRIORS)
    rising = (np.diff(grid, axis=0) > 0).all() and (np.diff(grid, axis=1) > 0).all()
    return exact(rare, rare < 0.02 and baseline < 1e-5 and rising)


def terms(tables: Tables) -> Finding:
    """Return where both terms of figure 2 are equal."""
    t, (epsilon, rate) = rates.crossing(), rates.TERMS.values()
    below, beyond = np.linspace(0.01, t - 0.01, 100), np.linspace(t + 0.01, 1, 100)
    order = (rate(below) > epsilon(below)).all() and (rate(beyond) < epsilon(beyond)).all()
    return exact(t, 0.5 < t < 0.7 and abs(t - 0.66) <= 0.02 and order and rate(0.05) > 10 * epsilon(0.05))


def random_hump(tables: Tables) -> Finding:
    """Return what the best of forty quantiles gains on random rankings at sampling rate 1/2."""
    found = np.array([random_best_quantile(round(1000 * rate), 1000) - rate for rate in names.RATES])
    holds = np.abs(found - [0.036, 0.055, 0.059, 0.055, 0.035]).max() <= 0.006
    return exact(found[2], holds, f"simulated; at the five rates {', '.join(f'{gain:.3f}' for gain in found)}")


def budget_grid(tables: Tables) -> Finding:
    """Return the epsilon that keeps .731 at sampling rate .1, checked at the other rates."""
    lowest = positive_accuracy_bound(1, 0.5, DELTA, ACCEPTANCE)
    found = epsilon_for_bound(lowest, np.array([0.1, 0.3, 0.5, 0.7]), DELTA, ACCEPTANCE)
    middle = positive_accuracy_bound(2, 0.5, DELTA, ACCEPTANCE)
    never = np.isnan(epsilon_for_bound([lowest, middle], 0.9, DELTA, ACCEPTANCE)).all()
    holds = np.abs(found - [3.198, 1.847, 1.0, 0.153]).max() <= 0.01 and never
    told = ", ".join(f"{epsilon:.3f}" for epsilon in found)
    return exact(found[0], holds, f"exact; {told} at rates 0.1 to 0.7, none at 0.9")


def capacities(tables: Tables) -> Finding:
    """Return the printed deletion capacity at one expected record, checked at three sizes and against their number."""

    def printed(size: ArrayLike) -> np.ndarray:
        return deletion_capacity_as_printed(capacity.BOUND, capacity.EPSILON, np.divide(size, capacity.RECORDS))

    sizes = np.array([1, 10, 200])
    found = printed(sizes)
    holds = np.abs(found / [6065, 606, 29.8] - 1).max() <= 0.01
    # Against a line of slope 1, which the drawn one is not: where that meets the curve is our choice.
    crossing = brentq(lambda size: printed(size) - size, 1, 200)
    return exact(
        found[0],
        holds and 70 < crossing < 90,
        f"exact; {found[1]:.1f} at 10, {found[2]:.2f} at 200; as many as records at {crossing:.1f}",
    )


def counter_example(tables: Tables) -> Finding:
    """Return the best accuracy on the example of figure 8, checked with its positive accuracies."""
    found = logistic_example.positive_accuracy([-100, -50, 0])
    thresholds = np.linspace(-10, 10, 2001)
    accuracies = logistic_example.accuracy(thresholds)
    top = int(accuracies.argmax())
    holds = np.abs(found - [0.998, 0.955, 0.545]).max() <= 0.002 and abs(thresholds[top] + 0.5) <= 0.02
    told = f"exact; at {thresholds[top]:.2f}; positive accuracy at -100, -50, 0: "
    return exact(
        accuracies[top], holds and abs(accuracies[top] - 0.549) <= 0.002, told + ", ".join(f"{x:.3f}" for x in found)
    )


def lowest(tables: Tables) -> Finding:
    """Return by how much the bound at rate 1/2 lies below two older ones, at least from epsilon .5 up."""
    others = np.minimum(erlingsson_accuracy(FIG9_EPSILONS), sablayrolles_positive_accuracy(FIG9_EPSILONS, 0.5))
    gap = others - positive_accuracy_bound(FIG9_EPSILONS, 0.5)
    strictly = gap[FIG9_EPSILONS >= 0.5].min()
    return exact(strictly, gap.min() >= -1e-12 and strictly > 0)


def below_sablayrolles(tables: Tables) -> Finding:
    """Return by how much the bound lies below that of Sablayrolles et al., at least."""
    gap = min(
        float((sablayrolles_positive_accuracy(epsilon, PRIORS) - positive_accuracy_bound(epsilon, PRIORS)).min())
        for epsilon in FEW_EPSILONS
    )
    return exact(gap, gap >= -1e-12)


# Models


def _there(tables: Tables, experiments: Iterable[str] = names.DATASETS) -> dict[str, Replicates]:
    """Return the tables that are there, by data set."""
    titles = names.DATASETS | names.BUDGETS
    named = {titles[each]: f"replicates/{each}" for each in experiments}
    return {title: Replicates(tables[name]) for title, name in named.items() if name in tables}


def _epsilons(rows: Replicates, arm: str) -> list[float]:
    """Return the finite epsilons of the paper's figure 3 that were run."""
    return rows.chosen(names.EPSILONS, arm, names.LIRA, "precision_best")


def _gain(rows: Replicates, arm: str, epsilon: float, over: str = "baseline", attack: str = names.LIRA) -> pd.Series:
    """Return what the best of forty quantiles has above the baseline or above its control."""
    return rows(arm, epsilon, attack, "precision_best") - rows(arm, epsilon, attack, f"precision_{over}")


def _mean_gain(rows: Replicates, arm: str, over: str = "baseline") -> pd.Series:
    return pd.concat([_gain(rows, arm, epsilon, over) for epsilon in _epsilons(rows, arm)], axis=1).mean(axis=1)


def _each_rate(value: Callable[[Replicates, str], pd.Series], comparison: Comparison) -> Callable[[Tables], Finding]:
    """Return the check that a number is as it must be at each rate of each data set."""

    def check(tables: Tables) -> Finding:
        return every(
            Cell(f"{title}, p = {rate:g}", value(rows, arm), comparison)
            for title, rows in _there(tables).items()
            for rate, arm in ARMS.items()
        )

    return check


near_baseline = _each_rate(_mean_gain, at_most(0.15))
beyond_control = _each_rate(lambda rows, arm: _mean_gain(rows, arm, "control"), above(0))


def rate_dominates(tables: Tables) -> Finding:
    """Return by how much the range over rates exceeds three ranges over epsilon, of each replicate by itself.

    The noise of single replicates widens the ranges over epsilon, so this leans against the claim.
    """
    cells = []
    for title, rows in _there(tables).items():
        frames = [
            pd.concat([rows(arm, epsilon, names.LIRA, "precision_best") for epsilon in _epsilons(rows, arm)], axis=1)
            for arm in ARMS.values()
        ]
        means = pd.concat([frame.mean(axis=1) for frame in frames], axis=1)
        widest = pd.concat([frame.max(axis=1) - frame.min(axis=1) for frame in frames], axis=1).max(axis=1)
        cells.append(Cell(title, means.max(axis=1) - means.min(axis=1) - 3 * widest, above(0)))
    return every(cells)


def hump(tables: Tables) -> Finding:
    """Return by how much the gain at rate 1/2 exceeds those at .1 and .9."""
    return every(
        Cell(f"{title}, 0.5 less {rate:g}", _mean_gain(rows, ARMS[0.5]) - _mean_gain(rows, ARMS[rate]), above(0))
        for title, rows in _there(tables).items()
        for rate in (0.1, 0.9)
    )


def keeps_bound(tables: Tables) -> Finding:
    """Return by how much LiRA's own decisions stay below theorem 3.3."""
    return every(
        Cell(
            f"{title}, p = {rate:g}, ε = {tell(epsilon)}",
            rows(arm, epsilon, names.LIRA, "precision")
            - float(positive_accuracy_bound(epsilon, rate, DELTA, ACCEPTANCE)),
            at_most(0),
        )
        for title, rows in _there(tables).items()
        for rate, arm in ARMS.items()
        for epsilon in _epsilons(rows, arm)
    )


def keeps_ceiling(tables: Tables) -> Finding:
    """Return by how much LiRA's own decisions stay below the exact ceiling of the mechanism they attack."""
    return every(
        Cell(
            f"{title}, p = {rate:g}, ε = {tell(epsilon)}",
            rows(arm, epsilon, names.LIRA, "precision") - rows(arm, epsilon, metric="precision_ceiling"),
            at_most(0),
        )
        for title, rows in _there(tables).items()
        for rate, arm in ARMS.items()
        for epsilon in _epsilons(rows, arm)
    )


def _accuracies(rows: Replicates, metric: str) -> dict[float, dict[float, pd.Series]]:
    """Return test accuracies by bound, rounded to three digits, and by sampling rate; what was not run is left out."""
    found: dict[float, dict[float, pd.Series]] = {}
    for cell in budgets.budgets().dropna().itertuples():
        run = [
            epsilon
            for epsilon in rows.epsilons(cell.arm, metric=metric)
            if abs(epsilon - cell.epsilon) <= budgets.ROUNDING
        ]
        if run:
            found.setdefault(round(cell.bound, 3), {})[cell.rate] = rows(cell.arm, run[0], metric=metric)
    if len(found) < len(budgets.TARGET_EPSILONS):
        raise MissingRowsError(f"{rows.experiment} has no {metric} for some of the bounds")
    return found


def _of_budget(tables: Tables, experiment: str, metric: str) -> dict[float, dict[float, pd.Series]]:
    return _accuracies(Replicates(tables[f"replicates/{experiment}_budget"]), metric)


def cifar_prefers_low(tables: Tables) -> Finding:
    """Return whether CIFAR10 is learned best at a low rate for the two tight bounds."""
    curves = _of_budget(tables, names.CIFAR10, budgets.BEST)
    return leader([(curves[bound], (0.1, 0.3)) for bound in (0.731, 0.881)])


def mnist_prefers_half(tables: Tables) -> Finding:
    """Return whether MNIST is learned best at a middle rate for the loosest bound."""
    return leader([(_of_budget(tables, names.MNIST, budgets.BEST)[0.953], (0.3, 0.5, 0.7))])


def svhn_prefers_low(tables: Tables) -> Finding:
    """Return whether SVHN is learned best at a low rate for the tightest bound."""
    return leader([(_of_budget(tables, names.SVHN, budgets.BEST)[0.731], (0.1, 0.3))])


def tight_prefers_lower(experiment: str) -> Callable[[Tables], Finding]:
    """Return the check that the best rate for the tightest bound is not above that for the loosest."""

    def check(tables: Tables) -> Finding:
        curves = _of_budget(tables, experiment, budgets.BEST)
        return no_later({"": (curves[0.731], curves[0.953])})

    return check


def loose_is_better(tables: Tables) -> Finding:
    """Return whether a looser bound is nowhere shown to cost accuracy."""
    cells = []
    for title, rows in _there(tables, names.BUDGETS).items():
        curves = _accuracies(rows, budgets.BEST)
        for tight, loose in itertools.pairwise(sorted(curves)):
            cells += [
                Cell(f"{title}, p = {rate:g}, {loose:g} less {tight:g}", curves[loose][rate] - curve, not_below(0))
                for rate, curve in curves[tight].items()
            ]
    return every(cells)


def lowest_rate_last(tables: Tables) -> Finding:
    """Return whether after the last epoch no rate is shown to be better than .1, for the two tight bounds."""
    curves = _of_budget(tables, names.CIFAR10, budgets.FINAL)
    return every(
        Cell(f"bound {bound:g}, 0.1 less {rate:g}", curves[bound][0.1] - curve, not_below(0))
        for bound in (0.731, 0.881)
        for rate, curve in curves[bound].items()
        if rate != 0.1
    )


def final_prefers_lower(tables: Tables) -> Finding:
    """Return whether final accuracy is best at no higher rate than best accuracy, for each bound."""
    best, final = (_of_budget(tables, names.CIFAR10, metric) for metric in (budgets.BEST, budgets.FINAL))
    return no_later({f"bound {bound:g}, ": (final[bound], best[bound]) for bound in final})


def near_diagonal(tables: Tables) -> Finding:
    """Return how far LiRA's ROC is from guessing at epsilon 3, by its area and at a low false positive rate.

    The rate of false positives is judged where all models were asked about as many non-members as it takes to show it.
    """
    cells, hidden = [], 0
    for title, rows in _there(tables).items():
        for rate, arm in ARMS.items():
            told = f"{title}, p = {rate:g}"
            cells.append(Cell(f"AUC, {told}", rows(arm, 3, names.LIRA, "auc"), near(0.5, 0.05)))
            caught = rows(arm, 3, names.LIRA, "tpr@0.01")
            if caught.isna().any():
                hidden += 1
            else:
                cells.append(Cell(f"TPR at 1 %, {told}", caught, at_most(0.05)))
    found = every(cells)
    left_out = f"; in {hidden} more too few non-members were asked about" if hidden else ""
    return replace(found, note=found.note + left_out)


def more_without_privacy(tables: Tables) -> Finding:
    """Return by how much LiRA gains more on CIFAR10 without privacy than at epsilon 3."""
    rows = Replicates(tables[f"replicates/{names.CIFAR10}"])
    return every([Cell("", _gain(rows, ARMS[0.5], math.inf) - _gain(rows, ARMS[0.5], 3), above(0))])


def depends_on_rate(tables: Tables) -> Finding:
    """Return by how much gains without privacy differ between two rates."""
    return some(
        Cell(
            f"{title}, {more:g} less {less:g}",
            _gain(rows, ARMS[more], math.inf) - _gain(rows, ARMS[less], math.inf),
            above(0.05),
        )
        for title, rows in _there(tables).items()
        for more, less in itertools.permutations(names.RATES, 2)
    )


def shadow_rate_alike(tables: Tables) -> Finding:
    """Return whether LiRA is nowhere shown to depend on the sampling rate of its shadow models."""
    return every(
        Cell(
            f"{title}, p = {rate:g}, shadows at {more:g} less {less:g}",
            rows(arm, 3, names.LIRA_BY_RATE[more], "precision_best")
            - rows(arm, 3, names.LIRA_BY_RATE[less], "precision_best"),
            consistent_with(0),
        )
        for title, rows in _there(tables).items()
        for rate, arm in ARMS.items()
        for more, less in itertools.combinations(names.RATES, 2)
    )


def no_gain(attacks: Iterable[str], epsilons: Iterable[float], tolerance: float) -> Callable[[Tables], Finding]:
    """Return the check that attacks' own decisions are hardly more precise than calling everybody a member.

    Models of whose records none is called a member have no precision.
    """

    def check(tables: Tables) -> Finding:
        cells, silent = [], 0
        for title, rows in _there(tables).items():
            for attack, (rate, arm) in itertools.product(attacks, ARMS.items()):
                for epsilon in rows.chosen(epsilons, arm, attack, "precision"):
                    precision = rows(arm, epsilon, attack, "precision")
                    gain = precision - rows(arm, epsilon, attack, "precision_baseline")
                    if precision.isna().all():
                        silent += 1
                    else:
                        told = f"{title}, {attack}, p = {rate:g}, ε = {tell(epsilon)}"
                        cells.append(Cell(told, gain, at_most(tolerance)))
        found = every(cells)
        left_out = f"; in {silent} more nobody is called a member" if silent else ""
        return replace(found, note=found.note + left_out)

    return check


def generalises(tables: Tables) -> Finding:
    """Return by how much the generalisation gap of the 0-1 loss stays below corollary 5.4, at rate 1/2.

    The gap is that between members and other records. Over the whole larger set, as the corollary is worded, it is
    half as large, and no model could break the bound from epsilon 1.1 on.
    """
    cells = []
    for title, rows in _there(tables).items():
        arm = ARMS[0.5]
        for epsilon in _epsilons(rows, arm):
            gap = rows(arm, epsilon, metric="accuracy_members") - rows(arm, epsilon, metric="accuracy_nonmembers")
            bound = float(generalisation_bound(epsilon))
            cells.append(Cell(f"{title}, ε = {tell(epsilon)}", gap - bound, at_most(0.01)))
    return every(cells)
