"""Figures 1 and 2: the losses that each attack takes for those of a non-member, for two members of one class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from dpmia.formats.rows import MissingRowsError
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import PAPER, PURCHASE, Configuration
from dpmia.papers.ye.note import run_note

COLUMNS = ["model", "point", "attack", "alpha", "loss", "threshold", "null_losses", "null_loss"]

#: The attack whose null losses are those of a class, whatever the target model.
OF_CLASS = "S"

_BINS = 30
#: The axis begins and ends where this share of the null losses is passed; what lies beyond stands in the outer bins.
_SHOWN = 0.99
#: Smallest loss on the axis.
SMALLEST = 1e-6
#: Up to so many losses are drawn one by one, too.
FEW = 200


@dataclass(frozen=True)
class LossFigure:
    """One figure.

    Attributes:
        configuration: whose target models it shows.
        targets: number of target models that the points are members of.
    """

    configuration: Configuration
    targets: int

    def tabulate(self, tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
        """Return the table of the figure; see `null_losses`.

        Attack S does not depend on the target model: all show the losses and the threshold of its first draw.
        """
        table = self.null_losses(tables)
        of_class = table["attack"] == OF_CLASS
        first = table[of_class & (table["model"] == 1)]
        losses = table.loc[of_class].groupby(["model", "point"])["loss"].first()
        drawn = [
            part.assign(model=model, loss=losses[model, point])
            for (model, point) in losses.index
            for part in [first[first["point"] == point]]
        ]
        key = table["attack"].map(list(PAPER).index)
        table = pd.concat([table[~of_class].assign(place=key[~of_class]), *drawn]).fillna({"place": 0})
        return table.sort_values(["model", "point", "place", "null_loss"])[COLUMNS].reset_index(drop=True)

    def null_losses(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        """Return one row for each null loss.

        Args:
            tables: one table named `nulls/<experiment>` (see `dpmia.evaluation.per_record.nulls_table`).

        Returns:
            Columns `COLUMNS`: models and points are numbered from 1, points by their loss under the first model.
            Attacks go by the paper's letters. No rows where the target models have no two members of one class in
            common.

        Raises:
            MissingRowsError: other arms have per-record results, that of the configuration has none.
        """
        (rows,) = tables.values()
        of_arm = rows["arm"] == self.configuration.arm
        if len(rows) and not of_arm.any():
            raise MissingRowsError(f"no null losses of {self.configuration.label} in {sorted(tables)}")
        rows = rows[of_arm & (rows["targets"] == self.targets) & rows["attack"].isin(PAPER.values())]
        letters = {attack: letter for letter, attack in PAPER.items()}
        models = {target: place for place, target in enumerate(rows["target"].unique(), start=1)}
        under_first = rows[rows["target"].map(models) == 1].groupby("record")["loss"].first().sort_values()
        point_numbers = {record: place for place, record in enumerate(under_first.index, start=1)}
        rows = rows.assign(
            model=rows["target"].map(models),
            point=rows["record"].map(point_numbers),
            attack=rows["attack"].map(letters),
        )
        rows["place"] = rows["attack"].map(list(PAPER).index)
        return rows.sort_values(["model", "point", "place", "null_loss"])[COLUMNS].reset_index(drop=True)

    def draw(self, table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
        """Draw one row of panels for each model and point, one panel for each attack; a row shares its axes."""
        note = run_note(run_summary, [self.configuration])
        lines = [key for key, _ in table.groupby(["model", "point"])]
        if not lines:
            figure, (empty,) = drawing.panels(1, run_summary, height=1.5)
            drawing.note(empty, "the target models have no two members of one class in common")
            empty.set(xticks=[], yticks=[])
            drawing.finish(figure, note)
            return figure
        columns = len(PAPER)
        figure, axes = drawing.panels(len(lines) * columns, run_summary, height=1.3, rows=len(lines), sharey="row")
        bins = _bins(table)
        for place, (model, point) in enumerate(lines):
            row = table[(table["model"] == model) & (table["point"] == point)]
            panels = axes[place * columns : (place + 1) * columns]
            for axis, (letter, colour) in zip(panels, zip(PAPER, drawing.COLOURS, strict=False), strict=True):
                _histogram(axis, row[row["attack"] == letter], bins, colour)
                axis.set_title(f"attack {letter}" if place == 0 else "")
                axis.set(xlabel="loss", ylabel="share of losses")
                axis.label_outer()
            panels[-1].annotate(
                f"$z_{point}$ under $\\theta_{model}$", (1.02, 0.5), xycoords="axes fraction", rotation=270, va="center"
            )
        drawing.finish(
            figure,
            "Losses under the null hypothesis (non-member), by which each attack sets its threshold; short lines below "
            "the axis: each of them, where there are few. Logarithmic axis of losses; panels of a row share the "
            "vertical axis. Both points are members of all models shown and of one class: of its members those at the "
            "25th and 75th percentile of the loss under the first model. Losses outside of the axis stand in its outer "
            "bins. "
            "Attack S does not depend on the target model: one draw of its records is shown under all. "
            + _counts(table),
            note,
        )
        return figure


def _counts(table: pd.DataFrame) -> str:
    """Say how many losses each attack has for one point."""
    numbers = table.groupby("attack", sort=False)["null_losses"].agg(["min", "max"]).astype(int)
    parts = [
        f"{attack} {low}" if low == high else f"{attack} {low} to {high}" for attack, (low, high) in numbers.iterrows()
    ]
    return f"Numbers of losses: {', '.join(parts)}."


def _bins(table: pd.DataFrame) -> np.ndarray:
    """Return the ends of the bins, evenly on a logarithmic axis; the first and the last hold what lies beyond."""
    losses = pd.concat([table["null_loss"], table["loss"]])
    positive = losses[losses > 0]
    low = max(float(positive.quantile(1 - _SHOWN)), SMALLEST)
    high = float(np.nanmax([positive.quantile(_SHOWN), table["loss"].max(), 10 * low]))
    return np.geomspace(low / 1.5, high * 1.5, _BINS + 1)


def _histogram(axes: Axes, rows: pd.DataFrame, bins: np.ndarray, colour: str) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3) if bins[-1] < 100 * bins[0] else (1,), numticks=6))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda loss, _: f"{loss:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    if rows.empty:
        drawing.note(axes, "not run")
        return
    losses = np.clip(rows["null_loss"], bins[0], bins[-1])
    weights = np.full(len(losses), 1 / len(losses))
    axes.hist(losses, bins=bins.tolist(), weights=weights, color=colour, alpha=0.55, linewidth=0)
    if len(losses) <= FEW:
        look = {"color": colour, "height": -0.05, "clip_on": False, "linewidth": 0.7, "expand_margins": False}
        sns.rugplot(x=losses, ax=axes, **look)
    first = rows.iloc[0]
    axes.axvline(first["loss"], color="black", linewidth=1, label="loss of the target model")
    if np.isfinite(first["threshold"]):
        label = f"threshold, α = {first['alpha']:g}"
        axes.axvline(first["threshold"], color=drawing.VERMILION, linestyle="--", linewidth=1, label=label)
    axes.set_xlim(bins[0], bins[-1])


FIG1 = LossFigure(PURCHASE["IIa"], 1)
FIG2 = LossFigure(PURCHASE["Ia"], 2)

tabulate_fig1, draw_fig1 = FIG1.tabulate, FIG1.draw
tabulate_fig2, draw_fig2 = FIG2.tabulate, FIG2.draw
