"""Which settings of an experiment cannot be combined, and what to do about each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from dpmia.common.command_line import placeholders, split_command
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.registry import suggestion
from dpmia.privacy.valid_combinations import AS_PUBLISHED, VALID_ACCOUNTING
from dpmia.settings import names
from dpmia.settings.attackers import MODELS_OF_ATTACKERS, require_references
from dpmia.settings.base import require_keys
from dpmia.settings.membership import GROUPED, INDEPENDENT, TRAINED_ON_MEMBERS, arm_keys
from dpmia.settings.own_data import OwnData

if TYPE_CHECKING:
    from dpmia.settings.experiment import Experiment


def check_combinations(experiment: Experiment) -> None:
    """Refuse settings that cannot be combined.

    Raises:
        ValueError: the first of them.
    """
    if problem := next(chain.from_iterable(of(experiment) for of in _TOPICS), None):
        raise ValueError(problem)


def _of_images(experiment: Experiment) -> Iterator[str]:
    """Pooling is for published images."""
    own = not isinstance(experiment.dataset, str)
    named = experiment.dataset.path if isinstance(experiment.dataset, OwnData) else experiment.dataset
    if experiment.pool > 1 and named not in names.IMAGES and (own or named in names.DATASETS.built_in):
        images = ", ".join(names.IMAGES)
        yield f"pool cannot be combined with dataset {named!r}: only {images} are pooled. Remove it"


def _of_epsilons(experiment: Experiment) -> Iterator[str]:
    """Arms and the blind baseline take epsilons of the experiment."""
    allowed = {*map(spell_epsilon, experiment.all_epsilons)}
    own = {
        name: [*map(spell_epsilon, arm.epsilons)] for name, arm in experiment.arms.items() if arm.epsilons is not None
    }
    for name, epsilons in own.items():
        yield from _unknown(f"arm {name!r}", experiment.arms[name].epsilons or [], allowed)
        if len(set(epsilons)) != len(epsilons):
            yield f"arm {name!r} has an epsilon more than once: {', '.join(epsilons)}"
    yield from _unknown("epsilons of blind.with_loss", experiment.blind.with_loss if experiment.blind else [], allowed)
    if len(own) == len(experiment.arms) and (idle := sorted(allowed.difference(*own.values()))):
        yield f"no arm is trained with epsilon {', '.join(idle)}. Remove it, or add it to an arm"


def _of_program(experiment: Experiment) -> Iterator[str]:
    """A program of the user's own has its own model, noise and guarantee; nothing else has."""
    if experiment.training.engine != names.COMMAND:
        if experiment.privacy.mechanisms:
            yield (
                f"privacy.mechanisms cannot be combined with engine {experiment.training.engine!r}, whose noise is "
                "known"
            )
        return
    if "model" in experiment.model_fields_set or any(arm.model for arm in experiment.arms.values()):
        yield "model cannot be combined with engine 'command', which has a model of its own. Remove it"
    if experiment.collusion is not None:
        yield "collusion cannot be combined with engine 'command': its programs know of no marks"
    epsilons = {*experiment.all_epsilons}
    if any(map(math.isfinite, epsilons)):
        given = experiment.privacy.model_fields_set
        if missing := sorted({"delta", "relation"} - given):
            yield (
                f"engine 'command' with a finite epsilon needs privacy.{' and privacy.'.join(missing)}: the "
                "guarantee that you state of your program is incomplete without"
            )
        if unknown := sorted({*experiment.privacy.mechanisms} - {*map(spell_epsilon, epsilons - {math.inf})}):
            yield f"privacy.mechanisms: epsilon {', '.join(unknown)} is not one of the experiment"
        if "accountant" in given:
            yield "privacy.accountant cannot be combined with engine 'command': you state the guarantee"
        if experiment.shadows is not None or (experiment.references is not None and not experiment.references.private):
            epsilons.add(math.inf)
    if len(epsilons) > 1 and "epsilon" not in placeholders(split_command(experiment.training.command or "")):
        yield (
            f"models with epsilon {', '.join(map(spell_epsilon, sorted(epsilons)))} are trained, and "
            "training.command would train them alike. Give it {epsilon}"
        )


def _of_blocks(experiment: Experiment) -> Iterator[str]:
    """Blocks are whole."""
    if experiment.replicates % experiment.block:
        yield f"replicates ({experiment.replicates}) is not a multiple of block ({experiment.block})"


def _of_engine(experiment: Experiment) -> Iterator[str]:
    """An engine trains its kinds of models, and takes what it can."""
    training, engine, kind = experiment.training, experiment.training.engine, experiment.training.kind
    if experiment.finite_epsilons and not kind.adds_noise:
        yield f"engine {engine!r} cannot be combined with a finite epsilon: it adds no noise"
    if training.clip_all and not kind.clips_all:
        yield f"clip_all cannot be combined with engine {engine!r}: without privacy it does not clip"
    if training.grad_sample_mode != "auto" and engine != "opacus":
        yield f"grad_sample_mode cannot be combined with engine {engine!r}: only 'opacus' takes it"
    if training.devices != 1 and not kind.gpu:
        yield f"devices cannot be combined with engine {engine!r}: it uses the CPU. Remove it"
    if training.accelerator == "gpu" and not kind.gpu:
        others = " or ".join(name for name, other in names.ENGINES.items() if other.gpu)
        yield (
            f"accelerator 'gpu' cannot be combined with engine {engine!r}: it uses the CPU. Use accelerator: auto, "
            f"or engine: {others}"
        )
    if training.precision != "32-true" and not kind.precisions:
        others = " and ".join(repr(name) for name, other in names.ENGINES.items() if other.precisions)
        yield (f"precision {training.precision!r} cannot be combined with engine {engine!r}: only {others} take it")
    for model in [experiment.model, *(arm.model for arm in experiment.arms.values() if arm.model is not None)]:
        # An engine itself refuses a model of a plug-in that it cannot train.
        if not (model.kind in kind.trains if model.kind in names.MODELS.built_in else kind.plugins):
            trainable = ", ".join(kind.trains) or "a LightningModule of yours"
            yield (f"engine {engine!r} does not train models of kind {model.kind!r}. It trains {trainable}")
    if experiment.accuracy_by_epoch and kind.own_loss:
        yield f"accuracy_by_epoch cannot be combined with engine {engine!r}: it has no epochs of ours"


def _of_privacy(experiment: Experiment) -> Iterator[str]:
    """A guarantee is one that a theorem covers."""
    if not experiment.finite_epsilons:
        return
    if experiment.training.precision != "32-true":
        yield (
            f"precision {experiment.training.precision!r} cannot be combined with a finite epsilon: clipping needs "
            "exact norms. Use 32-true"
        )
    if experiment.collusion is not None:
        yield ("collusion cannot be combined with a finite epsilon: a record and its marked images count as several")
    combination = (experiment.training.sampling, experiment.privacy.relation, experiment.privacy.accountant)
    if experiment.training.engine != names.COMMAND and combination not in (*VALID_ACCOUNTING, AS_PUBLISHED):
        allowed = "; ".join(", ".join(valid) for valid in VALID_ACCOUNTING)
        yield (
            "sampling {!r}, relation {!r} and accountant {!r} cannot be combined: no theorem covers them. "
            "Valid combinations: {}".format(*combination, allowed)
        )
    if experiment.membership.kind == "bernoulli" and experiment.training.sampling == "shuffle":
        yield (
            "sampling 'shuffle' cannot be combined with membership.kind 'bernoulli' and a finite epsilon: the size "
            "of the training set is random. Use 'poisson'"
        )


def _of_arms(experiment: Experiment) -> Iterator[str]:
    """Arms have the keys of their membership experiment."""
    kind = experiment.membership.kind
    if experiment.accuracy_by_epoch and experiment.membership.validation is None:
        yield "accuracy_by_epoch needs validation records. Set membership.validation"
    if kind in INDEPENDENT and experiment.iid_arms:
        yield (
            f"iid_arms cannot be combined with membership.kind {kind!r}: each arm is its own IID arm. Set "
            "iid_arms: false"
        )
    for name, arm in experiment.arms.items():
        if arm.training is not None and experiment.training.kind.own_loss:
            problem = f"cannot be combined with engine {experiment.training.engine!r}: it is not used there"
            yield f"training of arm {name!r} {problem}"
        given = set(arm.model_dump(exclude={"model", "training", "epsilons"}, exclude_none=True))
        require_keys(f"arm {name!r} with membership.kind {kind!r}", given, *arm_keys(kind))


def _of_attacks(experiment: Experiment) -> Iterator[str]:
    """Attacks have the models that they use."""
    epsilons = {*experiment.all_epsilons}
    for name, attack in experiment.attacks.items():
        uses = names.ATTACKS[attack.kind].uses
        for use, key in MODELS_OF_ATTACKERS.items():
            if use in uses and getattr(experiment, key) is None:
                yield f"attack {name!r} needs the key {key}"
        require_references(name, attack, experiment.references.count if experiment.references else 0)
        of_iid_arms = experiment.iid_arms and attack.reference_arm is None
        if names.ATTACKS[attack.kind].both_sides and experiment.membership.kind in GROUPED and not of_iid_arms:
            problem = f"needs reference models of IID arms with membership.kind {experiment.membership.kind!r}"
            why = "others are trained on no non-member"
            yield f"attack {name!r} {problem}: {why}. Set iid_arms: true, and leave reference_arm out"
        if "distilled" in uses and experiment.training.kind.own_loss:
            problem = f"cannot be combined with engine {experiment.training.engine!r}: its models take no soft labels"
            yield f"attack {name!r} {problem}"
        if attack.epsilons is not None and not set(attack.epsilons) & epsilons:
            yield f"no epsilon of attack {name!r} is one of the experiment"
        if attack.reference_arm is not None and "references" not in uses:
            yield f"attack {name!r} does not take reference_arm: it uses no reference models"
        if attack.reference_arm is not None and attack.reference_arm not in experiment.arms:
            near = suggestion(attack.reference_arm, experiment.arms) or f"Arms: {', '.join(experiment.arms)}"
            yield f"reference_arm {attack.reference_arm!r} of attack {name!r} is not an arm. {near}"


def _of_per_record(experiment: Experiment) -> Iterator[str]:
    """Per-record results are of one arm and one epsilon, by attacks with a threshold."""
    if experiment.per_record is None:
        return
    if experiment.iid_arms or len(experiment.all_epsilons) > 1:
        yield "per_record cannot be combined with IID arms or several epsilons. Set iid_arms: false"
    leave_one_out = experiment.per_record.leave_one_out
    for key, chosen, valid in (
        ("per_record.arms", experiment.per_record.arms, list(experiment.arms)),
        (
            "per_record.leave_one_out.arms",
            leave_one_out.arms if leave_one_out else None,
            experiment.per_record.arms or list(experiment.arms),
        ),
    ):
        if unknown := sorted(set(chosen or ()) - set(valid)):
            yield f"{key} names unknown arms: {', '.join(unknown)}. Valid arms: {', '.join(valid)}"
        if len(set(chosen or ())) != len(chosen or ()):
            yield f"{key} names an arm more than once: {', '.join(chosen or ())}"
    for name, attack in experiment.attacks.items():
        if attack.reference_arm is not None and names.ATTACKS[attack.kind].per_record:
            yield (f"reference_arm of attack {name!r} cannot be combined with per_record, which uses models of one arm")
    if not any(names.ATTACKS[attack.kind].per_record for attack in experiment.attacks.values()):
        able = ", ".join(name for name, kind in names.ATTACKS.built_in.items() if kind.per_record)
        yield f"per_record needs an attack with a threshold for the loss: {able}"
    if leave_one_out is not None and math.isfinite(experiment.epsilons[0][0]):
        yield ("per_record.leave_one_out cannot be combined with a finite epsilon: its models have no privacy")
    if leave_one_out is not None and (experiment.collusion or experiment.membership.kind not in TRAINED_ON_MEMBERS):
        other = "collusion" if experiment.collusion else f"membership.kind {experiment.membership.kind!r}"
        yield (
            f"per_record.leave_one_out cannot be combined with {other}: targets are trained on more than the "
            f"members that are attacked, which is all that its models know. Kinds: {', '.join(TRAINED_ON_MEMBERS)}"
        )
    if leave_one_out is not None and leave_one_out.targets > experiment.replicates:
        yield (
            f"per_record.leave_one_out.targets ({leave_one_out.targets}) is greater than "
            f"replicates ({experiment.replicates})"
        )


def _unknown(what: str, epsilons: Iterable[float], allowed: Collection[str]) -> Iterator[str]:
    """Yield the problem of epsilons that are none of the experiment's, which are spelled."""
    if unknown := sorted(set(map(spell_epsilon, epsilons)).difference(allowed)):
        yield f"epsilon {', '.join(unknown)} of {what} is not one of the experiment"


#: In the order in which mistakes are reported: later topics rely on earlier ones.
_TOPICS = (
    _of_images,
    _of_epsilons,
    _of_program,
    _of_blocks,
    _of_engine,
    _of_privacy,
    _of_arms,
    _of_attacks,
    _of_per_record,
)
