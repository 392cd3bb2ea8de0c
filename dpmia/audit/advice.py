"""What to do about what an audit found: what would lower the risk of its models, and what was not tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dpmia.audit.choices import attacks_of, best, chosen_from, select
from dpmia.audit.entries import Accuracy, Cell, Entry
from dpmia.audit.formatting import (
    GUESSING,
    attack_name,
    describe_model,
    interval,
)
from dpmia.audit.plain import place
from dpmia.audit.verdicts import APART, LEAKS, OPEN, QUIET, REVERSED, SHIFT, verdicts
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.formatting import format_bound
from dpmia.common.optional import needed
from dpmia.jobs.auditing import AuditedDescription

#: A model overfits where it is better on members than on non-members by this.
OVERFITTING = 0.05


def remedies(entries: Sequence[Entry], accuracy: Sequence[Accuracy], description: AuditedDescription) -> list[str]:
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
    texts += _undecided([verdict.model for verdict in given if verdict.verdict == OPEN], description)
    if REVERSED in kinds:
        texts.append(
            "Check that members and non-members are marked the right way round, and that the attack fits: one that "
            "ranks members below non-members separates them as well as one that ranks them above."
        )
    if kinds <= {QUIET, OPEN, REVERSED}:
        return texts
    if APART in kinds:
        texts.append(
            "Find out how the members were chosen. If they and the non-members were drawn from one pool at random, say "
            "so (dpmia attack --same-pool, or same_pool: true) and audit again; else take non-members of the same kind."
        )
    lower = []
    if LEAKS in kinds:
        lower += _less_epsilon(entries, accuracy, description) + _less_overfitting(accuracy, description)
    if SHIFT in kinds or LEAKS in kinds:
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


def _undecided(models: Sequence[str], description: AuditedDescription) -> list[str]:
    """Return what to do about models on which the data allow no answer; nothing without any."""
    if not models:
        return []
    more = "more records" if description.predictions_only else "more replicates or more records"
    return [
        f"Take {more} before you decide on: {'; '.join(models)}. Too little data is no sign "
        "of safety: without an answer, treat a model that has no privacy guarantee as one that reveals membership."
    ]


def _refuted(entries: Sequence[Entry], description: AuditedDescription) -> list[str]:
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


def _less_epsilon(entries: Sequence[Entry], accuracy: Sequence[Accuracy], description: AuditedDescription) -> list[str]:
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


def _less_overfitting(accuracy: Sequence[Accuracy], description: AuditedDescription) -> list[str]:
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


def _mixed_groups(entries: Sequence[Entry], description: AuditedDescription) -> list[str]:
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


def untested(entries: Sequence[Entry], description: AuditedDescription) -> list[str]:
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
