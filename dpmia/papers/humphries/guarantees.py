"""One epsilon, three guarantees: both neighbouring relations, and the noise of the published code."""

from __future__ import annotations

import pandas as pd

from dpmia.common.arms import IID_SUFFIX
from dpmia.formats.rows import BLIND
from dpmia.jobs.describing import ExperimentDescription
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import (
    BASELINE,
    METRICS,
    ORACLE,
    Curve,
    advantage_panel,
    arms,
    blind_note,
    common_epsilons,
    draw_blind,
    drawn,
)
from dpmia.papers.humphries.epsilon_curves import tabulate as with_bounds

#: Curves that coincide are all seen: dashes and dots lie above a solid line.
LINES = ("-", "--", ":")


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the advantages under each guarantee, in a column `guarantee`, with the bound of replace-one.

    Only epsilons that all of the experiments were run with.
    """
    rows = with_bounds(tables, run_summary)
    shared = common_epsilons(tables.values())
    rows = rows[rows["metric"].isin(METRICS) & rows["epsilon"].isin(shared) | (rows["metric"] == "bound")]
    guarantees = {name: _guarantee(description) for name, description in run_summary.experiments.items()}
    return rows.assign(guarantee=rows["experiment"].map(guarantees))


def _guarantee(description: ExperimentDescription) -> str:
    if description.accountant == "rdp_as_published":
        return "as published"
    return f"{description.relation.replace('_', '-')}, {description.accountant.upper()}"


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw the optimal threshold in the non-IID arm and in its IID arm, a curve for each guarantee."""
    figure, axes = drawing.panels(2, run_summary, height=2.2, sharey=True)
    first = table["experiment"].iloc[0]
    (arm,) = arms(table[table["experiment"] == first])
    for panel, name, title in zip(axes, (arm, arm + IID_SUFFIX), ("non-IID", "IID"), strict=True):
        bound = table[(table["metric"] == "bound") & (table["experiment"] == first)]
        guarantees = list(table[table["attack"] != BLIND].groupby("guarantee", sort=False))
        for place, (guarantee, rows) in enumerate(guarantees):
            colour, line = drawing.COLOURS[place % len(drawing.COLOURS)], LINES[place % len(LINES)]
            beside = place, len(guarantees) + 1
            rows, curve = (
                pd.concat([rows[rows["metric"] != "bound"], bound]),
                Curve(name, guarantee, colour, line),
            )
            # Random scores under the same rule need no model: those of one guarantee stand for all.
            control = None if place else name
            advantage_panel(panel, rows, [curve], "optimal_threshold", control, ceiling_colour=colour, beside=beside)
        # It sees no model, so it is that of every guarantee.
        draw_blind(panel, table[table["metric"] == "advantage"], [Curve(name, "", drawing.GREY)])
        panel.set_title(f"optimal threshold (oracle), {title}")
        panel.label_outer()
    drawing.finish(
        figure,
        f"{ORACLE} The bound is that of replace-one; exact upper bounds (ticks) have the colours of their guarantees. "
        "As published: shuffled batches, accounted for as if each were drawn anew without replacement (RDP), with the "
        "noise for a sensitivity of C where a replaced record has 2 C; no theorem covers it. Only epsilons that all "
        f"three were run with. Short grey dashes, {BASELINE} {blind_note(table)}".rstrip(),
        drawing.run_caption(run_summary, drawn(table)),
    )
    return figure
