"""Claims about figures 5 and 6: test accuracy by sampling rate where a bound on precision is kept.

The paper prints no accuracy of either figure, so the tolerance of ties is `UNPRINTED`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from dpmia.claims.build import claim, theorem
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import (
    UNPRINTED,
    at_most,
    exactly,
    highest_at,
    listed_numbers,
    near_each,
    not_below,
    spelled,
)
from dpmia.claims.decisions import Cells, Condition, Highest, NoLater
from dpmia.claims.rows import ALL, Replicates
from dpmia.formats.rows import MissingRowsError
from dpmia.papers.thudi import budgets, names

#: The three bounds, as figures name them.
TIGHT, MIDDLE, LOOSE = 0.731, 0.881, 0.953

#: Rate -> the epsilon that keeps the tightest bound, and a rate at which none keeps it.
BUDGETS, NEVER = {0.1: 3.198, 0.3: 1.847, 0.5: 1.0, 0.7: 0.153}, 0.9

#: The lowest sampling rate.
LOWEST = min(names.RATES)

#: Below this test accuracy models of ten classes have learnt nothing: it is twice that of guessing.
LEARNT = 0.2

#: The tables of both figures.
CIFAR10, MNIST, SVHN = (f"{name}_budget" for name in (names.CIFAR10, names.MNIST, names.SVHN))

#: Test accuracies by bound, rounded to three digits, and by sampling rate.
Curves = dict[float, dict[float, pd.Series]]


def _budget(bound: float, rate: float) -> float:
    """Return the epsilon that keeps a bound at a rate; NaN where none does."""
    table = budgets.budgets()
    return float(table[(table["bound"].round(3) == bound) & (table["rate"] == rate)]["epsilon"].iloc[0])


def _curves(tables: Tables, experiment: str, metric: str = budgets.BEST) -> Curves:
    """Return test accuracies; epsilons and rates that were not run are absent.

    Raises:
        MissingRowsError: some bound was not run.
    """
    rows, curves = Replicates.of(tables, experiment), Curves()
    for cell in budgets.budgets().dropna().itertuples():
        measured = rows.epsilons(ALL, cell.arm, metric=metric)
        for epsilon in [epsilon for epsilon in measured if abs(epsilon - cell.epsilon) <= budgets.ROUNDING][:1]:
            curves.setdefault(round(cell.bound, 3), {})[cell.rate] = rows(cell.arm, epsilon, metric=metric)
    if len(curves) < len(budgets.TARGET_EPSILONS):
        raise MissingRowsError(f"{rows.experiment} has no {metric} for some of the bounds")
    return curves


def _highest_accuracy(curves: Curves) -> float:
    """Return the largest mean accuracy, over all bounds and rates."""
    return max(float(np.mean(accuracies)) for curve in curves.values() for accuracies in curve.values())


def _learnt(tables: Tables, experiment: str, metric: str = budgets.BEST) -> Curves:
    """Return test accuracies as `_curves` does, of models that have learnt something: others rank by chance.

    Raises:
        MissingRowsError: some bound was not run, or no model has learnt anything.
    """
    curves = _curves(tables, experiment, metric)
    if (highest := _highest_accuracy(curves)) < LEARNT:
        raise MissingRowsError(f"the models of {experiment} have learnt nothing (test accuracy at most {highest:.2f})")
    return curves


def _highest(experiment: str, bounds: tuple[float, ...], rates: tuple[float, ...]) -> Condition:
    """Return the condition that best test accuracies are highest at some of the rates, under each of some bounds."""
    kept = "the bound" if len(bounds) == 1 else "each of the bounds"
    return Condition(
        f"best test accuracy by sampling rate, for {kept} {listed_numbers(bounds)}",
        highest_at(*rates),
        lambda tables: {bound: _learnt(tables, experiment)[bound] for bound in bounds},
    )


def _tight_no_later(experiment: str) -> Condition:
    """Return the condition that the best rate for the tightest bound is not above that for the loosest."""
    return Condition(
        f"sampling rate with the highest best test accuracy, for the bound {TIGHT:g} minus that for {LOOSE:g}",
        at_most(0),
        lambda tables: {"": tuple(_learnt(tables, experiment)[bound] for bound in (TIGHT, LOOSE))},
    )


def _of_data_sets(tables: Tables) -> dict[str, Curves]:
    """Return the best test accuracies of the data sets that were run."""
    run = {title: name for name, title in names.BUDGETS.items() if f"replicates/{name}" in tables}
    return {title: _curves(tables, name) for title, name in run.items()}


def _steps_to_looser(tables: Tables) -> Cells:
    cells = {}
    for title, curves in _of_data_sets(tables).items():
        if _highest_accuracy(curves) < LEARNT:
            continue
        for tight, loose in pairwise(sorted(curves)):
            for rate, curve in curves[tight].items():
                cells[f"{title}, p = {rate:g}, {loose:g} less {tight:g}"] = curves[loose][rate] - curve
    return cells


def _without_those_that_learnt_nothing(tables: Tables, finding: Finding) -> str:
    """Return the note that names data sets whose models have learnt nothing."""
    highest = {title: _highest_accuracy(curves) for title, curves in _of_data_sets(tables).items()}
    idle = [f"{title} (test accuracy at most {best:.2f})" for title, best in highest.items() if best < LEARNT]
    return "; ".join(filter(None, [finding.note, f"judged without {', '.join(idle)}" if idle else ""]))


def _lowest_minus_others(tables: Tables) -> Cells:
    curves = _learnt(tables, CIFAR10, budgets.FINAL)
    return {
        f"bound {bound:g}, {LOWEST:g} less {rate:g}": curves[bound][LOWEST] - curve
        for bound in (TIGHT, MIDDLE)
        for rate, curve in curves[bound].items()
        if rate != LOWEST
    }


def _final_and_best(tables: Tables) -> dict[str, tuple]:
    best, final = _learnt(tables, CIFAR10), _learnt(tables, CIFAR10, budgets.FINAL)
    return {f"bound {bound:g}": (final[bound], best[bound]) for bound in final}


_cifar10, _mnist, _svhn = (
    partial(claim, artifact="thudi_fig5", tables=(f"replicates/{experiment}",)) for experiment in (CIFAR10, MNIST, SVHN)
)

CLAIMS = (
    theorem(
        "thudi-fig5-eps-grid",
        "The epsilon that keeps a bound grows as the sampling rate falls; above the bound no epsilon keeps it.",
        Condition(
            f"epsilon that keeps the bound {TIGHT:g}",
            near_each({f"rate {rate:g}": epsilon for rate, epsilon in BUDGETS.items()}, 0.01),
            lambda tables: {f"rate {rate:g}": _budget(TIGHT, rate) for rate in BUDGETS},
        ),
        Condition(
            f"bounds of {TIGHT:g} and {MIDDLE:g} that an epsilon keeps at rate {NEVER:g}",
            exactly(0),
            lambda tables: sum(not np.isnan(_budget(bound, NEVER)) for bound in (TIGHT, MIDDLE)),
        ),
        artifact="thudi_theory",
        expected=", ".join(spelled(epsilon) for rate, epsilon in BUDGETS.items() if rate != 0.5),
        note="exact; {0:.3f}, {1:.3f}, {2:.3f}, {3:.3f} at rates 0.1 to 0.7, none at 0.9",
    ),
    _cifar10(
        "thudi-fig5-lower-p-better-cifar",
        "CIFAR-10 is learned best at a sampling rate below 1/2.",
        _highest(CIFAR10, (TIGHT, MIDDLE), (0.1, 0.3)),
        paper_value="0.3",
        rule=Highest,
    ),
    _mnist(
        "thudi-fig5-mnist-half",
        "MNIST is learned best at a middle sampling rate, 0.3 to 0.7, for the loosest bound.",
        _highest(MNIST, (LOOSE,), (0.3, 0.5, 0.7)),
        paper_value="0.5",
        rule=Highest,
    ),
    _mnist(
        "thudi-fig5-mnist-tight",
        "MNIST prefers no higher rate for the tightest bound than for the loosest.",
        _tight_no_later(MNIST),
        rule=NoLater,
    ),
    _svhn(
        "thudi-fig5-svhn",
        "SVHN prefers a low rate for the tightest bound.",
        _highest(SVHN, (TIGHT,), (0.1, 0.3)),
        rule=Highest,
    ),
    _svhn(
        "thudi-fig5-svhn-tight",
        "SVHN prefers no higher rate for the tightest bound than for the loosest.",
        _tight_no_later(SVHN),
        rule=NoLater,
    ),
    claim(
        "thudi-fig5-bound-order",
        "A looser bound never costs accuracy.",
        Condition(
            "best test accuracy under a looser bound minus that under the next tighter, at every rate, of models that "
            f"have learnt something (above {LEARNT:g} somewhere)",
            not_below(0, UNPRINTED),
            _steps_to_looser,
        ),
        artifact="thudi_fig5",
        tables=tuple(f"replicates/{experiment}" for experiment in names.BUDGETS),
        some_suffice=True,
        note=_without_those_that_learnt_nothing,
    ),
    _cifar10(
        "thudi-fig6-final-cifar",
        "After the last epoch CIFAR-10 prefers the lowest rate for the tight bounds.",
        Condition(
            f"final test accuracy at rate {LOWEST:g} minus that at every other, for the bounds {TIGHT:g} and "
            f"{MIDDLE:g}",
            not_below(0, UNPRINTED),
            _lowest_minus_others,
        ),
        artifact="thudi_fig6",
        paper_value="0.1",
    ),
    _cifar10(
        "thudi-fig6-final-lower",
        "After the last epoch CIFAR-10 prefers no higher rate than it does with the best epoch.",
        Condition(
            "sampling rate with the highest final test accuracy minus that with the highest best one, for each bound",
            at_most(0),
            _final_and_best,
        ),
        artifact="thudi_fig6",
        rule=NoLater,
    ),
)
