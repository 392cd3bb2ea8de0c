"""Claims about figure 2: clusters of Adult, and the same with members from the other cluster."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import above, at_least, at_most, near
from dpmia.claims.decisions import Cells, Condition, Every, Some
from dpmia.claims.rows import ALL, Replicates
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.humphries.claims.shared import (
    AVERAGE,
    FROM_01,
    FROM_1,
    OPTIMAL,
    SHADOW,
    STRICT,
    UP_TO_1,
    over_bound,
    over_iid,
)

ADULT, REVERSE, ARM = "adult_cluster", "adult_cluster_reverse", "cluster"


def _mean_advantage(tables: Tables) -> pd.Series:
    rows = Replicates.of(tables, ADULT)
    return rows.mean(ARM, rows.epsilons(FROM_1, ARM, OPTIMAL), OPTIMAL)


def _over_ceiling(tables: Tables) -> Cells:
    rows = Replicates.of(tables, ADULT)
    return {
        f"ε = {format_epsilon(epsilon)}": rows(ARM, epsilon, AVERAGE) - rows(ARM, epsilon, metric="advantage_ceiling")
        for epsilon in rows.epsilons(UP_TO_1, ARM, metric="advantage_ceiling")
    }


def _rank_correlations(tables: Tables) -> list[float]:
    """Return the rank correlation of epsilon and advantage of each replicate."""
    rows = Replicates.of(tables, ADULT)
    epsilons = rows.epsilons(ALL, ARM, OPTIMAL)
    curves = pd.concat([rows(ARM, epsilon, OPTIMAL) for epsilon in epsilons], axis=1).to_numpy()
    return [spearmanr(np.arange(len(epsilons)), curve).statistic for curve in curves]


def _number_of_epsilons(tables: Tables, finding: Finding) -> str:
    return f"{len(Replicates.of(tables, ADULT).epsilons(ALL, ARM, OPTIMAL))} epsilons"


def _rise(tables: Tables, attack: str = "model", metric: str = "advantage") -> pd.Series:
    """Return what a metric gains from epsilon 1 to infinity."""
    rows = Replicates.of(tables, ADULT)
    return rows(ARM, np.inf, attack, metric) - rows(ARM, 1, attack, metric)


def _reverse_minus_forward(tables: Tables) -> Cells:
    forward, back = Replicates.of(tables, ADULT), Replicates.of(tables, REVERSE)
    return {
        f"ε = {format_epsilon(epsilon)}": back(ARM, epsilon, OPTIMAL) - forward(ARM, epsilon, OPTIMAL)
        for epsilon in back.epsilons(FROM_1, ARM, OPTIMAL)
    }


CLAIMS = (
    Claim(
        id="humphries-fig2-noniid-near-one",
        artifact="humphries_fig2",
        statement="On clusters of Adult the optimal threshold is nearly perfect from epsilon 1 up.",
        paper_value="close to 1",
        tables=(f"replicates/{ADULT}",),
        rule=Every(
            Condition(f"advantage of the optimal threshold, mean over {FROM_1}", at_least(0.8), _mean_advantage)
        ),
    ),
    Claim(
        id="humphries-fig2-noniid-above-iid",
        artifact="humphries_fig2",
        statement="On clusters of Adult every attack does better than on the same records shuffled.",
        tables=(f"replicates/{ADULT}",),
        rule=Every(over_iid(ADULT, (ARM,), (AVERAGE, OPTIMAL, SHADOW), FROM_01, at_least(0.05))),
    ),
    Claim(
        id="humphries-fig2-iid-below-bound",
        artifact="humphries_fig2",
        statement="On shuffled records the average threshold stays below the bound.",
        tables=(f"replicates/{ADULT}",),
        rule=Every(
            Condition(
                f"advantage of the average threshold, IID, minus the (epsilon, delta) bound, at {ALL}",
                at_most(0),
                over_bound(ADULT, ARM + IID_SUFFIX, AVERAGE, ALL),
            )
        ),
    ),
    Claim(
        id="humphries-fig2-noniid-breaks-bound",
        artifact="humphries_fig2",
        statement="On clusters the attack exceeds the bound that holds for independent records.",
        tables=(f"replicates/{ADULT}",),
        rule=Some(
            Condition(
                f"advantage of the optimal threshold, non-IID, minus the (epsilon, delta) bound, at {STRICT}",
                above(0),
                over_bound(ADULT, ARM, OPTIMAL, STRICT),
            )
        ),
    ),
    Claim(
        id="humphries-fig2-noniid-breaks-ceiling",
        artifact="humphries_fig2",
        statement="On clusters even the average threshold, no oracle, exceeds the exact upper bound for IID records.",
        ours=True,
        tables=(f"replicates/{ADULT}",),
        rule=Some(
            Condition(
                f"advantage of the average threshold, non-IID, minus the exact upper bound, at {UP_TO_1}",
                above(0),
                _over_ceiling,
            )
        ),
    ),
    Claim(
        id="humphries-fig2-grows-with-eps",
        artifact="humphries_fig2",
        statement="On clusters the advantage grows with epsilon.",
        tables=(f"replicates/{ADULT}",),
        rule=Every(
            Condition(
                "rank correlation of epsilon and the optimal threshold's advantage", at_least(0.8), _rank_correlations
            ),
            note=_number_of_epsilons,
        ),
    ),
    Claim(
        id="humphries-fig2-acc-flat-adv-rises",
        artifact="humphries_fig2",
        statement="Without privacy accuracy is that of epsilon 1, and yet the average threshold gains.",
        tables=(f"replicates/{ADULT}",),
        rule=Every(
            Condition(
                "accuracy on members without privacy minus that at epsilon 1",
                near(0, 0.05),
                lambda tables: {"rise of the accuracy": _rise(tables, metric="accuracy_members")},
            ),
            Condition(
                "advantage of the average threshold without privacy minus that at epsilon 1",
                above(0),
                lambda tables: {"rise of the advantage": _rise(tables, AVERAGE)},
            ),
        ),
    ),
    Claim(
        id="humphries-fig2-reverse-similar",
        artifact="humphries_fig2_reverse",
        statement="With members from the other cluster the attack does about as well.",
        paper_value="similar",
        tables=(f"replicates/{ADULT}", f"replicates/{REVERSE}"),
        rule=Every(
            Condition(
                f"advantage of the optimal threshold minus that of figure 2, at {FROM_1}",
                near(0, 0.1),
                _reverse_minus_forward,
            )
        ),
    ),
)
