"""Figure 3: four attacks on trees that predict a dose of warfarin, two hidden genotypes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpmia.evaluation.summary import OVERLAP, mean_table
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import regression_curves
from dpmia.studies.regression import MEMBERSHIP

TARGETS = {"vkorc1": "VKORC1", "cyp2c9": "CYP2C9"}
ORACLE = "threshold_sigma_s"
#: By how much the uniform reduction was measured to differ from theorem 7.
BEYOND = "uniform_beyond_theorem_7"


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the advantages of the attacks on the genotypes, and of the membership attack that the reductions use.

    `uniform_beyond_theorem_7` is, split by split, the uniform reduction's advantage minus the m-th part of the
    membership attack's.
    """
    rows = regression_curves.means(tables)
    shown = rows["target"].isin(TARGETS) | (rows["adversary"] == ORACLE)
    return pd.concat([rows[shown], _beyond(tables)], ignore_index=True)


def _beyond(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return `uniform_beyond_theorem_7`, paired by split."""
    splits = regression_curves.splits(tables)
    keys = [key for key in regression_curves.KEYS if key not in ("adversary", "target", "values")]
    oracle = splits[splits["adversary"] == ORACLE].set_index([*keys, "replicate"])["advantage"]
    beyond = []
    for (*key, target, values), uniform in splits[splits["adversary"] == "uniform"].groupby(
        [*keys, "target", "values"]
    ):
        paired = uniform.set_index([*keys, "replicate"])["advantage"]
        difference = paired - oracle.reindex(paired.index) / values
        overlap = float(uniform[OVERLAP].iloc[0])
        beyond.append(((*key, BEYOND, target, values), pd.DataFrame({"value": difference, OVERLAP: overlap})))
    return mean_table(beyond, [*keys, "adversary", "target", "values"], "splits")


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel for each genotype."""
    figure, panels = drawing.panels(len(TARGETS), run_summary, height=2.4, sharey=True)
    looks: dict[str, dict[str, Any]] = {
        ORACLE: {"label": "membership", "colour": "black", "marker": "none"},
        "multi_query_descending": {"label": "multi-query", "colour": drawing.BLUE, "marker": "s", "line": "none"},
        "multi_query_ascending": {
            **{"label": "multi-query, rarest first", "colour": drawing.PURPLE},
            **{"marker": "s", "line": ":", "hollow": True},
        },
        "attribute": {"label": "attribute", "colour": drawing.ORANGE, "line": "none"},
        "uniform": {"label": "uniform", "colour": drawing.GREEN, "marker": "none", "line": ":"},
    }
    lowest = min(-0.05, 1.1 * table[["mean", "low"]].min(axis=None))
    for axes, (target, name) in zip(panels, TARGETS.items(), strict=True):
        chosen = table[table["target"].isin([target, MEMBERSHIP])].set_index("adversary")
        for adversary, look in looks.items():
            drawing.draw_means(axes, chosen.loc[[adversary]], "ratio", **look)
        drawing.zero_line(axes)
        axes.set(title=name, xlabel=r"$\sigma_D/\sigma_S$", ylabel="advantage", ylim=(lowest, 1.0))
        axes.label_outer()
    drawing.finish(
        figure,
        "All attacks know the errors of members only. Multi-query and uniform evaluate the membership attack on all or "
        "one of the values; the published code tries the rarest first.",
        regression_curves.study_caption(table, run_summary),
    )
    return figure
