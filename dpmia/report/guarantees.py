"""The table of privacy guarantees that the report and the pages of audits share."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpmia.privacy.record import STATED
from dpmia.report import formatting

#: Columns of a privacy guarantee, those of numbers or of code with their kind.
GUARANTEE_COLUMNS = (
    *(("ε", "number"), ("δ", "number"), ("relation", "code"), "sampler", ("q", "number"), ("steps", "number")),
    *(("σ", "number"), ("C", "number"), "accountant", "proved"),
)


def guarantee_cells(guarantee: Any) -> list[str]:
    """Return the texts of `GUARANTEE_COLUMNS`, of a `GuaranteeRow` or of a row with its fields."""
    return [
        formatting.number(guarantee.epsilon),
        formatting.number(guarantee.delta),
        guarantee.relation.replace("_", "-"),
        "–" if pd.isna(guarantee.sampler) else guarantee.sampler,
        formatting.number(guarantee.rate),
        "–" if pd.isna(guarantee.steps) else formatting.count(guarantee.steps),
        formatting.number(guarantee.noise_multiplier),
        formatting.number(guarantee.clip_norm),
        "stated by the user" if guarantee.accountant == STATED else guarantee.accountant.replace("_", " "),
        "yes" if guarantee.proved else "no",
    ]
