"""What holds for target models themselves: accuracy, loss, and the exact ceiling of private ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpmia.signals import MEMBER, NONMEMBER, VALIDATION, load_all
from dpmia.tables import NO_ATTACK, rows_of, tidy


def accuracy_table(experiment: str, files: Iterable[Path | str]) -> pd.DataFrame:
    """Return accuracy and mean loss of every model on members, non-members and, if any, validation records.

    Of private models also `advantage_ceiling`, which no attack exceeds where records are independent.

    Returns:
        Columns `COLUMNS`; `attack` is `NO_ATTACK`.
    """
    parts = {"members": MEMBER, "nonmembers": NONMEMBER, "validation": VALIDATION}
    rows = []
    for signal in load_all(files):
        values = {}
        for name, part in parts.items():
            asked = signal.of(part)
            if len(asked.records):
                values[f"accuracy_{name}"] = float(asked.correct.mean())
                values[f"loss_{name}"] = float(asked.losses.mean())
        if signal.about["accounting"] is not None:
            # Here, because it takes longer to import than models without privacy take to measure.
            from dpmia.theory.ceiling import advantage_ceiling, trade_off_of

            curve = trade_off_of(signal.about["accounting"], signal.about["compares"])
            values["advantage_ceiling"] = advantage_ceiling(curve)
        rows += rows_of(experiment, signal, NO_ATTACK, False, values)
    return tidy(rows)
