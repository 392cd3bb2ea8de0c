"""Attack a model by its outputs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmia.api.arrays import class_numbers, false_positive_rates, integer, numbers, same_rows, truth_values
from dpmia.api.results import AttackResult, AttackResults, Measurement
from dpmia.attacks.base import Attack, Knowledge, Outcome, outcome
from dpmia.attacks.confidence import LARGEST_LOSS, confidence
from dpmia.attacks.needs import lacking_models
from dpmia.common.errors import ArgumentError, AttackError, MissingExtraError, UserError, shown
from dpmia.common.limits import MOST_MODELS
from dpmia.common.probabilities import WrongOutputsError, logits_of
from dpmia.common.registry import load, suggestion
from dpmia.common.seeds import derive_seed
from dpmia.formats.losses import References, digest_of
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal, cross_entropy
from dpmia.metrics.low_rates import tpr_limits
from dpmia.metrics.ranges import possible_range
from dpmia.metrics.ranking import roc, tpr_at
from dpmia.metrics.record_errors import record_estimates
from dpmia.settings import names

log = logging.getLogger(__name__)

SCALES = ("logits", "probabilities", "losses")


def attack(
    outputs: ArrayLike,
    labels: ArrayLike | None,
    is_member: ArrayLike,
    *,
    references: Sequence[ArrayLike] | ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
    population: ArrayLike | None = None,
    features: ArrayLike | None = None,
    attacks: str | Sequence[str] | Mapping[str, Mapping[str, Any] | Attack] | None = None,
    scale: str = "logits",
    fprs: Iterable[float] = (0.01, 0.001),
    seed: int = 1,
) -> AttackResults:
    """Attack a model by its outputs on records of known membership.

    Arrays may be of numpy, torch (on any device) or pandas, or lists. Row i is the same record in all of them; data
    frames and series of different indexes are refused.

    Args:
        outputs: of the model, shape (records, classes); with `scale="losses"`, shape (records,).
        labels: true class of each record, as a column number of `outputs`; None with `scale="losses"`.
        is_member: whether the model was trained on each record.
        references: outputs of the attacker's own models on the same records, shape (models, records, classes), or
            (models, records) with `scale="losses"`.
        trained_on: whether each reference model was trained on each record, shape (models, records); on none of them
            where left out.
        population: marks records that the attacker has as known non-members. They are not evaluated.
        features: the records themselves, shape (records, features), for `quantile_regression`.
        attacks: names as in `docs/settings.md`; or a mapping from names to options, with `kind` where the name is your
            own, or to an object of a class of `dpmia.attacks`. Where left out, every attack for which the arguments
            suffice, but oracles and `bounded_loss`; the log names an attack that refuses them.
        scale: of `outputs` and `references`: `logits`, `probabilities`, or `losses` (cross-entropy in nats).
        fprs: false positive rates at which true positive rates are reported.
        seed: of attacks that draw at random.

    Returns:
        A mapping from the name of each attack to its result, with intervals over records.

    Raises:
        ArgumentError: an argument is wrong; the message names it.

    Examples:
        >>> import numpy as np
        >>> from dpmia import attack
        >>> rng = np.random.default_rng(0)
        >>> is_member = np.arange(2000) < 1000
        >>> labels = rng.integers(2, size=2000)
        >>> logits = rng.normal(size=(2000, 2))
        >>> logits[np.arange(2000), labels] += 1 + is_member  # surer of members
        >>> attack(logits, labels, is_member, attacks="average_threshold")
        AttackResults: 1000 members, 1000 non-members
                           advantage             auc                   tpr_at_1pct_fpr       tpr_at_0.1pct_fpr
        average_threshold  0.289 [0.247, 0.331]  0.700 [0.677, 0.722]  0.079 [0.046, 0.141]  0.050 [0.000, 0.081]
        95 % intervals over records. Smallest measurable false positive rate: 0.001
    """
    others = _models(references)
    models = {f"references, model {i}": reference for i, reference in enumerate(others or ())}
    of_records = {"labels": labels, "is_member": is_member, "population": population, "features": features}
    same_rows("attack", {"outputs": outputs, **of_records, **models})
    model = _Model.of(outputs, labels, scale)
    signal = model.signal(is_member, population)
    knowledge = Knowledge(
        references=_references(others, trained_on, model),
        features=None if features is None else numbers(features, "attack, features", ("records", "features")),
    )
    if knowledge.features is not None and len(knowledge.features) != len(signal.records):
        problem = f"{len(knowledge.features)} rows for {len(signal.records)} records"
        raise ArgumentError("attack, features", problem, "Give one row for each row of outputs")
    rates, seed = false_positive_rates(fprs, "attack, fprs"), integer(seed, "attack, seed")
    chosen = _chosen(attacks, signal, knowledge, scale)
    results = {}
    for name, method in chosen.items():
        try:
            # For each a copy: an attack may change its arrays.
            results[name] = _result(name, method, *deepcopy((signal, knowledge)), rates, seed)
        except AttackError as error:
            if attacks is not None:
                at = error.where.partition(", ")[2]  # the method of an attack whose own code is at fault
                where = ", ".join(filter(None, ("attack", name, at)))
                raise ArgumentError(where, error.problem, error.remedy) from error
            log.warning("%s is left out: %s", name, error)
    return AttackResults(results)


@dataclass(frozen=True)
class _Model:
    """The outputs of the target model as logits, and what is needed to read other models alike."""

    logits: np.ndarray
    labels: np.ndarray
    scale: str

    @classmethod
    def of(cls, outputs: ArrayLike, labels: ArrayLike | None, scale: str) -> _Model:
        if not isinstance(scale, str) or scale not in SCALES:
            problem = f"{shown(scale)} is not one of {', '.join(SCALES)}"
            raise ArgumentError("attack, scale", problem, suggestion(scale, SCALES) or "Choose one of them")
        if (labels is None) != (scale == "losses"):
            problem = "missing" if labels is None else "cannot be combined with scale 'losses'"
            remedy = "Give the class number of each record" if labels is None else "Give labels=None"
            raise ArgumentError("attack, labels", problem, remedy)
        logits = _logits(outputs, scale, "attack, outputs")
        if labels is None:
            return cls(logits, np.zeros(len(logits), dtype=np.int64), scale)
        codes = class_numbers(labels, "attack, labels", logits.shape[1])
        if len(codes) != len(logits):
            problem = f"{len(codes)} labels for {len(logits)} rows of outputs"
            raise ArgumentError("attack, labels", problem, "Give one label for each row")
        return cls(logits, codes, scale)

    def signal(self, is_member: ArrayLike, population: ArrayLike | None) -> Signal:
        records = len(self.logits)
        inside = truth_values(is_member, "attack, is_member", (records,))
        outside = np.zeros(records, dtype=bool)
        if population is not None:
            outside = truth_values(population, "attack, population", (records,))
            if (both := inside & outside).any():
                problem = f"row {int(np.flatnonzero(both)[0])} is a member"
                raise ArgumentError("attack, population", problem, "Mark records that the model was not trained on")
        membership = np.where(outside, POPULATION, np.where(inside, MEMBER, NONMEMBER)).astype(np.uint8)
        for wanted, word in ((MEMBER, "member"), (NONMEMBER, "non-member")):
            if not (membership == wanted).any():
                raise ArgumentError("attack, is_member", f"there is no {word}", "Give records of both kinds")
        card = ModelCard(arm="given", iid=False, epsilon="inf", role="target", meaning=["given"])
        return Signal(card, np.arange(records), self.labels, membership, self.logits)


def _logits(outputs: ArrayLike, scale: str, where: str) -> np.ndarray:
    """Return outputs of any scale as logits, float64."""
    axes = ("records",) if scale == "losses" else ("records", "classes")
    values = numbers(outputs, where, axes, "" if scale == "losses" else "Give a row for each record, of all classes")
    if scale == "losses":
        if (values < 0).any():
            raise ArgumentError(where, "some losses are negative", "Give cross-entropies in nats")
        if (values > LARGEST_LOSS).any():
            problem = f"some losses are above {LARGEST_LOSS:.0f} nats, where all would count alike"
            raise ArgumentError(where, problem, "Divide all by one number: give losses of a token instead of a text")
        return np.column_stack([confidence(values), np.zeros(len(values))])
    if values.shape[1] < 2:
        remedy = "Give a column for each class; of two classes with probabilities p, np.column_stack([1 - p, p])"
        raise ArgumentError(where, "one column", remedy)
    try:
        return logits_of(values, scale)
    except WrongOutputsError as error:
        if error.row is None:
            remedy = error.remedy(
                "Set scale='probabilities'; if they are logits, add 1 to all, which changes no result"
            )
            raise ArgumentError(where, str(error), remedy) from error
        remedy = error.remedy("Give all classes, or set scale='logits'")
        raise ArgumentError(f"{where}, row {error.row}", str(error), remedy) from error


def _models(references: Sequence[ArrayLike] | ArrayLike | None) -> list[Any] | None:
    """Return the outputs of each reference model; None without any."""
    if references is None:
        return None
    try:
        given = [*islice(references, MOST_MODELS + 1)]  # type: ignore[arg-type]
    except Exception as error:  # whatever an object of another kind raises
        problem = f"{type(references).__name__} holds no outputs of several models"
        remedy = "Give a list of arrays, or one array of all models"
        raise ArgumentError("attack, references", problem, remedy) from error
    if len(given) > MOST_MODELS:
        raise ArgumentError("attack, references", f"outputs of over {MOST_MODELS} models", "Give fewer")
    return given


def _references(
    references: Sequence[ArrayLike] | None, trained_on: ArrayLike | None, model: _Model
) -> References | None:
    if references is None:
        if trained_on is not None:
            raise ArgumentError("attack, trained_on", "given without references", "Give both, or none")
        return None
    where = "attack, references"
    outputs = [_logits(reference, model.scale, f"{where}, model {i}") for i, reference in enumerate(references)]
    if not outputs:
        raise ArgumentError(where, "no model", "Give the outputs of one model at least, or leave it out")
    seen = {digest_of(model.logits): "the attacked model"}
    for number, logits in enumerate(outputs):
        if logits.shape != model.logits.shape:
            problem = f"{len(logits)} records of {logits.shape[1]} classes in place of {len(model.logits)} of "
            problem += str(model.logits.shape[1])
            raise ArgumentError(f"{where}, model {number}", problem, "Evaluate it on the same records")
        digest = digest_of(logits)
        if other := seen.get(digest):
            raise ArgumentError(f"{where}, model {number}", f"its outputs are those of {other}", "Leave it out")
        seen[digest] = f"model {number}"
    shape = (len(outputs), len(model.logits))
    inside = np.zeros(shape, dtype=bool)
    if trained_on is not None:
        inside = truth_values(trained_on, "attack, trained_on", shape)
    return References(np.stack([cross_entropy(logits, model.labels) for logits in outputs]), inside)


def _chosen(attacks: Any, signal: Signal, knowledge: Knowledge, scale: str) -> dict[str, Attack]:
    """Return the attacks to run, by name."""
    if attacks is None:
        kinds = {name: kind for name, kind in names.ATTACKS.items() if kind.by_default}
        return {name: _made(name, {}) for name, kind in kinds.items() if not _missing(kind, signal, knowledge, scale)}
    if isinstance(attacks, str):
        attacks = [attacks]
    if not isinstance(attacks, Iterable) or getattr(attacks, "ndim", 1) == 0:
        raise ArgumentError(
            "attack, attacks", f"{shown(attacks)} is no name of an attack", "Give a name, or a list of names"
        )
    wanted = dict(attacks) if isinstance(attacks, Mapping) else {str(kind): {} for kind in attacks}
    if not wanted:
        raise ArgumentError("attack, attacks", "no attack is named", "Leave it out to run all that can be")
    chosen = {}
    for name, options in wanted.items():
        if not isinstance(name, str):
            raise ArgumentError("attack, attacks", f"the name {shown(name)} is no text", "Name each attack by a text")
        if isinstance(options, Attack):
            try:
                names.check_uses(options, f"attack, {name}")
            except UserError as error:
                raise ArgumentError(error.where, error.problem, error.remedy) from None
            _refuse_missing(name, options, signal, knowledge, scale)
            chosen[name] = options
            continue
        if not isinstance(options, Mapping | None):
            problem, remedy = (
                f"{shown(options)} is no mapping of options",
                "Give {} for none, or an object of an attack",
            )
            raise ArgumentError(f"attack, {name}", problem, remedy)
        options = dict(options or {})
        kind = options.pop("kind", name)
        if not isinstance(kind, str) or kind not in names.ATTACKS:
            remedy = f"Attacks: {', '.join(names.ATTACKS)}. {suggestion(kind, names.ATTACKS)}".strip()
            if options and kind == name:
                remedy = f"Name the attack of {name!r} by the option 'kind'. {remedy}"
            raise ArgumentError("attack, attacks", f"{shown(kind)} is not an attack", remedy)
        _refuse_missing(name, names.ATTACKS[kind], signal, knowledge, scale)
        chosen[name] = _made(kind, options)
    return chosen


def _refuse_missing(
    name: str, described: names.AttackKind | Attack, signal: Signal, knowledge: Knowledge, scale: str
) -> None:
    if missing := _missing(described, signal, knowledge, scale):
        remedy = "Leave the attack out" if "workflow" in missing else "Give that, or leave the attack out"
        raise ArgumentError(f"attack, {name}", f"it needs {missing}", remedy)


def _missing(described: names.AttackKind | Attack, signal: Signal, knowledge: Knowledge, scale: str) -> str:
    """Return what an attack needs and was not given; nothing where it has all."""
    given = {
        "references": knowledge.references is not None,
        "population": bool((signal.membership == POPULATION).any()),
        "features": knowledge.features is not None,
    }
    if unknown := [use for use in described.uses if use not in given]:
        return f"{' and '.join(unknown)}, which only the workflow provides"
    if missing := [use for use in described.uses if not given[use]]:
        return " and ".join(f"the argument {use!r}" for use in missing)
    if scale == "losses" and described.needs_classes:
        return "outputs for all classes: with scale 'losses' the predicted class is unknown"
    if "references" not in described.uses or knowledge.references is None:
        return ""
    sides = described.each_side, described.both_sides
    lacking = lacking_models(knowledge.references.trained_on, signal.is_member, signal.is_nonmember, *sides)
    return f"{lacking} (arguments 'references' and 'trained_on')" if lacking else ""


def _made(kind: str, options: Mapping[str, Any]) -> Attack:
    described = names.ATTACKS[kind]
    if wrong := sorted(map(str, set(options) - set(described.options))):
        remedy = f"Options of {kind!r}: {', '.join(described.options) or 'none'}"
        if "arguments" in wrong:
            remedy += ". They stand beside 'kind'"
        raise ArgumentError(f"attack, {kind}", f"unknown option {', '.join(wrong)}", remedy)
    try:
        made: Attack = load(described.spec)(**options)
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(error, f"attack, {kind}", "train") from None
    except (ValueError, TypeError) as error:  # a value out of its range, or of a type that has none
        raise ArgumentError(f"attack, {kind}", str(error)) from error
    return made


def _result(
    name: str, attack: Attack, signal: Signal, knowledge: Knowledge, rates: tuple[float, ...], seed: int
) -> AttackResult:
    rng = np.random.default_rng(derive_seed(seed, "attack", name, *signal.card.meaning))
    try:
        attack_outcome = outcome(attack, signal, knowledge, rng)
    except ValueError as error:
        raise ArgumentError(f"attack, {name}", str(error)) from error
    measures = (attack_outcome.scores, attack_outcome.decisions, attack_outcome.is_member)
    estimates = record_estimates(*measures, oracle=attack.oracle)
    measured = {
        metric: Measurement(estimate.mean, *estimate.limits(possible_range(metric)))
        for metric, estimate in estimates.items()
    }
    resolution = 1 / int((~attack_outcome.is_member).sum())
    return AttackResult(
        name=name,
        oracle=attack.oracle,
        records=attack_outcome.records,
        is_member=attack_outcome.is_member,
        scores=attack_outcome.scores,
        decisions=attack_outcome.decisions,
        advantage=measured["advantage"],
        auc=measured["auc"],
        tpr_at_fpr=_tprs(attack_outcome, rates),
        resolution=resolution,
    )


def _tprs(attack_outcome: Outcome, rates: tuple[float, ...]) -> dict[float, Measurement]:
    fpr, tpr, _ = roc(attack_outcome.scores, attack_outcome.is_member)
    members, nonmembers = int(attack_outcome.is_member.sum()), int((~attack_outcome.is_member).sum())
    values = tpr_at(fpr, tpr, rates, nonmembers).tolist()
    none = float("nan"), float("nan")
    return {
        rate: Measurement(value, *(none if np.isnan(value) else tpr_limits(fpr, tpr, rate, members, nonmembers)))
        for rate, value in zip(rates, values, strict=True)
    }
