"""Jobs that judge claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class JudgeJob(PlainData):
    """What verdicts on claims depend on in a run, besides its tables.

    Attributes:
        folder: `results/<data>-<scale>`.
        synthetic: whether its records are synthetic.
        scale: `smoke`, `laptop`, `night` or `paper`.
        not_run: experiment or study -> why it is not run: its data are unavailable, or only other scales have it.
        trained: experiment -> a line on its target models and their records.
        other_networks: experiment whose networks are not those of scale `paper` -> the latter.
        times: experiment or study -> how many times its planned replicates it has (`dpmia.formats.looks`); None where
            none were added after a look.
        only: files of the tables to judge on, those that the settings make; None for whatever is there.
    """

    folder: Path
    synthetic: bool
    scale: str
    not_run: dict[str, str] = field(default_factory=dict)
    trained: dict[str, str] = field(default_factory=dict)
    other_networks: dict[str, str] = field(default_factory=dict)
    times: dict[str, int] | None = None
    only: list[str] | None = None
