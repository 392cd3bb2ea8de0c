"""Figures 3 and 4: ROC of all attacks on two configurations, on linear and on logarithmic axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.ye.names import BEYOND, PAPER, PER_RECORD, ROC, Configuration, rows_of
from dpmia.papers.ye.note import run_note

COLUMNS = ["experiment", "configuration", "attack", "fpr", "tpr", "auc", "targets"]

#: What is drawn: the attacks of the paper in full lines, those beyond it dashed.
SHOWN = PAPER | BEYOND
#: Of the attacks beyond the number of the palette's colours.
_GREYS = ("0.35", "0.65")

_METRICS = {f"tpr@{rate:g}": rate for rate in ROC_RATES}


@dataclass(frozen=True)
class RocFigure:
    """One figure.

    Attributes:
        configurations: that it shows, from left to right.
    """

    configurations: tuple[Configuration, ...]

    def tabulate(self, tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
        """Return the mean TPR over target models at each of the false positive rates, and the mean AUC.

        Args:
            tables: named `replicates/<experiment>`.
            facts: of the run.

        Returns:
            Columns `COLUMNS`; no row below the resolution of the data, nor of a configuration or an attack that did
            not run.

        Raises:
            ValueError: no configuration of the figure was attacked.
        """
        lines = []
        for row, rows in rows_of(tables, self.configurations):
            mean = rows.groupby(["attack", "metric"])["value"].agg(["mean", "count", "size"])
            # Of models with different numbers of non-members some may show a rate and some not: then none of them
            # counts.
            mean = mean[mean["count"] == mean["size"]]["mean"]
            targets = rows["replicate"].nunique()
            lines += [
                [row.experiment, row.label, title, rate, mean[attack, metric], auc, targets]
                for title, attack in SHOWN.items()
                if (auc := mean.get((attack, "auc"))) is not None
                for metric, rate in _METRICS.items()
                if (attack, metric) in mean.index
            ]
        if not lines:
            wanted = " or ".join(row.label for row in self.configurations)
            raise ValueError(f"no attack on {wanted} in {sorted(tables)}")
        return pd.DataFrame(lines, columns=COLUMNS)

    def draw(self, table: pd.DataFrame, facts: Facts) -> Figure:
        """Draw two panels for each configuration: linear axes, and logarithmic ones."""
        configurations = table["configuration"].unique()
        figure, axes = drawing.panels(2 * len(configurations), facts, width=3.2, height=3.9)
        for place, configuration in enumerate(configurations):
            rows = table[table["configuration"] == configuration]
            linear, logarithmic = axes[2 * place : 2 * place + 2]
            _curves(linear, rows, legend="full")
            linear.set(title=configuration, xlim=(0, 1), ylim=(0, 1.01))
            sns.move_legend(linear, "lower right", title=None, fontsize="small", handlelength=1.8)
            _curves(logarithmic, rows, legend=False)
            lowest = max(ROC_RATES[0], rows["fpr"].min())
            logarithmic.set(title="the same, logarithmic", xscale="log", yscale="log")
            logarithmic.set(xlim=(lowest, 1), ylim=(lowest, 1.1))
            for panel in (linear, logarithmic):
                panel.set(xlabel="false positive rate", ylabel="true positive rate" if panel is axes[0] else "")
        drawing.caption(
            figure,
            "Means over target models; AUC in brackets; dotted: guessing. Rates below 1 / number of non-members cannot "
            f"be shown. {' and '.join(PER_RECORD)} assume Gaussian losses of each record under reference models on "
            "the logit scale: their ranks would reach no rate below 1 / (models + 1). "
            f"{run_note(facts, self.configurations)}",
        )
        return figure


def _curves(axes: Axes, rows: pd.DataFrame, legend: Literal["full", False]) -> None:
    colours = dict(zip(SHOWN, (*drawing.COLOURS, *_GREYS), strict=True))
    labels = {title: f"{title} ({auc:.3f})" for title, auc in rows.groupby("attack", sort=False)["auc"].first().items()}
    sns.lineplot(
        rows.assign(label=rows["attack"].map(labels)),
        **{"x": "fpr", "y": "tpr", "hue": "label", "style": "label", "estimator": None, "legend": legend, "ax": axes},
        palette={label: colours[title] for title, label in labels.items()},
        linewidth=1.3,
        dashes={label: drawing.SOLID if title in PAPER else drawing.DASHED for title, label in labels.items()},
    )
    axes.plot(ROC_RATES, ROC_RATES, ":", color="black", linewidth=1)


FIG3, FIG4, ROC_MNIST = (RocFigure(ROC[name]) for name in ("fig3", "fig4", "roc_mnist"))

tabulate_fig3, draw_fig3 = FIG3.tabulate, FIG3.draw
tabulate_fig4, draw_fig4 = FIG4.tabulate, FIG4.draw
tabulate_roc_mnist, draw_roc_mnist = ROC_MNIST.tabulate, ROC_MNIST.draw
