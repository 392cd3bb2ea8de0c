"""How large the arms of an experiment are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from statistics import fmean

import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.splits.split import Split


def arm_sizes(splits: Mapping[tuple[str, int], Split]) -> dict[str, dict[str, list[int]]]:
    """Return the size of each part of each arm in each replicate; under `bernoulli` sizes are random.

    Args:
        splits: by arm and replicate.

    Returns:
        Arm -> part (members, nonmembers, ...) -> sizes.
    """
    sizes: dict[str, dict[str, list[int]]] = {}
    for (arm, _), split in splits.items():
        of_arm = sizes.setdefault(arm, {part.name: [] for part in fields(Split)})
        for part, counts in of_arm.items():
            counts.append(len(getattr(split, part)))
    return sizes


def sizes_table(experiment: str, dataset: Dataset, splits: Mapping[tuple[str, int], Split]) -> pd.DataFrame:
    """Return how large each arm is: features, classes, members, non-members, population, validation, background.

    Where sizes are random, they are means over the replicates.
    """
    rows = [
        {
            "experiment": experiment,
            "arm": arm,
            "features": len(dataset.features),
            "classes": len(dataset.classes),
            **{part: counts[0] if len(set(counts)) == 1 else fmean(counts) for part, counts in parts.items()},
        }
        for arm, parts in arm_sizes(splits).items()
    ]
    return pd.DataFrame(rows).sort_values(["experiment", "arm"], ignore_index=True)
