"""Checkpoints of long training jobs: after an interruption a job goes on from there."""

from __future__ import annotations

import shutil
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

from dpmia.common.reading.archives import checkpoint
from dpmia.common.reading.source import Source, made

#: Seconds of work that an interruption may cost. A job that takes less writes no checkpoint.
EVERY = 300.0


class Checkpoints:
    """The checkpoints of one job, in a folder beside its output: gone when the job has succeeded, kept when it has not.

    Models that are trained together share one. Its name says what they are, and its folder which code trains them, so
    that a checkpoint of other settings, data or code is never found.
    """

    def __init__(self, output: Path | str, code: str, every: float = EVERY) -> None:
        """Keep checkpoints for `output`.

        Args:
            output: the file that the job makes.
            code: digest of the code that makes it.
            every: seconds from one checkpoint to the next.
        """
        self.folder = Path(f"{output}.checkpoints")
        self.current = self.folder / code
        self.every = every
        self._started = time.monotonic()

    def __enter__(self) -> Checkpoints:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Remove all that was kept, unless the job failed."""
        if kind is None and self.folder.exists():
            shutil.rmtree(self.folder)

    def path(self, name: str) -> Path:
        """Return the file of the models `name`."""
        return self.current / f"{name}.ckpt"

    def place(self, name: str) -> str:
        """Return which models of which code the file holds, as it states itself: nobody else may go on from it."""
        return f"{self.current.name}/{name}"

    def kept(self, name: str) -> Path | None:
        """Return the file of the models `name`, None where there is none.

        Raises:
            DataError: it is damaged.
        """
        path = self.path(name)
        if path.exists():
            checkpoint(self._source(name))
            return path
        return None

    def content(self, name: str) -> Any:
        """Return what the file of the models `name` holds, None where there is none.

        Raises:
            DataError: it is damaged.
        """
        return checkpoint(self._source(name)) if self.path(name).exists() else None

    def faults(self, name: str) -> AbstractContextManager[None]:
        """Return a context in which an error is one of the file of the models `name`: nothing can go on from it."""
        return self._source(name).faults("training cannot go on from it")

    def _source(self, name: str) -> Source:
        return replace(made(self.path(name)), remedy="Delete it: the training then starts from its beginning.")

    @property
    def often(self) -> dict[str, Any]:
        """How often to save during training, as arguments of Lightning's `ModelCheckpoint`."""
        return {"train_time_interval": timedelta(seconds=self.every)}

    def due(self) -> bool:
        """Return whether models that are trained to the end are worth a checkpoint: in a job that runs that long."""
        return time.monotonic() - self._started >= self.every
