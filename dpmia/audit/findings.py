"""What an audit found, as plain data: the content of `audit.json`, and of the page that is made from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dpmia.common.arms import IID_SUFFIX, arm_name
from dpmia.common.epsilon import spell_epsilon
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, NO_ATTACK
from dpmia.metrics.intervals import Estimate
from dpmia.metrics.ranges import possible_range
from dpmia.metrics.ranking import LOW_RATES
from dpmia.theory.bounds import advantage_bound

FORMAT, VERSION = "dpmia-audit", 3

#: The metrics of each attack; each with its interval.
METRICS = ("advantage", "auc", *LOW_RATES, "advantage_excess", "auc_excess")

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


def results(
    summary: pd.DataFrame, facts: Mapping[str, Any], groups: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return one entry for each arm, epsilon and attack of an experiment.

    Args:
        summary: as `dpmia.evaluation.summary.summary_table` returns it.
        facts: as `dpmia.settings.descriptions.describe_audited` returns them; delta, relation, compares, stated and
            independent are used.
        groups: arm -> the group that its members come from, as it is spelled in the file.

    Returns:
        `experiment`, `arm`, `label` (the arm as people read it), `iid`, `epsilon` (text), `attack`, `oracle`,
        `replicates`, the metrics `METRICS` (see `cell_of`; null where the data cannot show one), `resolution` (the
        smallest false positive rate that the data can show), `bound` and `ceiling` of the advantage where they hold
        and are known, and in `warning` why one is null.
    """
    entries = []
    models = ["experiment", "arm", "iid", "epsilon"]
    for key, rows in summary.groupby(models, sort=False):
        model = dict(zip(models, key, strict=True)) | {"epsilon": spell_epsilon(key[-1])}
        cells = rows.set_index(["attack", "metric"])
        iid = bool(model["iid"]) or facts["independent"]
        bounds = _bounds(iid, key[-1], facts, cells)
        for attack, part in rows.groupby("attack", sort=False):
            if attack in (NO_ATTACK, BLIND_WITH_LOSS):
                continue
            metrics = {row.metric: row for row in part.itertuples()}
            entry = model | {"label": label(model["arm"], groups or {}), "iid": iid}
            entry |= {"attack": attack, "oracle": bool(part["oracle"].iloc[0])}
            entry |= {"replicates": int(metrics["auc"].replicates)}
            entry |= {name: _cell(metrics.get(name)) for name in METRICS}
            entry["resolution"] = float(metrics["resolution"].mean)
            entries.append(entry | (bounds if attack != BLIND else dict.fromkeys(bounds)))
    return entries


def label(arm: str, groups: Mapping[str, str]) -> str:
    """Return an arm as people read it, and whether it is the IID arm.

    An arm that is named after its group is shown as the group is spelled in the file.
    """
    base = arm.removesuffix(IID_SUFFIX)
    group = groups.get(base, base)
    return (group if arm_name(group).rstrip("_") == base.rstrip("_") else base) + (", IID" if arm != base else "")


def accuracy(
    summary: pd.DataFrame, majority: Mapping[tuple[str, str], float], groups: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return one entry for each arm and epsilon: accuracy on members and on non-members.

    Args:
        summary: see `results`.
        majority: (arm, epsilon) -> accuracy on the non-members of always predicting the members' largest class.
        groups: see `results`.
    """
    rows = summary[summary["attack"] == NO_ATTACK]
    entries = []
    for (experiment, arm, epsilon), part in rows.groupby(["experiment", "arm", "epsilon"], sort=False):
        metrics = {row.metric: row for row in part.itertuples()}
        spelled = spell_epsilon(epsilon)
        model = {"experiment": experiment, "arm": arm, "label": label(arm, groups or {}), "epsilon": spelled}
        cells = {name: _cell(metrics.get(name)) for name in ("accuracy_members", "accuracy_nonmembers")}
        entries.append(model | cells | {"majority": majority.get((arm, spelled))})
    return entries


def attacks_of(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries of real attacks: no oracles (random scores are one), not the blind baseline."""
    return [entry for entry in entries if not entry["oracle"] and entry["attack"] != BLIND]


def best(
    entries: Sequence[Mapping[str, Any]], metric: str = "auc", *, compared: int | None = None, **wanted: Any
) -> dict[str, Any] | None:
    """Return the strongest attack among the entries that agree with `wanted`; None without any.

    The strongest has the largest lower limit of the metric, so that a wide interval around a lucky mean does not win;
    attacks without an interval count after all others, by their mean.

    Args:
        entries: what `results` returns.
        metric: by which the strongest is chosen.
        compared: see `chosen_from`.
        wanted: key of an entry -> its value.

    Returns:
        The entry as `chosen_from` returns it.
    """
    some = chosen_from(entries, metric, compared=compared, **wanted)
    return max(some, key=lambda entry: _low(entry[metric]), default=None)


def best_of_two(entries: Sequence[Mapping[str, Any]], metric: str, **wanted: Any) -> dict[str, Any] | None:
    """Return what `best` does, with intervals that hold together with as many of a second metric."""
    entry = best(entries, metric, **wanted)
    return entry and best(entries, metric, compared=2 * entry["compared"], **wanted)


def chosen_from(
    entries: Sequence[Mapping[str, Any]], metric: str, *, compared: int | None = None, **wanted: Any
) -> list[dict[str, Any]]:
    """Return the attacks, among the entries that agree with `wanted`, of which any may be reported.

    An attack is chosen on the records that it is reported on, so intervals are widened until those of all attacks that
    it is chosen from hold together (Bonferroni): then the one of any choice holds. Means are as measured.

    Args:
        entries: what `results` returns.
        metric: one that they have.
        compared: number of attacks whose intervals hold together; None for that of the entries that agree.
        wanted: key of an entry -> its value.

    Returns:
        The entries with wider intervals, and `compared`, the number of intervals that hold together.
    """
    some = [
        entry
        for entry in attacks_of(entries)
        if entry[metric] is not None and all(entry[key] == value for key, value in wanted.items())
    ]
    return [_of_choice(entry, len(some) if compared is None else compared) for entry in some]


def most_at_risk(
    entries: Sequence[Mapping[str, Any]], metric: str = "auc", iid: bool | None = None
) -> dict[str, Any] | None:
    """Return the strongest attack on the model that is most at risk; None without any.

    Its interval allows for the choice of the model, too: it is wider than what `best` gives of this model alone.

    Args:
        entries: see `best`.
        metric: see `best`.
        iid: whether members and non-members come from one pool; None for both.
    """
    return best(entries, metric, **({} if iid is None else {"iid": iid}))


def without_interval(
    entries: Sequence[Mapping[str, Any]], metric: str, above: Mapping[str, Any], iid: bool | None = None
) -> Mapping[str, Any] | None:
    """Return the attack with the largest mean of those without an interval, if it exceeds that of another; else None.

    Too few replicates give no interval: such a model may be the one that is most at risk, and nothing shows it.

    Args:
        entries: see `best`.
        metric: see `best`.
        above: the attack that is reported.
        iid: see `most_at_risk`.
    """
    some = [
        entry
        for entry in attacks_of(entries)
        if entry[metric] is not None and entry[metric]["low"] is None and iid in (None, entry["iid"])
    ]
    largest = max(some, key=lambda entry: entry[metric]["mean"], default=None)
    return largest if largest is not None and largest[metric]["mean"] > above[metric]["mean"] else None


def _low(cell: Mapping[str, Any]) -> tuple[bool, float]:
    return (cell["low"] is not None, cell["mean"] if cell["low"] is None else cell["low"])


def _of_choice(entry: Mapping[str, Any], compared: int) -> dict[str, Any]:
    wider = {}
    for name in METRICS:
        cell = entry.get(name)
        if cell is not None and cell["low"] is not None:
            wider[name] = cell_of(estimate_of(cell), name, compared)
    return {**entry, **wider, "compared": compared}


def blind_of(entries: Sequence[Mapping[str, Any]], entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the blind baseline of the same models; None where it was not measured."""
    same = ("experiment", "arm", "epsilon")
    return next(
        (other for other in entries if other["attack"] == BLIND and all(other[key] == entry[key] for key in same)), None
    )


def group_risks(entries: Sequence[Mapping[str, Any]], groups: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return for each experiment, group and epsilon the best attack in its arm and in its IID arm, and the baseline.

    The intervals of all groups hold together, as where the strongest attack of all groups is reported.

    Args:
        entries: what `results` returns, of all experiments.
        groups: experiment -> arm -> the group that its members come from.
    """
    rows = []
    for experiment, arms in groups.items():
        epsilons = list(dict.fromkeys(entry["epsilon"] for entry in entries if entry["experiment"] == experiment))
        for arm, group in arms.items():
            for epsilon in epsilons:
                wanted = {"experiment": experiment, "epsilon": epsilon}
                alone, mixed = (
                    best(entries, compared=_alike(entries, iid=iid, **wanted), arm=name, **wanted)
                    for name, iid in ((arm, False), (arm + IID_SUFFIX, True))
                )
                if alone is not None:
                    blind = blind_of(entries, alone)
                    rows.append(
                        {"experiment": experiment, "group": group, "epsilon": epsilon}
                        | {"auc": alone["auc"], "attack": alone["attack"], "iid_auc": mixed and mixed["auc"]}
                        | {"dependence_index": blind and blind["auc"], "auc_excess": alone["auc_excess"]}
                    )
    return rows


def _alike(entries: Sequence[Mapping[str, Any]], **wanted: Any) -> int:
    """Return the number of attacks that agree with `wanted`."""
    return sum(all(entry[key] == value for key, value in wanted.items()) for entry in attacks_of(entries))


def _bounds(iid: bool, epsilon: float, facts: Mapping[str, Any], cells: pd.DataFrame) -> dict[str, Any]:
    if facts["delta"] is None:
        return {"bound": None, "ceiling": None, "warning": NO_GUARANTEE}
    if math.isinf(epsilon):
        return {"bound": None, "ceiling": None, "warning": NOT_PRIVATE}
    if not iid:
        return {"bound": None, "ceiling": None, "warning": SHIFTED}
    key = (NO_ATTACK, "advantage_ceiling")
    ceiling = float(cells.loc[key, "mean"]) if key in cells.index else None
    if (facts["relation"], facts["compares"]) == ("replace_one", "add_remove"):
        return {"bound": None, "ceiling": ceiling, "warning": OTHER_RELATION}
    bound = float(advantage_bound(epsilon, facts["delta"], facts["relation"], facts["compares"]))
    stated = STATED_ONLY if ceiling is None else STATED
    return {"bound": bound, "ceiling": ceiling, "warning": stated if facts.get("stated") else None}


def cell_of(estimate: Estimate, metric: str, compared: int = 1) -> dict[str, Any]:
    """Return a mean and its interval as plain data.

    Args:
        estimate: the mean.
        metric: its name.
        compared: number of intervals that hold together (Bonferroni): so does the one of any that is chosen.

    Returns:
        `mean`, `replicates`, `interval` (what it is over, or why there is none) and `low`, `high`, `half_width` of the
        t interval, null where there is none; else also `error`, `degrees` and `records_error` of `Estimate`.
    """
    cell: dict[str, Any] = {"mean": estimate.mean, "replicates": estimate.count, "interval": estimate.kind}
    if math.isnan(estimate.error):
        return cell | {"low": None, "high": None, "half_width": None}
    level = 1 - 0.05 / compared  # of one interval
    low, high = estimate.limits(possible_range(metric), level)
    cell |= {"low": low, "high": high, "half_width": estimate.half_width(level)}
    return cell | {"error": estimate.error, "degrees": estimate.degrees, "records_error": estimate.records_error}


def estimate_of(cell: Mapping[str, Any]) -> Estimate:
    """Return the mean of a cell that has an interval."""
    names = ("mean", "error", "degrees", "replicates", "interval", "records_error")
    return Estimate(*(cell[name] for name in names))


def _cell(row: Any) -> dict[str, Any] | None:
    """Return mean, replicates and interval of a row of a summary."""
    if row is None or math.isnan(row.mean):
        return None
    return cell_of(Estimate.of_row(row), row.metric)
