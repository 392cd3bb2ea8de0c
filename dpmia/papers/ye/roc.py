"""Figures 3 and 4: ROC of all attacks on two configurations, on linear and on logarithmic axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_interval
from dpmia.evaluation.summary import mean_table
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import BEYOND, PAPER, PER_RECORD, ROC, Configuration, rows_of
from dpmia.papers.ye.note import run_note

COLUMNS = ["experiment", "configuration", "attack", "target", "fpr", "tpr", "auc", "auc_low", "auc_high", "targets"]

#: What is drawn: the attacks of the paper in full lines, those beyond it dashed.
SHOWN = PAPER | BEYOND

#: `target` of the mean over target models.
MEAN = "mean"

#: Attack -> colour and dashes: no two of one look, with colour or without.
LOOKS = dict(
    zip(
        SHOWN,
        [
            *(
                (drawing.BLUE, "-"),
                (drawing.ORANGE, (0, (6, 1))),
                (drawing.SKY, "-."),
                (drawing.PURPLE, (0, (4, 1, 1, 1, 1, 1))),
            ),
            *((drawing.VERMILION, ":"), (drawing.GREEN, (0, (2, 1))), ("0.45", (0, (3, 3))), ("0.2", (0, (1, 3)))),
        ],
        strict=True,
    )
)

_METRICS = {f"tpr@{rate:g}": rate for rate in ROC_RATES}


@dataclass(frozen=True)
class RocFigure:
    """One figure.

    Attributes:
        configurations: that it shows, from left to right.
    """

    configurations: tuple[Configuration, ...]

    def tabulate(self, tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
        """Return the TPR of each target model at each of the false positive rates, their mean, and the AUC.

        Args:
            tables: named `replicates/<experiment>`.
            run_summary: of the run.

        Returns:
            Columns `COLUMNS`: `target` is the number of a target model, or `MEAN` of them all; the AUC is the mean over
            target models with its 95 % limits. No row below the resolution of the data: of models with different
            numbers of non-members some may show a rate and some not, then none of them counts. No row of a
            configuration or an attack that did not run.

        Raises:
            MissingRowsError: no configuration of the figure was attacked.
        """
        parts = []
        for row, rows in rows_of(tables, self.configurations):
            for title, attack in SHOWN.items():
                of_attack = rows[rows["attack"] == attack]
                aucs = of_attack[of_attack["metric"] == "auc"]
                if aucs.empty:
                    continue
                (auc,) = mean_table([(("auc",), aucs)], ["metric"]).itertuples()
                columns = {"experiment": row.experiment, "configuration": row.label, "attack": title, "auc": auc.mean}
                columns |= {"auc_low": auc.low, "auc_high": auc.high, "targets": rows["replicate"].nunique()}
                parts.append(_curves(of_attack).assign(**columns))
        if not parts:
            wanted = " or ".join(row.label for row in self.configurations)
            raise MissingRowsError(f"no attack on {wanted} in {sorted(tables)}")
        table = pd.concat(parts, ignore_index=True)[COLUMNS]
        if table.empty:
            raise MissingRowsError("no rate of a ROC was measured on all target models")
        return table

    def draw(self, table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
        """Draw a row of two panels for each configuration: linear axes, and logarithmic ones."""
        configurations = list(table["configuration"].unique())
        figure, axes = drawing.panels(2 * len(configurations), run_summary, height=2.7, rows=len(configurations))
        lowest = max(ROC_RATES[0], table["fpr"].min())
        for place, configuration in enumerate(configurations):
            rows = table[table["configuration"] == configuration]
            linear, logarithmic = axes[2 * place : 2 * place + 2]
            _draw_curves(linear, rows)
            linear.set(title=configuration, xlim=(0, 1), ylim=(0, 1.01))
            _draw_curves(logarithmic, rows)
            logarithmic.set(title=f"{configuration}, logarithmic axes", xscale="log", yscale="log")
            logarithmic.set(xlim=(lowest, 1), ylim=(lowest, 1.1))
            _write_aucs(linear, rows)
            for panel in (linear, logarithmic):
                panel.set(xlabel="false positive rate", ylabel="true positive rate")
        drawing.finish(
            figure,
            "Thick lines: means over target models; thin lines: each target model. AUC with its 95 % interval over "
            "target models and the records that they share. Rates below 1 / number of non-members cannot be shown. "
            f"{' and '.join(PER_RECORD)} assume Gaussian losses of each record under reference models on the logit "
            "scale: their ranks would reach no rate below 1 / (models + 1).",
            run_note(run_summary, self.configurations),
        )
        return figure


def _curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the ROC of each target model and their mean, of one attack: columns target, fpr, tpr."""
    rows = rows[rows["metric"].isin(_METRICS)]
    wide = rows.assign(fpr=rows["metric"].map(_METRICS)).pivot(index="fpr", columns="replicate", values="value")
    wide = wide[wide.notna().all(axis=1)]
    wide.columns = wide.columns.astype(str)
    return wide.assign(**{MEAN: wide.mean(axis=1)}).reset_index().melt("fpr", var_name="target", value_name="tpr")


def _draw_curves(axes: Axes, rows: pd.DataFrame) -> None:
    for attack, of_one in rows.groupby("attack", sort=False):
        colour, line = LOOKS[str(attack)]
        for target, curve in of_one.groupby("target"):
            whole = target == MEAN
            look = {"linewidth": 1.2, "zorder": 3} if whole else {"linewidth": 0.4, "alpha": 0.5}
            label = str(attack) if whole else "_target model"
            drawing.draw_curve(
                axes, curve, "fpr", "tpr", colour=colour, label=label, line=line if whole else "-", **look
            )
    axes.plot(ROC_RATES, ROC_RATES, color=drawing.GREY, linewidth=0.8, zorder=1, label="guessing")


def _write_aucs(axes: Axes, rows: pd.DataFrame) -> None:
    """Write the AUC of each attack into the empty half of a panel, in the attack's colour."""
    aucs = rows.groupby("attack", sort=False)[["auc", "auc_low", "auc_high"]].first()
    for place, (attack, auc) in enumerate(aucs[::-1].iterrows()):
        text = f"{attack}  {format_interval(*auc)}"
        look: dict[str, Any] = {
            "transform": axes.transAxes,
            "ha": "right",
            "fontsize": 6.5,
            "color": LOOKS[str(attack)][0],
        }
        axes.text(0.99, 0.02 + 0.058 * place, text, **look)


FIG3, FIG4, ROC_MNIST = (RocFigure(ROC[name]) for name in ("fig3", "fig4", "roc_mnist"))

tabulate_fig3, draw_fig3 = FIG3.tabulate, FIG3.draw
tabulate_fig4, draw_fig4 = FIG4.tabulate, FIG4.draw
tabulate_roc_mnist, draw_roc_mnist = ROC_MNIST.tabulate, ROC_MNIST.draw
