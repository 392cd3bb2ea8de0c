"""Tables 1 and 3 to 5: AUC of the attacks and accuracy of the target models, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from dpmia.common.formatting import MISSING, format_interval, format_setting
from dpmia.evaluation.summary import mean_table
from dpmia.formats.rows import NO_ATTACK, MissingRowsError
from dpmia.jobs.describing import ExperimentDescription
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import ATTACKS, CONFIGURATIONS, MODEL_METRICS, PAPER, Configuration, rows_of

#: Attacks in columns: the mean training loss is left out, as it ranks records as attack P does.
SHOWN = {title: attack for title, attack in ATTACKS.items() if attack != "average_threshold"}

#: What a row is of -> metric of the attacks.
MEASURES = {"AUC": "auc", "TPR at 1 % FPR": "tpr_at_1pct_fpr", "TPR at 0.1 % FPR": "tpr_at_0.1pct_fpr"}

#: Column -> field of the description that it holds.
SETTINGS = {
    **{"records": "members", "references": "references", "learning rate": "learning_rate", "momentum": "momentum"},
    **{"batch": "batch_size", "epochs": "epochs", "l2 penalty": "l2", "clip norm": "clipped_to"},
    "a of RMIA offline": "offline_a",
}

COLUMNS = ["configuration", "measure", "targets", *MODEL_METRICS, *SHOWN, *SETTINGS]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the paper's table: a row for each configuration that was run and measure, a column for each attack.

    Args:
        tables: named `replicates/<experiment>`; the arms of the experiment are configurations.
        run_summary: of the run.

    Returns:
        Columns `COLUMNS`, without settings that neither the run nor the paper states. Cells are texts: our mean over
        target models with its 95 % limits, a slash, and what the paper prints with its spread. Accuracies are in
        percent, and stand with the settings in the first row of a configuration. Cells are missing where neither ours
        nor the paper's is known; a dash stands for one of the two.

    Raises:
        MissingRowsError: no arm is a configuration of the paper.
    """
    lines = [
        line
        for row, rows in rows_of(tables, CONFIGURATIONS)
        for line in _lines(row, rows, row.described(run_summary.experiments))
    ]
    if not lines:
        raise MissingRowsError(f"no configuration of the paper in {sorted(tables)}")
    table = pd.DataFrame(lines, columns=COLUMNS)
    return table.drop(columns=[column for column in SETTINGS if table[column].isna().all()])


def _lines(row: Configuration, rows: pd.DataFrame, run: ExperimentDescription | None) -> Iterator[dict[str, Any]]:
    by = ["attack", "metric"]
    measured = rows[rows["metric"].isin({*MEASURES.values(), *MODEL_METRICS.values()})]
    means = mean_table(measured.groupby(by), by).set_index(by)
    for place, (measure, metric) in enumerate(MEASURES.items()):
        line: dict[str, Any] = {
            "configuration": row.label,
            "measure": measure,
            "targets": int(rows["replicate"].nunique()),
        }
        for title, attack in SHOWN.items():
            printed = row.printed[title] if metric == "auc" and title in PAPER else None
            text = printed and f"{printed[0]:g} ± {printed[1]:g}"
            line[title] = _cell(_ours(means, attack, metric), text)
        if place == 0:
            for title, metric_of_model in MODEL_METRICS.items():
                line[title] = _cell(
                    _ours(means, NO_ATTACK, metric_of_model, percent=True), f"{row.printed[title][0]:g}"
                )
            for title, key in SETTINGS.items():
                line[title] = _cell(_format_setting(run and getattr(run, key)), _format_setting(row.settings.get(key)))
        yield line


def _ours(means: pd.DataFrame, attack: str, metric: str, percent: bool = False) -> str | None:
    """Format a mean with its limits; None where it was not measured."""
    if (attack, metric) not in means.index or pd.isna(means.loc[(attack, metric), "mean"]):
        return None
    mean, low, high = means.loc[(attack, metric), ["mean", "low", "high"]].astype(float) * (100 if percent else 1)
    return format_interval(mean, low, high, digits=1 if percent else 3)


def _format_setting(value: Any) -> str | None:
    return None if value is None else format_setting(value)


def _cell(ours: str | None, paper: str | None) -> str | None:
    """Return `ours / paper`; ours alone where the paper has nothing, None where neither is known."""
    if paper is None:
        return ours
    return f"{ours or MISSING} / {paper}"
