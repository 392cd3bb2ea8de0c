"""Replicates that `snakemake decide` added to those that settings plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpmia.planning.plan import Plan
from dpmia.settings.experiment import Blind
from dpmia.settings.studies import Regression


def with_added_replicates(plan: Plan, times: Mapping[str, int]) -> Plan:
    """Return the plan with more replicates of some experiments, and more splits of some studies.

    Blocks stay, and seeds come from meaning: target models that were trained before are neither trained again nor
    changed. Reference models are trained once more, for the records of all target models, and studies run as a whole.

    Args:
        plan: as settings say.
        times: experiment or study -> how many times as many; names that the plan has not are passed over.
    """

    def more(entry: Any, key: str, name: str) -> Any:
        return entry.model_copy(update={key: getattr(entry, key) * times[name]}) if name in times else entry

    studies = {
        name: more(study, "splits", name) if isinstance(study, Regression) else study
        for name, study in plan.studies.items()
    }
    experiments = {
        name: more(experiment, "replicates", name).model_copy(
            update={"blind": experiment.blind and _more_blind(experiment.blind, times.get(name, 1))}
        )
        for name, experiment in plan.experiments.items()
    }
    return replace(plan, experiments=experiments, studies=studies)


def _more_blind(blind: Blind, times: int) -> Blind:
    """Return the blind baseline on as many times its replicates: limits on what attacks gain over it rest on them."""
    return blind if blind.replicates == "all" else blind.model_copy(update={"replicates": blind.replicates * times})
