"""What figures 2c, 4a, 4b and table I share: convolutional networks of several sizes s, honest and colluding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpmia.formats.rows import KEYS
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom.names import ARM, COLLUDING, HONEST

STYLES = dict(zip(HONEST.values(), zip(drawing.COLOURS, "osD", strict=False), strict=True))


def by_size(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the numbers of networks trained without privacy, by data set and size.

    Args:
        tables: name -> summaries (`dpmia.evaluation.summary.summary_table`) or values of all replicates
            (`dpmia.evaluation.summary.replicates_table`) with arms `s1`, `s2`, ...

    Returns:
        Columns dataset, colluding, s, attack, metric, then what the tables say of each: mean, low, high,
        replicates and interval, or replicate and value.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[rows["arm"].str.fullmatch(ARM) & rows["experiment"].isin([*HONEST, *COLLUDING])]
    measured = [column for column in rows if column not in KEYS]
    rows = rows.assign(
        dataset=rows["experiment"].map(HONEST | COLLUDING),
        colluding=rows["experiment"].isin(COLLUDING),
        s=rows["arm"].str.removeprefix("s").astype(int),
    )
    keys = ["dataset", "colluding", "s", "attack", "metric"]
    return rows[[*keys, *measured]].sort_values(keys, ignore_index=True)


def draw_networks(
    axes: Axes, rows: pd.DataFrame, dataset: str, x: str = "s", line: str = "-", label: str | None = None
) -> None:
    """Draw means with bars for their intervals against a column, in the colour and mark of the data set."""
    colour, marker = STYLES[dataset]
    look: dict[str, Any] = {"colour": colour, "marker": marker, "line": line, "hollow": line == "--"}
    drawing.draw_means(axes, rows, x, label=label or dataset, **look)


def beside(rows: pd.DataFrame, place: int, count: int) -> pd.DataFrame:
    """Return one of `count` curves, moved along the logarithmic axis of sizes so that no interval hides another."""
    return rows.assign(s=rows["s"] * 2 ** drawing.dodge(place, count, step=0.11))


def size_axis(axes: Axes, sizes: pd.Series) -> None:
    """Give the axis of sizes a logarithmic scale with a tick at every size."""
    places = sorted(sizes.unique())
    axes.set_xscale("log", base=2)
    axes.set_xticks(places, [str(place) for place in places])
    axes.set_xlabel("size s of the network")


def training_caption(run_summary: RunSummary, table: pd.DataFrame) -> str:
    """Return in a few sentences which networks were trained, and how, and what the bars are."""
    return f"{drawing.training_caption(run_summary)} {drawing.interval_caption(table)} {run_summary.skipped}".strip()
