"""What holds for target models themselves: accuracy, loss, and the exact ceiling of private ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpmia.common.optional import needed
from dpmia.formats.rows import NO_ATTACK, rows_of, tidy
from dpmia.formats.signals import MEMBER, NONMEMBER, VALIDATION, Signal, load_all


def accuracy_rows(experiment: str, files: Iterable[Path | str], details: bool = False) -> list[list[Any]]:
    """Return accuracy and mean loss of every model on members, non-members and, if any, validation records.

    Of private models also what no attack exceeds where records are independent: `advantage_ceiling`, and
    `precision_ceiling` of attacks that find a share `dpmia.metrics.precision.ACCEPTANCE` of the members at least.

    Args:
        experiment: name of the experiment.
        files: signal files of the target models.
        details: of private models also `tpr_ceiling@...`, the largest true positive rate at `ROC_RATES`.

    Returns:
        Rows as `dpmia.formats.rows.COLUMNS` say; `attack` is `NO_ATTACK`.
    """
    parts = {"members": MEMBER, "nonmembers": NONMEMBER, "validation": VALIDATION}
    rows = []
    for signal in load_all(files):
        values = {}
        for name, part in parts.items():
            queries = signal.of(part)
            if len(queries.records):
                values[f"accuracy_{name}"] = float(queries.correct.mean())
                values[f"loss_{name}"] = float(queries.losses.mean())
        if signal.accuracy_by_epoch is not None:
            # Chosen on the very records it is measured on, as the papers do: nothing that a user could know.
            values["accuracy_validation_best"] = float(signal.accuracy_by_epoch.max())
        if signal.card.accounting is not None:
            # Here, because it takes longer to import than models without privacy take to measure.
            from dpmia.metrics.precision import ACCEPTANCE, ROC_RATES
            from dpmia.privacy.upper_bounds import (
                advantage_ceiling,
                positive_accuracy_ceiling,
                tpr_ceiling,
                trade_off_of,
            )

            curve = trade_off_of(signal.card.accounting, needed(signal.card.compares))
            values["advantage_ceiling"] = advantage_ceiling(curve)
            values["precision_ceiling"] = float(positive_accuracy_ceiling(curve, _prior(signal), ACCEPTANCE))
            if details:
                ceilings = tpr_ceiling(curve, ROC_RATES)
                values |= {f"tpr_ceiling@{rate:g}": float(tpr) for rate, tpr in zip(ROC_RATES, ceilings, strict=True)}
        rows += rows_of(experiment, signal, NO_ATTACK, False, values)
    return tidy(rows)


def _prior(signal: Signal) -> float:
    """Return the probability that a query record was drawn into the training set."""
    drawn_at = signal.card.rate
    if drawn_at is not None:
        return drawn_at
    queries = signal.of(MEMBER, NONMEMBER)
    return float(queries.is_member.mean())
