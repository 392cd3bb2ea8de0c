"""Figures 1 and 2: the losses that each attack takes for those of a non-member, for two members of one class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.ye.names import PAPER, PURCHASE, Configuration
from dpmia.papers.ye.note import run_note

COLUMNS = ["model", "point", "attack", "alpha", "loss", "threshold", "null_losses", "null_loss"]

_BINS = 40
#: The axis ends where this share of the null losses is passed; what is larger stands in the last bin.
_SHOWN = 0.995


@dataclass(frozen=True)
class LossFigure:
    """One figure.

    Attributes:
        configuration: whose target models it shows.
        targets: number of target models that the points are members of.
    """

    configuration: Configuration
    targets: int

    def tabulate(self, tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
        """Return the table of the figure; see `null_losses`."""
        return self.null_losses(tables)

    def null_losses(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        """Return one row for each null loss.

        Args:
            tables: one table named `nulls/<experiment>` (see `dpmia.evaluation.per_record.nulls_table`).

        Returns:
            Columns `COLUMNS`: models and points are numbered from 1, points by their loss under the first model.
            Attacks go by the paper's letters. No rows where the target models have no two members of one class in
            common.

        Raises:
            ValueError: other arms have per-record results, that of the configuration has none.
        """
        (rows,) = tables.values()
        of_arm = rows["arm"] == self.configuration.arm
        if len(rows) and not of_arm.any():
            raise ValueError(f"no null losses of {self.configuration.label} in {sorted(tables)}")
        rows = rows[of_arm & (rows["targets"] == self.targets) & rows["attack"].isin(PAPER.values())]
        letters = {attack: letter for letter, attack in PAPER.items()}
        models = {target: place for place, target in enumerate(rows["target"].unique(), start=1)}
        under_first = rows[rows["target"].map(models) == 1].groupby("record")["loss"].first().sort_values()
        points = {record: place for place, record in enumerate(under_first.index, start=1)}
        rows = rows.assign(
            model=rows["target"].map(models), point=rows["record"].map(points), attack=rows["attack"].map(letters)
        )
        rows["place"] = rows["attack"].map(list(PAPER).index)
        return rows.sort_values(["model", "point", "place", "null_loss"])[COLUMNS].reset_index(drop=True)

    def draw(self, table: pd.DataFrame, facts: Facts) -> Figure:
        """Draw one row of panels for each model and point, one panel for each attack."""
        note = run_note(facts, [self.configuration])
        lines = [key for key, _ in table.groupby(["model", "point"])]
        if not lines:
            figure, (empty,) = drawing.panels(1, facts, width=6.6)
            reason = "the target models have no two members of one class in common"
            drawing.note(empty, reason)
            empty.set(xticks=[], yticks=[])
            drawing.caption(figure, note)
            return figure
        count, columns = len(lines) * len(PAPER), len(PAPER)
        figure, axes = drawing.panels(count, facts, width=2.7, height=1.9 * len(lines) + 1.0, rows=len(lines))
        panels = [axes[start : start + columns] for start in range(0, count, columns)]
        end = float(np.nanmax([table["null_loss"].quantile(_SHOWN), table["loss"].max()])) * 1.02
        bins = np.linspace(0, end, _BINS + 1)
        for place, (model, point) in enumerate(lines):
            row = table[(table["model"] == model) & (table["point"] == point)]
            for axis, (letter, colour) in zip(panels[place], zip(PAPER, drawing.COLOURS, strict=False), strict=True):
                _histogram(axis, row[row["attack"] == letter], bins, colour)
                axis.set_title(f"attack {letter}, $z_{point}$ under $\\theta_{model}$")
                axis.set(xlabel="loss" if place == len(lines) - 1 else "", ylabel="share of losses")
            for axis in panels[place][1:]:
                axis.set_ylabel("")
        drawing.legend(figure)
        drawing.caption(
            figure,
            "Losses by which each attack estimates those of a non-member. Both points are members of all models shown "
            "and of one class: of its members those at the 25th and 75th percentile of the loss under the first model. "
            f"The last bin also holds larger losses. {note}",
        )
        return figure


def _histogram(axes: Axes, rows: pd.DataFrame, bins: np.ndarray, colour: str) -> None:
    if rows.empty:
        drawing.note(axes, "not run")
        return
    losses = np.clip(rows["null_loss"], 0, bins[-1])
    sns.histplot(x=losses, bins=bins.tolist(), stat="probability", color=colour, alpha=0.6, linewidth=0, ax=axes)
    first = rows.iloc[0]
    axes.axvline(first["loss"], color="black", linewidth=1.2, label="loss of the target model")
    if np.isfinite(first["threshold"]):
        label = f"threshold, α = {first['alpha']:g}"
        axes.axvline(first["threshold"], color="black", linestyle="--", linewidth=1.2, label=label)
    axes.set_xlim(-0.01 * bins[-1], bins[-1])


FIG1 = LossFigure(PURCHASE["IIa"], 1)
FIG2 = LossFigure(PURCHASE["Ia"], 2)

tabulate_fig1, draw_fig1 = FIG1.tabulate, FIG1.draw
tabulate_fig2, draw_fig2 = FIG2.tabulate, FIG2.draw
