"""What holds for target models themselves: accuracy, loss, and the exact ceiling of private ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from dpmia.common.optional import needed
from dpmia.formats.rows import NO_ATTACK, rows_of, tidy
from dpmia.formats.signals import MEMBER, NONMEMBER, VALIDATION, Signal
from dpmia.metrics.shared_records import group_effects


def accuracy_rows(experiment: str, signals: Iterable[Signal], details: bool = False) -> list[list[Any]]:
    """Return accuracy and mean loss of every model on members, non-members and, if any, validation records.

    Of private models also what no attack exceeds where records are independent: `advantage_ceiling`,
    `precision_ceiling` of attacks that find a share `dpmia.metrics.precision.ACCEPTANCE` of the members at least, and
    `tpr_ceiling_at_1pct_fpr`, the largest mean of `tpr_at_1pct_fpr` on as many non-members
    (`dpmia.metrics.ranking.held_rate`; the bound is concave in the rate, so it holds for the mean); the same at 0.1 %.

    Args:
        experiment: name of the experiment.
        signals: outputs of the target models.
        details: of private models also `tpr_ceiling@...`, the same at each of `ROC_RATES` that non-members can show.

    Returns:
        Rows as `dpmia.formats.rows.MEASURED` says; `attack` is `NO_ATTACK`.
    """
    parts = {"members": MEMBER, "nonmembers": NONMEMBER, "validation": VALIDATION}
    rows = []
    for signal in signals:
        values: dict[str, float] = {}
        effects: dict[str, list[float]] = {}
        records: dict[str, int] = {}
        for name, part in parts.items():
            queries = signal.of(part)
            if len(queries.records):
                fit = partial(_fit, name, queries.correct, queries.losses)
                metrics = fit()
                values |= metrics
                records |= dict.fromkeys(metrics, len(queries.records))
                effects |= group_effects(fit, queries.records)
        if signal.accuracy_by_epoch is not None:
            # Chosen on the very records it is measured on, as the papers do: nothing that a user could know.
            values["accuracy_validation_best"] = float(signal.accuracy_by_epoch.max())
            # What these records do to it is not known after each epoch: about what they do to the last.
            effects["accuracy_validation_best"] = effects["accuracy_validation"]
            records["accuracy_validation_best"] = records["accuracy_validation"]
        if signal.card.accounting is not None:
            # Here, because it takes longer to import than models without privacy take to measure.
            from dpmia.metrics.precision import ACCEPTANCE, ROC_RATES
            from dpmia.metrics.ranking import LOW_RATES, held_rate
            from dpmia.privacy.upper_bounds import (
                advantage_ceiling,
                precision_ceiling,
                tpr_ceiling,
                trade_off_of,
            )

            curve = trade_off_of(signal.card.accounting, needed(signal.card.compares))
            values["advantage_ceiling"] = advantage_ceiling(curve)
            values["precision_ceiling"] = float(precision_ceiling(curve, _prior(signal), ACCEPTANCE))
            wanted = {name.replace("tpr_", "tpr_ceiling_", 1): rate for name, rate in LOW_RATES.items()}
            wanted |= {f"tpr_ceiling@{rate:g}": rate for rate in ROC_RATES} if details else {}
            nonmembers = len(signal.of(NONMEMBER).records)
            held = [held_rate(rate, nonmembers) for rate in wanted.values()]
            values |= dict(zip(wanted, tpr_ceiling(curve, np.array(held)).tolist(), strict=True))
        rows += rows_of(experiment, signal, NO_ATTACK, False, values, effects, records)
    return tidy(rows)


def _fit(
    part: str, correct: np.ndarray, losses: np.ndarray, kept: np.ndarray | slice = slice(None)
) -> dict[str, float]:
    """Return accuracy and mean loss on some of the query records of a part."""
    return {f"accuracy_{part}": float(correct[kept].mean()), f"loss_{part}": float(losses[kept].mean())}


def _prior(signal: Signal) -> float:
    """Return the probability that a query record was drawn into the training set."""
    drawn_at = signal.card.rate
    if drawn_at is not None:
        return drawn_at
    queries = signal.of(MEMBER, NONMEMBER)
    return float(queries.is_member.mean())
