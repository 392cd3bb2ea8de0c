"""What each job of an experiment does, and nothing that it does not need.

An arm is described by its meaning, so that seeds follow from what is computed and not from names.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.optional import needed
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.jobs.attacking import AttackJob, AttackSpec, BlindJob, PerRecordJob
from dpmia.jobs.checking import EngineCheck
from dpmia.jobs.drawing import ArmDraw, BatchLimits, Canaries, ClusterJob, PrepareJob, SplitJob
from dpmia.jobs.training import (
    DistilJob,
    Engines,
    LeaveOneOutJob,
    ShadowJob,
    SharedMarks,
    TrainJob,
)
from dpmia.planning.own_program import BUILD, program_shape
from dpmia.settings import names
from dpmia.settings.experiment import Arm, Experiment
from dpmia.settings.membership import DRAWING_KEYS
from dpmia.settings.own_data import OwnData
from dpmia.settings.studies import Regression

#: What tables call attack L, which is no entry under `attacks`: it judges single records only.
LEAVE_ONE_OUT = "leave_one_out"


def dataset_id(experiment: Experiment | Regression) -> str:
    """Return the name of the prepared data set: `adult`, `adult-sex` with the attribute sex kept apart, `mnist-2x2`,
    `adult-100-outlier` with 100 canaries.
    """
    pooled = [f"{experiment.pool}x{experiment.pool}"] if experiment.pool > 1 else []
    name = experiment.dataset.key if isinstance(experiment.dataset, OwnData) else experiment.dataset
    planted = canaries(experiment)
    of_canaries = [str(planted.count), *planted.kinds] if planted else []
    return "-".join([name, *sorted(experiment.attributes), *pooled, *of_canaries])


def canaries(experiment: Experiment | Regression) -> Canaries | None:
    """Return the worst-case records in the data set of an experiment; None where there are none."""
    membership = getattr(experiment, "membership", None)
    return Canaries(membership.queries, membership.canaries) if membership and membership.canaries else None


def prepare_job(experiment: Experiment) -> PrepareJob:
    """Return how the data set of an experiment is encoded."""
    pooled = {"pool": experiment.pool} if experiment.pool > 1 else {}
    options = {"attributes": sorted(experiment.attributes), **pooled}
    if isinstance(experiment.dataset, OwnData):
        return PrepareJob(names.OWN_DATA, options, experiment.dataset.reading, canaries(experiment))
    return PrepareJob(names.DATASETS[experiment.dataset], options, canaries=canaries(experiment))


def cluster_job(experiment: Experiment) -> ClusterJob:
    """Return how the groups of a `cluster` experiment are made."""
    membership = experiment.membership
    return ClusterJob(
        count=needed(membership.clusters),
        pairing=needed(membership.pairing),
        seed=needed(membership.cluster_seed),
        restarts=needed(membership.restarts),
    )


def cluster_id(experiment: Experiment) -> str:
    """Return the name of the clusters of an experiment; experiments that cluster alike share them."""
    job = cluster_job(experiment)
    return f"{dataset_id(experiment)}-{job.count}-{job.pairing}-{job.seed}-{job.restarts}"


def arms(experiment: Experiment) -> dict[str, ArmDraw]:
    """Return how the records of each arm are drawn, by name, IID arms included."""
    membership = experiment.membership
    groups: Any = cluster_job(experiment).plain() if membership.kind == "cluster" else membership.by
    if membership.merge is not None:
        groups = {"by": membership.by, "merge": membership.merge}
    draws = {}
    sizes = {key: getattr(membership, key) for key in DRAWING_KEYS if getattr(membership, key) is not None}
    sizes |= membership.arguments or {}
    for name, arm in experiment.arms.items():
        draw = sizes | arm.draw
        draws[name] = ArmDraw(membership.kind, groups, draw, iid=False)
        if experiment.iid_arms:
            draws[name + IID_SUFFIX] = replace(draws[name], iid=True)
    return draws


def blocks(experiment: Experiment) -> dict[int, list[int]]:
    """Return the replicates of each block by the block's number."""
    size = experiment.block
    return {start // size: list(range(start, start + size)) for start in range(0, experiment.replicates, size)}


def split_job(experiment: Experiment, block: int) -> SplitJob:
    """Return which splits to draw for one block, and which batches their training sets must hold."""
    return SplitJob(
        draw=names.MEMBERSHIP[experiment.membership.kind],
        arms=arms(experiment),
        replicates=blocks(experiment)[block],
        batch_sizes=batch_sizes(experiment),
    )


def batch_job(experiment: Experiment) -> BatchLimits | None:
    """Return which batches must fit into which training sets; None where no model is trained on batches of ours."""
    if experiment.training.kind.own_steps:
        return None
    drawn, own = arms(experiment), {name: arm.training for name, arm in experiment.arms.items()}
    raised = {name: _size_key(experiment, name) for name in experiment.arms}
    return BatchLimits(
        arms={name: drawn[name] for name in experiment.arms},
        batch_sizes=batch_sizes(experiment),
        shadows=experiment.shadows.count if experiment.shadows and uses(experiment, "shadows") else None,
        leave_one_out=leave_one_out_arms(experiment),
        own_sizes=tuple(name for name, training in own.items() if training and training.batch_size),
        raised={name: key for name, key in raised.items() if key},
        most=experiment.membership.most,
    )


def _size_key(experiment: Experiment, arm: str) -> str | None:
    """Return where the key stands that makes the training sets of an arm larger; None where they hold all records."""
    if experiment.arms[arm].members:
        return f"arms.{arm}.members"
    membership = experiment.membership
    key = "records" if membership.kind == "bernoulli" else "smallest" if membership.smallest else "members"
    return None if getattr(membership, key) == "all" else f"membership.{key}"


def batch_sizes(experiment: Experiment) -> dict[str, int]:
    """Return the size of the batches of each arm, without IID arms, which draw as many records as their counterparts;
    nothing where models fit themselves.
    """
    if experiment.training.kind.own_steps:
        return {}
    recipe_of = recipes(experiment)
    return {name: recipe_of[name].batch_size for name in experiment.arms}


def train_job(experiment: Experiment, epsilons: list[float], block: int) -> TrainJob:
    """Return which target models to train for one block and one group of epsilons."""
    return TrainJob(
        arms=arms(experiment),
        replicates=blocks(experiment)[block],
        epsilons=epsilons_by_arm(experiment, epsilons),
        by_epoch=experiment.accuracy_by_epoch,
        models=models(experiment),
        engines=engines(experiment),
        recipes=recipes(experiment),
        privacy=experiment.noise_calibration,
        population=uses(experiment, "population"),
        parameters=uses(experiment, "distilled"),
        collusion=SharedMarks(**experiment.collusion.model_dump()) if experiment.collusion else None,
        compares=compares(experiment),
    )


def compares(experiment: Experiment) -> str:
    """Return the relation between the training sets with and without a record."""
    return "add_remove" if experiment.membership.kind == "bernoulli" else "replace_one"


def epsilons_by_arm(experiment: Experiment, group: list[float]) -> dict[str, list[float]]:
    """Return those of a group of epsilons that target models of each arm are trained with, IID arms included."""
    by_arm = {}
    for name in arms(experiment):
        own = _settings_of(experiment, name).epsilons
        by_arm[name] = [epsilon for epsilon in group if own is None or epsilon in own]
    return by_arm


def blind_job(experiment: Experiment, block: int) -> BlindJob | None:
    """Return on which replicates of a block the blind baseline is measured; None where on none."""
    if experiment.blind is None:
        return None
    last = experiment.replicates if experiment.blind.replicates == "all" else experiment.blind.replicates
    chosen = [replicate for replicate in blocks(experiment)[block] if replicate < last]
    with_loss = [spell_epsilon(epsilon) for epsilon in experiment.blind.with_loss]
    return BlindJob(chosen, with_loss) if chosen else None


def shadow_job(experiment: Experiment, block: int) -> ShadowJob:
    """Return which shadow models to train for one block."""
    return ShadowJob(
        arms=arms(experiment),
        replicates=blocks(experiment)[block],
        count=needed(experiment.shadows).count,
        models=models(experiment),
        engines=engines(experiment),
        recipes={arm: replace(recipe, l2=needed(experiment.shadows).l2) for arm, recipe in recipes(experiment).items()},
    )


def attacked_groups(experiment: Experiment, attack: str) -> list[list[float]]:
    """Return the groups of epsilons whose target models an attack is run on."""
    wanted = experiment.attacks[attack].epsilons
    return [group for group in experiment.epsilons if wanted is None or set(group) & set(wanted)]


def distilled_job(experiment: Experiment, block: int) -> DistilJob:
    """Return which models to distil from each target model, on the draws of one block of reference models."""
    size = needed(experiment.references).block
    drawn = {name: replace(arm, iid=arm.iid or experiment.iid_arms) for name, arm in arms(experiment).items()}
    return DistilJob(
        draw=names.MEMBERSHIP[experiment.membership.kind],
        arms=drawn,
        numbers=list(range(block * size, (block + 1) * size)),
        models=models(experiment),
        engines=engines(experiment),
        recipes=recipes(experiment),
    )


def uses(experiment: Experiment, what: str) -> bool:
    """Return whether an attack of the experiment needs something: `population`, `distilled`, ..."""
    return any(what in names.ATTACKS[attack.kind].uses for attack in experiment.attacks.values())


def attack_job(experiment: Experiment, attack: str) -> AttackJob:
    """Return which attack to run, and with which options."""
    settings = experiment.attacks[attack]
    kind = names.ATTACKS[settings.kind]
    learns = {"epochs": needed(experiment.shadows).attack_epochs} if "shadows" in kind.uses else {}
    return AttackJob(
        attack=kind.spec,
        options=settings.options | learns,
        reference_arm=settings.reference_arm,
        details=experiment.details,
        epsilons=[*map(spell_epsilon, settings.epsilons)] if settings.epsilons else None,
    )


def per_record_job(experiment: Experiment) -> PerRecordJob:
    """Return the attacks with per-record results: those with a threshold for the loss, and attack L."""
    settings = needed(experiment.per_record)
    attacks = {
        name: AttackSpec(job.attack, job.options)
        for name, attack in experiment.attacks.items()
        if names.ATTACKS[attack.kind].per_record
        for job in [attack_job(experiment, name)]
    }
    if settings.leave_one_out:
        attacks |= {LEAVE_ONE_OUT: AttackSpec(names.LEAVE_ONE_OUT, {"estimator": settings.leave_one_out.estimator})}
    return PerRecordJob(attacks, measured_arms(experiment), settings.count, settings.alphas)


def measured_arms(experiment: Experiment) -> list[str]:
    """Return the arms with per-record results."""
    return needed(experiment.per_record).arms or list(arms(experiment))


def leave_one_out_arms(experiment: Experiment) -> tuple[str, ...]:
    """Return the arms whose target models attack L attacks; none without it."""
    leave_one_out = experiment.per_record.leave_one_out if experiment.per_record else None
    return tuple(leave_one_out.arms or measured_arms(experiment)) if leave_one_out else ()


def leave_one_out_blocks(experiment: Experiment) -> list[tuple[str, int, int]]:
    """Return arm, replicate and block of each job that trains models without one record; none without attack L."""
    leave_one_out = needed(experiment.per_record).leave_one_out
    if leave_one_out is None:
        return []
    places = (
        leave_one_out_arms(experiment),
        range(leave_one_out.targets),
        range(leave_one_out.records // leave_one_out.block),
    )
    return list(product(*places))


def leave_one_out_job(experiment: Experiment, arm: str, replicate: int, block: int) -> LeaveOneOutJob:
    """Return which models without one record to train for one target model and one block of records."""
    leave_one_out = needed(needed(experiment.per_record).leave_one_out)
    return LeaveOneOutJob(
        arm=arm,
        replicate=replicate,
        first=block * leave_one_out.block,
        last=(block + 1) * leave_one_out.block,
        count=leave_one_out.models,
        model=models(experiment)[arm],
        engines=engines(experiment),
        recipe=recipes(experiment)[arm],
    )


def models(experiment: Experiment) -> dict[str, Architecture]:
    """Return the architecture of the models of each arm, IID arms included."""
    training = experiment.training
    if training.engine == names.COMMAND:
        command = needed(training.command)
        program = program_shape(command, training.files, training.format, training.scale, training.timeout)
        return dict.fromkeys(arms(experiment), Architecture(BUILD, program))
    own = {name: _settings_of(experiment, name).model or experiment.model for name in arms(experiment)}
    return {name: Architecture(names.MODELS[model.kind], model.shape) for name, model in own.items()}


def recipes(experiment: Experiment) -> dict[str, Recipe]:
    """Return how the models of each arm are trained; of those that fit themselves, that no step is ours."""
    if experiment.training.kind.own_steps:
        return dict.fromkeys(arms(experiment), Recipe("its own", learning_rate=0.0, batch_size=1, epochs=0))
    shared = experiment.training.recipe
    own = {name: _settings_of(experiment, name).training for name in arms(experiment)}
    return {
        name: Recipe.from_plain(shared | (training.model_dump(exclude_none=True) if training else {}))
        for name, training in own.items()
    }


def _settings_of(experiment: Experiment, name: str) -> Arm:
    """Return the settings of an arm; those of an IID arm are its counterpart's."""
    return experiment.arms[name.removesuffix(IID_SUFFIX) if name not in experiment.arms else name]


def engines(experiment: Experiment) -> Engines:
    """Return the engines for models with and without privacy, and their device."""
    training = experiment.training
    return Engines(training.kind.private, training.kind.plain, training.accelerator, training.devices)


def has_private_targets(experiment: Experiment) -> bool:
    """Return whether some target models are trained with noise for a finite epsilon; a program's noise is its own."""
    ours = experiment.training.engine != names.COMMAND
    return ours and bool(experiment.finite_epsilons)


#: Scale -> `EngineCheck.work`: 6e9 is about 1.5 s of one core. No clock decides, so that machines agree.
CHECKED_WORK = {"smoke": 5e8, "laptop": 6e9, "night": 6e10, "paper": 6e10}


def engine_check(experiment: Experiment, scale: str, dataset: str, splits: str, signals: list[str]) -> EngineCheck:
    """Return which target models Opacus trains again at a scale: some of those in the given files."""
    return EngineCheck(engines(experiment).private, models(experiment), dataset, splits, signals, CHECKED_WORK[scale])


def training_code(experiment: Experiment) -> list[str]:
    """Return the modules that a training job loads by name."""
    used = engines(experiment)
    return [*sorted({model.build for model in models(experiment).values()}), used.private, used.nonprivate]


def reference_code(experiment: Experiment) -> list[str]:
    """Return the modules that a job of reference models loads by name."""
    return [names.MEMBERSHIP[experiment.membership.kind], *training_code(experiment)]


def groups(experiment: Experiment) -> dict[str, str]:
    """Return the group that the members of each arm come from, without IID arms; nothing where there are no groups."""
    return {name: arm.group for name, arm in experiment.arms.items() if arm.group is not None}


def audited_attacks(experiment: Experiment) -> list[str]:
    """Return the attacks that a report runs again to rank records: on all models, with reference models at most."""
    return [
        name
        for name, attack in experiment.attacks.items()
        if attack.epsilons is None
        and attack.reference_arm is None
        and set(names.ATTACKS[attack.kind].uses) <= {"references", "population"}
    ]
