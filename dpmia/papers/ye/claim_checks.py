"""How the claims of Ye et al. 2022 are checked.

Tables of AUCs have one value for each target model; attacks are compared on the same models. Of single records each is
one value: intervals are then over records, for the target models that were looked at. So that few records which are all
alike decide nothing, a share counts two more of either kind (Agresti and Coull 1998), and a difference of two shares
one more of either sign (after Agresti and Min 2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from dpmia.claims.claim import Finding, MissingRowsError, Tables
from dpmia.claims.comparisons import Cell, Comparison, above, at_least, every, exact, mean, near, together
from dpmia.claims.rows import Replicates
from dpmia.intervals import mean_interval
from dpmia.papers.ye import agreement, histograms, margins
from dpmia.papers.ye.agreement import LEFT_OUT, TRUTH
from dpmia.papers.ye.names import MODEL_METRICS, PAPER, Configuration, rows_of

Check = Callable[[Tables], Finding]

#: Takes a configuration and the metrics of its arm; returns what a claim speaks of.
Cells = Callable[[Configuration, Replicates], Iterable[Cell]]

#: How far AUCs and accuracies, both as fractions, may lie from the printed ones.
TOLERANCE = 0.05

#: Thresholds that differ by less, in nats, are the same.
_SAME = 1e-6


def each(configurations: Iterable[Configuration], cells_of: Cells) -> Check:
    """Return the check of all cells of those configurations that were run.

    Of tables that are missing as a whole the verdict tells (`dpmia.claims.judge`); the finding names the
    configurations that are missing in a table that is there.
    """
    configurations = tuple(configurations)

    def check(tables: Tables) -> Finding:
        cells, without = _cells(tables, configurations, cells_of)
        return _noted(every(cells), without)

    return check


def _cells(
    tables: Tables, configurations: tuple[Configuration, ...], cells_of: Cells
) -> tuple[list[Cell], list[Configuration]]:
    """Return the cells of all configurations that were run, and those that are missing in a table that is there."""
    there = list(rows_of(tables, configurations))
    cells = [cell for row, rows in there for cell in cells_of(row, Replicates(rows))]
    found = [row for row, _ in there]
    return cells, [row for row in configurations if row.table in tables and row not in found]


def _noted(finding: Finding, without: list[Configuration]) -> Finding:
    told = f"judged without {', '.join(row.label for row in without)}" if without else ""
    return replace(finding, note="; ".join(filter(None, (finding.note, told))))


def _value(row: Configuration, rows: Replicates, letter: str, metric: str = "auc") -> pd.Series:
    """Return a metric of an attack, by its letter, for each target model."""
    return rows(row.arm, math.inf, PAPER[letter], metric)


# Tables 1 and 3 to 5


def printed(configurations: Iterable[Configuration]) -> Check:
    """Return the check that all AUCs and accuracies of one table are near the printed ones, where they were run."""
    configurations = tuple(configurations)

    def check(tables: Tables) -> Finding:
        cells, without = _cells(tables, configurations, _beside_print)
        found = _noted(every(cells), without)
        inside = sum(cell.comparison(mean_interval(cell.values))[1] >= 0 for cell in cells)
        return replace(found, note=f"{inside} of {len(cells)} within {TOLERANCE}; {found.note}")

    return check


def _beside_print(row: Configuration, rows: Replicates) -> Iterator[Cell]:
    for quantity, (value, _) in row.printed.items():
        if quantity in MODEL_METRICS:
            ours, value = rows(row.arm, math.inf, metric=MODEL_METRICS[quantity]), value / 100
        else:
            ours = _value(row, rows, quantity)
        yield Cell(f"{row.label}, {quantity.partition(',')[0]}", ours, near(value, TOLERANCE))


def ahead(first: str, others: str, comparison: Comparison, metric: str = "auc") -> Cells:
    """Return by how much one attack exceeds others on the same target models."""
    return lambda row, rows: [
        Cell(
            f"{row.label}, {first} less {other}",
            _value(row, rows, first, metric) - _value(row, rows, other, metric),
            comparison,
        )
        for other in others
    ]


def falls(*pairs: tuple[Configuration, Configuration]) -> Check:
    """Return the check that each attack does better on the first configuration of every pair than on the second."""

    def check(tables: Tables) -> Finding:
        rows = {name: Replicates(table) for name, table in tables.items()}
        return every(
            Cell(
                f"{letter}, {more.label} less {less.label}",
                _value(more, rows[more.table], letter) - _value(less, rows[less.table], letter),
                above(0),
            )
            for more, less in pairs
            for letter in PAPER
        )

    return check


def r_best_others_chance(row: Configuration, rows: Replicates) -> list[Cell]:
    """Return by how much R exceeds the others on MNIST, and how far S and P are from guessing."""
    chance = [Cell(f"{row.label}, {letter}", _value(row, rows, letter), near(0.5, 0.02)) for letter in "SP"]
    return [*ahead("R", "SPD", at_least(0))(row, rows), *chance]


# Single records


def _looked_at(tables: Tables, row: Configuration) -> pd.DataFrame:
    """Return the rows of a configuration in the one table of single records.

    Raises:
        MissingRowsError: there are none.
    """
    ((name, rows),) = tables.items()
    rows = rows[rows["arm"] == row.arm]
    if rows.empty:
        raise MissingRowsError(f"{name} has no rows of {row.label}")
    return rows


# Table 2


class _Answers:
    """What the attacks say about members, or about non-members, of all target models that were looked at."""

    def __init__(self, tables: Tables, part: str) -> None:
        rows = _looked_at(tables, agreement.CONFIGURATION)
        rows = rows[(rows["alpha"] == agreement.ALPHA) & (rows["part"] == part)]
        if rows.empty:
            raise MissingRowsError(f"no thresholds were set at alpha = {agreement.ALPHA}")
        self._says = pd.concat({target: agreement.answers(of_one, part) for target, of_one in rows.groupby("target")})

    def agree(self, one: str, other: str) -> pd.Series:
        """Return 1 for each record about which two attacks, or an attack and the truth, say the same, else 0."""
        for letter in (one, other):
            if letter not in self._says:
                raise MissingRowsError(f"attack {letter} was not run")
        pair = self._says[[one, other]].dropna()
        return (pair[one] == pair[other]).astype(float)

    def right(self, letter: str) -> pd.Series:
        """Return 1 for each record about which an attack is right, else 0."""
        return self.agree(TRUTH, letter)


def _difference(more: pd.Series, less: pd.Series) -> np.ndarray:
    """Return the difference on the records that both are about, and one more of either sign."""
    return np.append((more - less).dropna(), [1, -1])


def _share(of_records: pd.Series) -> np.ndarray:
    """Return 0 or 1 for each record, and two more of either kind."""
    return np.append(of_records.astype(float), [0, 0, 1, 1])


def members_found(tables: Tables) -> Finding:
    """Return by how much each attack finds more members than the next one in the paper's order."""
    right = _Answers(tables, "member").right
    order = ("D", LEFT_OUT, "R", "S", "P")
    cells = [
        Cell(f"{a} less {b}", _difference(right(a), right(b)), at_least(0) if (a, b) == ("S", "P") else above(0))
        for a, b in pairwise(order)
    ]
    return every(cells)


def nonmembers_missed(tables: Tables) -> Finding:
    """Return by how much D is right less often on non-members than L, and L than the others."""
    right = _Answers(tables, "nonmember").right
    pairs = [(LEFT_OUT, "D"), *((letter, LEFT_OUT) for letter in "SPR")]
    return every(Cell(f"{a} less {b}", _difference(right(a), right(b)), above(0)) for a, b in pairs)


def d_nearest_l(tables: Tables) -> Finding:
    """Return by how much D agrees with L more than the others do, and S and P more than other pairs."""
    cells = []
    for part in agreement.PARTS:
        agree = _Answers(tables, part).agree
        cells += [
            Cell(f"{part}s, DL less {letter}L", _difference(agree("D", LEFT_OUT), agree(letter, LEFT_OUT)), at_least(0))
            for letter in "SPR"
        ]
    cells += [
        Cell(f"nonmembers, SP less {a}{b}", _difference(agree("S", "P"), agree(a, b)), at_least(0))
        for a, b in combinations(PAPER, 2)
        if (a, b) != ("S", "P")
    ]
    return every(cells)


def false_positives(tables: Tables) -> Finding:
    """Return how far S, P and R are from the rate aimed at, and by how much D and L pass it."""
    right = _Answers(tables, "nonmember").right
    cells = [Cell(letter, _share(1 - right(letter)), near(agreement.ALPHA, 0.1)) for letter in "SPR"]
    return every([*cells, *(Cell(letter, _share(1 - right(letter)), above(0.45)) for letter in ("D", LEFT_OUT))])


# Figures


def concentrated(tables: Tables) -> Finding:
    """Return by how much the null losses of R and D spread less than those of S, for both records of figure 1."""
    _looked_at(tables, histograms.FIG1.configuration)
    table = histograms.FIG1.null_losses(tables)
    if table.empty:
        raise MissingRowsError("no target model has two members of one class")
    spreads = table.groupby(["point", "attack"])["null_loss"].agg(
        lambda losses: np.ptp(np.quantile(losses, [0.25, 0.75]))
    )
    spreads = spreads.unstack()
    widest = float((spreads[["R", "D"]].max(axis=1) - spreads["S"]).max())
    return exact(widest, widest < 0, "two records; the wider of R and D less S, in nats")


def follows_model(tables: Tables) -> Finding:
    """Return the largest difference of R's thresholds under two target models, with those of P and D."""
    _looked_at(tables, histograms.FIG2.configuration)
    table = histograms.FIG2.null_losses(tables)
    if table.empty:
        raise MissingRowsError("the target models have no two members of one class in common")
    thresholds = table.groupby(["attack", "point", "model"])["threshold"].first().unstack("model")
    apart = (thresholds[1] - thresholds[2]).abs().unstack("point")
    still, moved = apart.loc["R"].max(), apart.loc[["P", "D"]].min(axis=1)
    told = ", ".join(f"{letter} at least {value:.3g}" for letter, value in moved.items())
    return exact(still, still <= _SAME and (moved > _SAME).all(), f"two records, in nats; {told}")


def roc(row: Configuration, rows: Replicates) -> list[Cell]:
    """Return by how much D's AUC exceeds all others, and its TPR at a false positive rate of .2 that of P."""
    aucs, tprs = ahead("D", "SPR", at_least(0)), ahead("D", "P", at_least(0), "tpr@0.2")
    return [*aucs(row, rows), *tprs(row, rows)]


def clipped(row: Configuration, rows: Replicates) -> list[Cell]:
    """Return by how much P is behind S, S behind R, and R behind D, or level with it."""
    steps = (("S", "P", above(0)), ("R", "S", above(0)), ("D", "R", at_least(0)))
    return [cell for step in steps for cell in ahead(*step)(row, rows)]


def r_against_d(tables: Tables) -> Finding:
    """Return the share of members nearer to D's threshold than to R's; and the correlation of S and P."""
    _looked_at(tables, margins.CONFIGURATION)
    table = margins.margins(tables).set_index("panel")
    of_s_and_p, of_r_and_d = table.loc["a"], table.loc["b"]
    nearer = mean(_share(of_r_and_d["x"] < of_r_and_d["y"]), above(0.5), "share of members")
    correlation = of_s_and_p["x"].corr(of_s_and_p["y"])
    alike = exact(correlation, correlation > 0.8, "correlation of the margins of S and P")
    return together(nearer, alike)
