"""What an attack cannot do without: found, or named as missing."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import cast

import numpy as np
from scipy.special import ndtri

from dpmia.attacks.base import Knowledge
from dpmia.common.errors import AttackError, KnowledgeError, shown
from dpmia.common.registry import suggestion
from dpmia.formats.losses import References
from dpmia.formats.signals import POPULATION, Signal

log = logging.getLogger(__name__)

#: Difference of two shares that is let pass: LiRA and RMIA fill in what is lacking, so it separates little.
UNEVEN = 0.5
#: Difference between mean numbers of models that is let pass, as a share of the mean of all records: of attacks that
#: compare each record with losses of its own.
UNEVEN_COUNTS = 0.1
#: Probability of a difference below which it is none of chance: of thousands of attacks, none is refused by chance.
BY_CHANCE = 1e-6
#: Fewest members, and non-members, whose numbers of models are compared.
FEWEST_COMPARED = 12

#: What helps against reference models that separate members from non-members by themselves.
MORE_ALIKE = "Draw the training sets of reference models from both alike, or train more of them"

#: The same where their numbers do.
ALIKE = (
    "Draw the training sets of these models from both alike, or take an attack that compares all records with one "
    "distribution: offline LiRA with pooled variance, or the average threshold"
)

REMEDY = "Delete the files of the attacker's models, and start again"


def models_of(knowledge: Knowledge, name: str, signal: Signal) -> References:
    """Return the outputs of the attacker's models that the field `name` of `knowledge` holds.

    Raises:
        KnowledgeError: there are none, they were evaluated on other queries than `signal`, or a loss is not a number.
    """
    where, models = f"knowledge.{name}", getattr(knowledge, name)
    if models is None or not len(models.losses):
        raise KnowledgeError(where, "the attack needs the outputs of models, and there are none", REMEDY)
    if models.losses.shape[1] != len(signal.records):
        problem = f"outputs on {models.losses.shape[1]} queries, where the target model has {len(signal.records)}"
        raise KnowledgeError(where, problem, REMEDY)
    if np.isnan(models.losses).any():
        raise KnowledgeError(where, f"{np.isnan(models.losses).sum()} losses are not numbers", REMEDY)
    return cast(References, models)


def population_of(signal: Signal) -> np.ndarray:
    """Return which queries are records that the attacker has; bool, shape (queries,).

    Raises:
        AttackError: there are none.
    """
    population = signal.membership == POPULATION
    if not population.any():
        remedy = "Raise membership.population; for an attack of your own, add 'population' to `uses` of its class"
        raise AttackError("attack", "it needs population records, and the model was evaluated on none", remedy)
    return population


def lacking_models(
    trained_on: np.ndarray, is_member: np.ndarray, is_nonmember: np.ndarray, each_side: int, both_sides: bool
) -> str:
    """Return which reference models no member, or no non-member, has enough of; nothing where some of either have.

    Args:
        trained_on: bool, shape (models, records), whether a model was trained on a record.
        is_member: bool, shape (records,).
        is_nonmember: bool, shape (records,); population records are neither.
        each_side: see `dpmia.attacks.base.Attack`.
        both_sides: likewise.
    """
    inside = trained_on.sum(axis=0)
    outside = len(trained_on) - inside
    models = f"{each_side} reference model{'s' * (each_side > 1)} that"
    verb = "were" if each_side > 1 else "was"
    for part, records in (("member", is_member), ("non-member", is_nonmember)):
        if outside[records].max() < each_side:
            return f"{models} {verb} not trained on a {part}"
        if both_sides and inside[records].max() < each_side:
            return f"{models} {verb} trained on a {part}"
    return ""


def check_missing(
    signal: Signal, without: np.ndarray, what: str, where: str = "knowledge.references", remedy: str = MORE_ALIKE
) -> None:
    """Refuse an attack if members lack something far more or less often than non-members; log which share lacks it.

    Args:
        signal: the target model's outputs.
        without: bool, shape (queries,).
        what: the sentence to finish: `have no reference model and are called non-members`.
        where: what lacks it, for the error.
        remedy: what to do then.

    Raises:
        KnowledgeError: members lack it more often than non-members, or less often, by more than chance explains and by
            more than `UNEVEN`. What lacks it has another distribution of scores, which would separate them, whatever
            the target model reveals. A dozen of either are the fewest for which chance is excluded.
    """
    lack = [
        (int(without[queries].sum()), int((~without[queries]).sum()))
        for queries in (signal.is_member, signal.is_nonmember)
    ]
    if all(map(sum, lack)):
        members, nonmembers = (missing / (missing + others) for missing, others in lack)
        if abs(members - nonmembers) > UNEVEN and _by_chance(lack) < BY_CHANCE:
            problem = f"{100 * members:.3g} % of the members and {100 * nonmembers:.3g} % of the non-members {what}"
            raise KnowledgeError(where, f"{problem}: that alone separates them", remedy)
    evaluated = signal.is_member | signal.is_nonmember
    if without[evaluated].any():
        log.warning("%.2g %% of %d records %s", 100 * without[evaluated].mean(), evaluated.sum(), what)


def _by_chance(lack: list[tuple[int, int]]) -> float:
    """Return the p-value of two shares that are as different as these."""
    from scipy.stats import fisher_exact  # here: it takes longer to import than most attacks to run, and few need it

    return float(fisher_exact(lack).pvalue)


def check_side(signal: Signal, without: np.ndarray, inside: bool) -> None:
    """See `check_missing`, of records without a reference model that was trained with them (`inside`), or without."""
    word = "with" if inside else "without"
    check_missing(signal, without, f"have no reference model trained {word} them, and get a mean of other models")


def check_even(signal: Signal, counts: np.ndarray, what: str) -> None:
    """Refuse an attack if members have more models to be compared with than non-members, or fewer.

    Of K losses no rank is rarer than 1 / (K + 1), and a spread is the less known the fewer they are: where numbers
    differ, they alone separate members from non-members, whatever the target model reveals.

    Args:
        signal: the target model's outputs.
        counts: int64, shape (queries,), models of each query.
        what: the models, as they are in the sentence to finish: `reference models without the record`.

    Raises:
        KnowledgeError: the means differ by more than `UNEVEN_COUNTS` of the mean, and by more than chance explains.
    """
    members, nonmembers = counts[signal.is_member], counts[signal.is_nonmember]
    if are_uneven(members, nonmembers):
        numbers = f"{members.mean():.3g} {what} for a member and {nonmembers.mean():.3g} for a non-member, on average"
        raise KnowledgeError("knowledge", f"{numbers}: that alone separates them", ALIKE)


def are_uneven(members: np.ndarray, nonmembers: np.ndarray) -> bool:
    """Return whether numbers of models differ so much that they separate members from non-members; see `check_even`.

    Args:
        members: models of each member.
        nonmembers: models of each non-member.
    """
    if min(len(members), len(nonmembers)) < FEWEST_COMPARED:
        return False
    gap, overall = abs(members.mean() - nonmembers.mean()), np.concatenate([members, nonmembers]).mean()
    error = np.sqrt(members.var(ddof=1) / len(members) + nonmembers.var(ddof=1) / len(nonmembers))
    return bool(gap > UNEVEN_COUNTS * overall and gap > -ndtri(BY_CHANCE / 2) * error)


def one_of(name: str, value: str, allowed: Collection[str]) -> str:
    """Return the value of an option if it is allowed.

    Raises:
        ValueError: it is not; the message names the nearest.
    """
    if value not in allowed:
        raise ValueError(
            f"{name} is {shown(value)}, not one of {', '.join(allowed)}. {suggestion(value, allowed)}".strip()
        )
    return value


def rate(name: str, value: float) -> float:
    """Return the value of an option if it is a rate between 0 and 1, both excluded.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, Real) or not 0 < value < 1:
        raise ValueError(f"{name} is {value}, not a number between 0 and 1")
    return float(value)


def number(name: str, value: float, least: float, most: float = math.inf) -> float:
    """Return the value of an option if it is a finite number in a range, whose ends are allowed.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= value <= most or math.isinf(value):
        limits = f"of at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} is {shown(value)}, not a number {limits}")
    return float(value)


def integer(name: str, value: int, least: int) -> int:
    """Return the value of an option if it is an integer of at least `least`.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} is {shown(value)}, not an integer of at least {least}")
    return int(value)
