"""The results of an audit held to the limits of the settings (`audit.fail_above`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.audit.findings import attacks_of, cell_of, estimate_of
from dpmia.audit.formatting import GUESSING
from dpmia.claims.limits import ERROR
from dpmia.claims.release_limits import Held, HeldMean, exceeding, unsure
from dpmia.common.epsilon import spell_epsilon
from dpmia.metrics.ranking import LOW_RATES, held_rate


def hold(entries: Sequence[Mapping[str, Any]], limits: Mapping[str, float], epsilons: Sequence[float] | None) -> Held:
    """Return the means that limits are for, and what cannot be held to one: without a model, or without an interval.

    Args:
        entries: what `dpmia.audit.findings.results` returns, with the numbers of `nonmembers` of one model.
        limits: metric -> the largest value that the mean of any attack may have.
        epsilons: of the models that limits are for; None for all.
    """
    wanted = None if epsilons is None else [spell_epsilon(epsilon) for epsilon in epsilons]
    judged = [entry for entry in attacks_of(entries) if wanted is None or entry["epsilon"] in wanted]
    means = [
        HeldMean(
            **{key: entry[key] for key in ("experiment", "arm", "epsilon", "attack", "replicates")},
            metric=metric,
            limit=limit,
            estimate=estimate_of(entry[metric]),
        )
        for metric, limit in limits.items()
        for entry in judged
        if _why_not(entry, metric, limit, len(judged)) is None
    ]
    reasons = {metric: _why_not_evaluated(judged, metric, limit) for metric, limit in limits.items()}
    return Held(means, {metric: reason for metric, reason in reasons.items() if reason is not None})


def _why_not_evaluated(judged: Sequence[Mapping[str, Any]], metric: str, limit: float) -> str | None:
    """Return why some of the results cannot be held to a limit, in the words of the first; None where all can."""
    if not judged:
        return "no model was trained with these epsilons"
    for entry in judged:
        if (reason := _why_not(entry, metric, limit, len(judged))) is not None:
            return f"{reason} ({entry['experiment']}, {entry['arm']}, epsilon {entry['epsilon']}, {entry['attack']})"
    return None


def _why_not(entry: Mapping[str, Any], metric: str, limit: float, compared: int) -> str | None:
    """Return why a result, one of `compared`, cannot be held to a limit; None where it can."""
    if not _has_interval(entry, metric):
        return _why_no_interval(entry, metric)
    if _guessing_exceeds(entry, metric, limit):
        return f"guessing alone finds {_guessed(entry, metric):.2g} with {entry['nonmembers']} non-members"
    if _reversed(entry, compared) and not (metric == "auc" and 1 - entry["auc"]["mean"] <= limit):
        auc = f"{1 - entry['auc']['mean']:.2g}"
        turned = f"members rank below non-members, and turned round the attack has an AUC of {auc}"
        return turned if metric == "auc" else f"{turned}, of which {metric} says nothing"
    return None


def _why_no_interval(entry: Mapping[str, Any], metric: str) -> str:
    if entry[metric] is not None:
        return str(entry[metric]["interval"]).removeprefix("none: ")
    if metric in LOW_RATES:
        return f"the non-members can show false positive rates from {entry['resolution']:.2g} only"
    return "there is no blind baseline"


def _guessing_exceeds(entry: Mapping[str, Any], metric: str, limit: float) -> bool:
    """Return whether so few non-members let guessing pass a limit on a rate: then it says nothing about a model."""
    return metric in LOW_RATES and _guessed(entry, metric) > limit


def _reversed(entry: Mapping[str, Any], compared: int) -> bool:
    """Return whether members are shown to rank below non-members, by intervals of so many results that hold together.

    An attacker turns such a ranking round: that a metric of it is small is no sign of safety.
    """
    if not _has_interval(entry, "auc"):
        return False
    high = cell_of(estimate_of(entry["auc"]), "auc", compared)["high"]
    return bool(high < GUESSING)


def _guessed(entry: Mapping[str, Any], metric: str) -> float:
    """Return the true positive rate of guessing at the threshold that a rate allows, on the fewest non-members."""
    return held_rate(LOW_RATES[metric], entry["nonmembers"])


def _has_interval(entry: Mapping[str, Any], metric: str) -> bool:
    """Return whether a metric was measured, with an interval."""
    return entry[metric] is not None and entry[metric]["low"] is not None


def held_to(
    entries: Sequence[Mapping[str, Any]],
    limits: Mapping[str, float],
    epsilons: Sequence[float] | None,
    error: float = ERROR,
) -> dict[str, Any]:
    """Return how models do that are held to limits, as plain data.

    Args:
        entries: see `hold`.
        limits: see `hold`.
        epsilons: see `hold`.
        error: largest probability of a wrong `failed`, and of a wrong `passed`.

    Returns:
        `fail_above`, `epsilons` and `error` as given; `held`: `Held` as plain data; `exceeded`: the means that are
        shown to exceed a limit, the worst first, and `undecided`: those that are shown neither to exceed nor to keep
        theirs, each with `value` and the one-sided limits that decide: `low` whether it exceeds, at the step of Holm's
        method that decided or was the last, and `high` whether it keeps the limit; `verdict`: of `Held`.
    """
    held = hold(entries, limits, epsilons)
    above = exceeding(held.means, error)
    others = error / max(len(held.means) - len(above), 1)
    return {
        "fail_above": dict(limits),
        "epsilons": None if epsilons is None else [spell_epsilon(epsilon) for epsilon in epsilons],
        "error": error,
        "held": held.plain(),
        "exceeded": [_shown(mean, low, error) for mean, low in above.items()],
        "undecided": [_shown(mean, mean.interval(others)[0], error) for mean in unsure(held.means, error)],
        "verdict": held.verdict(error),
    }


def _shown(mean: HeldMean, low: float, error: float) -> dict[str, Any]:
    """Return a mean with its lower limit, which holds together with those of others, and its own upper limit."""
    fields = {key: getattr(mean, key) for key in ("experiment", "arm", "epsilon", "attack", "metric", "limit")}
    return {**fields, "value": mean.estimate.mean, "low": low, "high": mean.interval(error)[1]}
