"""Models without privacy in shuffled epochs, as published, and on Poisson batches, as private models are trained."""

from __future__ import annotations

import pandas as pd

from dpmia.common.formatting import format_interval
from dpmia.formats.rows import NO_ATTACK
from dpmia.papers.artifact import RunSummary
from dpmia.papers.drawing.caption import SAMPLES

#: Column -> attack and metric.
MEASURED = {
    "accuracy on members": (NO_ATTACK, "accuracy_members"),
    "accuracy on non-members": (NO_ATTACK, "accuracy_nonmembers"),
    "advantage of the average threshold": ("average_threshold", "advantage"),
    "advantage of the optimal threshold (oracle)": ("optimal_threshold", "advantage"),
}
COLUMNS = ["arm", "batches", *MEASURED, "replicates", "interval"]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each arm and way to sample batches: means with 95 % intervals; `interval` says what that
    of the accuracy on members is over.

    Args:
        tables: `summary/<experiment>` of each way to sample.
        run_summary: of the run.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    lines = []
    for (arm, experiment), models in rows[rows["epsilon"] == float("inf")].groupby(["arm", "experiment"], sort=False):
        cells = models.set_index(["attack", "metric"])[["mean", "low", "high", "replicates", "interval"]]
        numbers = [format_interval(*cells.loc[key, ["mean", "low", "high"]]) for key in MEASURED.values()]
        batches = SAMPLES[run_summary.experiments[experiment].sampling_without_privacy]
        replicates, interval = cells.loc[(NO_ATTACK, "accuracy_members"), ["replicates", "interval"]]
        lines.append([arm, batches, *numbers, int(replicates), interval])
    order = {arm: place for place, arm in enumerate(rows["arm"].unique())}
    table = pd.DataFrame(lines, columns=COLUMNS)
    return table.sort_values("arm", key=lambda arms: arms.map(order), kind="stable", ignore_index=True)
