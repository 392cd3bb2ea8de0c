"""What claims about several tables and figures share: metrics of configurations, and rows of single records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from dpmia.claims.claim import Finding, MissingRowsError, Tables
from dpmia.claims.comparisons import Comparison
from dpmia.claims.decisions import Cells, Condition, Note
from dpmia.claims.rows import Replicates
from dpmia.papers.ye.names import PAPER, Configuration, rows_of

#: The tables of Purchase100: of target models, of single records and of null losses.
MODELS, POINTS, NULLS = "replicates/ye_purchase", "points/ye_purchase", "nulls/ye_purchase"


def value(row: Configuration, rows: Replicates, letter: str, metric: str = "auc") -> pd.Series:
    """Return a metric of an attack, by its letter, for each target model."""
    return rows(row.arm, math.inf, PAPER[letter], metric)


def of_each(
    configurations: Iterable[Configuration], cells: Callable[[Configuration, Replicates], Cells]
) -> Callable[[Tables], Cells]:
    """Return the measure of the cells of those configurations that were run."""
    configurations = tuple(configurations)
    return lambda tables: {
        name: values
        for row, rows in rows_of(tables, configurations)
        for name, values in cells(row, Replicates(rows)).items()
    }


def judged_without(configurations: Iterable[Configuration]) -> Note:
    """Return the note that names configurations which are missing in a table that is there.

    Tables that are missing as a whole are named by the verdict (`dpmia.claims.judge`).
    """
    configurations = tuple(configurations)

    def note(tables: Tables, finding: Finding) -> str:
        run = [row for row, _ in rows_of(tables, configurations)]
        missing = [row.label for row in configurations if row.table in tables and row not in run]
        without = f"judged without {', '.join(missing)}" if missing else ""
        return "; ".join(filter(None, (finding.note, without)))

    return note


def ahead(
    first: str,
    others: str,
    comparison: Comparison,
    configurations: Iterable[Configuration],
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
    configurations = tuple(configurations)

    def cells(row: Configuration, rows: Replicates) -> Cells:
        return {
            f"{row.label}, {first} less {other}": value(row, rows, first, metric) - value(row, rows, other, metric)
            for other in others
        }

    than = others if len(others) == 1 else f"each of {', '.join(others)}"
    title = configurations[0].label.removesuffix(f" {configurations[0].arm}")
    where = f"{title} {', '.join(row.arm for row in configurations)}"
    return Condition(f"{name} of {first} minus that of {than} on {where}", comparison, of_each(configurations, cells))


def of_arm(tables: Mapping[str, pd.DataFrame], row: Configuration) -> pd.DataFrame:
    """Return the rows of a configuration in the one table of single records.

    Raises:
        MissingRowsError: there are none.
    """
    ((name, rows),) = tables.items()
    rows = rows[rows["arm"] == row.arm]
    if rows.empty:
        raise MissingRowsError(f"{name} has no rows of {row.label}")
    return rows


def share(of_records: pd.Series) -> np.ndarray:
    """Return 0 or 1 for each record, and two more of either kind, so that few records decide nothing.

    Source: Agresti and Coull 1998.
    """
    return np.append(of_records.astype(float), [0, 0, 1, 1])


def difference(more: pd.Series, less: pd.Series) -> np.ndarray:
    """Return the difference on the records that both are about, and one more of either sign.

    Source: after Agresti and Min 2005.
    """
    return np.append((more - less).dropna(), [1, -1])
