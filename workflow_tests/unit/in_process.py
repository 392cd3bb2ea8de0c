"""An experiment in one process: what the scripts call, in the order of the rules, on files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpmia.common.epsilon import spell_group
from dpmia.common.registry import load
from dpmia.datasets.canaries import with_canaries
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.accuracy import accuracy_rows
from dpmia.evaluation.attacks import AttackersModels, attack_rows
from dpmia.evaluation.blind_baseline import blind_rows
from dpmia.evaluation.summary import replicates_table, summary_table
from dpmia.formats.losses import save_losses
from dpmia.formats.signals import load_all, save_signals
from dpmia.formats.tables import table_of
from dpmia.jobs.attacking import AuditedAttack
from dpmia.jobs.auditing import AuditJob, AuditPart
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.descriptions import describe_audited
from dpmia.settings.experiment import Experiment
from dpmia.splits.block import draw_block
from dpmia.splits.overlap import arms_sharing_records
from dpmia.splits.split import save_splits
from dpmia.training.roles.references import train_references
from dpmia.training.roles.targets import train_block


def prepare(experiment: Experiment, root: Path) -> Dataset:
    """Read and encode the data set, as `scripts/prepare_dataset.py` does."""
    job = jobs.prepare_job(experiment)
    module = load(job.module)
    raw = module.read(root) if job.reading is None else module.read(root, job.reading)
    dataset = module.encode(raw, **job.options)
    return dataset if job.canaries is None else with_canaries(dataset, job.canaries)


def run(name: str, experiment: Experiment, dataset: Dataset, folder: Path, seed: int = 1) -> AuditPart:
    """Run an experiment of one block, and return what the report of an audit takes of it."""
    folder.mkdir(parents=True, exist_ok=True)
    dataset.save(folder / "data.npz")
    job = jobs.split_job(experiment, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, seed)
    save_splits(folder / "splits.npz", splits, dataset.fingerprint)
    signals = []
    for epsilons in experiment.epsilons:
        signals.append(folder / f"signals-{spell_group(epsilons)}.npz")
        trained = train_block(dataset, splits, jobs.train_job(experiment, epsilons, 0), seed)
        save_signals(signals[-1], trained, dataset.provenance)
    rows = accuracy_rows(name, load_all(signals))
    if experiment.blind:
        rows += blind_rows(name, dataset, signals, jobs.blind_job(experiment, 0), seed)
    attacks = {}
    for attack in experiment.attacks:
        references = _references(experiment, attack, dataset, splits, folder, seed)
        job = jobs.attack_job(experiment, attack)
        made = job.make()
        rows += attack_rows(name, attack, made, signals, seed, models=AttackersModels(references=references))
        attacks[attack] = AuditedAttack(job.attack, job.options, references)
    rows = replicates_table(table_of(rows), arms_sharing_records(splits))
    rows.to_csv(folder / "replicates.csv", index=False)
    summary_table(rows).to_csv(folder / "summary.csv", index=False)
    return AuditPart(
        description=describe_audited(experiment),
        groups=jobs.groups(experiment),
        attacks={attack: attacks[attack] for attack in jobs.audited_attacks(experiment)},
        summary=str(folder / "summary.csv"),
        signals=list(map(str, signals)),
        dataset=str(folder / "data.npz"),
        splits=[str(folder / "splits.npz")],
    )


def audit_job(parts: dict[str, AuditPart], **changed: Any) -> AuditJob:
    """Return the job that reports an audit at scale `smoke`, without limits."""
    settings = {
        "data": "synthetic", "scale": "smoke", "seed": 1, "fail_above": {}, "epsilons": None, "looks": False,
        "bound": 0.75, "acceptance": 0.01, "relation": "add_remove",
    }  # fmt: skip
    return AuditJob(parts, **(settings | changed))


def _references(
    experiment: Experiment, attack: str, dataset: Dataset, splits: dict, folder: Path, seed: int
) -> list[str]:
    if not reference_jobs.arms(experiment, attack):
        return []
    files = []
    for epsilons in reference_jobs.groups(experiment, attack):
        files.append(folder / f"references-{spell_group(epsilons)}.npz")
        if not files[-1].exists():
            losses = train_references(dataset, None, splits, reference_jobs.job(experiment, epsilons, 0), seed)
            save_losses(files[-1], losses, dataset.provenance)
    return [str(file) for file in files]
