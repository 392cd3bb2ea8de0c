"""The run that a report and published folders show: its folder, and what the settings say of it."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpmia.common.plain import PlainData
from dpmia.papers.artifact import Artifact


@dataclass(frozen=True)
class ReportedRun(PlainData):
    """The run that a report shows; all paths are relative to the folder where the workflow runs.

    Attributes:
        folder: `results/<data>-<scale>`, where the page will stand.
        logs: of the run's jobs.
        config: the keys of `config.yaml`.
        defaults: what they are where nothing is set.
        artifacts: artifact -> its files, by their ending.
        models: experiment -> files of its models.
        prepared: path of a prepared data set -> name of the data set.
        not_run: experiment or study -> why its data are unavailable.
        settings: experiment or study -> its resolved settings, without those that are not set.
        paper_settings: the same at scale `paper`.
        own: experiments of the user's files, which may share their names with those of papers.
        checks: tables that belong to no paper: the second opinion on the run.
        looks: the content of its `looks.json` (`dpmia.formats.looks`); None without.
    """

    folder: Path
    logs: Path
    config: dict[str, Any]
    artifacts: dict[str, dict[str, str]]
    models: dict[str, list[str]]
    prepared: dict[str, str]
    not_run: dict[str, str]
    defaults: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    paper_settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    checks: list[Artifact] = field(default_factory=list)
    looks: dict[str, Any] | None = None

    @property
    def synthetic(self) -> bool:
        """Whether the records are synthetic."""
        return self.config["data"] == "synthetic"

    @property
    def options(self) -> str:
        """What a command that makes this run again names besides its target; nothing for the defaults."""
        options = [f"{key}={_spelled(value)}" for key, value in self.config.items() if value != self.defaults.get(key)]
        return " ".join([" --config", *map(shlex.quote, options)]) if options else ""


def _spelled(value: Any) -> str:
    """Return a value as the command line takes it, infinity included."""
    return value if isinstance(value, str) else json.dumps(value).replace("Infinity", "inf")
