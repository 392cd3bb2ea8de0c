"""Looks, between which `snakemake decide` added replicates where claims were undecided: a file beside the results.

Every later run reads it as a part of the settings: added replicates stay, and the looks, for which each verdict is
judged at a share of the error (`dpmia.claims.deciding`), are not forgotten. One look doubles replicates. The numbers of
replicates at which a claim may be judged are so known before any data are seen: `TIMES` the planned one.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dpmia.common.errors import DataError
from dpmia.common.files import whole_file
from dpmia.common.plain import PlainData
from dpmia.common.reading.source import Source

#: In the folder of a run.
FILE = "looks.json"

#: The multiples of the planned replicates at which claims are judged: one for each look, the first is the ordinary run.
TIMES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Look(PlainData):
    """Replicates that were added after one look.

    Attributes:
        core_hours: what they were expected to take.
        times: experiment or study -> how many times its planned replicates, or splits, it has since. Files name it with
            its home (`dpmia.workflow.layout.RunLayout.keys`), as two files of settings may have one of one name.
    """

    core_hours: float
    times: dict[str, int]

    def __post_init__(self) -> None:
        """Refuse what no look writes: other multiples than `TIMES`, and core-hours that cannot be."""
        if wrong := [times for times in self.times.values() if type(times) is not int or times not in TIMES[1:]]:
            raise ValueError(f"times: {wrong[0]!r} is not one of {', '.join(map(str, TIMES[1:]))}")
        if not 0 <= self.core_hours < math.inf:
            raise ValueError(f"core_hours: {self.core_hours!r} is not a number of core-hours")

    def renamed(self, names: Mapping[str, str]) -> Look:
        """Return the look with other names, without what has none."""
        return replace(self, times={names[key]: times for key, times in self.times.items() if key in names})


@dataclass(frozen=True)
class Looks(PlainData):
    """All looks of a run after which replicates were added, in their order.

    There are none where they are planned, and the ordinary run is to be judged as the first of them.

    Attributes:
        looks: in their order.
        seed: of the run; None in files that do not say it.
    """

    looks: list[Look]
    seed: int | None = None

    @property
    def times(self) -> dict[str, int]:
        """Experiment or study -> how many times its planned replicates it has now."""
        return {name: times for look in self.looks for name, times in look.times.items()}

    @property
    def spent(self) -> float:
        """Core-hours of all looks."""
        return sum(look.core_hours for look in self.looks)

    def and_then(self, look: Look) -> Looks:
        """Return these looks and one more."""
        return replace(self, looks=[*self.looks, look])

    def renamed(self, names: Mapping[str, str]) -> Looks:
        """Return the looks with other names, without what has none: name here -> name there."""
        return replace(self, looks=[look.renamed(names) for look in self.looks])


def read_looks(run: str | Path, seed: int) -> Looks | None:
    """Return the looks of a run; None where no replicates were added.

    Args:
        run: its folder.
        seed: its seed.

    Raises:
        DataError: the file is damaged, or its looks are of another seed.
    """
    path = Path(run, FILE)
    if not os.path.lexists(path):  # a link to nothing is a damaged file, not no file
        return None
    remedy = "Restore it, or delete it: replicates are then as planned."
    source = Source(path, str(path), remedy, absent=remedy)
    with source.faults("it is not what `snakemake decide` wrote"):
        looks = Looks.from_plain(source.json())
        float(looks.spent)
    if looks.seed not in (None, seed):
        problem = f"replicates were added to the run with seed {looks.seed}, and this one has seed {seed}"
        raise DataError(str(path), problem, f"Run seed {seed} in another folder, or delete the file.")
    return looks


def write_looks(run: str | Path, looks: Looks) -> None:
    """Keep the looks of a run."""
    with whole_file(Path(run, FILE)) as part:
        part.write_text(json.dumps(looks.plain(), indent=1) + "\n", encoding="utf-8")
