"""An artifact: one figure or table of one paper, described as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpmia.common.plain import PlainData
from dpmia.jobs.describing import ExperimentDescription
from dpmia.papers.reading import Reading


@dataclass(frozen=True)
class Artifact(PlainData):
    """What an artifact shows, what it is made from, and which functions make it.

    Attributes:
        name: the target that builds it, `<paper>_<figure or table>`.
        kind: `figure` or `table`.
        caption: one or two plain sentences on what is shown.
        tabulate: `module:function`; takes (tables, run_summary) and returns the tidy table of the artifact: `tables`
            maps the names below to tables, `run_summary` describes the run.
        draw: `module:function`; takes (table, run_summary) and returns a figure with its caption. None for a table.
        tables: what it is made of, each as `stage/experiment`: `summary` (metrics with intervals), `sizes`, ...
        reading: what it is about, and how to read it.
        ours: whether no paper has it; a variant of a paper's figure is ours, too.
        some_suffice: settings that hold only some of its experiments make it of those; without, not at all.
    """

    name: str
    kind: str
    caption: str
    tabulate: str
    draw: str | None = None
    tables: tuple[str, ...] = ()
    some_suffice: bool = False
    ours: bool = False
    reading: Reading = field(kw_only=True)

    def __post_init__(self) -> None:
        """Refuse a figure without a drawing function, and a table with one."""
        if (self.kind, self.draw is None) not in {("figure", False), ("table", True)}:
            raise ValueError(f"{self.name}: kind {self.kind!r} with draw = {self.draw!r}")


@dataclass(frozen=True)
class RunSummary(PlainData):
    """What a figure must say about the run it was made from.

    Attributes:
        synthetic: whether it shows synthetic data.
        scale: `smoke`, `laptop`, `night` or `paper`.
        experiments: experiment -> how its models were trained.
        paper: the same at scale `paper`, the papers' own sizes; captions compare them.
        studies: study -> its settings at scale `paper`, as plain data.
        checked: experiments that a check of engines shows.
        not_run: experiment or study that it would show too -> why its data are unavailable.
        without_data: whether no data set is behind it: it is computed, or its records are drawn.
    """

    synthetic: bool
    scale: str
    experiments: dict[str, ExperimentDescription] = field(default_factory=dict)
    paper: dict[str, ExperimentDescription] = field(default_factory=dict)
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    checked: list[str] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    without_data: bool = False

    @property
    def source(self) -> str:
        """Where the numbers come from."""
        if self.without_data:
            return "No data needed"
        return "Synthetic data" if self.synthetic else "Real data"

    @property
    def skipped(self) -> str:
        """A sentence that lists the skipped data sets; empty where there are none."""
        reasons = "; ".join(f"{name} ({reason})" for name, reason in self.not_run.items())
        return f"Not run: {reasons}." if reasons else ""
