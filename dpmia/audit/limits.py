"""The results of an audit held to the limits of the settings (`audit.fail_above`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpmia.audit.choices import attacks_of
from dpmia.audit.entries import Entry
from dpmia.audit.formatting import GUESSING, format_models
from dpmia.claims.limits import ERROR
from dpmia.claims.release_limits import Held, HeldMean, exceeding, unsure
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.formatting import format_number, format_significant
from dpmia.common.plain import PlainData
from dpmia.metrics.ranking import LOW_RATES


@dataclass(frozen=True)
class LimitedMean(PlainData):
    """A mean beside its limit, with the one-sided confidence limits that decide.

    Attributes:
        experiment: name.
        arm: name.
        epsilon: as text.
        attack: name.
        metric: name.
        limit: the largest value that the mean may have.
        value: the mean.
        low: shows whether the mean exceeds its limit, at the step of Holm's method that decided or was the last.
        high: shows whether the mean keeps its limit.
        turned: see `dpmia.claims.release_limits.HeldMean`.
    """

    experiment: str
    arm: str
    epsilon: str
    attack: str
    metric: str
    limit: float
    value: float
    low: float
    high: float
    turned: bool = False


@dataclass(frozen=True)
class AuditLimits(PlainData):
    """How the models of an audit do that are held to limits.

    Attributes:
        fail_above: metric -> the largest value that the mean of any attack may have.
        epsilons: of the models that limits are for, as text; None for all.
        error: largest probability of a wrong `failed`, and of a wrong `passed`.
        held: what is held to limits.
        exceeded: the means that are shown to exceed a limit, the worst first.
        undecided: those that are shown neither to exceed nor to keep theirs.
        verdict: of `held`.
    """

    fail_above: dict[str, float]
    epsilons: list[str] | None
    error: float
    held: Held
    exceeded: list[LimitedMean]
    undecided: list[LimitedMean]
    verdict: str


def limited_means(entries: Sequence[Entry], limits: Mapping[str, float], epsilons: Sequence[float] | None) -> Held:
    """Return the means that limits are for, and what cannot be held to one: without a model, or without an interval.

    Args:
        entries: of all experiments.
        limits: metric -> the largest value that the mean of any attack may have.
        epsilons: of the models that limits are for; None for all.
    """
    wanted = None if epsilons is None else [spell_epsilon(epsilon) for epsilon in epsilons]
    judged = [entry for entry in attacks_of(entries) if wanted is None or entry.epsilon in wanted]
    means = [
        _held_mean(entry, metric, limit, len(judged))
        for metric, limit in limits.items()
        for entry in judged
        if _why_not(entry, metric, limit, len(judged)) is None
    ]
    reasons = {metric: _why_not_evaluated(judged, metric, limit) for metric, limit in limits.items()}
    return Held(means, {metric: reason for metric, reason in reasons.items() if reason is not None})


def _held_mean(entry: Entry, metric: str, limit: float, compared: int) -> HeldMean:
    """Return a mean, one of `compared`, with its limit; of a ranking that is shown to be reversed, its mirror image."""
    mean = HeldMean(
        *(entry.experiment, entry.arm, entry.epsilon, entry.attack, metric, limit),
        replicates=entry.replicates,
        estimate=entry.cell(metric).estimate,
    )
    return mean.mirrored if _reversed(entry, compared) else mean


def _why_not_evaluated(judged: Sequence[Entry], metric: str, limit: float) -> str | None:
    """Return why some of the results cannot be held to a limit, in the words of the first; None where all can."""
    if not judged:
        return "no model was trained with these epsilons"
    for entry in judged:
        if (reason := _why_not(entry, metric, limit, len(judged))) is not None:
            return f"{reason} ({format_models(entry.experiment, entry.arm, entry.epsilon)}, {entry.attack})"
    return None


def _why_not(entry: Entry, metric: str, limit: float, compared: int) -> str | None:
    """Return why a result, one of `compared`, cannot be held to a limit; None where it can."""
    if not _has_interval(entry, metric):
        return _why_no_interval(entry, metric)
    if _guessing_exceeds(entry, metric, limit):
        guessed = format_significant(entry.guessed(metric), 2)
        return f"guessing alone finds {guessed} with {entry.nonmembers} non-members"
    if metric != "auc" and _reversed(entry, compared):
        turned = f"turned round the attack has an AUC of {format_number(1 - entry.auc.mean, 2)}"
        return f"members rank below non-members, and {turned}, of which {metric} says nothing"
    return None


def _why_no_interval(entry: Entry, metric: str) -> str:
    if (cell := entry.metrics[metric]) is not None:
        return cell.interval.removeprefix("none: ")
    if metric in LOW_RATES:
        return f"the non-members can show false positive rates from {format_significant(entry.resolution, 2)} only"
    return "there is no blind baseline"


def _guessing_exceeds(entry: Entry, metric: str, limit: float) -> bool:
    """Return whether so few non-members let guessing pass a limit on a rate: then it says nothing about a model."""
    return metric in LOW_RATES and entry.guessed(metric) > limit


def _reversed(entry: Entry, compared: int) -> bool:
    """Return whether members are shown to rank below non-members, by intervals of so many results that hold together.

    An attacker turns such a ranking round: that a metric of it is small is no sign of safety. An AUC is so held to its
    limit by its mirror image.
    """
    return _has_interval(entry, "auc") and entry.auc.widened("auc", compared).below(GUESSING)


def _has_interval(entry: Entry, metric: str) -> bool:
    """Return whether a metric was measured, with an interval."""
    return (cell := entry.metrics[metric]) is not None and cell.low is not None


def audit_limits(
    entries: Sequence[Entry],
    limits: Mapping[str, float],
    epsilons: Sequence[float] | None,
    error: float = ERROR,
) -> AuditLimits:
    """Return how models do that are held to limits.

    Args:
        entries: see `limited_means`.
        limits: see `limited_means`.
        epsilons: see `limited_means`.
        error: see `AuditLimits`.
    """
    held = limited_means(entries, limits, epsilons)
    above = exceeding(held.means, error)
    others = error / max(len(held.means) - len(above), 1)
    return AuditLimits(
        fail_above=dict(limits),
        epsilons=None if epsilons is None else [spell_epsilon(epsilon) for epsilon in epsilons],
        error=error,
        held=held,
        exceeded=[_limited(mean, low, error) for mean, low in above.items()],
        undecided=[
            _limited(mean, mean.interval(others)[0], error)
            for mean in (_open_side(mean, error) for mean in unsure(held.means, error))
        ],
        verdict=held.verdict(error),
    )


def _open_side(mean: HeldMean, error: float) -> HeldMean:
    """Return a mean that is not shown to keep its limit; its mirror image, if only that is not."""
    return mean.mirrored if mean.interval(error)[1] <= mean.limit else mean


def _limited(mean: HeldMean, low: float, error: float) -> LimitedMean:
    """Return a mean with its lower limit, which holds together with those of others, and its own upper limit."""
    place = mean.experiment, mean.arm, mean.epsilon, mean.attack
    return LimitedMean(*place, mean.metric, mean.limit, mean.estimate.mean, low, mean.interval(error)[1], mean.turned)
