"""An attack beside two references: the exact upper bound for independent records, and the blind baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_bound, format_interval
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, NO_ATTACK
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.names import EQUAL
from dpmia.theory.bounds import advantage_bound

#: The attack that is shown: no oracle.
ATTACK = "average_threshold"

COLUMNS = [
    *("experiment", "arm", "epsilon", "(epsilon, delta) bound", "exact upper bound", "attack, IID", "attack, non-IID"),
    *("blind baseline", "attack minus blind", "gain of blind from losses"),
    *("TPR at 1 % FPR, exact upper bound", "TPR at 1 % FPR, IID", "TPR at 1 % FPR, non-IID"),
    *("replicates", "replicates of blind", "interval"),
]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each non-IID arm and epsilon: advantages with 95 % intervals.

    `(epsilon, delta) bound` follows from these alone, `exact upper bound` from the trained mechanism; both hold for
    the IID arm. Where an experiment has no IID arms, that of equal shares stands for them. `attack` is the average
    threshold; `interval` says what the interval of its advantage on the non-IID arm is over. The difference from the
    blind baseline is the mean over the replicates that both have; each mean is over its own replicates. Arms of
    shares are in their order.
    TPR at 1 % FPR is that of its ranking, by the loss, and its ceiling the exact bound; both are missing with fewer
    than 100 non-members.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = pd.concat(
        of_one.sort_values("arm", key=_order, kind="stable") for _, of_one in rows.groupby("experiment", sort=False)
    )
    indexed = rows.set_index(["experiment", "arm", "epsilon", "attack", "metric"]).sort_index()
    cells, kinds, counts = indexed[["mean", "low", "high"]], indexed["interval"], indexed["replicates"]
    lines = []
    for (experiment, arm, epsilon), _ in rows[~rows["iid"]].groupby(["experiment", "arm", "epsilon"], sort=False):
        description = run_summary.experiments[experiment]
        iid = arm + IID_SUFFIX if (experiment, arm + IID_SUFFIX) in cells.index else EQUAL
        if iid == arm:
            continue
        bound = float(advantage_bound(epsilon, description.delta, description.relation))
        lines.append(
            [
                *(experiment, arm, format_epsilon(epsilon)),
                format_bound(bound) if np.isfinite(epsilon) else None,
                _cell(cells, experiment, iid, epsilon, NO_ATTACK, "advantage_ceiling", interval=False),
                _cell(cells, experiment, iid, epsilon, ATTACK, "advantage"),
                _cell(cells, experiment, arm, epsilon, ATTACK, "advantage"),
                _cell(cells, experiment, arm, epsilon, BLIND, "advantage"),
                _cell(cells, experiment, arm, epsilon, ATTACK, "advantage_excess"),
                _cell(cells, experiment, arm, epsilon, BLIND_WITH_LOSS, "advantage_excess"),
                _cell(cells, experiment, iid, epsilon, NO_ATTACK, "tpr_ceiling_at_1pct_fpr", interval=False),
                _cell(cells, experiment, iid, epsilon, ATTACK, "tpr_at_1pct_fpr"),
                _cell(cells, experiment, arm, epsilon, ATTACK, "tpr_at_1pct_fpr"),
                counts.get((experiment, arm, epsilon, ATTACK, "advantage")),
                counts.get((experiment, arm, epsilon, BLIND, "advantage")),
                kinds.get((experiment, arm, epsilon, ATTACK, "advantage")),
            ]
        )
    table = pd.DataFrame(lines, columns=COLUMNS)
    return table.astype({"replicates": "Int64", "replicates of blind": "Int64"})


def _order(arms: pd.Series) -> pd.Series:
    """Return keys that sort arms by their share, `p25` before `p100`; others keep their place."""
    return arms.str.extract(r"^p(\d+)$", expand=False).astype(float).fillna(-1)


def _cell(cells: pd.DataFrame, *key: object, interval: bool = True) -> str | None:
    """Format a mean with its interval, a bound rounded up; None where it was not measured, or could not be."""
    mean, low, high = cells.loc[key] if key in cells.index else (np.nan, np.nan, np.nan)
    if np.isnan(mean):
        return None
    return format_interval(mean, low, high) if interval else format_bound(mean)
