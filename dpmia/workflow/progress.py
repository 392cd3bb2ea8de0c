"""How far a run is and how long it will still take, from the seconds that each of its jobs is expected to take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpmia.common.formatting import format_duration

#: A job that runs longer than expected counts as nearly done.
_NEARLY = 0.95

#: So many seconds of each core's work as expected count beside what was measured, so that the first jobs alone do not
#: decide how long the others will take.
_TRUSTED = 30.0


class Progress:
    """How much of a run is done, weighted by expected time."""

    def __init__(self, expected: Mapping[int, float], cores: float, now: float) -> None:
        """Begin.

        Args:
            expected: seconds that each job will take, by its number.
            cores: jobs that run at once.
            now: in seconds.
        """
        self._expected, self._cores, self._begun = dict(expected), cores, now
        self._total = sum(expected.values())
        self._running: dict[int, float] = {}
        self._finished: set[int] = set()

    @property
    def jobs(self) -> int:
        """Number of jobs of the run."""
        return len(self._expected)

    @property
    def done(self) -> int:
        """Number of finished jobs."""
        return len(self._finished)

    def start(self, job: int, now: float) -> None:
        """Note that a job starts, perhaps anew; one that was not announced counts for nothing."""
        if job in self._expected:
            self._running[job] = now

    def finish(self, job: int) -> None:
        """Note that a job has ended well."""
        if self._running.pop(job, None) is not None:
            self._finished.add(job)

    def share(self, now: float) -> float:
        """Return how much is done, in [0, 1]."""
        return self._work(now) / self._total if self._total else 1.0

    def left(self, now: float) -> float:
        """Return the seconds that the rest will take at the pace of what is done."""
        work = self._work(now)
        pace = (work + _TRUSTED * self._cores) / (now - self._begun + _TRUSTED)
        return (self._total - work) / pace

    def _work(self, now: float) -> float:
        """Return the expected seconds of what is done."""
        running = sum(min(now - begun, _NEARLY * self._expected[job]) for job, begun in self._running.items())
        return sum(self._expected[job] for job in self._finished) + running


def spell_left(seconds: float) -> str:
    """Return a time as far as it can be known in advance: `under a minute`, `12 min`, `3.5 h`."""
    return "under a minute" if seconds < 60 else format_duration(seconds)


def last_line(log: Path) -> str:
    """Return what a job that runs has written last to its log, without date and time; nothing where it is silent."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.is_file() else []
    return lines[-1].split(maxsplit=2)[-1] if lines else ""
