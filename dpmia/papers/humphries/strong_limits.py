"""The strongest of all attacks beside the exact upper bounds, in every experiment that has reference models."""

from __future__ import annotations

import pandas as pd

from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_bound, format_interval
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries import strong
from dpmia.papers.humphries.names import EQUAL

_ADVANTAGE, _TPR = strong.METRICS

COLUMNS = [
    *("experiment", "arm", "epsilon", "exact upper bound", "best attack, IID", "best attack, non-IID"),
    *("TPR at 1 % FPR, exact upper bound", "TPR at 1 % FPR, IID", "TPR at 1 % FPR, non-IID", "replicates", "interval"),
]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each non-IID arm and epsilon: the attack with the largest mean, with its name.

    Limits hold for all attacks together (`dpmia.papers.humphries.strong.tabulate`). Where an experiment has no IID
    arms, that of equal shares stands for them. TPRs are missing with fewer than 100 non-members.

    Args:
        tables: `summary/<experiment>`.
        run_summary: of the run.
    """
    rows = strong.tabulate(tables, run_summary)
    key = ["experiment", "arm", "epsilon", "metric"]
    best = rows[rows["best"]].set_index(key).sort_index()
    bounds = rows[~rows["best"] & rows["metric"].isin([bound for bound, _ in strong.METRICS.values()])]
    exact = bounds.set_index(key)["mean"].sort_index()

    def attack(experiment: str, arm: str, epsilon: float, metric: str) -> str | None:
        place = (experiment, arm, epsilon, metric)
        if place not in best.index:
            return None
        row = best.loc[place]
        return f"{row['attack']} {format_interval(row['mean'], row['low'], row['high'])}"

    def bound(experiment: str, arm: str, epsilon: float, metric: str) -> str | None:
        mean = exact.get((experiment, arm, epsilon, strong.METRICS[metric][0]))
        return None if pd.isna(mean) else format_bound(mean)

    lines = []
    for experiment, of_one in rows.groupby("experiment", sort=False):
        for arm, epsilon in of_one.loc[~of_one["iid"], ["arm", "epsilon"]].drop_duplicates().itertuples(index=False):
            iid = arm + IID_SUFFIX if arm + IID_SUFFIX in set(of_one["arm"]) else EQUAL
            if iid == arm:
                continue
            cells = [
                *(bound(experiment, iid, epsilon, _ADVANTAGE), attack(experiment, iid, epsilon, _ADVANTAGE)),
                attack(experiment, arm, epsilon, _ADVANTAGE),
                *(bound(experiment, iid, epsilon, _TPR), attack(experiment, iid, epsilon, _TPR)),
                attack(experiment, arm, epsilon, _TPR),
            ]
            kind = best.loc[(experiment, arm, epsilon, _ADVANTAGE), ["replicates", "interval"]]
            lines.append([experiment, arm, format_epsilon(epsilon), *cells, *kind])
    return pd.DataFrame(lines, columns=COLUMNS)
