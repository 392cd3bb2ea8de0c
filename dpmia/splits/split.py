"""A split: the index arrays of one replicate of one arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from dpmia.common.files import whole_file
from dpmia.common.reading.arrays import arrays
from dpmia.common.reading.place import PLACE, Stage
from dpmia.common.reading.source import made
from dpmia.datasets.dataset import Dataset

#: The array beside the splits that says which data they were drawn from.
_FINGERPRINT = "fingerprint"
#: Files of a run stand below experiment and block.
_STAGE = Stage({"splits": 2}, "the splits")


@dataclass(frozen=True)
class Split:
    """Rows of the data set by the part they play; each array is int64 and sorted.

    Attributes:
        members: rows the target model is trained on, and evaluated on.
        nonmembers: rows that look like possible members and were not trained on.
        population: rows the attacker has, other ones than it is tried on.
        validation: rows to measure accuracy on, distributed as the members are.
        background: rows the target model is trained on too, and never evaluated on.
    """

    members: np.ndarray
    nonmembers: np.ndarray
    population: np.ndarray
    validation: np.ndarray
    background: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        """Sort the rows; refuse what is no row, and a row that plays two parts which exclude each other."""
        for part in fields(self):
            given = np.asarray(getattr(self, part.name))
            if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
                raise ValueError(f"{part.name} is an array of {given.dtype} of shape {given.shape}, not of row numbers")
            rows = np.sort(given.astype(np.int64))
            if len(rows) and rows[0] < 0:
                raise ValueError(f"{part.name} holds the row {rows[0]}")
            if (rows[1:] == rows[:-1]).any():
                raise ValueError(f"{part.name} holds a record twice")
            object.__setattr__(self, part.name, rows)
        for inside in ("members", "background"):
            for outside in ("nonmembers", "population", "validation"):
                if _share(getattr(self, inside), getattr(self, outside)):
                    raise ValueError(f"{inside} and {outside} share records")
        if _share(self.members, self.background):
            raise ValueError("members and background share records")
        if _share(self.nonmembers, self.population):
            raise ValueError("nonmembers and population share records: an attacker must not have those it is tried on")

    @property
    def last(self) -> int:
        """The largest row number; -1 where there is no row."""
        return max((int(rows[-1]) for part in fields(self) if len(rows := getattr(self, part.name))), default=-1)

    @property
    def training(self) -> np.ndarray:
        """All rows that the target model is trained on: int64, sorted."""
        return np.sort(np.concatenate([self.members, self.background]))


def _share(one: np.ndarray, other: np.ndarray) -> bool:
    return np.intersect1d(one, other, assume_unique=True).size > 0


def save_splits(path: Path | str, splits: Mapping[tuple[str, int], Split], fingerprint: str) -> None:
    """Write the splits of a block: an array `arm/replicate/part` each, the data's fingerprint, in a run their place."""
    content = {
        f"{arm}/{replicate}/{part.name}": getattr(split, part.name)
        for (arm, replicate), split in splits.items()
        for part in fields(Split)
    }
    content |= {_FINGERPRINT: np.array(fingerprint)} | _STAGE.stated(path)
    with whole_file(path) as part_path:
        np.savez_compressed(part_path, **content)


def load_splits(path: Path | str, dataset: Dataset | None = None) -> dict[tuple[str, int], Split]:
    """Read what `save_splits` wrote, by (arm, replicate).

    Raises:
        DataError: the file is absent or damaged, or stands in the place of another job's; or `dataset` is given and the
            splits were drawn from other data.
    """
    split_parts: dict[tuple[str, int], dict[str, np.ndarray]] = {}
    with arrays(made(path)) as file:
        drawn_from = str(file.array(_FINGERPRINT, "text", ()))
        if dataset is not None and dataset.fingerprint != drawn_from:
            raise file.source.error(f"splits of data {drawn_from}, expected data {dataset.fingerprint}")
        _STAGE.check_arrays(file)
        with file.source.faults("it holds no splits"):
            for key in file.names:
                if key not in (_FINGERPRINT, PLACE):
                    arm, replicate, part = key.split("/")
                    split_parts.setdefault((arm, int(replicate)), {})[part] = file.rows(key)
            expected = {part.name for part in fields(Split)}
            if any(parts.keys() != expected for parts in split_parts.values()):
                raise ValueError(f"a split has other parts than {', '.join(sorted(expected))}")
            if not all(len(parts["members"]) and len(parts["nonmembers"]) for parts in split_parts.values()):
                raise ValueError("a split has no members, or no non-members")
            splits = {key: Split(**parts) for key, parts in split_parts.items()}
            last = max((split.last for split in splits.values()), default=-1)
            if dataset is not None and last >= len(dataset):
                raise ValueError(f"it has row {last} of {len(dataset)} records, from 0")
            return splits
