"""How many records the models of each arm are trained on."""

from __future__ import annotations

from collections.abc import Mapping

from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.split import Split
from dpmia.splits.training_sets import TrainingSizes, expected_size


def of_splits(
    splits: Mapping[tuple[str, int], Split], arms: Mapping[str, ArmDraw], records: int
) -> dict[str, TrainingSizes]:
    """Return the smallest sizes of each arm over all its splits.

    Args:
        splits: by (arm, replicate).
        arms: those that count.
        records: number of records that splits are drawn from.
    """
    smallest: dict[str, tuple[int, int]] = {}
    for (name, _), split in splits.items():
        if name in arms:
            expected = expected_size(arms[name], records)
            sizes = len(split.training) if expected is None else expected, len(split.population)
            training, population = smallest.get(name, sizes)
            smallest[name] = min(sizes[0], training), min(sizes[1], population)
    return {name: TrainingSizes(*sizes) for name, sizes in smallest.items()}
