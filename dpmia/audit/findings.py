"""What an audit found, as plain data: the content of `audit.json`, and of the page that is made from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpmia.metrics import LOW_RATES
from dpmia.rows import BLIND, BLIND_WITH_LOSS, NO_ATTACK
from dpmia.settings.arms import IID_SUFFIX
from dpmia.settings.epsilon import spell_epsilon
from dpmia.theory.bounds import advantage_bound

FORMAT, VERSION = "dpmia-audit", 1

#: What is told of each attack; each with its interval.
TOLD = ("advantage", "auc", *LOW_RATES, "advantage_excess", "auc_excess")

#: Controls are no attacks of anybody.
CONTROLS = ("random",)


def results(summary: pd.DataFrame, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one entry for each arm, epsilon and attack of an experiment.

    Args:
        summary: as `dpmia.summaries.summary_table` returns it.
        facts: as `dpmia.settings.facts.audit_facts` returns them; delta, relation and independent are used.

    Returns:
        `experiment`, `arm`, `iid`, `epsilon` (text), `attack`, `oracle`, the metrics `TOLD` (mean, low, high; null
        where the data cannot tell), `resolution`, the smallest false positive rate that can be told, `bound` and
        `ceiling` of advantage where they hold, else null and `warning` says why not.
    """
    found = []
    models = ["experiment", "arm", "iid", "epsilon"]
    for key, rows in summary.groupby(models, sort=False):
        about = dict(zip(models, key, strict=True)) | {"epsilon": spell_epsilon(key[-1])}
        cells = rows.set_index(["attack", "metric"])
        iid = bool(about["iid"]) or facts["independent"]
        limits = _limits(iid, key[-1], facts, cells)
        for attack, part in rows.groupby("attack", sort=False):
            if attack in (NO_ATTACK, BLIND_WITH_LOSS):
                continue
            metrics = {row.metric: row for row in part.itertuples()}
            entry = about | {"iid": iid, "attack": attack, "oracle": bool(part["oracle"].iloc[0])}
            entry |= {name: _interval(metrics.get(name)) for name in TOLD}
            entry["resolution"] = float(metrics["resolution"].mean)
            found.append(entry | (limits if attack != BLIND else dict.fromkeys(limits)))
    return found


def accuracy(summary: pd.DataFrame) -> list[dict[str, Any]]:
    """Return one entry for each arm and epsilon: accuracy on members and on non-members."""
    rows = summary[summary["attack"] == NO_ATTACK]
    found = []
    for (experiment, arm, epsilon), part in rows.groupby(["experiment", "arm", "epsilon"], sort=False):
        metrics = {row.metric: row for row in part.itertuples()}
        names = ("accuracy_members", "accuracy_nonmembers")
        cells = {name: _interval(metrics.get(name)) for name in names}
        found.append({"experiment": experiment, "arm": arm, "epsilon": spell_epsilon(epsilon), **cells})
    return found


def attacks_of(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries that somebody could bring about: no oracles, no controls, not the blind baseline."""
    return [each for each in found if not each["oracle"] and each["attack"] not in (BLIND, *CONTROLS)]


def best(found: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any] | None:
    """Return the entry of the attack with the largest AUC among those that agree with `wanted`; None without any."""
    some = [each for each in attacks_of(found) if all(each[key] == value for key, value in wanted.items())]
    return max(some, key=lambda each: each["auc"]["mean"], default=None)


def blind_of(found: Sequence[Mapping[str, Any]], entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the blind baseline of the same models; None where it was not measured."""
    same = ("experiment", "arm", "epsilon")
    return next(
        (each for each in found if each["attack"] == BLIND and all(each[key] == entry[key] for key in same)), None
    )


def group_risks(found: Sequence[Mapping[str, Any]], groups: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return for each experiment, group and epsilon the best attack in its arm and in its IID arm, and the baseline.

    Args:
        found: what `results` returns, of all experiments.
        groups: experiment -> arm -> the group that its members come from.
    """
    rows = []
    for experiment, arms in groups.items():
        epsilons = list(dict.fromkeys(each["epsilon"] for each in found if each["experiment"] == experiment))
        for arm, group in arms.items():
            for epsilon in epsilons:
                wanted = {"experiment": experiment, "epsilon": epsilon}
                alone, mixed = (best(found, arm=name, **wanted) for name in (arm, arm + IID_SUFFIX))
                if alone is not None:
                    blind = blind_of(found, alone)
                    rows.append(
                        {"experiment": experiment, "group": group, "epsilon": epsilon}
                        | {"auc": alone["auc"], "attack": alone["attack"], "iid_auc": mixed and mixed["auc"]}
                        | {"dependence_index": blind and blind["auc"], "auc_excess": alone["auc_excess"]}
                    )
    return rows


def held_to(
    found: Sequence[Mapping[str, Any]], limits: Mapping[str, float], epsilons: Sequence[float] | None
) -> dict[str, Any]:
    """Return how models do that are held to limits.

    Args:
        found: what `results` returns.
        limits: metric -> the largest value that the mean of any attack may have.
        epsilons: of the models that limits are for; None for all.

    Returns:
        `fail_above` and `epsilons` as given; `exceeded`: where a limit is, the worst first; `untold`: the metrics
        that some arm or model cannot show; `verdict`: `failed`, `untold`, `passed`, or `none` without any limit.
    """
    spelled = None if epsilons is None else [spell_epsilon(epsilon) for epsilon in epsilons]
    judged = [each for each in attacks_of(found) if spelled is None or each["epsilon"] in spelled]
    over = [
        {key: each[key] for key in ("experiment", "arm", "epsilon", "attack")}
        | {"metric": metric, "value": each[metric]["mean"], "limit": limit}
        for metric, limit in limits.items()
        for each in judged
        if each[metric] and each[metric]["mean"] > limit
    ]
    untold = [metric for metric in limits if not judged or not all(each[metric] for each in judged)]
    return {
        "fail_above": dict(limits),
        "epsilons": spelled,
        "exceeded": sorted(over, key=lambda each: each["limit"] - each["value"]),
        "untold": untold,
        "verdict": "failed" if over else "untold" if untold else "passed" if limits else "none",
    }


def _limits(iid: bool, epsilon: float, facts: Mapping[str, Any], cells: pd.DataFrame) -> dict[str, Any]:
    if facts["delta"] is None:
        return {
            "bound": None,
            "ceiling": None,
            "warning": "The promise of this model is not known here, so there is no bound",
        }
    if math.isinf(epsilon):
        return {"bound": None, "ceiling": None, "warning": "Without privacy there is no bound"}
    bound = float(advantage_bound(epsilon, facts["delta"], facts["relation"]))
    if not iid:
        told = "Members and non-members are of different kinds: differential privacy bounds nothing here"
        return {"bound": None, "ceiling": None, "warning": told}
    key = (NO_ATTACK, "advantage_ceiling")
    ceiling = float(cells.loc[key, "mean"]) if key in cells.index else None
    return {"bound": bound, "ceiling": ceiling, "warning": None}


def _interval(row: Any) -> dict[str, float | None] | None:
    """Return mean, low and high of a row of a summary, cut to the values that the metric can have."""
    if row is None or np.isnan(row.mean):
        return None
    least = -1.0 if row.metric.startswith("advantage") or row.metric.endswith("_excess") else 0.0
    low, high = (None if np.isnan(value) else float(np.clip(value, least, 1)) for value in (row.low, row.high))
    return {"mean": float(row.mean), "low": low, "high": high}
