"""What an audit found, in sentences: each with its arm, its records and its interval, and chosen by the interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpmia.audit.choices import attacks_of, best, best_of_two, blind_of, select
from dpmia.audit.entries import Cell, Entry
from dpmia.audit.formatting import (
    GUESSING,
    GUESSING_OF_HUNDRED,
    POOL_UNKNOWN,
    attack_name,
    describe_model,
    interval,
    of_hundred,
)
from dpmia.common.formatting import format_number, format_significant
from dpmia.common.plain import PlainData
from dpmia.jobs.auditing import AuditedDescription
from dpmia.metrics.intervals import EQUAL, FEWEST, INFINITE, NORMAL, SINGLE, replicates_needed
from dpmia.metrics.low_rates import guessing_tail
from dpmia.metrics.ranking import LOW_RATES

#: Half the width of an interval of the AUC that an audit should reach.
WANTED = 0.02

#: Half the width of the AUC's interval, over the records of one model, above which there are too few of them.
TOO_WIDE = 0.1

#: The metric of members that stand out, though few do.
AT_LOW_RATE = "tpr_at_1pct_fpr"

#: What too few records are compared with: how many would reach this half width.
NARROW = 0.05


@dataclass(frozen=True)
class PlainWords(PlainData):
    """What was found on one model: its description, and paragraphs on it."""

    model: str
    paragraphs: list[str]


def plain_words(entries: Sequence[Entry], description: AuditedDescription) -> list[PlainWords]:
    """Return what an experiment found, for each epsilon.

    Args:
        entries: of the experiment.
        description: of its models.
    """
    epsilons = dict.fromkeys(entry.epsilon for entry in entries)
    return [
        PlainWords(describe_model(description, epsilon), _paragraphs(select(entries, epsilon=epsilon), description))
        for epsilon in epsilons
    ]


def records_half_width(members: int, nonmembers: int) -> float:
    """Return half the width of the 95 % interval of one model's AUC over its records, where scores carry no signal.

    Source: the variance of the Mann-Whitney statistic, (m + n + 1) / (12 m n).
    """
    return NORMAL * math.sqrt((members + nonmembers + 1) / (12 * members * nonmembers))


def records_needed(half_width: float) -> int:
    """Return how many members, and as many non-members, give `records_half_width` a value of at most `half_width`."""
    # (2 n + 1) / (12 n^2) = (half_width / NORMAL)^2, solved for n.
    variance = (half_width / NORMAL) ** 2
    return math.ceil((2 + math.sqrt(4 + 48 * variance)) / (24 * variance))


def _paragraphs(entries: Sequence[Entry], description: AuditedDescription) -> list[str]:
    mixed, apart = (best(select(entries, iid=iid)) for iid in (True, False))
    paragraphs = []
    if mixed is not None:
        what = "Members and non-members drawn from one pool"
        paragraphs.append([_strongest(entries, mixed, what), *_against_guessing(mixed), *_low_rate(entries, mixed)])
    if apart is not None and description.predictions_only:
        pool = (
            f"{POOL_UNKNOWN[0].upper()}{POOL_UNKNOWN[1:]}"
            if description.pool_unknown
            else "They were not drawn from one pool"
        )
        remark = (
            f"{pool}, so part of this may be a difference between the two sets of records and not leakage from the "
            "model. No blind baseline is measured for predictions only."
        )
        paragraphs.append(
            [_strongest(entries, apart, "Members and non-members of the table"), *_low_rate(entries, apart), remark]
        )
    elif apart is not None:
        what = "Members and non-members not drawn from one pool"
        against = _against_baseline(blind_of(entries, apart), apart)
        paragraphs.append([_strongest(entries, apart, what), *against, *_low_rate(entries, apart)])
    return [" ".join(sentences) for sentences in paragraphs]


def _strongest(entries: Sequence[Entry], entry: Entry, what: str) -> str:
    """Return what the strongest attack reaches, and on which records."""
    count = len(attacks_of(select(entries, arm=entry.arm)))
    name = attack_name(entry.attack)
    strongest = name if count == 1 else f"the strongest of {count} attacks ({name})"
    compared = entry.compared
    chosen = (
        ""
        if compared == 1 or entry.auc.low is None
        else f" Intervals allow for its choice among {compared} results (attacks and arms)."
    )
    return (
        f"{what} ({place(entry)}): {strongest} ranks the member above the non-member in "
        f"{of_hundred(entry.auc, GUESSING_OF_HUNDRED)} of 100 pairs; guessing reaches 50.{chosen}"
    )


def _low_rate(entries: Sequence[Entry], entry: Entry) -> list[str]:
    """Return what an attack finds at a low false positive rate, or why the data cannot show it.

    It is the attack of `entry`, unless another one is the strongest there and shown to beat guessing.
    """
    strongest = standing_out(select(entries, iid=entry.iid))
    if strongest is not None:
        where = "" if place(strongest) == place(entry) else f" ({place(strongest)})"
        shown = (
            f"At a false positive rate of 1 % {attack_name(strongest.attack)}{where} finds "
            f"{of_hundred(strongest.cell(AT_LOW_RATE))} of 100 members, more than guessing does "
            f"({format_significant(100 * strongest.guessed(AT_LOW_RATE), 2)})."
        )
        if entry.iid:
            shown += " So the model reveals some members."
    elif (rate := entry.metrics[AT_LOW_RATE]) is not None:
        shown = f"At a false positive rate of 1 % it finds {of_hundred(rate)} of 100 members."
    else:
        shown = (
            f"{entry.nonmembers} non-members show no false positive rate below 1/{entry.nonmembers}; "
            "1 % takes at least 100."
        )
    return [shown, *few_records(entry)]


def standing_out(entries: Sequence[Entry]) -> Entry | None:
    """Return the attack that is shown to find more members at a false positive rate of 1 % than guessing; None without.

    Over replicates its interval shows it, and of one model how rarely random scores find as many (`guessing_tail`).
    Either is wrong with 1.25 %, for all attacks together.
    """
    entry = best_of_two(entries, AT_LOW_RATE)
    if entry is None:
        return None
    rate = entry.cell(AT_LOW_RATE)
    if rate.low is not None:
        return entry if rate.above(entry.guessed(AT_LOW_RATE)) else None
    if entry.replicates > 1:
        return None
    members, nonmembers = entry.members, entry.nonmembers
    tail = guessing_tail(round(rate.mean * members), members, nonmembers, LOW_RATES[AT_LOW_RATE])
    return entry if tail <= 0.025 / entry.compared else None


def place(entry: Entry) -> str:
    """Return the arm of an entry, and its records."""
    models = f" in each of {entry.replicates} models" if entry.replicates > 1 else ""
    return f"{entry.label}; {entry.members} members and {entry.nonmembers} non-members{models}"


def few_records(entry: Entry) -> list[str]:
    """Return a warning where a model has too few records to be attacked with any certainty."""
    half = records_half_width(entry.members, entry.nonmembers)
    if half <= TOO_WIDE:
        return []
    return [
        f"These are few records: they alone leave the AUC of one model uncertain by {format_number(half, 2)}; "
        f"an uncertainty of {NARROW} takes about {records_needed(NARROW)} members and as many non-members."
    ]


def _against_guessing(entry: Entry) -> list[str]:
    auc = entry.auc
    if auc.low is None:
        return [no_interval(auc)]
    if auc.above(GUESSING):
        return ["So the model reveals membership."]
    if auc.below(GUESSING):
        return ["It ranks members below non-members, which separates them as well: see that they are marked rightly."]
    return [f"This is not distinguishable from guessing{_more(auc, entry.compared, auc.mean - 0.5)}."]


def _against_baseline(blind: Entry | None, entry: Entry) -> list[str]:
    if blind is None:
        return ["No blind baseline was measured, so this may be the difference between the groups alone."]
    excess = entry.metrics["auc_excess"]
    sentences = [
        "A blind baseline that sees only the records, and is supervised on other records of both groups, reaches "
        f"{of_hundred(blind.auc)}."
    ]
    if excess is None or excess.low is None:
        return [*sentences, no_interval(excess, " of the difference")]
    shown = f"difference of the AUCs {interval(excess)}"
    if excess.above(0):
        return [
            *sentences,
            f"The attack goes beyond it ({shown}). The model may show the groups better than the records alone do; "
            "whether it reveals its members, only members and non-members from one pool can show.",
        ]
    if excess.below(0):
        return [*sentences, f"The attack stays below it ({shown}), which shows nothing about the model."]
    more = _more(excess, entry.compared, excess.mean)
    return [*sentences, f"Undecided: the attack is neither shown to go beyond it nor to stay below it ({shown}){more}."]


#: Why there is no interval, other than too few replicates -> the beginning of a sentence.
_WITHOUT_INTERVAL = {
    EQUAL: "All values are equal, which gives",
    SINGLE: "A single member or non-member gives",
    INFINITE: "Infinite values have",
}


def no_interval(cell: Cell | None, what: str = "") -> str:
    """Return why there is no interval."""
    if cell is not None and cell.interval in _WITHOUT_INTERVAL:
        return f"{_WITHOUT_INTERVAL[cell.interval]} no interval{what}."
    return f"Fewer than {FEWEST} replicates give no interval{what}: run at least {FEWEST}."


def _more(cell: Cell, compared: int, effect: float) -> str:
    """Return how many replicates would narrow one of `compared` intervals enough; nothing where it is narrow."""
    wanted = max(abs(effect), WANTED)
    if cell.half_width is None or cell.half_width <= wanted or cell.replicates < FEWEST:
        return ""
    needed = replicates_needed(cell.estimate, wanted, 1 - 0.05 / compared)
    narrow = f"±{format_number(wanted, 2)}"
    if needed is None and cell.records_error:
        return f"; an interval of {narrow} takes more records: all replicates have these"
    if needed is None:
        return f"; more than 1000 replicates would be needed for an interval of {narrow}"
    return f"; about {needed} replicates would narrow the interval to {narrow}"
