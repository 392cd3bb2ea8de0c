"""What a run will take: jobs, CPU time, wall time, memory, disk and downloads, for each target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dpmia.common.formatting import (
    MISSING,
    format_core_hours,
    format_duration,
    format_number,
    format_size,
    text_table,
)
from dpmia.workflow.expected import Expected

#: A run that is expected to take longer, in seconds, is announced with its forecast.
LONG = 600.0


@dataclass(frozen=True)
class Forecast:
    """What the jobs of a target will take.

    Attributes:
        jobs: each job's expected cost.
        download: MB to fetch.
    """

    jobs: tuple[Expected, ...]
    download: float = 0.0

    @property
    def seconds(self) -> float:
        """CPU seconds of all jobs."""
        return sum(job.seconds for job in self.jobs)

    def wall(self, cores: int) -> float:
        """Return the seconds that it takes on some cores at most: a share, and the longest job (Graham 1966)."""
        longest = max((job.seconds for job in self.jobs), default=0.0)
        return self.seconds / cores + longest * (1 - 1 / cores)

    def memory(self, cores: int) -> float:
        """Return the MB that the largest jobs take if they run at once."""
        return sum(sorted((job.memory for job in self.jobs), reverse=True)[:cores])

    @property
    def disk(self) -> float:
        """MB of all results."""
        return sum(job.disk for job in self.jobs)


def table(targets: Mapping[str, Forecast], cores: int, others: Iterable[int] = ()) -> str:
    """Return a line for each target.

    Args:
        targets: by name.
        cores: number of cores to forecast for.
        others: further numbers of cores to forecast the wall time for.
    """
    numbers = sorted({cores, *others})
    rows = [
        [
            name,
            len(forecast.jobs),
            format_number(forecast.seconds / 3600),
            *(format_duration(forecast.wall(number)) for number in numbers),
            _size(forecast.memory(cores)),
            _size(forecast.disk),
            _size(forecast.download),
        ]
        for name, forecast in targets.items()
    ]
    walls = [_on(number) for number in numbers]
    headers = ["target", "jobs", "core-hours", *walls, f"memory {_on(cores)}", "disk", "download"]
    return text_table(rows, headers)


def announcement(forecast: Forecast, cores: int) -> str:
    """Return the forecast of a run in a line."""
    return (
        f"{len(forecast.jobs)} jobs, about {format_duration(forecast.wall(cores))} on {cores} cores: "
        f"{format_core_hours(forecast.seconds / 3600)}, {_size(forecast.memory(cores))} of memory, "
        f"{_size(forecast.disk)} of results"
    )


def _on(cores: int) -> str:
    return f"on {cores} core{'s' * (cores > 1)}"


def _size(megabytes: float) -> str:
    return format_size(1e6 * megabytes) if megabytes else MISSING
