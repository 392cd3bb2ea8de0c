"""The table of privacy guarantees that the report and the pages of audits share."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpmia.common.formatting import MISSING, format_count, format_significant
from dpmia.privacy.record import STATED

#: Columns of a privacy guarantee, those of numbers or of code with their kind.
GUARANTEE_COLUMNS = (
    *(("ε", "number"), ("δ", "number"), ("relation", "code"), "sampler", ("q", "number"), ("steps", "number")),
    *(("σ", "number"), ("C", "number"), "accountant", "proved"),
)


def guarantee_cells(guarantee: Any) -> list[str]:
    """Return the texts of `GUARANTEE_COLUMNS`, of a `GuaranteeRow` or of a row with its fields."""
    return [
        format_significant(guarantee.epsilon),
        format_significant(guarantee.delta),
        guarantee.relation.replace("_", "-"),
        MISSING if pd.isna(guarantee.sampler) else guarantee.sampler,
        format_significant(guarantee.rate),
        format_count(guarantee.steps),
        format_significant(guarantee.noise_multiplier),
        format_significant(guarantee.clip_norm),
        "stated by the user" if guarantee.accountant == STATED else guarantee.accountant.replace("_", " "),
        "yes" if guarantee.proved else "no",
    ]
