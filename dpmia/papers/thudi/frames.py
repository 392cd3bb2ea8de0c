"""What the figures of models share: rows of the tables they read, means over replicates, colours, panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_percent
from dpmia.evaluation.summary import mean_table
from dpmia.formats.rows import NO_ATTACK
from dpmia.metrics.precision import ACCEPTANCE
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi.names import EPSILONS, RATES, rate_of

#: What a reader must know of the best of forty quantiles.
ORACLE = (
    "Best of forty quantiles of the scores, chosen with the membership labels: an oracle, never below the baseline. A "
    "random ranking under the same rule reaches the dotted line; only the excess is the attack's."
)

#: Sampling rates at which bounds are drawn, as they are curved.
CURVE_RATES = np.linspace(0.02, 0.98, 97)

#: To whom the bounds on precision apply; the second where an oracle stands beside one.
FINDERS = f"Bounds hold for attacks that find at least {format_percent(ACCEPTANCE)} of the members. "
BESIDE_ORACLE = (
    f"{FINDERS}They do not see the labels: an oracle may exceed a bound by as much as a random ranking gains. "
)


def rows_of(tables: dict[str, pd.DataFrame], experiments: Iterable[str]) -> pd.DataFrame:
    """Return the rows of all tables that belong to the experiments, with the sampling rate of their arm as `rate`."""
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[rows["experiment"].isin(list(experiments))]
    return rows.assign(rate=rows["arm"].map(rate_of))


def means(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the mean of `value` with its 95 % interval for each group, as `mean_table` does with the keys `by`."""
    return mean_table(rows.groupby(list(by), sort=False, dropna=False), by)


def ceilings(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return what no attack on the trained mechanism exceeds: columns epsilon, rate, ceiling; private models only.

    Replicates share their mechanism, which follows from expected numbers of records.

    Args:
        rows: of `rows_of`, one experiment.
        metric: of `dpmia.evaluation.accuracy`, for instance `precision_ceiling`.
    """
    of_models = rows[(rows["attack"] == NO_ATTACK) & (rows["metric"] == metric)]
    return of_models.groupby(["epsilon", "rate"], as_index=False)["value"].max().rename(columns={"value": "ceiling"})


def epsilon_colour(epsilon: float) -> tuple[float, ...] | str:
    """Return the colour of an epsilon, the same in every figure: from blue (1) to green (15); infinity is vermilion."""
    if math.isinf(epsilon):
        return drawing.VERMILION
    low, high = math.log(EPSILONS[0]), math.log(EPSILONS[-1])
    share = min(max((math.log(epsilon) - low) / (high - low), 0.0), 1.0)
    return drawing.rising(share)


def rate_colour(rate: float) -> tuple[float, ...]:
    """Return the colour of a sampling rate, the same in every figure."""
    return drawing.warm(min(max((rate - RATES[0]) / (RATES[-1] - RATES[0]), 0.0), 1.0))


def of_run(experiments: Iterable[str], run_summary: RunSummary) -> list[str]:
    """Return those experiments of a figure that belong to the run, whether their data are available or not; else all.

    At some scales some are not run: they have no panel.
    """
    every = list(experiments)
    return [name for name in every if name in run_summary.experiments or name in run_summary.not_run] or every


def note_missing(axes: Axes, rows: pd.DataFrame) -> bool:
    """Return whether there is nothing to draw, and say so in the panel."""
    if len(rows):
        return False
    drawing.note(axes, "not run")
    return True


def shown(epsilons: pd.Series, paper: Sequence[float]) -> pd.Series:
    """Return which models a figure shows: those of the paper's figure, and any whose epsilon the paper never trains.

    Where neither was run, all private models are shown.

    Args:
        epsilons: of models.
        paper: epsilons of the paper's figure; with infinity among them, only these.
    """
    of_paper, private = epsilons.isin(paper), np.isfinite(epsilons)
    if not np.isfinite(max(paper)):
        return of_paper
    chosen = of_paper | (private & ~epsilons.isin(EPSILONS))
    return chosen if chosen.any() else private


def other_epsilons(paper: Sequence[float], table: pd.DataFrame) -> str:
    """Return a sentence on the epsilons in which this run differs from the paper's figure, or nothing."""
    run = table["epsilon"].dropna().unique()
    missing = [f"{epsilon:g}" for epsilon in paper if not np.isclose(run, epsilon).any()]
    added = [f"{epsilon:g}" for epsilon in sorted(run) if not np.isclose(paper, epsilon).any()]
    sentences = [f"Not run at this scale: ε = {', '.join(missing)}. "] if missing else []
    return "".join([*sentences, *([f"Not in the paper's figure: ε = {', '.join(added)}. "] if added else [])])


def rate_ticks(table: pd.DataFrame) -> list[float]:
    """Return the sampling rates of a table, or those of the paper where it has none."""
    return sorted(table["rate"].dropna().unique()) or list(RATES)
