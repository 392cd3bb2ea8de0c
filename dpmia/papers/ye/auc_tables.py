"""Tables 1 and 3 to 5: AUC of the attacks and accuracy of the target models, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpmia.formats.rows import NO_ATTACK
from dpmia.metrics.ranking import LOW_RATES
from dpmia.papers.artifact import Facts
from dpmia.papers.ye.names import ATTACKS, CONFIGURATIONS, MODEL_METRICS, Configuration, rows_of

COLUMNS = ["configuration", "quantity", "paper", "paper_spread", "ours", "spread", *LOW_RATES, "targets"]

#: Facts on the run that have a row of their own, and what it is called.
SETTINGS = {
    "members": "records trained on",
    "references": "reference models",
    "learning_rate": "learning rate",
    "momentum": "momentum",
    "batch_size": "batch",
    "epochs": "epochs",
    "l2": "l2 penalty",
    "clipped_to": "norm of gradients at most",
    "offline_a": "a of RMIA offline",
}

#: (attack, metric) -> one value for each target model.
Values = Mapping[tuple[str, str], np.ndarray]


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the settings, accuracies and AUCs of each configuration that was run, one in a row, in the paper's order.

    Args:
        tables: named `replicates/<experiment>`; the arms of the experiment are configurations.
        facts: of the run; settings that it does not state, or that neither it nor the paper has, have no row.

    Returns:
        Columns `COLUMNS`. `ours` is the mean over target models and `spread` their standard deviation, missing of one
        model; accuracies are in percent. `paper` is missing where the paper has no value, `ours` where an attack of
        the paper did not run (others have no row then), and a TPR where there are fewer non-members than its
        false positive rate needs.

    Raises:
        ValueError: no arm is a configuration of the paper.
    """
    lines = []
    for row, rows in rows_of(tables, CONFIGURATIONS):
        values = {key: found.to_numpy() for key, found in rows.groupby(["attack", "metric"])["value"]}
        for line in (*_settings(row, row.run(facts)), *_accuracies(row, values), *_attacks(row, values)):
            lines.append({"configuration": row.label, **line})
    if not lines:
        raise ValueError(f"no configuration of the paper in {sorted(tables)}")
    return pd.DataFrame(lines, columns=COLUMNS, dtype=object)  # whole numbers stay whole beside others


def _settings(row: Configuration, run: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for fact, title in SETTINGS.items():
        paper, ours = row.settings.get(fact), run.get(fact)
        if ours is not None or (fact in run and paper is not None):
            yield {"quantity": title, "paper": paper, "ours": ours}


def _accuracies(row: Configuration, values: Values) -> Iterator[dict[str, Any]]:
    for quantity, metric in MODEL_METRICS.items():
        yield _line(row, quantity, 100 * values[NO_ATTACK, metric], digits=1)


def _attacks(row: Configuration, values: Values) -> Iterator[dict[str, Any]]:
    for title, attack in ATTACKS.items():
        if title not in row.printed and (attack, "auc") not in values:
            continue
        line = _line(row, title, values.get((attack, "auc"), np.array([])), digits=3)
        line["quantity"] = f"AUC of {title}"
        for column in LOW_RATES:
            if (attack, column) in values:
                line[column] = _rounded(values[attack, column].mean(), 3)
        yield line


def _line(row: Configuration, quantity: str, values: np.ndarray, digits: int) -> dict[str, Any]:
    """Return one row: the paper's value and spread, ours over the target models."""
    paper, paper_spread = row.printed.get(quantity, (None, None))
    return {
        "quantity": quantity,
        "paper": paper,
        "paper_spread": paper_spread,
        "ours": _rounded(values.mean(), digits) if len(values) else None,
        "spread": _rounded(values.std(ddof=1), digits) if len(values) > 1 else None,
        "targets": len(values),
    }


def _rounded(value: float, digits: int) -> float | None:
    return None if np.isnan(value) else round(float(value), digits)
