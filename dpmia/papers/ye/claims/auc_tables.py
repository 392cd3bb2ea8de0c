"""Claims about tables 1 and 3 to 5: AUCs of attacks, and accuracies of target models."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import above, at_least, near, near_each, spelled
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.claims.rows import Replicates
from dpmia.metrics.intervals import mean_interval
from dpmia.papers.ye.claims.shared import MODELS, ahead, judged_without, of_each, value
from dpmia.papers.ye.names import CIFAR10, CIFAR100, MNIST, MODEL_METRICS, PAPER, PURCHASE, Configuration, tables_of

#: How far AUCs and accuracies, both as fractions, may lie from the printed ones.
TOLERANCE = 0.05

#: Configurations of Purchase100 that are trained without L2 penalty.
WITHOUT_L2 = tuple(PURCHASE[name] for name in ("Ia", "IIa", "III", "IV"))


def _name(row: Configuration, quantity: str) -> str:
    return f"{row.label}, {quantity.partition(',')[0]}"


def _ours(row: Configuration, rows: Replicates) -> Cells:
    return {
        _name(row, quantity): rows(row.arm, math.inf, metric=MODEL_METRICS[quantity])
        if quantity in MODEL_METRICS
        else value(row, rows, quantity)
        for quantity in row.printed
    }


def _printed(row: Configuration) -> dict[str, float]:
    """Return the printed AUCs and accuracies, as fractions."""
    return {
        _name(row, quantity): number / 100 if quantity in MODEL_METRICS else number
        for quantity, (number, _) in row.printed.items()
    }


def _as_printed(table: str, configurations: Iterable[Configuration]) -> Every:
    """Return the rule that all AUCs and accuracies of a table are near the printed ones, where they were run."""
    configurations = tuple(configurations)
    printed = {name: number for row in configurations for name, number in _printed(row).items()}
    condition = Condition(
        "each AUC and accuracy", near_each(printed, TOLERANCE, f"the value in {table}"), of_each(configurations, _ours)
    )
    missing = judged_without(configurations)

    def note(tables: Tables, finding: Finding) -> str:
        cells = condition.cells(tables)
        inside = sum(condition.of(name)(mean_interval(found))[1] >= 0 for name, found in cells.items())
        return f"{inside} of {len(cells)} within {spelled(TOLERANCE)}; {missing(tables, finding)}"

    return Every(condition, note=note)


def _falls(*pairs: tuple[str, str]) -> Every:
    """Return the rule that each attack has a higher AUC on the first configuration of every pair."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates(tables[MODELS])
        return {
            f"{letter}, {PURCHASE[more].label} less {PURCHASE[less].label}": value(PURCHASE[more], rows, letter)
            - value(PURCHASE[less], rows, letter)
            for more, less in pairs
            for letter in PAPER
        }

    where = " and ".join(f"{more} minus {less}" for more, less in pairs)
    return Every(Condition(f"AUC of each of {', '.join(PAPER)}, {where}", above(0), measure))


def _of_s_and_p(row: Configuration, rows: Replicates) -> Cells:
    return {f"{row.label}, {letter}": value(row, rows, letter) for letter in "SP"}


CLAIMS = (
    *(
        Claim(
            id=name,
            artifact=f"ye_{table.replace(' ', '')}",
            statement=f"On {title} attacks and target models reach the AUCs and accuracies of {table}.",
            paper_value=table,
            tables=tables_of(configurations.values()),
            each=True,
            rule=_as_printed(table, configurations.values()),
        )
        for name, table, title, configurations in (
            ("ye-table1-purchase-auc", "table 1", "Purchase100", PURCHASE),
            ("ye-table3-cifar10-auc", "table 3", "CIFAR10", CIFAR10),
            ("ye-table4-cifar100-auc", "table 4", "CIFAR100", CIFAR100),
            ("ye-table5-mnist-auc", "table 5", "MNIST", MNIST),
        )
    ),
    Claim(
        id="ye-table1-d-best",
        artifact="ye_table1",
        statement="Attack D has the highest AUC on every configuration of Purchase100.",
        tables=tables_of(PURCHASE.values()),
        each=True,
        rule=Every(ahead("D", "SPR", at_least(-0.005), PURCHASE.values()), note=judged_without(PURCHASE.values())),
    ),
    Claim(
        id="ye-table1-r-beats-sp",
        artifact="ye_table1",
        statement="Without L2 penalty attack R, which knows the record, does better than S and P, which do not.",
        tables=tables_of(WITHOUT_L2),
        each=True,
        rule=Every(ahead("R", "SP", above(0), WITHOUT_L2), note=judged_without(WITHOUT_L2)),
    ),
    Claim(
        id="ye-table1-l2-lowers-auc",
        artifact="ye_table1",
        statement="An L2 penalty lowers the AUC of every attack.",
        tables=(MODELS,),
        rule=_falls(("Ia", "Ib"), ("IIa", "IIb")),
    ),
    Claim(
        id="ye-table1-more-data-lowers-auc",
        artifact="ye_table1",
        statement="The more members, the lower the AUC of every attack.",
        tables=(MODELS,),
        rule=_falls(("Ia", "IIa"), ("IIa", "III")),
    ),
    Claim(
        id="ye-table5-r-best-mnist",
        artifact="ye_table5",
        statement="On MNIST attack R is the best, and S and P do not separate members from non-members.",
        tables=tables_of(MNIST.values()),
        each=True,
        rule=Every(
            ahead("R", "SPD", at_least(0), MNIST.values()),
            Condition("AUC of each of S, P on each of them", near(0.5, 0.02), of_each(MNIST.values(), _of_s_and_p)),
            note=judged_without(MNIST.values()),
        ),
    ),
)
