"""The page of an audit: one HTML file for a data owner, made from the content of `audit.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpmia.audit.choices import best, blind_of, select, without_interval
from dpmia.audit.content import AuditContent, AuditRun, ExposedArm, PlannedRow
from dpmia.audit.entries import Accuracy, Entry, GroupRisk
from dpmia.audit.formatting import (
    GUESSING_OF_HUNDRED,
    attack_name,
    below_resolution,
    describe_model,
    interval,
    metric_name,
    of_hundred,
)
from dpmia.audit.glossary import GLOSSARY, MEANING, TRIAL
from dpmia.audit.limits import LimitedMean
from dpmia.audit.pictures import risk_picture, roc_picture
from dpmia.audit.plain import AT_LOW_RATE, few_records, place
from dpmia.audit.verdicts import MODEL_VERDICTS, ModelVerdict
from dpmia.claims.release_limits import FAILED, NONE, NOT_EVALUATED, PASSED, UNDECIDED
from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import (
    MISSING,
    format_bound,
    format_interval,
    format_number,
    format_significant,
    rounded_up,
)
from dpmia.formats.rows import BLIND
from dpmia.metrics.ranking import LOW_RATES
from dpmia.report.guarantees import GUARANTEE_COLUMNS, guarantee_cells
from dpmia.report.page import Section, render

#: How the limits of the config are kept: word, kind and sign of the badge.
LIMIT_VERDICTS = {
    PASSED: ("within the limits", "good", "✓"),
    FAILED: ("above a limit", "bad", "✗"),
    UNDECIDED: ("not shown to be within the limits", "open", "?"),
    NOT_EVALUATED: ("cannot be evaluated", "open", "?"),
    NONE: ("no limit set", "none", ""),
}


#: Kind of a column of numbers whose intervals may stand below them.
BROKEN = "number broken"


class Tile(NamedTuple):
    """A number that stands out at the top of the page: its text, what it is, and a remark."""

    number: str
    title: str
    remark: str


class ExposedCard(NamedTuple):
    """The most exposed records of an arm, as the page shows them."""

    title: str
    rows: list[list[str]]
    notes: list[str]
    attack: str


def page(audit: AuditContent) -> str:
    """Return the page."""
    names = list(audit.experiments)
    sections = [
        Section("result", "Result"),
        Section("advice", "What to do"),
        Section("plain", "In plain words"),
        Section("limits", "Limits"),
        Section("data", "The data"),
        Section("attacks", "How well attacks do", [Section(f"of-{name}", name) for name in names]),
        *([Section("groups", "Risk of each group")] if audit.groups else []),
        *([Section("records", "The most exposed records")] if audit.exposed else []),
        *([Section("planning", "Privacy guarantees that could be given")] if audit.plan else []),
        Section("words", "Words"),
    ]
    run, data = audit.run, dict.fromkeys(origin.name for origin in audit.data)
    trained = [name for name in names if not audit.experiments[name].description.predictions_only]
    return render(
        "audit.html",
        title="Audit: does the model reveal whose records it was trained on?",
        subtitle=f"{', '.join(data)}; scale {run.scale}, seed {run.seed}",
        mark=mark(run),
        sections=sections,
        audit=audit,
        trained=trained,
        verdict=LIMIT_VERDICTS[audit.limits.verdict],
        verdict_groups=_verdict_groups(audit),
        model_verdicts=MODEL_VERDICTS,
        meaning=MEANING,
        glossary=GLOSSARY,
        exceeded=_held_rows(audit, audit.limits.exceeded),
        undecided=_held_rows(audit, audit.limits.undecided),
        metric_name=metric_name,
        remedies=_by_text({name: experiment.remedies for name, experiment in audit.experiments.items()}),
        untested=_by_text({name: experiment.untested for name, experiment in audit.experiments.items()}),
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
        guarantees={name: _guarantee_rows(audit, name) for name in names},
        guarantee_columns=["members", *GUARANTEE_COLUMNS],
        accuracies={name: _accuracy_rows(audit, name) for name in names},
        useless={name: _no_better_than_majority(audit, name) for name in names},
        sizes={name: _size_rows(audit, name) for name in names},
        groups=_group_rows(audit),
        exposed=[_exposed(audit, arm) for arm in audit.exposed],
        plan=_plan_rows(audit.plan),
    )


def mark(run: AuditRun) -> str:
    """Return what must be known before any number is read; nothing for a run on real data that is no trial."""
    synthetic = ["Synthetic data: no number here says anything about real records."] if run.synthetic else []
    return " ".join([*synthetic, *([TRIAL] if run.scale == "smoke" else [])])


def _verdict_groups(audit: AuditContent) -> list[tuple[str, list[tuple[str, ModelVerdict]]]]:
    """Return each kind of verdict that some model has, the worst first, with its experiments and models."""
    given = [(name, verdict) for name, experiment in audit.experiments.items() for verdict in experiment.verdicts]
    groups = (
        (kind, [(name, verdict) for name, verdict in given if verdict.verdict == kind]) for kind in MODEL_VERDICTS
    )
    return [(kind, models) for kind, models in groups if models]


def _held_rows(audit: AuditContent, means: Sequence[LimitedMean]) -> list[list[str]]:
    labels = {(entry.experiment, entry.arm): entry.label for entry in audit.results}
    return [
        [
            *(mean.experiment, labels[mean.experiment, mean.arm], _epsilon(audit, mean)),
            *(attack_name(mean.attack) + " (turned round)" * mean.turned, metric_name(mean.metric)),
            *(format_interval(mean.value, mean.low, mean.high, 3), format_number(mean.limit, 3)),
        ]
        for mean in means
    ]


def _by_text(texts: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return each sentence once with the experiments that it is about; no names where it is about all."""
    names_by_text: dict[str, list[str]] = {}
    for name, of_experiment in texts.items():
        for text in of_experiment:
            names_by_text.setdefault(text, []).append(name)
    return [("" if len(names) == len(texts) else ", ".join(names), text) for text, names in names_by_text.items()]


def _tiles(audit: AuditContent) -> list[Tile]:
    results = audit.results
    tiles = []
    kinds = (
        (True, False, "drawn from one pool"),
        (False, False, "not drawn from one pool with the non-members"),
        (False, True, "of the table"),
    )
    for iid, given, whose in kinds:
        named = [
            name
            for name, experiment in audit.experiments.items()
            if iid or experiment.description.predictions_only == given
        ]
        entries = [entry for entry in select(results, iid=iid) if entry.experiment in named]
        worst = best(entries)
        if worst is not None:
            title = f"of 100 times the member is ranked above the non-member: members {whose}"
            remark = "; ".join(
                [
                    f"strongest attack on the model most at risk: {_model(audit, worst)} ({place(worst)})",
                    *_without_interval(audit, entries, worst, "auc"),
                    *_baseline(results, worst, "auc"),
                    "guessing: 50",
                ]
            )
            number = of_hundred(worst.auc, GUESSING_OF_HUNDRED)
            tiles.append(Tile(number, title, " ".join([f"{remark}.", *few_records(worst)])))
    worst = best(results, AT_LOW_RATE)
    if worst is not None:
        remark = "; ".join(
            [
                f"{_model(audit, worst)} ({place(worst)}), {attack_name(worst.attack)}",
                *_without_interval(audit, results, worst, AT_LOW_RATE),
                *_baseline(results, worst, AT_LOW_RATE),
                f"guessing: {format_significant(100 * worst.guessed(AT_LOW_RATE), 2)}",
            ]
        )
        title = "of 100 members found at a false positive rate of 1 %, at worst"
        tiles.append(Tile(of_hundred(worst.cell(AT_LOW_RATE)), title, f"{remark}."))
    return tiles


def _model(audit: AuditContent, entry: Entry | ExposedArm) -> str:
    return describe_model(audit.experiments[entry.experiment].description, entry.epsilon)


def _epsilon(audit: AuditContent, row: Entry | Accuracy | GroupRisk | LimitedMean) -> str:
    """Return the epsilon of a row; of predictions without one nobody knows whether the model has a guarantee."""
    unknown = row.epsilon == "inf" and audit.experiments[row.experiment].description.predictions_only
    return "not stated" if unknown else format_epsilon(float(row.epsilon))


def _without_interval(audit: AuditContent, entries: Sequence[Entry], worst: Entry, metric: str) -> list[str]:
    """Return the largest mean without an interval, where it exceeds the one that is shown; nothing without any."""
    larger = without_interval(entries, metric, worst)
    if larger is None:
        return []
    by = f"{attack_name(larger.attack)}, {_model(audit, larger)} ({place(larger)})"
    return [f"larger, but without an interval: {of_hundred(larger.cell(metric))} by {by}"]


def _baseline(entries: Sequence[Entry], entry: Entry, metric: str) -> list[str]:
    """Return what the blind baseline reaches on the same records; nothing where members come from one pool."""
    blind = None if entry.iid else blind_of(entries, entry)
    reached = None if blind is None else blind.metrics[metric]
    return [] if reached is None else [f"blind baseline: {of_hundred(reached)}"]


def _attack_rows(audit: AuditContent, name: str) -> list[list[str]]:
    rows = []
    for entry in select(audit.results, experiment=name):
        attack = attack_name(entry.attack) + (" (oracle)" if entry.oracle else "")
        epsilon = _epsilon(audit, entry)
        if entry.attack == BLIND:
            attack, epsilon = "blind baseline", "any"
        bounds = "none" if entry.bound is None else format_bound(entry.bound)
        if entry.ceiling is not None:
            bounds += f", {format_bound(entry.ceiling)}"
        bounded = entry.bound is not None or entry.ceiling is not None
        if bounded and audit.experiments[name].description.stated:
            bounds += " (stated)"
        rates = [
            interval(cell) if (cell := entry.metrics[metric]) else below_resolution(entry.resolution)
            for metric in LOW_RATES
        ]
        bounds = MISSING if entry.attack == BLIND else bounds
        risks = [_unbroken(interval(entry.metrics[metric])) for metric in ("advantage", "auc", "auc_excess")]
        row = [entry.label, epsilon, attack, risks[0], bounds, *risks[1:], *map(_unbroken, rates)]
        if row not in rows:
            rows.append(row)
    return rows


def _unbroken(text: str) -> str:
    """Return a number with its interval such that a line can end between the two only."""
    return text.replace(", ", ",\u00a0").replace("< ", "<\u00a0")


def _warnings(audit: AuditContent, name: str) -> list[str]:
    """Return why bounds are missing, each reason once with the arms it is for."""
    reasons: dict[str, list[str]] = {}
    for entry in select(audit.results, experiment=name):
        if entry.warning:
            model = f"{entry.label}, epsilon {_epsilon(audit, entry)}"
            reasons.setdefault(entry.warning, []).append(model)
    return [f"{reason} ({'; '.join(dict.fromkeys(models))})." for reason, models in reasons.items()]


def _guarantee_rows(audit: AuditContent, name: str) -> list[list[str]]:
    return [
        [models.label, *guarantee_cells(models.guarantee)] for models in audit.guarantees if models.experiment == name
    ]


def _accuracy_rows(audit: AuditContent, name: str) -> list[list[str]]:
    return [
        [
            *(model.label, _epsilon(audit, model)),
            *(interval(model.members), interval(model.nonmembers), format_number(model.majority, 2)),
        ]
        for model in audit.accuracy
        if model.experiment == name
    ]


def _no_better_than_majority(audit: AuditContent, name: str) -> list[str]:
    """Return the models that are not shown to be better than always predicting the largest class."""
    return [
        f"{model.label}, epsilon {_epsilon(audit, model)}"
        for model in audit.accuracy
        if model.experiment == name
        and (reached := model.nonmembers) is not None
        and model.majority is not None
        and (reached.mean if reached.low is None else reached.low) <= model.majority
    ]


def _size_rows(audit: AuditContent, name: str) -> list[list[str]]:
    labels = {entry.arm: entry.label for entry in select(audit.results, experiment=name)}
    return [
        [
            labels.get(arm, arm),
            *(" to ".join(map(str, size[kind])) for kind in ("members", "nonmembers", "population")),
        ]
        for arm, size in audit.experiments[name].sizes.items()
    ]


def _group_rows(audit: AuditContent) -> list[list[str]]:
    return [
        [
            *(risk.group, risk.experiment, _epsilon(audit, risk), interval(risk.auc)),
            *(interval(risk.iid_auc), interval(risk.dependence_index), interval(risk.auc_excess)),
        ]
        for risk in audit.groups
    ]


def _exposed(audit: AuditContent, exposed: ExposedArm) -> ExposedCard:
    def share(above: float) -> str:
        return format_number(above) if above * exposed.nonmembers >= 1 else f"< 1/{exposed.nonmembers}"

    title = f"{_model(audit, exposed)}, members: {exposed.label}"
    rows = [
        [
            *(str(record.rank), str(record.row), record.group or MISSING),
            *(share(record.above), "infinite" if record.score is None else format_significant(record.score)),
            str(record.models),
        ]
        for record in exposed.records
    ]
    notes = []
    if exposed.unseen > len(exposed.records):
        notes.append(
            f"{exposed.unseen} members lie above all, or nearly all, {exposed.nonmembers} non-members; "
            "among them the score of the attack gives the order."
        )
    if exposed.tied:
        notes.append(f"{exposed.tied} further members have the share and the score of the last one listed.")
    return ExposedCard(title, rows, [*notes, _stability(exposed)], attack_name(exposed.attack))


def _stability(exposed: ExposedArm) -> str:
    agreement = exposed.stability
    if agreement is None:
        return "Whether other models would list the same records is unknown: no two models share enough members."
    compared = (
        f"mean Jaccard index of {agreement.pairs} pairs of models {format_number(agreement.jaccard, 2)}, by chance "
        f"{format_number(agreement.by_chance, 2)}"
    )
    if agreement.stable and exposed.by_loss:
        return (
            f"The list is stable ({compared}), as a list by the loss alone is wherever some records are easier than "
            "others: it does not show whether the model learnt these from their being members."
        )
    if agreement.stable:
        return f"The list is stable: other models list mostly the same records ({compared})."
    return f"The list is not stable: it is about these models rather than about these records ({compared})."


def _plan_rows(plan: Sequence[PlannedRow]) -> list[list[str]]:
    def short(value: float | None) -> str:
        return MISSING if value is None else rounded_up(value)

    return [
        [
            *(str(row.members), short(row.epsilon), short(row.noise_multiplier)),
            *(short(row.exact_precision), row.remark),
        ]
        for row in plan
    ]
