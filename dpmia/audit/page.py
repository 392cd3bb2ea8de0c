"""`audit.html`: what an audit found, as one page that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpmia.audit.findings import LOW_RATES, attacks_of, best, blind_of
from dpmia.audit.words import answers_only, below, interval, model_of, of_hundred
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.report.page import Picture, Section, picture, render
from dpmia.rows import BLIND
from dpmia.settings.arms import IID_SUFFIX

#: Whether the limits of the config are kept: word, kind and sign of the badge.
VERDICTS = {
    "passed": ("within the limits", "good", "✓"),
    "failed": ("above a limit", "bad", "✗"),
    "untold": ("cannot be told", "open", "?"),
    "none": ("no limit set", "none", ""),
}


def page(audit: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        audit: the content of `audit.json`.
    """
    sections = [
        Section("plain", "In plain words"),
        Section("limits", "Limits"),
        Section("data", "The data"),
        Section("attacks", "How well attacks do", [Section(f"of-{name}", name) for name in audit["experiments"]]),
        *([Section("groups", "Risk of each group")] if audit["groups"] else []),
        *([Section("records", "The most exposed records")] if audit["exposed"] else []),
        Section("planning", "What could be promised"),
    ]
    run = audit["run"]
    return render(
        "audit.html",
        title="Audit: who can tell whose records were in it?",
        subtitle=f"{', '.join(each['name'] for each in audit['data'])}; scale {run['scale']}, seed {run['seed']}",
        mark="Stand-in data: no number here says anything about real records." if run["stand_in"] else "",
        sections=sections,
        audit=audit,
        verdict=VERDICTS[audit["limits"]["verdict"]],
        tiles=_tiles(audit),
        tables={name: _attack_rows(audit, name) for name in audit["experiments"]},
        columns=[
            *("members", "ε", "attack", ("advantage", "number"), ("bounds", "number")),
            *(("AUC", "number"), ("beyond the baseline", "number")),
            *(("TPR at 1 % FPR", "number"), ("at 0.1 %", "number")),
        ],
        warnings={name: _warnings(audit, name) for name in audit["experiments"]},
        pictures={name: _picture(audit, name) for name in audit["experiments"]},
        accuracies={name: _accuracy_rows(audit, name) for name in audit["experiments"]},
        sizes={name: _size_rows(audit, name) for name in audit["experiments"]},
        groups=_group_rows(audit),
        exposed=[_exposed(audit, each) for each in audit["exposed"]],
        plan=_plan_rows(audit["plan"]),
    )


def _tiles(audit: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found = audit["results"]
    tiles = []
    kinds = ((True, False, "of the same kind"), (False, False, "of other groups"), (False, True, "of a given table"))
    for iid, answers, words in kinds:
        named = [name for name, each in audit["experiments"].items() if iid or answers_only(each["facts"]) == answers]
        worst = best([each for each in found if each["experiment"] in named], iid=iid)
        if worst is not None:
            facts = audit["experiments"][worst["experiment"]]["facts"]
            remark = f"best attack on the worst model: {model_of(facts, worst['epsilon'])}; a coin: 50"
            remark += _without_model(found, worst, "auc")
            name = f"times the member is picked out of a member and a non-member {words}"
            tiles.append((of_hundred(worst["auc"]["mean"]), name, remark))
    rates = [each for each in attacks_of(found) if each["tpr_at_1pct_fpr"]]
    if rates:
        worst = max(rates, key=lambda each: each["tpr_at_1pct_fpr"]["mean"])
        remark = f"{worst['arm']}, {worst['attack'].replace('_', ' ')}, epsilon {_epsilon(worst['epsilon'])}"
        remark += _without_model(found, worst, "tpr_at_1pct_fpr")
        tiles.append(
            (of_hundred(worst["tpr_at_1pct_fpr"]["mean"]), "members found at one false alarm in 100, at worst", remark)
        )
    return tiles


def _without_model(found: Sequence[Mapping[str, Any]], entry: Mapping[str, Any], metric: str) -> str:
    """Return what the blind baseline reaches on the same records; nothing where members are of the same kind."""
    blind = None if entry["iid"] else blind_of(found, entry)
    return "" if blind is None or blind[metric] is None else f"; without any model: {100 * blind[metric]['mean']:.0f}"


def _attack_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    rows = []
    for each in audit["results"]:
        if each["experiment"] != name:
            continue
        attack = each["attack"].replace("_", " ") + (" (oracle)" if each["oracle"] else "")
        epsilon = _epsilon(each["epsilon"])
        if each["attack"] == BLIND:
            attack, epsilon = "blind baseline", "any"
        limit = "none" if each["bound"] is None else f"{each['bound']:.2f}, {_number(each['ceiling'])}"
        rates = [interval(each[metric]) if each[metric] else below(each) for metric in LOW_RATES]
        row = [_arm(each["arm"], each["iid"]), epsilon, attack, interval(each["advantage"])]
        row += ["-" if each["attack"] == BLIND else limit, interval(each["auc"]), interval(each["auc_excess"]), *rates]
        if row not in rows:
            rows.append(row)
    return rows


def _warnings(audit: Mapping[str, Any], name: str) -> list[str]:
    """Return why bounds are missing, each reason once with the arms it is for."""
    reasons: dict[str, list[str]] = {}
    for each in audit["results"]:
        if each["experiment"] == name and each["warning"]:
            place = f"{_arm(each['arm'], each['iid'])}, epsilon {_epsilon(each['epsilon'])}"
            reasons.setdefault(each["warning"], []).append(place)
    return [f"{reason} ({'; '.join(dict.fromkeys(places))})" for reason, places in reasons.items()]


def _accuracy_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    parts = ("accuracy_members", "accuracy_nonmembers")
    return [
        [
            _arm(row["arm"], row["arm"].endswith(IID_SUFFIX)),
            _epsilon(row["epsilon"]),
            *(interval(row[p]) for p in parts),
        ]
        for row in audit["accuracy"]
        if row["experiment"] == name
    ]


def _size_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    parts = ("members", "nonmembers", "population")
    return [
        [_arm(arm, arm.endswith(IID_SUFFIX)), *(_size(size[part]) for part in parts)]
        for arm, size in audit["experiments"][name]["sizes"].items()
    ]


def _size(count: int | list[int]) -> str:
    """Return a size; where it is random, the smallest and the largest."""
    return str(count) if isinstance(count, int) else " to ".join(map(str, count))


def _group_rows(audit: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            *(each["group"], each["experiment"], _epsilon(each["epsilon"]), interval(each["auc"])),
            *(interval(each["iid_auc"]), interval(each["dependence_index"]), interval(each["auc_excess"])),
        ]
        for each in audit["groups"]
    ]


def _exposed(audit: Mapping[str, Any], each: Mapping[str, Any]) -> dict[str, Any]:
    facts = audit["experiments"][each["experiment"]]["facts"]

    def share(above: float) -> str:
        return f"{above:.3f}" if above * each["nonmembers"] >= 1 else f"< 1/{each['nonmembers']}"

    title = f"{model_of(facts, each['epsilon'])}, members: {_arm(each['arm'], each['iid'])}"
    rows = [
        [str(record["row"]), record["group"] or "-", share(record["above"]), str(record["models"])]
        for record in each["records"]
    ]
    if each["stability"] is None:
        told = "How far other seeds would name the same records cannot be told: their models share too few members."
    else:
        stable = each["stability"]
        told = (
            f"Two seeds agree on {of_hundred(stable['jaccard'])} of such lists (by chance: "
            f"{of_hundred(stable['by_chance'])}; Jaccard index, pairs compared: {stable['pairs']})."
        )
        if stable["jaccard"] < 2 * stable["by_chance"]:
            told += " That is hardly more than chance: the list is about these models, not about these records."
    return {"title": title, "rows": rows, "told": told, "attack": each["attack"].replace("_", " ")}


def _plan_rows(plan: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [
        [
            *(str(row["members"]), _number(row["epsilon"]), _number(row["noise_multiplier"])),
            *(_number(row["exact_positive_accuracy"]), row["remark"] or ""),
        ]
        for row in plan
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"


def _picture(audit: Mapping[str, Any], name: str) -> Picture | None:
    """Return AUC and accuracy against epsilon; None where there is one epsilon only."""
    found = pd.DataFrame([each for each in audit["results"] if each["experiment"] == name])
    if found.empty or found["epsilon"].nunique() < 2:
        return None
    with TemporaryDirectory() as folder, drawing.style():
        path = Path(folder) / "audit.png"
        drawing.save(_drawn(audit, name), path)
        return picture(path, f"AUC of the best attack, and accuracy, against epsilon: {name}")


def _drawn(audit: Mapping[str, Any], name: str) -> Figure:
    run = audit["run"]
    figure, (risk, use) = drawing.panels(2, Facts(run["stand_in"], run["scale"]), width=4.2)
    results = [each for each in audit["results"] if each["experiment"] == name]
    epsilons = sorted({float(each["epsilon"]) for each in results})
    scale = drawing.EpsilonScale(epsilons)
    arms = [*dict.fromkeys((each["arm"], each["iid"]) for each in results)]
    for place, (arm, iid) in enumerate(arms):
        line, colour = ("--" if iid else "-"), drawing.COLOURS[place % len(drawing.COLOURS)]
        entries = [best(results, arm=arm, epsilon=epsilon) for epsilon in dict.fromkeys(e["epsilon"] for e in results)]
        drawing.band(risk, scale, _points(entries, "auc"), colour, _arm(arm, iid), line)
        rows = [each for each in audit["accuracy"] if each["experiment"] == name and each["arm"] == arm]
        drawing.band(use, scale, _points(rows, "accuracy_nonmembers"), colour, _arm(arm, iid), line)
    risk.axhline(0.5, color="0.7", linewidth=0.8, zorder=0)
    risk.set(title="best attack", ylabel="AUC")
    use.set(title="accuracy on non-members", ylabel="share that is right")
    for panel in (risk, use):
        scale.label(panel)
    drawing.legend(figure)
    return figure


def _points(entries: Sequence[Mapping[str, Any] | None], metric: str) -> pd.DataFrame:
    rows = [
        {"epsilon": float(each["epsilon"]), **{key: each[metric][key] for key in ("mean", "low", "high")}}
        for each in entries
        if each is not None and each[metric] is not None
    ]
    frame = pd.DataFrame(rows, columns=["epsilon", "mean", "low", "high"]).astype(float)
    return frame.assign(low=frame["low"].fillna(frame["mean"]), high=frame["high"].fillna(frame["mean"]))


def _arm(arm: str, iid: bool) -> str:
    return f"{arm.removesuffix(IID_SUFFIX)}, IID" if iid and arm.endswith(IID_SUFFIX) else arm


def _epsilon(epsilon: str) -> str:
    return "∞" if epsilon == "inf" else epsilon
