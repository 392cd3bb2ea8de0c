"""What captions, verdicts and reports say about an experiment: plain data and words."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import format_count
from dpmia.common.optional import needed
from dpmia.jobs.auditing import AuditedDescription
from dpmia.jobs.describing import ArmDescription, ExperimentDescription, PrecisionBudget
from dpmia.planning.jobs import canaries, compares, recipes, uses
from dpmia.planning.own_program import program_name
from dpmia.planning.precision_budgets import budget_rows
from dpmia.settings import names
from dpmia.settings.attackers import OFFLINE_A, AttackSettings
from dpmia.settings.experiment import Experiment
from dpmia.settings.membership import INDEPENDENT
from dpmia.settings.own_data import OwnData
from dpmia.settings.predictions import Predictions
from dpmia.settings.training import Model


def describe_experiment(experiment: Experiment) -> ExperimentDescription:
    """Return what a figure's caption says about an experiment."""
    training, privacy, worst = experiment.training, experiment.privacy, canaries(experiment)
    return ExperimentDescription(
        dataset="own data" if isinstance(experiment.dataset, OwnData) else experiment.dataset,
        architecture=architectures(experiment),
        sizes=sizes(experiment),
        passes=passes(experiment),
        replicates=experiment.replicates,
        epochs=0 if training.kind.own_steps else training.epochs,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        momentum=training.momentum,
        l2=training.l2,
        members=experiment.membership.members,
        optimiser=_optimiser(experiment),
        sampling=training.sampling,
        sampling_without_privacy=training.sampling_without_privacy,
        clip_norm=training.clip_norm,
        clipped_to=training.clip_norm if training.clip_all else None,
        pairing=experiment.membership.pairing,
        canaries=worst.count if worst else None,
        references=experiment.references.count if experiment.references else None,
        offline_a=_offline_a(experiment),
        epsilons=[format_epsilon(epsilon) for epsilon in sorted({*experiment.all_epsilons})],
        keys=experiment.collusion.keys if experiment.collusion else None,
        relation=privacy.relation,
        delta=privacy.delta,
        accountant=privacy.accountant,
        arms=_arms(experiment),
        precision_budgets=_precision_budgets(experiment),
    )


def _optimiser(experiment: Experiment) -> str:
    training = experiment.training
    return "its own optimiser" if training.kind.own_loss else training.optimiser


def _precision_budgets(experiment: Experiment) -> list[PrecisionBudget] | None:
    """Return the epsilon of every bound on precision and arm; None for an experiment without such bounds."""
    if experiment.precision_budgets is None:
        return None
    rates = {name: arm.rate for name, arm in experiment.arms.items() if arm.rate is not None}
    return budget_rows(experiment.precision_budgets, rates, experiment.privacy.delta)


def _arms(experiment: Experiment) -> dict[str, ArmDescription]:
    """Return by arm what may differ from the description of the whole experiment."""
    recipe_of = recipes(experiment)
    return {
        name: ArmDescription(
            arm.members or experiment.membership.members,
            recipe.learning_rate,
            recipe.batch_size,
            recipe.epochs,
            recipe.l2,
        )
        for name, arm in experiment.arms.items()
        for recipe in [recipe_of[name]]
    }


def networks(experiment: Experiment) -> str:
    """Return the names of the models that an experiment trains, and on how coarse images."""
    if experiment.training.engine == names.COMMAND:
        return _program(experiment)
    used = ", ".join(sorted({model.name for model in _models(experiment)}))
    return used + _pooling(experiment)


def _program(experiment: Experiment) -> str:
    return f"program {program_name(needed(experiment.training.command))}"


def architectures(experiment: Experiment) -> str:
    """Return the models of `networks` with their activation and initial weights."""
    if experiment.training.engine == names.COMMAND:
        return _program(experiment)
    alike: dict[str, set[str]] = {}
    for model in _models(experiment):
        alike.setdefault(model.details, set()).add(model.name)
    used = [
        ", ".join(sorted(model_names)) + (f" ({details})" if details else "") for details, model_names in alike.items()
    ]
    return ", ".join(sorted(used)) + _pooling(experiment)


def _offline_a(experiment: Experiment) -> str | None:
    """Return the values of `offline_a` of the RMIA attacks that have one; None without such an attack."""
    attacks = [attack for attack in experiment.attacks.values() if "offline_a" in names.ATTACKS[attack.kind].options]
    used = {OFFLINE_A if attack.offline_a is None else attack.offline_a for attack in attacks}
    return " and ".join(f"{value:g}" for value in sorted(used)) or None


def _models(experiment: Experiment) -> list[Model]:
    return [arm.model or experiment.model for arm in experiment.arms.values()]


def other_networks(experiment: Experiment, published: Experiment) -> str:
    """Return the networks of the same experiment at scale `paper`, if some arm has another network here."""
    alike = experiment.pool == published.pool and all(
        (arm.model or experiment.model) == (published.arms[name].model or published.model)
        for name, arm in experiment.arms.items()
        if name in published.arms
    )
    return "" if alike else architectures(published)


def _pooling(experiment: Experiment) -> str:
    side = experiment.pool
    return f" on pixels averaged {side} x {side}" if side > 1 else ""


def trained(experiment: Experiment) -> str:
    """Return what target models are, and on which records they are trained: for the note of a verdict.

    The pairing of clusters decides what attacks find on them (figures 2 and 3 of Humphries et al.).
    """
    pairing = experiment.membership.pairing
    clusters = f"clusters of different classes paired {pairing}" if pairing else ""
    return ", ".join(filter(None, [architectures(experiment), sizes(experiment), clusters]))


def sizes(experiment: Experiment) -> str:
    """Return on how many records target models are trained; nothing where the data decide that."""
    drawn = experiment.membership
    members = {arm.members or drawn.members for arm in experiment.arms.values()}
    stated: dict[str, Collection[object]] = {
        "members": members,
        "candidate records, each a member with probability p": {drawn.records},
    }
    counted = {
        what: sorted(whole)
        for what, values in stated.items()
        if len(whole := [size for size in values if isinstance(size, int)]) == len(values)
    }
    return ", ".join(f"{' or '.join(map(format_count, values))} {what}" for what, values in counted.items())


def passes(experiment: Experiment) -> str:
    """Return how often target models see their records; nothing of those that fit themselves."""
    if experiment.training.kind.own_steps:
        return ""
    arms = _arms(experiment).values()
    values = {arm.epochs for arm in arms}, {arm.batch_size for arm in arms}
    epochs, batches = (" or ".join(map(str, sorted(numbers))) for numbers in values)
    return f"{epochs} epochs, batch {batches}"


def describe_audited(experiment: Experiment) -> AuditedDescription:
    """Return what the report of an audit says about an experiment."""
    described, training, references = describe_experiment(experiment), experiment.training, experiment.references
    count = references.count if references and uses(experiment, "references") else None
    first = next(iter(recipes(experiment).values()))
    return AuditedDescription(
        model=networks(experiment),
        attacks_not_run=attacks_not_run(experiment.attacks),
        delta=described.delta,
        relation=described.relation,
        compares=compares(experiment),
        independent=experiment.membership.kind in INDEPENDENT,
        architecture=described.architecture,
        passes=described.passes,
        optimiser=described.optimiser,
        epochs=described.epochs,
        batch_size=first.batch_size,
        replicates=described.replicates,
        program=training.command,
        stated=training.engine == names.COMMAND,
        references=count,
        private_references=bool(count and references and references.private),
        mismatched_attacks=mismatched_attacks(experiment),
        offline_a=described.offline_a,
    )


def describe_predictions(name: str, predictions: Predictions) -> AuditedDescription:
    """Return what the report of an audit says about a model of which there are predictions only."""
    not_run = attacks_not_run(predictions.attacks)
    return AuditedDescription(name.replace("_", " "), not_run, same_pool=predictions.same_pool)


def attacks_not_run(attacks: Mapping[str, AttackSettings]) -> list[str]:
    """Return the kinds of attacks that are not among some attacks; without those that run by name only."""
    run = {attack.kind for attack in attacks.values()}
    return [kind for kind in names.ATTACKS if kind not in {*run, *names.BY_NAME_ONLY}]


def mismatched_attacks(experiment: Experiment) -> list[str]:
    """Return the attacks on private target models whose shadow or reference models are trained without privacy.

    They understate the leakage: what such a model's losses look like says little about a model trained with noise.
    """
    plain = {"shadows"} | ({"references"} if experiment.references and not experiment.references.private else set())
    private = {*experiment.finite_epsilons}
    return [
        name
        for name, attack in experiment.attacks.items()
        if plain & set(names.ATTACKS[attack.kind].uses)
        and (private if attack.epsilons is None else private & set(attack.epsilons))
    ]
