"""Looks, between which `snakemake decide` added replicates where claims were undecided: a file beside the results.

Every later run reads it as a part of the settings: added replicates stay, and the looks, for which each verdict is
judged at a share of the error (`dpmia.claims.deciding`), are not forgotten. One look doubles replicates. The
numbers of replicates at which a claim may be judged are so known before any data are seen: `TIMES` the planned one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from dpmia.common.files import whole_file
from dpmia.settings.base import Name, Settings
from dpmia.settings.messages import checked
from dpmia.settings.resolve import Plan
from dpmia.settings.studies import Regression
from dpmia.settings.yaml_file import read_yaml

#: In the folder of a run.
FILE = "looks.yaml"

#: The multiples of the planned replicates at which claims are judged: one for each look, the first is the ordinary run.
TIMES = (1, 2, 4, 8)

_HEADER = """\
# Written by `snakemake decide`, read by every run: experiment -> how many times its planned replicates it has since
# some look, and the core-hours that these were expected to take. All claims of this run are judged at
# {error:g} % / {looks}, as it may have that many looks. Without this file replicates are as planned.
"""


class Look(Settings):
    """Replicates that were added after one look."""

    core_hours: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """What the added replicates were expected to take."""
    times: Annotated[dict[Name, Literal[2, 4, 8]], Field(min_length=1)]
    """Experiment or study -> how many times its planned replicates, or splits, it has since."""


class Looks(Settings):
    """All looks of a run after which replicates were added."""

    looks: list[Look]
    """In their order; none where they are planned, and the ordinary run is to be judged as the first of them."""

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
        return Looks(looks=[*self.looks, look])


def read_looks(run: str | Path) -> Looks | None:
    """Return the looks of a run; None where no replicates were added.

    Raises:
        ConfigError: the file is damaged.
    """
    path = Path(run, FILE)
    if not path.exists():
        return None
    found: Looks = checked(Looks, read_yaml(path, str(path)), str(path))
    return found


def write_looks(run: str | Path, looks: Looks, error: float) -> None:
    """Keep the looks of a run; `error` is what all of them together may have."""
    with whole_file(Path(run, FILE)) as part:
        text = yaml.safe_dump(looks.model_dump(mode="json"), sort_keys=False)
        part.write_text(_HEADER.format(error=100 * error, looks=len(TIMES)) + text, encoding="utf-8")


def with_added_replicates(plan: Plan, times: Mapping[str, int]) -> Plan:
    """Return the plan with more replicates of some experiments, and more splits of some studies.

    Blocks stay, and seeds come from meaning: what was trained before is neither trained again nor changed.

    Args:
        plan: as settings say.
        times: experiment or study -> how many times as many; names that the plan has not are passed over.
    """

    def more(each: Any, key: str, name: str) -> Any:
        return each.model_copy(update={key: getattr(each, key) * times[name]}) if name in times else each

    studies = {
        name: more(each, "splits", name) if isinstance(each, Regression) else each
        for name, each in plan.studies.items()
    }
    experiments = {name: more(each, "replicates", name) for name, each in plan.experiments.items()}
    return replace(plan, experiments=experiments, studies=studies)
