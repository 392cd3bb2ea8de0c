"""The page of an audit: one HTML file for a data owner, made from the content of `audit.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.audit.advice import VERDICTS as MODEL_VERDICTS
from dpmia.audit.findings import blind_of, most_at_risk, without_interval
from dpmia.audit.formatting import (
    GUESSING_OF_HUNDRED,
    attack_name,
    below_resolution,
    describe_model,
    interval,
    metric_name,
    of_hundred,
    predictions_only,
)
from dpmia.audit.glossary import GLOSSARY, MEANING, TRIAL
from dpmia.audit.pictures import risk_picture, roc_picture
from dpmia.audit.plain import AT_LOW_RATE, few_records, guessed_at_low_rate, place
from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_bound, format_interval, format_number, rounded_up
from dpmia.formats.rows import BLIND
from dpmia.metrics.ranking import LOW_RATES
from dpmia.report.page import Section, render

#: Attacks that rank records by the loss alone.
BY_LOSS = ("average_threshold", "population")

#: How the limits of the config are kept: word, kind and sign of the badge.
VERDICTS = {
    "passed": ("within the limits", "good", "✓"),
    "failed": ("above a limit", "bad", "✗"),
    "undecided": ("not shown to be within the limits", "open", "?"),
    "not_evaluated": ("cannot be evaluated", "open", "?"),
    "none": ("no limit set", "none", ""),
}


#: Kind of a column of numbers whose intervals may stand below them.
BROKEN = "number broken"


def page(audit: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        audit: the content of `audit.json`.
    """
    names = list(audit["experiments"])
    sections = [
        Section("result", "Result"),
        Section("advice", "What to do"),
        Section("plain", "In plain words"),
        Section("limits", "Limits"),
        Section("data", "The data"),
        Section("attacks", "How well attacks do", [Section(f"of-{name}", name) for name in names]),
        *([Section("groups", "Risk of each group")] if audit["groups"] else []),
        *([Section("records", "The most exposed records")] if audit["exposed"] else []),
        *([Section("planning", "Privacy guarantees that could be given")] if audit["plan"] else []),
        Section("words", "Words"),
    ]
    run, data = audit["run"], dict.fromkeys(dataset["name"] for dataset in audit["data"])
    trained = [name for name in names if not predictions_only(audit["experiments"][name]["facts"])]
    return render(
        "audit.html",
        title="Audit: does the model reveal whose records it was trained on?",
        subtitle=f"{', '.join(data)}; scale {run['scale']}, seed {run['seed']}",
        mark=_mark(run),
        sections=sections,
        audit=audit,
        trained=trained,
        verdict=VERDICTS[audit["limits"]["verdict"]],
        verdict_groups=_verdict_groups(audit),
        model_verdicts=MODEL_VERDICTS,
        meaning=MEANING,
        glossary=GLOSSARY,
        exceeded=_held_rows(audit, "exceeded"),
        undecided=_held_rows(audit, "undecided"),
        metric_name=metric_name,
        remedies=_by_text(audit, "remedies"),
        untested=_by_text(audit, "untested"),
        tiles=_tiles(audit),
        tables={name: _attack_rows(audit, name) for name in names},
        columns=[
            *("members", "ε", "attack", ("advantage", BROKEN), ("bounds", BROKEN)),
            *(("AUC", BROKEN), ("beyond the baseline", BROKEN)),
            *(("TPR at 1 % FPR", BROKEN), ("at 0.1 %", BROKEN)),
        ],
        warnings={name: _warnings(audit, name) for name in names},
        pictures={name: risk_picture(audit, name) for name in names},
        roc={name: roc_picture(audit, name) for name in names},
        accuracies={name: _accuracy_rows(audit, name) for name in names},
        useless={name: _no_better_than_majority(audit, name) for name in names},
        sizes={name: _size_rows(audit, name) for name in names},
        groups=_group_rows(audit),
        exposed=[_exposed(audit, arm) for arm in audit["exposed"]],
        plan=_plan_rows(audit["plan"]),
    )


def _mark(run: Mapping[str, Any]) -> str:
    """Return what must be known before any number is read; nothing for a run on real data that is no trial."""
    synthetic = ["Synthetic data: no number here says anything about real records."] if run["synthetic"] else []
    return " ".join([*synthetic, *([TRIAL] if run["scale"] == "smoke" else [])])


def _verdict_groups(audit: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Mapping[str, str]]]]]:
    """Return each kind of verdict that some model has, the worst first, with its experiments and models."""
    given = [(name, verdict) for name, experiment in audit["experiments"].items() for verdict in experiment["verdicts"]]
    groups = (
        (kind, [(name, verdict) for name, verdict in given if verdict["verdict"] == kind]) for kind in MODEL_VERDICTS
    )
    return [(kind, models) for kind, models in groups if models]


def _held_rows(audit: Mapping[str, Any], kind: str) -> list[list[str]]:
    """Return the means that exceed a limit (`exceeded`), or that it is not known of (`undecided`)."""
    labels = {(entry["experiment"], entry["arm"]): entry["label"] for entry in audit["results"]}
    return [
        [
            *(mean["experiment"], labels[mean["experiment"], mean["arm"]], format_epsilon(float(mean["epsilon"]))),
            *(attack_name(mean["attack"]), metric_name(mean["metric"])),
            *(format_interval(mean["value"], mean["low"], mean["high"], 3), format_number(mean["limit"], 3)),
        ]
        for mean in audit["limits"][kind]
    ]


def _by_text(audit: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Return each sentence once with the experiments that it is about; no names where it is about all."""
    names_by_text: dict[str, list[str]] = {}
    for name, experiment in audit["experiments"].items():
        for text in experiment[key]:
            names_by_text.setdefault(text, []).append(name)
    return [
        ("" if len(names) == len(audit["experiments"]) else ", ".join(names), text)
        for text, names in names_by_text.items()
    ]


def _tiles(audit: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    results = audit["results"]
    tiles = []
    kinds = (
        (True, False, "drawn from one pool"),
        (False, False, "not drawn from one pool with the non-members"),
        (False, True, "of the table"),
    )
    for iid, given, whose in kinds:
        named = [
            name
            for name, experiment in audit["experiments"].items()
            if iid or predictions_only(experiment["facts"]) == given
        ]
        entries = [entry for entry in results if entry["experiment"] in named]
        worst = most_at_risk(entries, iid=iid)
        if worst is not None:
            title = f"of 100 times the member is ranked above the non-member: members {whose}"
            remark = "; ".join(
                [
                    f"strongest attack on the model most at risk: {_model(audit, worst)} ({place(worst)})",
                    *_without_interval(audit, entries, worst, "auc", iid),
                    *_without_model(results, worst, "auc"),
                    "guessing: 50",
                ]
            )
            tiles.append(
                (of_hundred(worst["auc"], GUESSING_OF_HUNDRED), title, " ".join([f"{remark}.", *few_records(worst)]))
            )
    worst = most_at_risk(results, AT_LOW_RATE)
    if worst is not None:
        remark = "; ".join(
            [
                f"{_model(audit, worst)} ({place(worst)}), {attack_name(worst['attack'])}",
                *_without_interval(audit, results, worst, AT_LOW_RATE),
                *_without_model(results, worst, AT_LOW_RATE),
                f"guessing: {100 * guessed_at_low_rate(worst):.2g}",
            ]
        )
        title = "of 100 members found at a false positive rate of 1 %, at worst"
        tiles.append((of_hundred(worst[AT_LOW_RATE]), title, f"{remark}."))
    return tiles


def _model(audit: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    return describe_model(audit["experiments"][entry["experiment"]]["facts"], entry["epsilon"])


def _without_interval(
    audit: Mapping[str, Any],
    entries: Sequence[Mapping[str, Any]],
    worst: Mapping[str, Any],
    metric: str,
    iid: bool | None = None,
) -> list[str]:
    """Return the largest mean without an interval, where it exceeds the one that is shown; nothing without any."""
    larger = without_interval(entries, metric, worst, iid)
    if larger is None:
        return []
    by = f"{attack_name(larger['attack'])}, {_model(audit, larger)} ({place(larger)})"
    return [f"larger, but without an interval: {of_hundred(larger[metric])} by {by}"]


def _without_model(entries: Sequence[Mapping[str, Any]], entry: Mapping[str, Any], metric: str) -> list[str]:
    """Return what the blind baseline reaches on the same records; nothing where members come from one pool."""
    blind = None if entry["iid"] else blind_of(entries, entry)
    return [] if blind is None or blind[metric] is None else [f"blind baseline: {of_hundred(blind[metric])}"]


def _attack_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    rows = []
    for entry in audit["results"]:
        if entry["experiment"] != name:
            continue
        attack = attack_name(entry["attack"]) + (" (oracle)" if entry["oracle"] else "")
        epsilon = format_epsilon(float(entry["epsilon"]))
        if entry["attack"] == BLIND:
            attack, epsilon = "blind baseline", "any"
        bounds = "none" if entry["bound"] is None else format_bound(entry["bound"])
        if entry["ceiling"] is not None:
            bounds += f", {format_bound(entry['ceiling'])}"
        bounded = entry["bound"] is not None or entry["ceiling"] is not None
        if bounded and audit["experiments"][name]["facts"].get("stated"):
            bounds += " (stated)"
        rates = [
            interval(entry[metric]) if entry[metric] else below_resolution(entry["resolution"]) for metric in LOW_RATES
        ]
        bounds = "-" if entry["attack"] == BLIND else bounds
        risks = [_unbroken(interval(entry[metric])) for metric in ("advantage", "auc", "auc_excess")]
        row = [entry["label"], epsilon, attack, risks[0], bounds, *risks[1:], *map(_unbroken, rates)]
        if row not in rows:
            rows.append(row)
    return rows


def _unbroken(text: str) -> str:
    """Return a number with its interval such that a line can end between the two only."""
    return text.replace(", ", ",\u00a0").replace("< ", "<\u00a0")


def _warnings(audit: Mapping[str, Any], name: str) -> list[str]:
    """Return why bounds are missing, each reason once with the arms it is for."""
    reasons: dict[str, list[str]] = {}
    for entry in audit["results"]:
        if entry["experiment"] == name and entry["warning"]:
            model = f"{entry['label']}, epsilon {format_epsilon(float(entry['epsilon']))}"
            reasons.setdefault(entry["warning"], []).append(model)
    return [f"{reason} ({'; '.join(dict.fromkeys(models))})." for reason, models in reasons.items()]


def _accuracy_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    return [
        [
            *(row["label"], format_epsilon(float(row["epsilon"]))),
            *(
                interval(row["accuracy_members"]),
                interval(row["accuracy_nonmembers"]),
                format_number(row["majority"], 2),
            ),
        ]
        for row in audit["accuracy"]
        if row["experiment"] == name
    ]


def _no_better_than_majority(audit: Mapping[str, Any], name: str) -> list[str]:
    """Return the models that are not shown to be better than always predicting the largest class."""
    return [
        f"{row['label']}, epsilon {format_epsilon(float(row['epsilon']))}"
        for row in audit["accuracy"]
        if row["experiment"] == name
        and row["accuracy_nonmembers"] is not None
        and row["majority"] is not None
        and _low(row["accuracy_nonmembers"]) <= row["majority"]
    ]


def _low(cell: Mapping[str, Any]) -> float:
    return cell["mean"] if cell["low"] is None else cell["low"]


def _size_rows(audit: Mapping[str, Any], name: str) -> list[list[str]]:
    labels = {entry["arm"]: entry["label"] for entry in audit["results"] if entry["experiment"] == name}
    return [
        [labels.get(arm, arm), *(_size(size[part]) for part in ("members", "nonmembers", "population"))]
        for arm, size in audit["experiments"][name]["sizes"].items()
    ]


def _size(count: int | list[int]) -> str:
    """Return a size; where it is random, the smallest and the largest."""
    return str(count) if isinstance(count, int) else " to ".join(map(str, count))


def _group_rows(audit: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            *(risk["group"], risk["experiment"], format_epsilon(float(risk["epsilon"])), interval(risk["auc"])),
            *(interval(risk["iid_auc"]), interval(risk["dependence_index"]), interval(risk["auc_excess"])),
        ]
        for risk in audit["groups"]
    ]


def _exposed(audit: Mapping[str, Any], exposed: Mapping[str, Any]) -> dict[str, Any]:
    def share(above: float) -> str:
        return format_number(above) if above * exposed["nonmembers"] >= 1 else f"< 1/{exposed['nonmembers']}"

    title = f"{_model(audit, exposed)}, members: {exposed['label']}"
    rows = [
        [
            *(str(record["rank"]), str(record["row"]), record["group"] or "-"),
            *(share(record["above"]), f"{record['score']:.4g}", str(record["models"])),
        ]
        for record in exposed["records"]
    ]
    notes = []
    if exposed["unseen"] > len(exposed["records"]):
        notes.append(
            f"{exposed['unseen']} members lie above all, or nearly all, {exposed['nonmembers']} non-members; "
            "among them the score of the attack gives the order."
        )
    if exposed["tied"]:
        notes.append(f"{exposed['tied']} further members have the share and the score of the last one listed.")
    return {
        "title": title,
        "rows": rows,
        "notes": [*notes, _stability(exposed)],
        "attack": attack_name(exposed["attack"]),
    }


def _stability(exposed: Mapping[str, Any]) -> str:
    stable = exposed["stability"]
    if stable is None:
        return "Whether other models would list the same records is unknown: no two models share enough members."
    compared = (
        f"mean Jaccard index of {stable['pairs']} pairs of models {format_number(stable['jaccard'], 2)}, by chance "
        f"{format_number(stable['by_chance'], 2)}"
    )
    if stable["stable"] and exposed["attack"] in BY_LOSS:
        return (
            f"The list is stable ({compared}), as a list by the loss alone is wherever some records are easier than "
            "others: it does not show whether the model learnt these from their being members."
        )
    if stable["stable"]:
        return f"The list is stable: other models list mostly the same records ({compared})."
    return f"The list is not stable: it is about these models rather than about these records ({compared})."


def _plan_rows(plan: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    def short(value: float | None) -> str:
        return "-" if value is None else rounded_up(value)

    return [
        [
            *(str(row["members"]), short(row["epsilon"]), short(row["noise_multiplier"])),
            *(short(row["exact_precision"]), row["remark"] or ""),
        ]
        for row in plan
    ]
