"""A verdict on each model of an audit: whether an attack is shown to beat guessing, and what that means there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpmia.audit.choices import best, best_of_two, blind_of, chosen_from, select
from dpmia.audit.entries import Entry
from dpmia.audit.formatting import (
    GUESSING,
    POOL_UNKNOWN,
    attack_name,
    describe_model,
    interval,
    metric_name,
)
from dpmia.audit.plain import AT_LOW_RATE, TOO_WIDE, no_interval, place, standing_out
from dpmia.common.formatting import format_bound, format_number
from dpmia.common.optional import needed
from dpmia.common.plain import PlainData
from dpmia.jobs.auditing import AuditedDescription

#: Shown to reveal membership; groups of records are separated, members perhaps not; members stand out, and it is not
#: known why.
LEAKS, SHIFT, APART = "leaks", "shift", "apart"
#: Members rank below non-members; nothing was found; there are too few data to say.
REVERSED, QUIET, OPEN = "reversed", "quiet", "open"

#: Kind of verdict -> its words, the kind and the sign of its badge.
MODEL_VERDICTS = {
    LEAKS: ("reveals membership", "bad", "✗"),
    SHIFT: ("groups are distinguishable", "open", "!"),
    APART: ("members stand out, the cause is not known", "open", "!"),
    REVERSED: ("members rank below non-members", "open", "!"),
    QUIET: ("no leakage found", "good", "✓"),
    OPEN: ("too little data", "open", "?"),
}


@dataclass(frozen=True)
class ModelVerdict(PlainData):
    """The verdict on one model.

    Attributes:
        model: its description.
        verdict: kind, one of `MODEL_VERDICTS`.
        reason: what was measured.
    """

    model: str
    verdict: str
    reason: str


def verdicts(entries: Sequence[Entry], description: AuditedDescription) -> list[ModelVerdict]:
    """Return the verdict on each model of an experiment.

    Args:
        entries: of the experiment.
        description: of its models.
    """
    epsilons = dict.fromkeys(entry.epsilon for entry in entries)
    return [
        ModelVerdict(describe_model(description, epsilon), *_verdict(select(entries, epsilon=epsilon), description))
        for epsilon in epsilons
    ]


def _verdict(entries: Sequence[Entry], description: AuditedDescription) -> tuple[str, str]:
    """Return the kind of the verdict on one model, and the reason."""
    if (shown := _above_guessing(select(entries, iid=True))) is not None:
        return LEAKS, shown[1]
    if (below := _below_guessing(select(entries, iid=True))) is not None:
        return REVERSED, _shown_below(below)
    if (shown := _above_guessing(select(entries, iid=False))) is not None:
        apart, reason = shown
        if description.pool_unknown:
            return APART, f"{reason}; {POOL_UNKNOWN}"
        if description.predictions_only:
            reason += ", but members and non-members were not drawn from one pool"
        elif blind_of(entries, apart) is None:
            reason += "; no blind baseline was measured"
        elif (beyond := _largest_excess(entries)) is not None:
            excess = interval(beyond.cell("auc_excess"), guessing=0)
            by = "" if place(beyond) == place(apart) else f" ({place(beyond)})"
            reason += f"; {excess} beyond the blind baseline{by}: models can learn more of groups than it does"
        else:
            reason += ", not shown to be more than a blind baseline reaches"
        return SHIFT, reason
    if (below := _below_guessing(select(entries, iid=False))) is not None:
        return REVERSED if description.predictions_only else SHIFT, _shown_below(below)
    return _nothing_shown(entries)


def _shown_below(entry: Entry) -> str:
    return f"AUC {_auc(entry)} of {attack_name(entry.attack)} ({place(entry)})"


def _above_guessing(entries: Sequence[Entry]) -> tuple[Entry, str] | None:
    """Return an attack that is shown to beat guessing, and by what; None without any.

    It is shown by the AUC; by the TPR at a false positive rate of 1 %, which some members alone can raise; or by the
    advantage, where scores of members scatter less than those of non-members. One side of a 95 % interval of the AUC is
    wrong with 2.5 %, of the others with half of it each: all together with 5 %.
    """
    entry = best(entries)
    if entry is not None and entry.auc.above(GUESSING):
        return entry, f"AUC {_auc(entry)} ({place(entry)})"
    entry = standing_out(entries)
    if entry is not None:
        guessing, rate = format_number(entry.guessed(AT_LOW_RATE), 3), interval(entry.cell(AT_LOW_RATE), 3)
        by = f"{attack_name(entry.attack)}, guessing {guessing} ({place(entry)})"
        return entry, f"{metric_name(AT_LOW_RATE)} {rate} by {by}"
    entry = best_of_two(entries, "advantage")
    if entry is not None and entry.cell("advantage").above(0):
        advantage = interval(entry.cell("advantage"), guessing=0)
        return entry, f"advantage {advantage} of the decisions of {attack_name(entry.attack)} ({place(entry)})"
    return None


def _below_guessing(entries: Sequence[Entry]) -> Entry | None:
    """Return the attack whose AUC is shown to lie below guessing, the lowest; None without any."""
    below = [entry for entry in chosen_from(entries, "auc") if entry.auc.below(GUESSING)]
    return min(below, key=lambda entry: needed(entry.auc.high), default=None)


def _nothing_shown(entries: Sequence[Entry]) -> tuple[str, str]:
    """Return whether no attack on a model can reach much, or the data do not allow to say so: kind and reason."""
    judged = chosen_from(entries, "auc")
    if not judged:
        return OPEN, "no attack was run"
    for entry in judged:
        if entry.auc.high is None:
            shown = f"AUC {_auc(entry)} of {attack_name(entry.attack)} ({place(entry)})"
            return OPEN, f"{shown}. {no_interval(entry.auc)}"
    widest = max(judged, key=lambda entry: needed(entry.auc.high))
    high = needed(widest.auc.high)
    if high - GUESSING > TOO_WIDE:
        shown = f"AUC {_auc(widest)} of {attack_name(widest.attack)} ({place(widest)})"
        return OPEN, f"{shown}: the interval is too wide to say"
    return QUIET, f"no attack reached an AUC above {format_number(high, 2)} ({place(widest)}){_low_rate(entries)}"


def _low_rate(entries: Sequence[Entry]) -> str:
    """Return what the AUC hides, as a part of the reason: how many members may stand out all the same."""
    judged = chosen_from(entries, "auc")
    for entry in judged:
        if (rate := entry.metrics[AT_LOW_RATE]) is None or rate.high is None:
            whose = f"{attack_name(entry.attack)} ({place(entry)})"
            return f"; the {metric_name(AT_LOW_RATE)} of {whose} has no interval, so a few members may stand out"
    widest = max(judged, key=lambda entry: needed(entry.cell(AT_LOW_RATE).high))
    high, guessing = needed(widest.cell(AT_LOW_RATE).high), widest.guessed(AT_LOW_RATE)
    return f", nor a {metric_name(AT_LOW_RATE)} above {format_bound(high)}, guessing {format_number(guessing)}"


def _auc(entry: Entry) -> str:
    return interval(entry.auc, guessing=GUESSING)


def _largest_excess(entries: Sequence[Entry]) -> Entry | None:
    """Return the entry that goes furthest beyond the blind baseline, if its interval lies above zero."""
    entry = best(select(entries, iid=False), "auc_excess")
    return entry if entry is not None and entry.cell("auc_excess").above(0) else None
