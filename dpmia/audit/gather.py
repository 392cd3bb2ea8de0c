"""From the files of a run to what an audit found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmia import __version__
from dpmia.attacks.hypothesis import Population
from dpmia.attacks.threshold import AverageThreshold
from dpmia.audit import advice, findings
from dpmia.audit.choices import attacks_of, best, select
from dpmia.audit.content import (
    ArmCurve,
    AuditContent,
    AuditedExperiment,
    AuditRun,
    DataFile,
    ExposedArm,
    ExposedRow,
    Origin,
    Planned,
    PlannedRow,
    PrivateModels,
)
from dpmia.audit.entries import Accuracy, Entry
from dpmia.audit.limits import audit_limits
from dpmia.audit.plain import plain_words
from dpmia.audit.scores import Scores, collect_scores, roc_curve
from dpmia.audit.verdicts import verdicts
from dpmia.claims.limits import ERROR, ERROR_OF_LOOK
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.optional import needed
from dpmia.common.reading.source import made
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.own.table import describe
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import BLIND_WITH_LOSS, NO_ATTACK
from dpmia.formats.signals import load_header
from dpmia.formats.tables import read_table
from dpmia.jobs.auditing import AuditedDescription, AuditJob, AuditPart
from dpmia.metrics.exposure import ExposedRecord
from dpmia.privacy.plan_request import PlanRequest
from dpmia.privacy.planner import plan
from dpmia.splits.sizes import arm_sizes
from dpmia.splits.split import load_splits

#: Attacks that rank records by the loss alone.
BY_LOSS = (AverageThreshold, Population)

#: Sampling rates that are planned for, as shares of the bound.
PLANNED_SHARES = (0.2, 0.5, 0.8)


def gather(job: AuditJob) -> AuditContent:
    """Return what an audit found.

    Raises:
        DataError: a file is damaged.
    """
    datasets = {part.dataset: Dataset.load(part.dataset) for part in job.parts.values() if part.dataset}
    origins = _origins(job.parts, datasets)
    results: list[Entry] = []
    accuracy: list[Accuracy] = []
    guarantees: list[PrivateModels] = []
    exposed: list[ExposedArm] = []
    curves: list[ArmCurve] = []
    experiments: dict[str, AuditedExperiment] = {}
    for name, part in job.parts.items():
        summary = read_table(part.summary, [*LIMITS, "replicates", *UNCERTAINTY])
        scores = collect_scores(part.attacks, part.signals, job.seed)
        _check_rows(summary, scores, part.summary)
        entries = findings.results(summary, part.description, scores.sizes, part.groups)
        majority = {model: float(np.mean(shares)) for model, shares in scores.majority.items()}
        accurate = findings.accuracy(summary, majority, part.groups)
        dataset = datasets[part.dataset] if part.dataset else None
        results += entries
        accuracy += accurate
        guarantees += _guarantees(name, scores, part.groups)
        curves += _curves(scores, entries)
        exposed += _exposed(name, part, scores, entries, dataset, job.seed)
        experiments[name] = AuditedExperiment(
            description=part.description,
            sizes=_sizes(part, dataset),
            how=_how(part),
            in_plain_words=plain_words(entries, part.description),
            verdicts=verdicts(entries, part.description),
            remedies=advice.remedies(entries, accurate, part.description),
            untested=advice.untested(entries, part.description),
        )
    planned, rows = _planned(job, datasets)
    return AuditContent(
        run=AuditRun(job.data, job.scale, job.seed, any(origin.synthetic for origin in origins), __version__),
        data=origins,
        experiments=experiments,
        results=results,
        accuracy=accuracy,
        guarantees=guarantees,
        roc=curves,
        groups=findings.group_risks(results, {name: part.groups for name, part in job.parts.items()}),
        without_arm=_without_arm(job.parts, datasets),
        exposed=exposed,
        limits=audit_limits(results, job.fail_above, job.epsilons, ERROR_OF_LOOK if job.looks else ERROR),
        planned=planned,
        plan=rows,
    )


def _check_rows(summary: pd.DataFrame, scores: Scores, path: str) -> None:
    """Refuse a summary that lacks rows, has some of models that are not there, or has infinite numbers.

    Raises:
        DataError: it is such a summary.
    """
    infinite = np.isinf(summary[[*LIMITS, *UNCERTAINTY]].select_dtypes("number")).any(axis=1)
    if infinite.any():
        raise made(path).error("a number is infinite", f", line {int(np.argmax(infinite)) + 2}")
    attacked = summary[~summary["attack"].isin([NO_ATTACK, BLIND_WITH_LOSS])]
    for (arm, _, epsilon, attack), rows in attacked.groupby(["arm", "iid", "epsilon", "attack"]):
        where = f", {attack} on {arm}, epsilon {spell_epsilon(epsilon)}"
        if (arm, spell_epsilon(epsilon)) not in scores.members:
            raise made(path).error("there are no such models", where)
        if not {"auc", "resolution"} <= {*rows["metric"]}:
            raise made(path).error("rows are missing", where)
    if not len(attacked):
        raise made(path).error("it has no attack")


def _guarantees(name: str, scores: Scores, groups: Mapping[str, str]) -> list[PrivateModels]:
    """Return the privacy guarantees of an experiment; sizes of training sets, and so guarantees, differ by arm."""
    return [
        PrivateModels(name, arm, findings.label(arm, groups), count, guarantee)
        for (arm, _), guarantees in scores.guarantees.items()
        for guarantee, count in Counter(guarantees).items()
        if guarantee is not None
    ]


def _curves(scores: Scores, entries: Sequence[Entry]) -> list[ArmCurve]:
    """Return the ROC curve of every attack that is no oracle and no control, for each arm and epsilon."""
    return [
        ArmCurve(
            *(entry.experiment, entry.arm, entry.epsilon, entry.attack, len(models), entry.nonmembers),
            roc_curve(models, *(counts[entry.arm, entry.epsilon] for counts in (scores.members, scores.nonmembers))),
        )
        for entry in attacks_of(entries)
        if (models := scores.roc.get((entry.arm, entry.epsilon, entry.attack)))
    ]


def _exposed(
    name: str, part: AuditPart, scores: Scores, entries: Sequence[Entry], dataset: Dataset | None, seed: int
) -> list[ExposedArm]:
    """Return the most exposed records of each arm, for its largest epsilon, by the strongest attack run again here."""
    rng = np.random.default_rng(derive_seed(seed, "exposed", name))
    detected = dataset.provenance.own if dataset else None
    by = detected.by if detected else None
    arms = []
    for arm in dict.fromkeys(entry.arm for entry in entries):
        largest = max((entry.epsilon for entry in select(entries, arm=arm)), key=float)
        again = select(entries, arm=arm, epsilon=largest)
        strongest = best([entry for entry in again if (arm, largest, entry.attack) in scores.exposure])
        if strongest is None:
            continue
        exposure = scores.exposure[arm, largest, strongest.attack]
        most = exposure.most()
        arms.append(
            ExposedArm(
                *(strongest.experiment, arm, strongest.label, strongest.iid, largest, strongest.attack),
                records=[_row_of_file(record, dataset, by) for record in most.records],
                tied=most.tied,
                unseen=most.unseen,
                nonmembers=exposure.nonmembers,
                stability=exposure.agreement(rng),
                by_loss=isinstance(part.attacks[strongest.attack].make(), BY_LOSS),
            )
        )
    return arms


def _row_of_file(exposed: ExposedRecord, dataset: Dataset | None, by: str | None) -> ExposedRow:
    """Return an exposed record with its row of the user's file and its group, where they are known.

    Of predictions only, records are rows of the file (see `dpmia.evaluation.predictions`).
    """
    record = exposed.record
    return ExposedRow(
        int(dataset.rows[record]) if dataset is not None and dataset.rows is not None else record,
        str(dataset.attributes[by][record]) if dataset and by else None,
        *(exposed.rank, exposed.above, exposed.score if math.isfinite(exposed.score) else None, exposed.models),
    )


def _sizes(part: AuditPart, dataset: Dataset | None) -> dict[str, dict[str, list[int]]]:
    """Return the sizes of each arm; where they are random, the smallest and the largest over the replicates."""
    if dataset is None:
        return {}
    splits = {key: split for file in part.splits for key, split in load_splits(file, dataset).items()}
    return {
        arm: {kind: sorted({min(sizes[kind]), max(sizes[kind])}) for kind in ("members", "nonmembers", "population")}
        for arm, sizes in arm_sizes(splits).items()
    }


def _how(part: AuditPart) -> str:
    """Return how the models of an experiment were trained, in a few sentences."""
    models = part.description
    if part.dataset is None:
        return "Predictions of one model: nothing was trained here."
    trained = f"{models.passes}, {models.optimiser}" if models.epochs else "fitted by scikit-learn"
    if models.program:
        trained = f"trained by the command {models.program!r} of the user, which dpmia runs and does not check"
    sentences = [
        f"Model: {models.architecture}; {trained}; {models.replicates} replicates, each with members of its own."
    ]
    if models.references:
        sentences.append(
            f"The attacker trains {models.references} reference models for each arm (its IID arm, where it has one), "
            f"{'with the same epsilon' if models.private_references else 'without privacy'}, on further draws of the "
            "same sizes: each record that can be drawn was in the training set of some of them and not of others."
        )
    if models.offline_a:
        sentences.append(f"Offline RMIA takes offline_a = {models.offline_a}.")
    return " ".join(sentences)


def _origins(parts: Mapping[str, AuditPart], datasets: Mapping[str, Dataset]) -> list[Origin]:
    origins = []
    for data in datasets.values():
        origins.append(_origin(data.name, describe(data.provenance), data.provenance))
    for name, part in parts.items():
        if part.dataset is None:
            path = part.signals[0]
            with made(path).faults("its header does not say which file it was read from"):
                provenance = Provenance.from_plain(load_header(path)["provenance"])
            origins.append(_origin(name, ["Predictions of one model."], provenance))
    return origins


def _origin(name: str, description: list[str], provenance: Provenance) -> Origin:
    origin = Origin(
        name=name,
        description=description,
        files=[DataFile(file.name, file.sha256, file.rows) for file in provenance.files],
        synthetic=provenance.synthetic,
    )
    own = provenance.own
    if own is None:
        return origin
    return replace(
        origin,
        columns=own.columns,
        groups=own.groups,
        classes=own.classes,
        records=own.records,
        by=own.by,
        warnings=own.warnings,
    )


def _without_arm(parts: Mapping[str, AuditPart], datasets: Mapping[str, Dataset]) -> list[str]:
    """Return the groups of one's own files that are members of no arm of any experiment."""
    with_arm = {group for part in parts.values() for group in part.groups.values()}
    groups = [own.groups for data in datasets.values() if (own := data.provenance.own)]
    return sorted(
        {f"{group} ({count})" for counts in groups for group, count in counts.items() if group not in with_arm}
    )


def _planned(job: AuditJob, datasets: Mapping[str, Dataset]) -> tuple[Planned | None, list[PlannedRow]]:
    """Return the inputs of the planner, and its rows: settings of the first experiment that takes steps of ours."""
    for part in job.parts.values():
        models = part.description
        if part.dataset and _can_be_planned(models, job.acceptance):
            planned = Planned(
                *(job.bound, len(datasets[part.dataset]), models.batch_size, models.epochs),
                *(needed(models.delta), job.acceptance),
            )
            rates = tuple(share * job.bound for share in PLANNED_SHARES)
            table = plan(PlanRequest(**planned.plain(), relation=job.relation, rates=rates))
            rows = table.astype(object).where(table.notna(), None).to_dict("records")
            return planned, [PlannedRow(**{str(key): value for key, value in row.items()}) for row in rows]
    return None, []


def _can_be_planned(models: AuditedDescription, acceptance: float) -> bool:
    """Return whether models take steps, and have a delta below the share of members that attacks must find.

    A larger one bounds no precision.
    """
    return bool(models.epochs) and models.delta is not None and models.delta < acceptance
