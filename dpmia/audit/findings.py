"""From the tables of an experiment to the entries of an audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from dpmia.audit.choices import attacks_of, best, blind_of, select
from dpmia.audit.entries import Accuracy, Cell, Entry, GroupRisk
from dpmia.audit.formatting import METRICS
from dpmia.audit.scores import Model, Sizes
from dpmia.common.arms import IID_SUFFIX, arm_name
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.optional import needed
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, NO_ATTACK
from dpmia.jobs.auditing import AuditedDescription
from dpmia.metrics.intervals import Estimate
from dpmia.theory.bounds import advantage_bound

NO_GUARANTEE = "The privacy guarantee of this model is not known here, so no bound is drawn"
NOT_PRIVATE = "Trained without differential privacy: no bound holds"
OTHER_RELATION = (
    "The guarantee is under replace_one, and here each record joined on its own: no (epsilon, delta) bound follows"
)
SHIFTED = "Members and non-members were not drawn from one pool: differential privacy bounds no attack here"
STATED = "The bounds follow from the guarantee and the mechanism that the user states, which are not checked here"
STATED_ONLY = (
    "The (epsilon, delta) bound follows from the guarantee that the user states, which is not checked here; the "
    "mechanism is not known, so there is no exact upper bound"
)


class AdvantageBounds(NamedTuple):
    """The bounds on the advantage: see `Entry`."""

    bound: float | None = None
    ceiling: float | None = None
    warning: str | None = None


def results(
    summary: pd.DataFrame,
    description: AuditedDescription,
    sizes: Mapping[Model, Sizes],
    groups: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Return one entry for each arm, epsilon and attack of an experiment.

    Args:
        summary: as `dpmia.evaluation.summary.summary_table` returns it.
        description: of the experiment.
        sizes: arm and epsilon -> the sizes of its models.
        groups: arm -> the group that its members come from, as it is spelled in the file.
    """
    entries = []
    for key, rows in summary.groupby(["experiment", "arm", "iid", "epsilon"], sort=False):
        experiment, arm, same_pool, value = key
        iid, epsilon = bool(same_pool) or description.independent, spell_epsilon(value)
        bounds = _bounds(iid, value, description, rows.set_index(["attack", "metric"]))
        members, nonmembers, most = sizes[arm, epsilon]
        for attack, of_attack in rows.groupby("attack", sort=False):
            if attack in (NO_ATTACK, BLIND_WITH_LOSS):
                continue
            metrics = {row.metric: row for row in of_attack.itertuples()}
            entry = Entry(
                experiment=experiment,
                arm=arm,
                label=label(arm, groups or {}),
                iid=iid,
                epsilon=epsilon,
                attack=attack,
                oracle=bool(of_attack["oracle"].iloc[0]),
                replicates=int(metrics["auc"].replicates),
                members=members,
                nonmembers=nonmembers,
                most_nonmembers=most if most > nonmembers else None,
                metrics={name: _cell(metrics.get(name)) for name in METRICS},
                resolution=float(metrics["resolution"].mean),
                **(AdvantageBounds() if attack == BLIND else bounds)._asdict(),
            )
            entries.append(entry)
    return entries


def label(arm: str, groups: Mapping[str, str]) -> str:
    """Return an arm as people read it, and whether it is the IID arm.

    An arm that is named after its group is shown as the group is spelled in the file.
    """
    base = arm.removesuffix(IID_SUFFIX)
    group = groups.get(base, base)
    return (group if arm_name(group).rstrip("_") == base.rstrip("_") else base) + (", IID" if arm != base else "")


def accuracy(
    summary: pd.DataFrame, majority: Mapping[Model, float], groups: Mapping[str, str] | None = None
) -> list[Accuracy]:
    """Return one entry for each arm and epsilon: accuracy on members and on non-members.

    Args:
        summary: see `results`.
        majority: arm and epsilon -> accuracy on the non-members of always predicting the members' largest class.
        groups: see `results`.
    """
    rows = summary[summary["attack"] == NO_ATTACK]
    entries = []
    for (experiment, arm, value), of_model in rows.groupby(["experiment", "arm", "epsilon"], sort=False):
        metrics = {row.metric: row for row in of_model.itertuples()}
        epsilon = spell_epsilon(value)
        members, nonmembers = (_cell(metrics.get(f"accuracy_{kind}")) for kind in ("members", "nonmembers"))
        shown = experiment, arm, label(arm, groups or {}), epsilon
        entries.append(Accuracy(*shown, members, nonmembers, majority.get((arm, epsilon))))
    return entries


def group_risks(entries: Sequence[Entry], groups: Mapping[str, Mapping[str, str]]) -> list[GroupRisk]:
    """Return for each experiment, group and epsilon the best attack in its arm and in its IID arm, and the baseline.

    The intervals of all groups hold together, as where the strongest attack of all groups is reported.

    Args:
        entries: of all experiments.
        groups: experiment -> arm -> the group that its members come from.
    """
    risks = []
    for experiment, arms in groups.items():
        of_experiment = select(entries, experiment=experiment)
        epsilons = dict.fromkeys(entry.epsilon for entry in of_experiment)
        for arm, group in arms.items():
            for epsilon in epsilons:
                alone, mixed = (
                    best(select(alike, arm=name), compared=len(attacks_of(alike)))
                    for name, iid in ((arm, False), (arm + IID_SUFFIX, True))
                    for alike in [select(of_experiment, epsilon=epsilon, iid=iid)]
                )
                if alone is None:
                    continue
                blind = blind_of(entries, alone)
                risks.append(
                    GroupRisk(
                        *(experiment, group, epsilon, alone.attack, alone.auc),
                        iid_auc=None if mixed is None else mixed.auc,
                        dependence_index=None if blind is None else blind.metrics["auc"],
                        auc_excess=alone.metrics["auc_excess"],
                    )
                )
    return risks


def _bounds(iid: bool, epsilon: float, description: AuditedDescription, cells: pd.DataFrame) -> AdvantageBounds:
    if description.delta is None:
        return AdvantageBounds(warning=NO_GUARANTEE)
    if math.isinf(epsilon):
        return AdvantageBounds(warning=NOT_PRIVATE)
    if not iid:
        return AdvantageBounds(warning=SHIFTED)
    key = (NO_ATTACK, "advantage_ceiling")
    ceiling = float(cells.loc[key, "mean"]) if key in cells.index else None
    if (description.relation, description.compares) == ("replace_one", "add_remove"):
        return AdvantageBounds(ceiling=ceiling, warning=OTHER_RELATION)
    relations = needed(description.relation), needed(description.compares)
    bound = float(advantage_bound(epsilon, description.delta, *relations))
    stated = STATED_ONLY if ceiling is None else STATED
    return AdvantageBounds(bound, ceiling, stated if description.stated else None)


def _cell(row: Any) -> Cell | None:
    """Return mean, replicates and interval of a row of a summary; None without a row or a number."""
    return None if row is None or math.isnan(row.mean) else Cell.of(Estimate.of_row(row), row.metric)
