"""How large the arms of an experiment are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import pandas as pd

from dpmia.datasets.table import Dataset
from dpmia.splits.split import Split


def sizes_table(experiment: str, dataset: Dataset, splits: Mapping[tuple[str, int], Split]) -> pd.DataFrame:
    """Return how large each arm is: features, classes, members, non-members, population, validation.

    Raises:
        ValueError: replicates of one arm differ in size.
    """
    rows = [
        {
            "experiment": experiment,
            "arm": arm,
            "features": len(dataset.features),
            "classes": len(dataset.classes),
            **{part.name: len(getattr(split, part.name)) for part in fields(split)},
        }
        for (arm, _), split in splits.items()
    ]
    table = pd.DataFrame(rows).drop_duplicates().sort_values(["experiment", "arm"], ignore_index=True)
    if table["arm"].duplicated().any():
        raise ValueError(f"{experiment}: replicates of one arm differ in size")
    return table
