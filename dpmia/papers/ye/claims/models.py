"""Claims about target models: AUCs and accuracies of tables 1 and 3 to 5, ROC curves of figures 3 and 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import Comparison, above, at_least, near, near_each, spelled
from dpmia.claims.decisions import Cells, Condition, Note
from dpmia.claims.rows import MetricKey, Replicates
from dpmia.formats.rows import NO_ATTACK
from dpmia.metrics.intervals import mean_interval
from dpmia.papers.ye.names import (
    CIFAR10,
    CIFAR100,
    MNIST,
    MODEL_METRICS,
    PAPER,
    PURCHASE,
    ROC,
    Configuration,
    tables_of,
)

#: How far AUCs and accuracies, both as fractions, may lie from the printed ones.
TOLERANCE = 0.05

#: The false positive rate of figure 3 at which true ones are compared.
FPR = 0.2

#: Configurations of Purchase100 that are trained without L2 penalty, and that whose gradients are clipped.
WITHOUT_L2 = tuple(PURCHASE[name] for name in ("Ia", "IIa", "III", "IV"))
CLIPPED = (PURCHASE["IV"],)

Configurations = Collection[Configuration]


def _of_attack(row: Configuration, rows: Replicates, letter: str, metric: str = "auc") -> pd.Series:
    """Return a metric of an attack, by its letter, for each target model."""
    return rows(row.arm, math.inf, PAPER[letter], metric)


def _run(tables: Tables, configurations: Configurations) -> list[tuple[Configuration, Replicates]]:
    """Return those of some configurations that were run, each with the metrics of its experiment."""
    there = [(row, Replicates.of(tables, row.experiment)) for row in configurations if row.table in tables]
    return [(row, rows) for row, rows in there if row.arm in rows.arms]


def _of_each(
    configurations: Configurations, cells: Callable[[Configuration, Replicates], Cells]
) -> Callable[[Tables], Cells]:
    """Return the measure of the cells of those configurations that were run."""
    return lambda tables: {
        name: values for row, rows in _run(tables, configurations) for name, values in cells(row, rows).items()
    }


def _judged_without(configurations: Configurations) -> Note:
    """Return the note that names configurations which are missing in a table that is there.

    Tables that are missing as a whole are named by the verdict (`dpmia.claims.judge`).
    """

    def note(tables: Tables, finding: Finding) -> str:
        run = [row for row, _ in _run(tables, configurations)]
        missing = [row.label for row in configurations if row.table in tables and row not in run]
        without = f"judged without {', '.join(missing)}" if missing else ""
        return "; ".join(filter(None, (finding.note, without)))

    return note


def _ahead(
    first: str,
    others: str,
    comparison: Comparison,
    configurations: Configurations,
    metric: str = "auc",
    name: str = "AUC",
) -> Condition:
    """Return the condition on what one attack has more of a metric than others on the same target models.

    Args:
        first: letter of the attack.
        others: letters of the others.
        comparison: what the differences must be.
        configurations: of one data set, on which attacks are compared.
        metric: of the tables.
        name: what criteria call it.
    """

    def cells(row: Configuration, rows: Replicates) -> Cells:
        return {
            f"{row.label}, {first} less {other}": _of_attack(row, rows, first, metric)
            - _of_attack(row, rows, other, metric)
            for other in others
        }

    first_one, *_ = configurations
    than = others if len(others) == 1 else f"each of {', '.join(others)}"
    title = first_one.label.removesuffix(f" {first_one.arm}")
    where = f"{title} {', '.join(row.arm for row in configurations)}"
    return Condition(f"{name} of {first} minus that of {than} on {where}", comparison, _of_each(configurations, cells))


def _name(row: Configuration, quantity: str) -> str:
    return f"{row.label}, {quantity.partition(',')[0]}"


def _ours(row: Configuration, rows: Replicates) -> Cells:
    return {
        _name(row, quantity): rows(row.arm, math.inf, metric=MODEL_METRICS[quantity])
        if quantity in MODEL_METRICS
        else _of_attack(row, rows, quantity)
        for quantity in row.printed
    }


def _as_printed(id: str, number: int, title: str, configurations: Configurations) -> Claim:
    """Return the claim that all AUCs and accuracies of a table are near the printed ones, where they were run."""
    printed = {  # as fractions
        _name(row, quantity): value / 100 if quantity in MODEL_METRICS else value
        for row in configurations
        for quantity, (value, _) in row.printed.items()
    }
    table = f"table {number}"
    condition = Condition(
        "each AUC and accuracy", near_each(printed, TOLERANCE, f"the value in {table}"), _of_each(configurations, _ours)
    )

    def note(tables: Tables, finding: Finding) -> str:
        cells = condition.cells(tables)
        inside = sum(condition.of(name)(mean_interval(values))[1] >= 0 for name, values in cells.items())
        without = _judged_without(configurations)(tables, finding)
        return f"{inside} of {len(cells)} within {spelled(TOLERANCE)}; {without}"

    statement = f"On {title} attacks and target models reach the AUCs and accuracies of {table}."
    fields = {"artifact": f"ye_table{number}", "paper_value": table, "note": note}
    return _claim(id, statement, configurations, condition, **fields)


def _falls(*pairs: tuple[str, str]) -> Condition:
    """Return the condition that each attack has a higher AUC on the first configuration of every pair."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, "ye_purchase")
        return {
            f"{letter}, {PURCHASE[more].label} less {PURCHASE[less].label}": _of_attack(PURCHASE[more], rows, letter)
            - _of_attack(PURCHASE[less], rows, letter)
            for more, less in pairs
            for letter in PAPER
        }

    where = " and ".join(f"{more} minus {less}" for more, less in pairs)
    return Condition(f"AUC of each of {', '.join(PAPER)}, {where}", above(0), measure)


def _near_auc(letters: str, value: float, tolerance: float, configurations: Configurations, where: str) -> Condition:
    """Return the condition that the AUC of each of some attacks is about `value`."""

    def cells(row: Configuration, rows: Replicates) -> Cells:
        return {f"{row.label}, {letter}": _of_attack(row, rows, letter) for letter in letters}

    of = f"each of {', '.join(letters)}" if len(letters) > 1 else letters
    return Condition(f"AUC of {of} {where}", near(value, tolerance), _of_each(configurations, cells))


def _printed(configurations: Configurations) -> dict[str, dict[MetricKey, float]]:
    """Return what the paper prints of some configurations, as fractions: table -> metric -> mean."""
    means: dict[str, dict[MetricKey, float]] = {}
    for row in configurations:
        for quantity, (value, _) in row.printed.items():
            if quantity in MODEL_METRICS:
                key, mean = (row.arm, math.inf, NO_ATTACK, MODEL_METRICS[quantity]), value / 100
            else:
                key, mean = (row.arm, math.inf, PAPER[quantity], "auc"), value
            means.setdefault(row.table, {})[key] = mean
    return means


def _claim(id: str, statement: str, configurations: Configurations, *conditions: Condition, **fields: Any) -> Claim:
    """Return the claim about each of some configurations, which is judged on those that were run."""
    fields = {"note": _judged_without(configurations), "printed": _printed(configurations), **fields}
    return claim(id, statement, *conditions, tables=tables_of(configurations), some_suffice=True, **fields)


_PURCHASE, _MNIST = PURCHASE.values(), MNIST.values()

CLAIMS = (
    _as_printed("ye-table1-purchase-auc", 1, "Purchase100", PURCHASE.values()),
    _as_printed("ye-table3-cifar10-auc", 3, "CIFAR-10", CIFAR10.values()),
    _as_printed("ye-table4-cifar100-auc", 4, "CIFAR-100", CIFAR100.values()),
    _as_printed("ye-table5-mnist-auc", 5, "MNIST", MNIST.values()),
    _claim(
        "ye-table1-d-best",
        "Attack D has the highest AUC on every configuration of Purchase100.",
        _PURCHASE,
        _ahead("D", "SPR", at_least(-0.005), _PURCHASE),
        artifact="ye_table1",
    ),
    _claim(
        "ye-table1-r-beats-sp",
        "Without L2 penalty attack R, which knows the record, does better than S and P, which do not.",
        WITHOUT_L2,
        _ahead("R", "SP", above(0), WITHOUT_L2),
        artifact="ye_table1",
    ),
    claim(
        "ye-table1-l2-lowers-auc",
        "An L2 penalty lowers the AUC of every attack.",
        _falls(("Ia", "Ib"), ("IIa", "IIb")),
        artifact="ye_table1",
        tables=("replicates/ye_purchase",),
        printed=_printed(_PURCHASE),
    ),
    claim(
        "ye-table1-more-data-lowers-auc",
        "The more members, the lower the AUC of every attack.",
        _falls(("Ia", "IIa"), ("IIa", "III")),
        artifact="ye_table1",
        tables=("replicates/ye_purchase",),
        printed=_printed(_PURCHASE),
    ),
    _claim(
        "ye-table5-r-best-mnist",
        "On MNIST attack R is the best, and S and P do not separate members from non-members.",
        _MNIST,
        _ahead("R", "SPD", at_least(0), _MNIST),
        _near_auc("SP", 0.5, 0.02, _MNIST, "on each of them"),
        artifact="ye_table5",
    ),
    _claim(
        "ye-fig3-roc",
        "On Purchase100 Ia and IIa attack D has the highest AUC, and finds no fewer members than P.",
        ROC["fig3"],
        _ahead("D", "SPR", at_least(0), ROC["fig3"]),
        _ahead("D", "P", at_least(0), ROC["fig3"], f"tpr@{FPR:g}", f"TPR at FPR {FPR:g}"),
        artifact="ye_fig3",
    ),
    _claim(
        "ye-fig4-p-near-chance-iv",
        "Where gradients are clipped (IV) P is near guessing, while R and D are not.",
        CLIPPED,
        _ahead("S", "P", above(0), CLIPPED),
        _ahead("R", "S", above(0), CLIPPED),
        _ahead("D", "R", at_least(0), CLIPPED),
        *(_near_auc(letter, PURCHASE["IV"].printed[letter][0], 0.05, CLIPPED, "there") for letter in "PD"),
        artifact="ye_fig4",
        paper_value="P 0.55, D 0.70",
    ),
)
