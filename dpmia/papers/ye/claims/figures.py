"""Claims about figures 1 to 5: null losses, thresholds, ROC curves and margins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim, MissingRowsError, Tables
from dpmia.claims.comparisons import above, at_least, at_most, below
from dpmia.claims.decisions import Condition, Every, Exact, Together
from dpmia.papers.ye import histograms, margins
from dpmia.papers.ye.claims.shared import NULLS, POINTS, ahead, judged_without, of_arm, share
from dpmia.papers.ye.names import PURCHASE, ROC, tables_of

#: Thresholds that differ by less, in nats, are the same.
SAME = 1e-6

#: The configuration whose gradients are clipped.
CLIPPED = (PURCHASE["IV"],)

#: The false positive rate of figure 3 at which true ones are compared.
FPR = 0.2


def _widest(tables: Tables) -> float:
    """Return the interquartile range of the null losses of R or D, whichever is wider, minus that of S."""
    of_arm(tables, histograms.FIG1.configuration)
    table = histograms.FIG1.null_losses(tables)
    if table.empty:
        raise MissingRowsError("no target model has two members of one class")
    spreads = table.groupby(["point", "attack"])["null_loss"].agg(
        lambda losses: np.ptp(np.quantile(losses, [0.25, 0.75]))
    )
    spreads = spreads.unstack()
    return float((spreads[["R", "D"]].max(axis=1) - spreads["S"]).max())


def _distances(tables: Tables) -> pd.DataFrame:
    """Return how far the thresholds of two target models lie apart, by attack and record."""
    of_arm(tables, histograms.FIG2.configuration)
    table = histograms.FIG2.null_losses(tables)
    if table.empty:
        raise MissingRowsError("the target models have no two members of one class in common")
    thresholds = table.groupby(["attack", "point", "model"])["threshold"].first().unstack("model")
    return (thresholds[1] - thresholds[2]).abs().unstack("point")


def _panel(name: str) -> Callable[[Tables], pd.DataFrame]:
    """Return the margins of one panel of figure 5."""

    def rows(tables: Tables) -> pd.DataFrame:
        of_arm(tables, margins.CONFIGURATION)
        return margins.margins(tables).set_index("panel").loc[name]

    return rows


_s_and_p, _r_and_d = _panel("a"), _panel("b")


def _further_below_d(tables: Tables) -> np.ndarray:
    """Return for each member whether its loss is further below the threshold of D than below that of R."""
    of_members = _r_and_d(tables)
    return share(of_members["x"] < of_members["y"])


def _correlation(tables: Tables) -> float:
    of_members = _s_and_p(tables)
    return of_members["x"].corr(of_members["y"])


CLAIMS = (
    Claim(
        id="ye-fig1-concentration",
        artifact="ye_fig1",
        statement="The losses from which R and D take thresholds are more concentrated than those of S.",
        tables=(NULLS,),
        rule=Exact(
            Condition(
                "interquartile range of the null losses of R and of D minus that of S, in nats, larger of two records",
                below(0),
                _widest,
            ),
            note="two records; the wider of R and D less S, in nats",
        ),
    ),
    Claim(
        id="ye-fig2-model-dependence",
        artifact="ye_fig2",
        statement="From one target model to another the thresholds of R stay, and those of P and D change.",
        tables=(NULLS,),
        rule=Exact(
            Condition(
                "distance between the thresholds of R under two target models, in nats, larger of two records",
                at_most(SAME),
                lambda tables: _distances(tables).loc["R"].max(),
            ),
            Condition(
                "that of P and of D, smaller of two records",
                above(SAME),
                lambda tables: _distances(tables).loc[["P", "D"]].min(axis=1).to_dict(),
            ),
            note="two records, in nats; P at least {1:.3g}, D at least {2:.3g}",
        ),
    ),
    Claim(
        id="ye-fig3-roc",
        artifact="ye_fig3",
        statement="On Purchase100 Ia and IIa attack D has the highest AUC, and finds no fewer members than P.",
        tables=tables_of(ROC["fig3"]),
        each=True,
        rule=Every(
            ahead("D", "SPR", at_least(0), ROC["fig3"]),
            ahead("D", "P", at_least(0), ROC["fig3"], f"tpr@{FPR:g}", f"TPR at FPR {FPR:g}"),
            note=judged_without(ROC["fig3"]),
        ),
    ),
    Claim(
        id="ye-fig4-p-near-chance-iv",
        artifact="ye_fig4",
        statement="Where gradients are clipped (IV) P is near guessing, while R and D are not.",
        paper_value="P 0.55, D 0.70",
        tables=tables_of(CLIPPED),
        each=True,
        rule=Every(
            ahead("S", "P", above(0), CLIPPED),
            ahead("R", "S", above(0), CLIPPED),
            ahead("D", "R", at_least(0), CLIPPED),
            note=judged_without(CLIPPED),
        ),
    ),
    Claim(
        id="ye-fig5-r-vs-d",
        artifact="ye_fig5",
        statement="Most members are further below the threshold of D than below that of R; S and P are alike.",
        tables=(POINTS,),
        rule=Together(
            Every(
                Condition(
                    "share of members further below the threshold of D than below that of R, over records",
                    above(0.5),
                    _further_below_d,
                ),
                note=lambda tables, finding: "share of members",
            ),
            Exact(
                Condition("correlation of the margins of S and P", above(0.8), _correlation),
                note="correlation of the margins of S and P",
            ),
        ),
    ),
)
