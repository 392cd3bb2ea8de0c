"""Table 2, and a heatmap of it: how often two attacks make the same prediction on members, and on non-members."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from dpmia.common.formatting import format_interval
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.intervals import REPLICATES, clopper_pearson, estimate
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import PAPER, PURCHASE
from dpmia.papers.ye.note import run_note

#: Whose members and non-members are judged.
CONFIGURATION = PURCHASE["IIa"]

#: False positive rate that thresholds are set for.
ALPHA = 0.3

#: Columns and rows of the paper's table; GT is the truth, and L is attack L, which trains models without the record.
TRUTH, LEAVE_ONE_OUT = "GT", "L"
ORDER = (TRUTH, LEAVE_ONE_OUT, *PAPER)
NAMES = {LEAVE_ONE_OUT: "leave_one_out"} | PAPER

PARTS = {"member": "train", "nonmember": "test"}

#: Rates on 500 members and on 500 non-members, pair by pair as `combinations(ORDER, 2)` has them.
PRINTED = {
    "train": (
        *(0.968, 0.696, 0.662, 0.772, 0.992),
        *(0.692, 0.654, 0.796, 0.968),
        *(0.874, 0.592, 0.696),
        *(0.586, 0.662),
        0.78,
    ),
    "test": (
        *(0.41, 0.656, 0.664, 0.656, 0.372),
        *(0.73, 0.706, 0.722, 0.822),
        *(0.948, 0.756, 0.716),
        *(0.732, 0.708),
        0.692,
    ),
}

COLUMNS = ["records", "first", "second", "paper", "ours", "low", "high", "queries", "targets"]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the agreement rate of every pair, beside the paper's.

    Args:
        tables: one table named `per_record/<experiment>` (see `dpmia.evaluation.per_record.per_record_table`).
        run_summary: of the run.

    Returns:
        Columns `COLUMNS`. `ours` is the mean over target models, with 95 % limits over target models, or over the
        records where there are too few models (see `_limits`); missing of an attack that did not run. `queries` counts
        the records of each target model that both are evaluated on. With the truth, an attack agrees at its true
        positive rate on `train` points and at 1 minus its false positive rate on `test` points.

    Raises:
        MissingRowsError: no threshold was set for `ALPHA`, or the configuration has no per-record results.
    """
    (rows,) = tables.values()
    rows = rows[(rows["arm"] == CONFIGURATION.arm) & (rows["alpha"] == ALPHA)]
    if rows.empty:
        raise MissingRowsError(f"no thresholds at alpha = {ALPHA} for {CONFIGURATION.label} in {sorted(tables)}")
    lines = []
    for part, records in PARTS.items():
        judged = [predictions(of_one, part) for _, of_one in rows[rows["membership"] == part].groupby("target")]
        for (one, other), paper in zip(combinations(ORDER, 2), PRINTED[records], strict=True):
            pairs = [decisions[[one, other]].dropna() for decisions in judged if {one, other} <= set(decisions)]
            rates = np.array([(pair[one] == pair[other]).mean() for pair in pairs if len(pair)])
            mean = round(float(rates.mean()), 3) if len(rates) else None
            queries = max(map(len, pairs), default=0)
            lines.append([records, one, other, paper, mean, *_limits(rates, queries), queries, len(rates)])
    return pd.DataFrame(lines, columns=COLUMNS)


def _limits(rates: np.ndarray, queries: int) -> tuple[float | None, float | None]:
    """Return 95 % limits of the mean of shares of equal numbers of records.

    Over target models; where they are too few or all alike, over the records of one of them, whose share is the mean.
    """
    if not len(rates):
        return None, None
    mean = estimate(rates)
    low, high = mean.limits((0.0, 1.0)) if mean.kind == REPLICATES else (np.nan, np.nan)
    if np.isnan(low):
        low, high = map(float, clopper_pearson(round(float(rates.mean()) * queries), queries))
    return round(low, 3), round(high, 3)


def tabulate_matrix(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the agreement rates as the paper prints them: of members above the diagonal, of non-members below it.

    Args:
        tables: see `tabulate`.
        run_summary: of the run.

    Returns:
        A row for each attack and the truth, with our rate, its 95 % limits, and the paper's behind a slash; and how
        many records of each target model were evaluated: the fewest of the row's cells that have a rate.
    """
    table = tabulate(tables, run_summary)
    cells = pd.DataFrame("", index=list(ORDER), columns=list(ORDER))
    for line in table.to_dict("records"):
        row, column = (line["first"], line["second"]) if line["records"] == "train" else (line["second"], line["first"])
        ours = format_interval(line["ours"], line["low"], line["high"])
        cells.loc[row, column] = f"{ours} / {line['paper']:g}"
    measured = table[table["targets"] > 0]
    fewest = {
        name: measured.loc[(measured["first"] == name) | (measured["second"] == name), "queries"].min()
        for name in ORDER
    }
    cells["records"] = pd.array([fewest[name] for name in ORDER], dtype="Int64")
    targets = int(table["targets"].max())
    return cells.assign(targets=targets).rename_axis("attack").reset_index()


def predictions(rows: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return for one target model a row for each record, and a column of yes and no for each attack and the truth.

    Args:
        rows: of one target model, one part and one false positive rate.
        part: `member` or `nonmember`.

    Returns:
        Columns of `ORDER`, those that were run; missing where an attack, L, did not judge the record.
    """
    decisions = rows.pivot(index="record", columns="attack", values="decision").astype("boolean")
    judgements = pd.DataFrame({letter: decisions[name] for letter, name in NAMES.items() if name in decisions})
    return judgements.assign(**{TRUTH: part == "member"})


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw a heatmap of our rates on members and one on non-members, with the paper's below ours in each cell."""
    figure, axes = drawing.panels(len(PRINTED), run_summary, height=3.3)
    titles = {"train": "members (train)", "test": "non-members (test)"}
    for axis, (records, title) in zip(axes, titles.items(), strict=True):
        rows = table[table["records"] == records]
        ours = rows["ours"].astype(float).map("{:.2f}".format)
        rows = rows.assign(text=ours + rows["paper"].map("\n({:.2f})".format))
        cells = rows.pivot(index="second", columns="first").reindex(index=ORDER[1:], columns=ORDER[:-1], level=-1)
        drawing.draw_heatmap(axis, cells["ours"], cells["text"])
        axis.set_title(title)
    drawing.finish(
        figure,
        "Share of records on which two attacks agree: ours, and the paper's in parentheses. Thresholds for a false "
        f"positive rate of {ALPHA:g}. No cell where an attack did not run. GT is the true membership; L "
        "(leave-one-out) is evaluated on few records.",
        run_note(run_summary, [CONFIGURATION]),
    )
    return figure
