"""What to do about what an audit found: a verdict on each model, what would lower its risk, what was not tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dpmia.audit.choices import attacks_of, best, best_of_two, blind_of, chosen_from, select
from dpmia.audit.entries import Accuracy, Cell, Entry
from dpmia.audit.formatting import (
    GUESSING,
    POOL_UNKNOWN,
    attack_name,
    describe_model,
    interval,
    metric_name,
)
from dpmia.audit.plain import AT_LOW_RATE, TOO_WIDE, guessed_at_low_rate, no_interval, place, standing_out
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.formatting import format_bound, format_number
from dpmia.common.optional import needed
from dpmia.common.plain import PlainData
from dpmia.jobs.auditing import Description

#: Kind of verdict -> its words, the kind and the sign of its badge.
VERDICTS = {
    "leaks": ("reveals membership", "bad", "✗"),
    "shift": ("groups are distinguishable", "open", "!"),
    "apart": ("members stand out, the cause is not known", "open", "!"),
    "reversed": ("members rank below non-members", "open", "!"),
    "quiet": ("no leakage found", "good", "✓"),
    "open": ("too little data", "open", "?"),
}

#: A model overfits where it is better on members than on non-members by this.
OVERFITTING = 0.05


@dataclass(frozen=True)
class ModelVerdict(PlainData):
    """The verdict on one model.

    Attributes:
        model: its description.
        verdict: kind, one of `VERDICTS`.
        reason: what was measured.
    """

    model: str
    verdict: str
    reason: str


def verdicts(entries: Sequence[Entry], description: Description) -> list[ModelVerdict]:
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


def _verdict(entries: Sequence[Entry], description: Description) -> tuple[str, str]:
    """Return the kind of the verdict on one model, and the reason."""
    if (shown := _above_guessing(select(entries, iid=True))) is not None:
        return "leaks", shown[1]
    if (below := _below_guessing(select(entries, iid=True))) is not None:
        return "reversed", _shown_below(below)
    if (shown := _above_guessing(select(entries, iid=False))) is not None:
        apart, reason = shown
        if description.pool_unknown:
            return "apart", f"{reason}; {POOL_UNKNOWN}"
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
        return "shift", reason
    if (below := _below_guessing(select(entries, iid=False))) is not None:
        return "reversed" if description.predictions_only else "shift", _shown_below(below)
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
        guessing, rate = format_number(guessed_at_low_rate(entry), 3), interval(entry.cell(AT_LOW_RATE), 3)
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
        return "open", "no attack was run"
    for entry in judged:
        if entry.auc.high is None:
            shown = f"AUC {_auc(entry)} of {attack_name(entry.attack)} ({place(entry)})"
            return "open", f"{shown}. {no_interval(entry.auc)}"
    widest = max(judged, key=lambda entry: needed(entry.auc.high))
    high = needed(widest.auc.high)
    if high - GUESSING > TOO_WIDE:
        shown = f"AUC {_auc(widest)} of {attack_name(widest.attack)} ({place(widest)})"
        return "open", f"{shown}: the interval is too wide to say"
    return "quiet", f"no attack reached an AUC above {format_number(high, 2)} ({place(widest)})"


def _auc(entry: Entry) -> str:
    return interval(entry.auc, guessing=GUESSING)


def _largest_excess(entries: Sequence[Entry]) -> Entry | None:
    """Return the entry that goes furthest beyond the blind baseline, if its interval lies above zero."""
    entry = best(select(entries, iid=False), "auc_excess")
    return entry if entry is not None and entry.cell("auc_excess").above(0) else None


def remedies(entries: Sequence[Entry], accuracy: Sequence[Accuracy], description: Description) -> list[str]:
    """Return what would lower the risk of the models of an experiment, each with what was measured for it.

    Args:
        entries: of the experiment.
        accuracy: of its models.
        description: of its models.
    """
    given = verdicts(entries, description)
    kinds = {verdict.verdict for verdict in given}
    texts = _refuted(entries, description)
    if description.program:
        texts += _same_for_every_epsilon(entries, accuracy)
    texts += _undecided([verdict.model for verdict in given if verdict.verdict == "open"], description)
    if "reversed" in kinds:
        texts.append(
            "Check that members and non-members are marked the right way round, and that the attack fits: one that "
            "ranks members below non-members separates them as well as one that ranks them above."
        )
    if kinds <= {"quiet", "open", "reversed"}:
        return texts
    if "apart" in kinds:
        texts.append(
            "Find out how the members were chosen. If they and the non-members were drawn from one pool at random, say "
            "so (dpmia attack --same-pool, or same_pool: true) and audit again; else take non-members of the same kind."
        )
    lower = []
    if "leaks" in kinds:
        lower += _less_epsilon(entries, accuracy, description) + _less_overfitting(accuracy, description)
    if "shift" in kinds or "leaks" in kinds:
        lower += _mixed_groups(entries, description)
    if not lower and not description.predictions_only:
        lower.append(
            "No setting that was tried lowers the risk. Try a smaller epsilon, fewer epochs or more records; where "
            "members and non-members come from different groups, train on records of all groups."
        )
    texts += lower
    if description.predictions_only:
        texts.append("Train again with differential privacy, or with less overfitting, and audit the new predictions.")
    return texts


def _undecided(models: Sequence[str], description: Description) -> list[str]:
    """Return what to do about models on which the data allow no answer; nothing without any."""
    if not models:
        return []
    more = "more records" if description.predictions_only else "more replicates or more records"
    return [
        f"Take {more} before you decide on: {'; '.join(models)}. Too little data is no sign "
        "of safety: without an answer, treat a model that has no privacy guarantee as one that reveals membership."
    ]


def _refuted(entries: Sequence[Entry], description: Description) -> list[str]:
    """Return where an attack refutes a guarantee, stated or trained for: its whole interval is above a bound."""
    texts = []
    for epsilon in dict.fromkeys(entry.epsilon for entry in entries):
        bounded = [
            (entry, min(bounds))
            for entry in chosen_from(select(entries, epsilon=epsilon, iid=True), "advantage")
            if (bounds := [bound for bound in (entry.bound, entry.ceiling) if bound is not None])
        ]
        beyond = [(entry, bound) for entry, bound in bounded if entry.cell("advantage").above(bound)]
        if not beyond:
            continue
        worst, bound = max(beyond, key=lambda pair: needed(pair[0].cell("advantage").low) - pair[1])
        of = f"with epsilon {epsilon}" if bound == worst.bound else f"with the mechanism of epsilon {epsilon}"
        guarantee, trained = ("stated", "program") if description.stated else ("privacy", "model or its engine")
        texts.append(
            f"Find out why the {guarantee} guarantee does not hold: {of} no attack "
            f"can have an advantage above {format_bound(bound, 3)}, and {attack_name(worst.attack)} has "
            f"{interval(worst.cell('advantage'), 3)} ({place(worst)}). Check how the {trained} samples batches, clips "
            "gradients, adds noise and accounts for them, and whether it uses records that it was not given."
        )
    return texts


def _same_for_every_epsilon(entries: Sequence[Entry], accuracy: Sequence[Accuracy]) -> list[str]:
    """Return whether models of a program with different epsilons are the same: it may not use what it is given.

    They are where accuracy is the same to the last digit, and so is what an attack finds; attacks with reference models
    need not find the same, as these may have other members.
    """
    epsilons = list(dict.fromkeys(model.epsilon for model in accuracy))
    if len(epsilons) < 2 or not _all_same(
        [(one.arm, one.members, one.nonmembers) for one in accuracy if one.epsilon == epsilon] for epsilon in epsilons
    ):
        return []
    shown = attacks_of(entries)
    same = [
        attack
        for attack in dict.fromkeys(entry.attack for entry in shown)
        if _all_same(
            [
                (entry.arm, entry.metrics["auc"], entry.metrics["advantage"])
                for entry in shown
                if (entry.attack, entry.epsilon) == (attack, epsilon)
            ]
            for epsilon in epsilons
        )
    ]
    if not same:
        return []
    return [
        f"Check that the program uses {{epsilon}}: its models with epsilon {' and '.join(epsilons)} have the same "
        f"accuracy and the same AUC of {', '.join(sorted(map(attack_name, same)))}, to the last digit."
    ]


def _all_same(several: Iterable[list[tuple[Any, ...]]]) -> bool:
    """Return whether there are values, and all lists of them are equal."""
    first, *others = several
    return bool(first) and all(other == first for other in others)


def _less_epsilon(entries: Sequence[Entry], accuracy: Sequence[Accuracy], description: Description) -> list[str]:
    if description.predictions_only:
        return []
    epsilons = sorted({entry.epsilon for entry in entries}, key=float)
    largest = select(entries, epsilon=epsilons[-1])
    worst = best(select(largest, iid=True)) or best(largest)
    if len(epsilons) < 2 or worst is None:
        if epsilons[-1] == "inf":
            return ["Train with differential privacy: add finite epsilons, with a model and an engine that support it."]
        return [f"Train with a smaller epsilon than {epsilons[-1]}."]
    least = best(select(entries, epsilon=epsilons[0], arm=worst.arm))
    if least is None:
        return []
    step = f"from {describe_model(description, epsilons[-1])} to epsilon {epsilons[0]}"
    aucs = f"from {interval(worst.auc)} to {interval(least.auc)}"
    if not _falls(worst.auc, least.auc):
        return [
            "Train with differential privacy at a small epsilon, which bounds attacks that were not run, too. Those "
            f"that were run do not show a smaller risk: {step} the AUC of the strongest goes {aucs} ({worst.label})."
        ]
    at = {model.epsilon: model.nonmembers for model in accuracy if model.arm == worst.arm}
    before, after = at.get(epsilons[-1]), at.get(epsilons[0])
    use = f", and accuracy on non-members goes from {interval(before)} to {interval(after)}" if before and after else ""
    return [
        f"Train with differential privacy at a small epsilon. Measured for {worst.label}: {step} the AUC of the "
        f"strongest attack falls {aucs}{use}."
    ]


def _falls(before: Cell, after: Cell) -> bool:
    """Return whether an AUC is shown to be smaller than another, and nearer to guessing: their intervals lie apart."""
    return before.low is not None and after.below(before.low) and not after.below(GUESSING)


def _less_overfitting(accuracy: Sequence[Accuracy], description: Description) -> list[str]:
    measured = [(model, model.members, model.nonmembers) for model in accuracy]
    gaps = [
        (members.mean - nonmembers.mean, model, members, nonmembers)
        for model, members, nonmembers in measured
        if members is not None and nonmembers is not None
    ]
    if not gaps:
        return []
    gap, model, members, nonmembers = max(gaps, key=lambda measured: measured[0])
    if gap < OVERFITTING:
        return []
    return [
        "Overfit less (fewer epochs or trees, stronger regularisation, more records): of "
        f"{describe_model(description, model.epsilon)}, {model.label}, accuracy is {interval(members)} on members and "
        f"{interval(nonmembers)} on non-members."
    ]


def _mixed_groups(entries: Sequence[Entry], description: Description) -> list[str]:
    apart = best(select(entries, iid=False))
    if apart is None:
        return []
    mixed = best(select(entries, arm=apart.arm + IID_SUFFIX, epsilon=apart.epsilon))
    if mixed is None or not _falls(apart.auc, mixed.auc):
        return []
    return [
        f"Train on records of all groups instead of one: with the records of {apart.label} and of the others mixed, "
        f"the AUC falls from {interval(apart.auc)} to {interval(mixed.auc)} "
        f"({describe_model(description, apart.epsilon)})."
    ]


def untested(entries: Sequence[Entry], description: Description) -> list[str]:
    """Return what an audit of this experiment did not test.

    Args:
        entries: of the experiment.
        description: of its models.
    """
    missing = ", ".join(map(attack_name, description.attacks_not_run))
    gaps = [f"Attacks that were not run: {missing}."] if missing else []
    if description.mismatched_attacks:
        weaker = ", ".join(map(attack_name, description.mismatched_attacks))
        gaps.append(
            f"Shadow or reference models trained like the private targets: those of {weaker} were trained without "
            "privacy, which finds less."
        )
    fewest = min((entry.nonmembers for entry in entries), default=0)
    gaps.append(f"False positive rates below 1/{fewest}: the non-members of one model are too few.")
    if description.stated:
        gaps.append("The privacy guarantee of the program: it is stated by the user, and attacks can only refute it.")
    if description.predictions_only:
        gaps.append("Other training runs: one model was given, so the spread over seeds and members is unknown.")
        gaps.append("The privacy guarantee of the model: an epsilon given for the report is not checked.")
    gaps.append(
        "Attackers who see weights or gradients, who query a model many times with altered records, or who plant "
        "records of their own; and the single records that are worst off."
    )
    return gaps
