"""What figures 2a, 2b and 3 share: advantages of regression models against how much they overfit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_count
from dpmia.evaluation.summary import OVERLAP, mean_table
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.studies.regression import MEMBERSHIP

#: Of the curves that no model was fitted for.
THEORY = "theory"
KEYS = ["dataset", "records", "model", "parameter", "folds", "ratio", "adversary", "target", "values"]
LABELS = {"ridge": "Ridge", "tree": "trees"}

#: The axis of ratios is about linear as near to 1 as this, and about logarithmic further away.
STRETCHED = 0.02
TICKS = (0.8, 0.9, 1, 1.05, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500)
AXIS = "The horizontal axis is stretched around 1; the paper's is linear."

DATASETS = {"eyedata": "eyedata", "iwpc": "IWPC"}


def means(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the advantages of studies, averaged over splits.

    Args:
        tables: name -> what `dpmia.studies.regression.run` returns.

    Returns:
        Columns `KEYS`, mean, low, high, splits, interval, ...: see `mean_table`.
    """
    return mean_table(splits(tables).groupby(KEYS, sort=True), KEYS, "splits")


def splits(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of studies; `value` is the advantage, and `OVERLAP` says how random splits overlap."""
    rows = pd.concat(tables.values(), ignore_index=True)
    return rows.assign(**{"value": rows["advantage"], OVERLAP: rows["nonmembers"] / rows["members"]})


def membership(
    tables: Mapping[str, pd.DataFrame], adversary: str, theory: Callable[[np.ndarray], np.ndarray]
) -> pd.DataFrame:
    """Return the means of one attack on membership, and a curve from ratio 1 to beyond the largest as `THEORY`."""
    rows = means(tables)
    rows = rows[(rows["target"] == MEMBERSHIP) & (rows["adversary"] == adversary)]
    ratios = np.linspace(1, max(2.0, 1.05 * rows["ratio"].max()), 200)
    curve = {"dataset": "any", "adversary": THEORY, "target": MEMBERSHIP, "ratio": ratios, "mean": theory(ratios)}
    return pd.concat([rows, pd.DataFrame(curve)], ignore_index=True)


def membership_panel(axes: Axes, table: pd.DataFrame, colours: tuple[str, ...], theory: str) -> None:
    """Draw the attack of `membership` on every data set, and the theory dotted."""
    measured = table[table["adversary"] != THEORY]
    looks = itertools.cycle(zip(colours, "os", strict=False))
    for (dataset, model), (colour, marker) in zip(measured.groupby(["dataset", "model"]), looks, strict=False):
        name = f"{LABELS[dataset[1]]}, {DATASETS.get(dataset[0], dataset[0])}"
        drawing.draw_means(axes, model, "ratio", colour=colour, marker=marker, label=name, line="none")
    curve = table[table["adversary"] == THEORY]
    drawing.draw_curve(axes, curve, "ratio", colour="black", label=theory, line=":", zorder=5)
    drawing.zero_line(axes)
    ratio_axis(axes, table["ratio"])
    axes.set(ylabel="membership advantage", ylim=(min(-0.05, 1.1 * measured["low"].min()), 1.0))


def ratio_axis(axes: Axes, ratios: pd.Series) -> None:
    """Stretch the axis of ratios around 1, where half of the models lie."""
    stretched = (
        lambda x: np.sign(x - 1) * np.log1p(np.abs(x - 1) / STRETCHED),
        lambda y: 1 + np.sign(y) * STRETCHED * np.expm1(np.abs(y)),
    )
    axes.set_xscale("function", functions=stretched)
    low, high = float(ratios.min()), float(ratios.max())
    ticks = [tick for tick in TICKS if 0.97 * low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlim(1 - max(0.03, 1.3 * (1 - low)), 1.05 * high)
    axes.set_xlabel(r"$\sigma_D/\sigma_S$")


def study_caption(table: pd.DataFrame, run_summary: RunSummary) -> str:
    """Return in a few sentences how the models of a figure were fitted and what the bars are."""
    measured = table[table["adversary"] != THEORY]
    sentences = []
    for (dataset, records), rows in measured.groupby(["dataset", "records"]):
        folds, splits = int(rows["folds"].iloc[0]), int(rows["splits"].iloc[0])
        crossed = _crossed("leave_one_out" if folds == records else folds)
        here = {"{} splits": str(splits), "{}": crossed, "{} records": format_count(records)}
        paper = here
        of_dataset = [settings for settings in run_summary.studies.values() if settings["dataset"] == dataset]
        for study in of_dataset[:1]:
            paper = here | {"{} splits": str(study["splits"]), "{}": _crossed(study["cross_validation"])}
        sentences.append(f"{DATASETS.get(dataset, dataset)}: {drawing.here_and_paper(here, paper)}")
    return (
        f"{run_summary.source}, scale {run_summary.scale}. {' '.join(sentences)} {drawing.interval_caption(measured)} "
        f"Splits divide the same records, so variances are corrected (Nadeau and Bengio 2003). {run_summary.skipped}"
    ).strip()


def _crossed(folds: int | str) -> str:
    """Format how sigma_D was found: by leaving out one record, or one of so many folds, in turn."""
    return "leave-one-out" if folds == "leave_one_out" else f"{folds}-fold cross-validation"
