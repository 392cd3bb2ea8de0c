"""Figures 3 and 12 to 17: precision of an attack against the sampling rate, beside the baseline."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_percent
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.precision import ACCEPTANCE
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import frames, names
from dpmia.papers.thudi.names import CIFAR10, MNIST, SVHN, Panel
from dpmia.theory.precision_bounds import precision_bound

BASELINE, CONTROL, ATTACK, BOUND, CEILING = "baseline", "control", "attack", "bound", "ceiling"

#: How far apart curves stand at one sampling rate, so that their intervals do not overlap.
DODGE = 0.011

#: Of the curves of a figure, so that colour is not the only difference.
MARKERS = "osD^vP*"

#: How a curve looks, in the words of `drawing.draw_means`.
_Style = dict[str, Any]


@dataclass(frozen=True)
class RateFigure:
    """One figure: its panels, what it shows of them, and what must be said below.

    Attributes:
        panels: in the order of their letters.
        paper_epsilons: of the paper's curves; infinity is training without privacy (see `frames.shown`).
        best: the best of forty quantiles, with its control; otherwise the attack's own decisions.
        rows: rows of panels.
        gain: whether each row has one below it with the gain over the sampling rate, where curves hug the diagonal.
        note: first words of the caption.
    """

    panels: list[Panel]
    paper_epsilons: tuple[float, ...]
    best: bool
    note: str
    rows: int = 1
    gain: bool = False

    def tabulate(self, tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
        """Return the means over replicates of what the figure shows.

        Args:
            tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
            run_summary: of the run; delta is taken from there.

        Returns:
            Columns panel, experiment, curve, attack, epsilon, rate, mean, low, high, replicates, interval, bound,
            ceiling. Curves are `attack`, with theorem 3.3 as `bound` and the exact ceiling of the trained mechanism as
            `ceiling` of each model; `baseline` and `control`, of the replicates' splits; and, for each epsilon,
            `bound`, the theorem along the axis, and `ceiling`.

        Raises:
            MissingRowsError: none of the figure's models is in the tables.
        """
        rows = frames.rows_of(tables, {panel.experiment for panel in self.panels})
        rows = rows[frames.shown(rows["epsilon"], self.paper_epsilons)]
        parts = [self._panel_table(panel, rows, run_summary) for panel in self.panels]
        table = pd.concat(parts, ignore_index=True)
        if table.empty:
            raise MissingRowsError(f"no attack of the figure at epsilon {self.paper_epsilons} in {sorted(tables)}")
        return table

    def _panel_table(self, panel: Panel, rows: pd.DataFrame, run_summary: RunSummary) -> pd.DataFrame:
        rows = rows[rows["experiment"] == panel.experiment].assign(panel=panel.title)
        ceilings = frames.ceilings(rows, "precision_ceiling")
        rows = rows[rows["attack"].isin(panel.attacks)]
        epsilons = [set(of_attack) for _, of_attack in rows.groupby("attack")["epsilon"]]
        rows = rows[rows["epsilon"].isin(set.intersection(*epsilons) if epsilons else set())]
        columns = ["panel", "experiment", "attack", "epsilon", "rate"]
        attacks = rows[rows["metric"] == ("precision_best" if self.best else "precision")]
        curves = [frames.means(attacks, columns).assign(curve=ATTACK)]
        for curve in (BASELINE, CONTROL) if self.best else (BASELINE,):
            # The same split, whatever epsilon and attack: each replicate counts once.
            alike = rows[rows["metric"] == f"precision_{curve}"].drop_duplicates(["rate", "replicate"])
            curves.append(frames.means(alike, ["panel", "experiment", "rate"]).assign(curve=curve))
        table = pd.concat([part for part in curves if len(part)] or curves)
        if len(table):
            delta = run_summary.experiments[panel.experiment].delta
            chosen = table["curve"] == ATTACK
            models = table.loc[chosen, ["epsilon", "rate"]].astype(float)
            table.loc[chosen, "bound"] = precision_bound(models["epsilon"], models["rate"], delta, ACCEPTANCE)
            table = table.merge(ceilings, on=["epsilon", "rate"], how="left")
            for epsilon in sorted(filter(math.isfinite, models["epsilon"].unique())):
                along = {"panel": panel.title, "experiment": panel.experiment, "curve": BOUND, "epsilon": epsilon}
                heights = precision_bound(epsilon, frames.CURVE_RATES, delta, ACCEPTANCE)
                exact = ceilings[ceilings["epsilon"] == epsilon].sort_values("rate")
                limits = [
                    pd.DataFrame(along | {"rate": frames.CURVE_RATES, "mean": heights}),
                    pd.DataFrame(along | {"curve": CEILING, "rate": exact["rate"], "mean": exact["ceiling"]}),
                ]
                table = pd.concat([table, *limits])
        return table.reindex(columns=["panel", "experiment", "curve", *columns[2:], *_NUMBERS, "bound", "ceiling"])

    def draw(self, table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
        """Draw one panel for each data set (and false positive rate), and below it one with the gain if there is one.

        Panels of a row share their vertical axis.
        """
        run = frames.of_run(dict.fromkeys(panel.experiment for panel in self.panels), run_summary)
        panels = [panel for panel in self.panels if panel.experiment in run]
        columns, kinds = len(self.panels) // self.rows, 1 + self.gain
        columns = min(columns, len(panels))
        height = kinds * len(panels) // columns
        figure, axes = drawing.panels(height * columns, run_summary, height=1.7, rows=height, sharey="row")
        styles = self._styles(table[table["curve"] == ATTACK])
        # The legend has all curves in this order, whichever panels they are in.
        for style in styles.values():
            axes[0].plot([], [], color=style["colour"], label=style["label"], marker=style["marker"], linewidth=1)
        for place, panel in enumerate(panels):
            row, column = divmod(place, columns)
            rows = table[table["panel"] == panel.title]
            description = run_summary.experiments.get(panel.experiment)
            full = None if description is None else description.replicates
            for kind in range(kinds):
                axis = axes[(kinds * row + kind) * columns + column]
                axis.set(title=panel.title, xlabel="sampling rate p", ylabel="precision", ylim=(0, 1.02))
                axis.set(xlim=(0, 1), xticks=frames.rate_ticks(rows[rows["curve"] == ATTACK]))
                if kind == 1:
                    axis.set(title="", ylabel="gain over p", ylim=_gain_range(table))
                axis.label_outer()
                if not frames.note_missing(axis, rows):
                    self._draw_panel(axis, _gains(rows) if kind == 1 else rows, panel.attacks, styles, full)
        oracle = f"{frames.ORACLE} " if self.best else ""
        gain = "Lower panels: the same minus the sampling rate, the gain over the diagonal. " if self.gain else ""
        limits = ""
        if (table["curve"] == BOUND).any():
            limits = frames.BESIDE_ORACLE if self.best else frames.FINDERS
            if len(self.panels[0].attacks) == 1:
                limits += "Bounds (dashed) and exact upper bounds (ticks) have the colour of their ε. "
        missing = frames.other_epsilons(self.paper_epsilons, table[table["curve"] == ATTACK])
        few = _few(table, run_summary)
        drawing.finish(
            figure, f"{self.note} {oracle}{gain}{limits}{few}{missing}{_silence(table)}",
            drawing.run_caption(run_summary, table[table["curve"] == ATTACK]),
        )  # fmt: skip
        return figure

    def _draw_panel(
        self, axes: Axes, rows: pd.DataFrame, attacks: tuple[str, ...], styles: Mapping[Any, _Style], full: int | None
    ) -> None:
        of_attacks = rows[rows["curve"] == ATTACK].groupby(["attack", "epsilon"])
        # In the order of the figure's attacks, epsilons rising: colours rise with them.
        wanted = itertools.product(attacks, sorted(rows.loc[rows["curve"] == ATTACK, "epsilon"].unique()))
        curves = [(key, of_attacks.get_group(key)) for key in wanted if key in of_attacks.groups]
        for place, ((attack, epsilon), curve) in enumerate(curves):
            beside = curve.assign(rate=curve["rate"] + drawing.dodge(place, len(curves), DODGE))
            style = styles[attacks.index(attack), epsilon]
            drawing.draw_means(axes, beside, "rate", linewidth=1, replicates=full, **style)
        for curve, line, label in (
            (BASELINE, "--", "every record predicted a member"),
            (CONTROL, ":", "random ranking"),
        ):
            flat = rows[rows["curve"] == curve]
            if len(flat):
                drawing.draw_curve(axes, flat, "rate", colour="black", label=label, line=line, linewidth=1, zorder=5)
        one = len(attacks) == 1
        for curve, label in ((BOUND, "theorem 3.3"), (CEILING, "exact upper bound")):
            for epsilon, limit in rows[rows["curve"] == curve].groupby("epsilon"):
                look: dict[str, Any] = {"colour": frames.epsilon_colour(epsilon) if one else drawing.GREY}
                look["label"] = f"_{label}, ε = {epsilon:g}"
                if curve == CEILING:
                    drawing.draw_ticks(axes, limit, "rate", **look)
                else:
                    drawing.draw_curve(axes, limit, "rate", line=(0, (7, 2)), linewidth=0.8, **look)
        if (rows["curve"] == BOUND).any():
            axes.plot([], [], color=drawing.GREY, linestyle=(0, (7, 2)), linewidth=0.8, label="theorem 3.3")
            axes.plot([], [], "_", color=drawing.GREY, markersize=7, label="exact upper bound")

    def _styles(self, curves: pd.DataFrame) -> dict[tuple[int, float], _Style]:
        """Return colour, label and marker by the place of the attack among its panel's and by epsilon, for all panels.

        Colours are of the shadow models' rate where the figure compares them, else of epsilon.
        """
        styles: dict[tuple[int, float], _Style] = {}
        attacks, epsilons = self.panels[0].attacks, sorted(curves["epsilon"].unique())
        for place, attack in enumerate(attacks):
            for epsilon in epsilons:
                colour = frames.epsilon_colour(epsilon)
                label = "LiRA, no privacy" if math.isinf(epsilon) else f"ε = {epsilon:g}"
                if len(attacks) > 1:
                    rate = next(rate for rate, name in names.LIRA_BY_RATE.items() if name == attack)
                    of_several = f", {label}" if len(epsilons) > 1 else ""
                    colour, label = frames.rate_colour(rate), f"shadows at p = {rate:g}{of_several}"
                marker = MARKERS[len(styles) % len(MARKERS)]
                styles[place, epsilon] = {"colour": colour, "label": label, "marker": marker}
        return styles


def _gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the gain over the sampling rate instead of precisions."""
    gained = {column: rows[column].astype(float) - rows["rate"] for column in ("mean", "low", "high")}
    return rows.assign(**gained)


def _gain_range(table: pd.DataFrame) -> tuple[float, float]:
    """Return the range of gains in which the attacks of a figure lie, with their intervals."""
    ends = _gains(table[table["curve"].isin((ATTACK, CONTROL))])[["mean", "low", "high"]]
    low, high = min(0.0, ends.min(axis=None)), max(0.05, ends.max(axis=None))
    return max(-0.5, 1.1 * low - 0.01), min(0.6, 1.1 * high)


def _few(table: pd.DataFrame, run_summary: RunSummary) -> str:
    """Say what hollow markers are, where there are any."""
    attacks = table[(table["curve"] == ATTACK) & table["mean"].notna()]
    full = attacks["experiment"].map(
        {name: description.replicates for name, description in run_summary.experiments.items()}
    )
    few = int((attacks["replicates"] < full).sum())
    if not few:
        return ""
    return f"Hollow markers with a number: {few} points from so many replicates only, in which there are predictions. "


def _silence(table: pd.DataFrame) -> str:
    """Count the points that are not drawn: without positive predictions, precision is undefined."""
    attacks = table[table["curve"] == ATTACK]
    silent = int(attacks["mean"].isna().sum())
    return f"No point where the attack predicts no member: {silent} of {len(attacks)} places. " if silent else ""


_NUMBERS = ["mean", "low", "high", "replicates", "interval"]
_TWO = (CIFAR10, MNIST)

_R_NOTE = "Attack R with thresholds from the shadow models trained on the point (about ten of the paper's 20)"

FIG3 = RateFigure(
    names.panels((MNIST, CIFAR10, SVHN), names.LIRA),
    names.EPSILONS,
    best=True,
    note=f"Private models. {names.LIRA_NOTE}",
    gain=True,
)
FIG12 = RateFigure(
    names.panels(tuple(names.CONTROLS.values()), names.LIRA),
    (math.inf,),
    best=True,
    note=f"Models trained without clipping and noise. {names.LIRA_NOTE}",
)
FIG13 = RateFigure(
    names.panels(_TWO, *names.LIRA_BY_RATE.values()),
    (3.0,),
    best=True,
    note=f"Attacks by the sampling rate of their shadow models. {names.LIRA_NOTE}",
    gain=True,
)
FIG14 = RateFigure(
    names.panels(_TWO, names.POPULATION),
    (1.0, 3.0, 5.0, 9.0, 15.0),
    best=False,
    note="Attack P: one loss threshold, from non-members, for a false positive rate of .1.",
    gain=True,
)
#: The caption of the paper's figure also lists epsilon 5 and 7, its legend does not.
FIG15 = RateFigure(
    names.panels(_TWO, names.REFERENCE[0.1]),
    (1.0, 3.0, 9.0, 15.0),
    best=False,
    note=f"{_R_NOTE}, for a false positive rate of .1.",
    gain=True,
)
FIG16 = RateFigure(
    [
        Panel(f"{names.DATASETS[experiment]}, FPR {fpr:g}", experiment, (names.REFERENCE[fpr],))
        for experiment in _TWO
        for fpr in (0.05, 0.2, 0.3, 0.5)
    ],
    (1.0, 3.0, 9.0, 15.0),
    best=False,
    note=f"{_R_NOTE}; a quantile at .05 among ten values is an interpolation.",
    rows=2,
    gain=True,
)
FIG17 = RateFigure(
    names.panels(_TWO, names.REFERENCE_OWN_RATE),
    (3.0, 7.0),
    best=False,
    note="Attack R for a false positive rate of .1 with shadow models at the target's own rate. A point that no shadow "
    f"model was trained on is predicted a non-member ({format_percent(0.9**20, 2)} of them with the paper's 20 models "
    "at p = .1).",
    gain=True,
)

tabulate_fig3, draw_fig3 = FIG3.tabulate, FIG3.draw
tabulate_fig12, draw_fig12 = FIG12.tabulate, FIG12.draw
tabulate_fig13, draw_fig13 = FIG13.tabulate, FIG13.draw
tabulate_fig14, draw_fig14 = FIG14.tabulate, FIG14.draw
tabulate_fig15, draw_fig15 = FIG15.tabulate, FIG15.draw
tabulate_fig16, draw_fig16 = FIG16.tabulate, FIG16.draw
tabulate_fig17, draw_fig17 = FIG17.tabulate, FIG17.draw
