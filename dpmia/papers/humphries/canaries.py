"""Ours: worst-case records, and the lower bound on epsilon that guesses of their membership give."""

from __future__ import annotations

import pandas as pd

from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_bound, format_interval, format_lower_bound
from dpmia.common.optional import needed
from dpmia.evaluation.summary import summary_table
from dpmia.formats.rows import NO_ATTACK
from dpmia.metrics.ranking import GUESSED, guesses
from dpmia.papers.artifact import RunSummary
from dpmia.privacy.lower_bounds import epsilon_from_guesses

#: Lower bounds of one experiment and epsilon hold together with this probability.
CONFIDENCE = 0.95

COLUMNS = [
    *("experiment", "epsilon", "attack", "replicates", "AUC", "advantage", "advantage, exact upper bound"),
    *("TPR at 1 % FPR", "TPR at 1 % FPR, exact upper bound", "right guesses", "lower bound on epsilon"),
]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each experiment, epsilon and attack: means with 95 % t intervals, and the lower bound.

    Guesses are those of the share of the records that bounds epsilon best. Bounds of all attacks and shares at one
    epsilon hold together, by Bonferroni.

    Args:
        tables: `replicates/<experiment>`.
        run_summary: of the run.
    """
    lines = []
    for table in tables.values():
        summary = summary_table(table)
        for (experiment, epsilon), of_one in table.groupby(["experiment", "epsilon"], sort=False):
            cells = summary[summary["epsilon"] == epsilon].set_index(["attack", "metric"])[["mean", "low", "high"]]
            attacks = dict(list(of_one[of_one["attack"] != NO_ATTACK].groupby("attack", sort=False)))
            error = (1 - CONFIDENCE) / len(attacks) / len(GUESSED)
            description = run_summary.experiments[str(experiment)]
            for attack, rows in attacks.items():
                bound, right, count = _lower_bound(rows, needed(description.canaries), description.delta, 1 - error)
                lines.append(
                    [
                        *(experiment, format_epsilon(epsilon), attack, rows["replicate"].nunique()),
                        _cell(cells, attack, "auc"),
                        # An oracle decides with the labels: its advantage is no attack's, and above bounds by chance.
                        None if rows["oracle"].iloc[0] else _cell(cells, attack, "advantage"),
                        _cell(cells, NO_ATTACK, "advantage_ceiling"),
                        _cell(cells, attack, "tpr_at_1pct_fpr"),
                        _cell(cells, NO_ATTACK, "tpr_ceiling_at_1pct_fpr"),
                        *(f"{right} of {count}", format_lower_bound(bound, 2)),
                    ]
                )
    return pd.DataFrame(lines, columns=COLUMNS)


def _cell(cells: pd.DataFrame, attack: str, metric: str) -> str | None:
    """Format a mean with its interval; bounds have none, and are rounded up. None where it was not measured."""
    if (attack, metric) not in cells.index or pd.isna(cells.loc[(attack, metric), "mean"]):
        return None
    mean, low, high = cells.loc[(attack, metric)]
    return format_bound(mean) if attack == NO_ATTACK else format_interval(mean, low, high)


def _lower_bound(rows: pd.DataFrame, canaries: int, delta: float, confidence: float) -> tuple[float, int, int]:
    """Return the largest lower bound on epsilon over all shares of guesses, with the numbers of right ones and of all.

    Args:
        rows: of one attack at one epsilon.
        canaries: of each model.
        delta: of the guarantee.
        confidence: of each bound.
    """
    values = rows.set_index("metric")["value"]
    bounds = []
    for share in GUESSED:
        right_shares = values.loc[[f"guessed_right@{share:g}"]]
        per_model, models = guesses(canaries, share), len(right_shares)
        right, count = round(float(right_shares.sum()) * per_model), per_model * models
        bounds.append((epsilon_from_guesses(right, count, canaries * models, delta, confidence), right, count))
    return max(bounds)
