"""LiRA on models that nothing protects, beside the same attack on clipped models, without and with noise.

An attack that finds nothing on the first gives no evidence about privacy. The step to the second is clipping and the
larger learning rate that goes with it; the step to the third is noise, with the Poisson batches that its accountant
requires.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_interval
from dpmia.formats.rows import NO_ATTACK
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import names

#: The sampling rate of the training sets.
ARM = "p0.5"

COLUMNS = [
    *("data set", "training", "epsilon", "learning rate", "accuracy on members", "accuracy on non-members"),
    *("AUC of LiRA", "advantage of LiRA", "replicates", "interval"),
]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each data set and way of training: means with 95 % intervals; `interval` is that of the AUC.

    Args:
        tables: `summary/<experiment>` of attacked models, of clipped ones, and of positive controls.
        run_summary: of the run.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[rows["arm"] == ARM]
    lines: list[list[object]] = []
    for experiment, title in names.DATASETS.items():
        trained = {names.CONTROLS.get(experiment): "not clipped", names.CLIPPED.get(experiment): "clipped"}
        for name, training in (trained | {experiment: "clipped, noise"}).items():
            own = rows[rows["experiment"] == name]
            for epsilon, of_one in sorted(own.groupby("epsilon"), key=lambda group: -group[0]):
                arm = run_summary.experiments[str(name)].arms[ARM]
                lines.append([title, training, format_epsilon(epsilon), arm.learning_rate, *_numbers(of_one)])
    return pd.DataFrame(lines, columns=COLUMNS)


def _numbers(rows: pd.DataFrame) -> Iterator[object]:
    cells = rows.set_index(["attack", "metric"])
    for key in (
        (NO_ATTACK, "accuracy_members"),
        (NO_ATTACK, "accuracy_nonmembers"),
        (names.LIRA, "auc"),
        (names.LIRA, "advantage"),
    ):
        yield format_interval(*cells.loc[key, ["mean", "low", "high"]])
    yield int(cells.loc[(names.LIRA, "auc"), "replicates"])
    yield cells.loc[(names.LIRA, "auc"), "interval"]
