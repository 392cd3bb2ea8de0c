"""What to do about what an audit found: a verdict on each model, what would lower its risk, what was not tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.audit.findings import attacks_of, best, best_of_two, blind_of, chosen_from, most_at_risk
from dpmia.audit.formatting import (
    GUESSING,
    POOL_UNKNOWN,
    attack_name,
    describe_model,
    interval,
    metric_name,
    pool_unknown,
    predictions_only,
)
from dpmia.audit.plain import AT_LOW_RATE, TOO_WIDE, Entry, guessed_at_low_rate, no_interval, place, standing_out
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.formatting import format_bound, format_number

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


def verdicts(entries: Sequence[Entry], experiment: str, facts: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return for each model of an experiment its description (`model`), the kind of its `verdict`, and the `reason`."""
    epsilons = dict.fromkeys(entry["epsilon"] for entry in entries if entry["experiment"] == experiment)
    return [
        {"model": describe_model(facts, epsilon)} | _verdict(entries, experiment, epsilon, facts)
        for epsilon in epsilons
    ]


def _verdict(entries: Sequence[Entry], experiment: str, epsilon: str, facts: Mapping[str, Any]) -> dict[str, str]:
    wanted: dict[str, Any] = {"experiment": experiment, "epsilon": epsilon}
    if (shown := _above_guessing(entries, iid=True, **wanted)) is not None:
        return {"verdict": "leaks", "reason": shown[1]}
    if (shown := _above_guessing(entries, iid=False, **wanted)) is not None:
        apart, reason = shown
        if pool_unknown(facts):
            return {"verdict": "apart", "reason": f"{reason}; {POOL_UNKNOWN}"}
        if predictions_only(facts):
            reason += ", but members and non-members were not drawn from one pool"
        elif blind_of(entries, apart) is None:
            reason += "; no blind baseline was measured"
        elif (beyond := _largest_excess(entries, wanted)) is not None:
            excess = interval(beyond["auc_excess"], guessing=0)
            by = "" if place(beyond) == place(apart) else f" ({place(beyond)})"
            reason += f"; {excess} beyond the blind baseline{by}: models can learn more of groups than it does"
        else:
            reason += ", not shown to be more than a blind baseline reaches"
        return {"verdict": "shift", "reason": reason}
    if (below := _below_guessing(entries, wanted)) is not None:
        kind = "reversed" if below["iid"] or predictions_only(facts) else "shift"
        return {"verdict": kind, "reason": f"AUC {_auc(below)} of {attack_name(below['attack'])} ({place(below)})"}
    return _nothing_shown(entries, wanted)


def _above_guessing(entries: Sequence[Entry], **wanted: Any) -> tuple[Entry, str] | None:
    """Return an attack that is shown to beat guessing, and by what; None without any.

    It is shown by the AUC; by the TPR at a false positive rate of 1 %, which some members alone can raise; or by the
    advantage, where scores of members scatter less than those of non-members. One side of a 95 % interval of the AUC is
    wrong with 2.5 %, of the others with half of it each: all together with 5 %.
    """
    entry = best(entries, **wanted)
    if entry is not None and (entry["auc"]["low"] or 0) > GUESSING:
        return entry, f"AUC {_auc(entry)} ({place(entry)})"
    entry = standing_out(entries, **wanted)
    if entry is not None:
        guessing, rate = format_number(guessed_at_low_rate(entry), 3), interval(entry[AT_LOW_RATE], 3)
        by = f"{attack_name(entry['attack'])}, guessing {guessing} ({place(entry)})"
        return entry, f"{metric_name(AT_LOW_RATE)} {rate} by {by}"
    entry = best_of_two(entries, "advantage", **wanted)
    if entry is not None and (entry["advantage"]["low"] or 0) > 0:
        advantage = interval(entry["advantage"], guessing=0)
        return entry, f"advantage {advantage} of the decisions of {attack_name(entry['attack'])} ({place(entry)})"
    return None


def _below_guessing(entries: Sequence[Entry], wanted: Mapping[str, Any]) -> Entry | None:
    """Return the attack whose AUC is shown to lie below guessing, the lowest; None without any."""
    bounded = [attack for attack in chosen_from(entries, "auc", **wanted) if attack["auc"]["high"] is not None]
    lowest = min(bounded, key=lambda entry: entry["auc"]["high"], default=None)
    return lowest if lowest is not None and lowest["auc"]["high"] < GUESSING else None


def _nothing_shown(entries: Sequence[Entry], wanted: Mapping[str, Any]) -> dict[str, str]:
    """Return whether no attack on a model can reach much, or the data do not allow to say so."""
    judged = chosen_from(entries, "auc", **wanted)
    if not judged:
        return {"verdict": "open", "reason": "no attack was run"}
    for entry in judged:
        if entry["auc"]["high"] is None:
            reason = (
                f"AUC {_auc(entry)} of {attack_name(entry['attack'])} ({place(entry)}). {no_interval(entry['auc'])}"
            )
            return {"verdict": "open", "reason": reason}
    widest = max(judged, key=lambda entry: entry["auc"]["high"])
    if widest["auc"]["high"] - GUESSING > TOO_WIDE:
        shown = f"AUC {_auc(widest)} of {attack_name(widest['attack'])} ({place(widest)})"
        return {"verdict": "open", "reason": f"{shown}: the interval is too wide to say"}
    high = format_number(widest["auc"]["high"], 2)
    return {"verdict": "quiet", "reason": f"no attack reached an AUC above {high} ({place(widest)})"}


def _auc(entry: Entry) -> str:
    return interval(entry["auc"], guessing=GUESSING)


def _largest_excess(entries: Sequence[Entry], wanted: Mapping[str, Any]) -> Entry | None:
    """Return the entry that goes furthest beyond the blind baseline, if its interval lies above zero."""
    entry = best(entries, "auc_excess", iid=False, **wanted)
    return entry if entry is not None and (entry["auc_excess"]["low"] or 0) > 0 else None


def remedies(
    entries: Sequence[Entry], accuracy: Sequence[Entry], experiment: str, facts: Mapping[str, Any]
) -> list[str]:
    """Return what would lower the risk of the models of an experiment, each with what was measured for it."""
    given = verdicts(entries, experiment, facts)
    kinds = {verdict["verdict"] for verdict in given}
    texts = _refuted(entries, experiment, facts)
    if facts.get("program"):
        texts += _same_for_every_epsilon(entries, accuracy, experiment)
    texts += _undecided([verdict["model"] for verdict in given if verdict["verdict"] == "open"], facts)
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
    if "leaks" in kinds:
        texts += _less_epsilon(entries, accuracy, experiment, facts) + _less_overfitting(accuracy, experiment)
    if "shift" in kinds or "leaks" in kinds:
        texts += _mixed_groups(entries, experiment)
    if predictions_only(facts):
        texts.append("Train again with differential privacy, or with less overfitting, and audit the new predictions.")
    return texts


def _undecided(models: Sequence[str], facts: Mapping[str, Any]) -> list[str]:
    """Return what to do about models on which the data allow no answer; nothing without any."""
    if not models:
        return []
    more = "more records" if predictions_only(facts) else "more replicates or more records"
    return [
        f"Take {more} before you decide on: {'; '.join(models)}. Too little data is no sign "
        "of safety: without an answer, treat a model that has no privacy guarantee as one that reveals membership."
    ]


def _refuted(entries: Sequence[Entry], experiment: str, facts: Mapping[str, Any]) -> list[str]:
    """Return where an attack refutes a guarantee, stated or trained for: its whole interval is above a bound."""
    texts = []
    for epsilon in dict.fromkeys(entry["epsilon"] for entry in entries if entry["experiment"] == experiment):
        worst = best(entries, "advantage", experiment=experiment, epsilon=epsilon, iid=True)
        limits = [] if worst is None else [worst[kind] for kind in ("bound", "ceiling") if worst[kind] is not None]
        if worst is None or not limits or (worst["advantage"]["low"] or 0) <= min(limits):
            continue
        stated = bool(facts.get("stated"))
        of = f"with epsilon {epsilon}" if min(limits) == worst["bound"] else f"with the mechanism of epsilon {epsilon}"
        trained = "program" if stated else "model or its engine"
        texts.append(
            f"Find out why the {'stated guarantee' if stated else 'privacy guarantee'} does not hold: {of} no attack "
            f"can have an advantage above {format_bound(min(limits), 3)}, and {attack_name(worst['attack'])} has "
            f"{interval(worst['advantage'], 3)} ({place(worst)}). Check how the {trained} samples batches, clips "
            "gradients, adds noise and accounts for them, and whether it uses records that it was not given."
        )
    return texts


def _same_for_every_epsilon(entries: Sequence[Entry], accuracy: Sequence[Entry], experiment: str) -> list[str]:
    """Return whether models of a program with different epsilons are the same: it may not use what it is given.

    They are where accuracy is the same to the last digit, and so is what an attack finds; attacks with reference models
    need not find the same, as these may have other members.
    """
    measured: dict[str, dict[str, list[Any]]] = {}  # epsilon -> measure -> its values in each arm
    for entry in (row for row in accuracy if row["experiment"] == experiment):
        values = [entry["arm"], entry["accuracy_members"], entry["accuracy_nonmembers"]]
        measured.setdefault(entry["epsilon"], {}).setdefault("accuracy", []).append(values)
    for entry in (row for row in attacks_of(entries) if row["experiment"] == experiment):
        values = [entry["arm"], entry["auc"], entry["advantage"]]
        measured.setdefault(entry["epsilon"], {}).setdefault(entry["attack"], []).append(values)
    first, *others = measured.values() if measured else ({},)
    same = {name for name in first if all(other.get(name) == first[name] for other in others)}
    if not others or "accuracy" not in same or len(same) < 2:
        return []
    return [
        f"Check that the program uses {{epsilon}}: its models with epsilon {' and '.join(measured)} have the same "
        f"accuracy and the same AUC of {', '.join(sorted(map(attack_name, same - {'accuracy'})))}, to the last digit."
    ]


def _less_epsilon(
    entries: Sequence[Entry], accuracy: Sequence[Entry], experiment: str, facts: Mapping[str, Any]
) -> list[str]:
    if predictions_only(facts):
        return []
    own = [entry for entry in entries if entry["experiment"] == experiment]
    epsilons = sorted({entry["epsilon"] for entry in own}, key=float)
    worst = best(own, epsilon=epsilons[-1], iid=True) or best(own, epsilon=epsilons[-1])
    if len(epsilons) < 2 or worst is None:
        if epsilons[-1] == "inf":
            return ["Train with differential privacy: add finite epsilons, with a model and an engine that support it."]
        return [f"Train with a smaller epsilon than {epsilons[-1]}."]
    least = best(own, epsilon=epsilons[0], arm=worst["arm"])
    if least is None or least["auc"]["mean"] >= worst["auc"]["mean"]:
        return []
    step = f"from {describe_model(facts, epsilons[-1])} to epsilon {epsilons[0]}"
    aucs = f"from {interval(worst['auc'])} to {interval(least['auc'])}"
    if not _falls(worst["auc"], least["auc"]):
        return [
            "Train with differential privacy at a small epsilon, which bounds attacks that were not run, too. Those "
            f"that were run do not show a smaller risk: {step} the AUC of the strongest goes {aucs} ({worst['label']})."
        ]
    at = {
        entry["epsilon"]: entry["accuracy_nonmembers"]
        for entry in accuracy
        if (entry["experiment"], entry["arm"]) == (experiment, worst["arm"])
    }
    before, after = at.get(epsilons[-1]), at.get(epsilons[0])
    use = f", and accuracy on non-members goes from {interval(before)} to {interval(after)}" if before and after else ""
    return [
        f"Train with differential privacy at a small epsilon. Measured for {worst['label']}: {step} the AUC of the "
        f"strongest attack falls {aucs}{use}."
    ]


def _falls(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether a mean is shown to be smaller than another: their intervals lie apart."""
    return before["low"] is not None and after["high"] is not None and bool(after["high"] < before["low"])


def _less_overfitting(accuracy: Sequence[Entry], experiment: str) -> list[str]:
    gaps = [
        (entry["accuracy_members"]["mean"] - entry["accuracy_nonmembers"]["mean"], entry)
        for entry in accuracy
        if entry["experiment"] == experiment and entry["accuracy_members"] and entry["accuracy_nonmembers"]
    ]
    gap, entry = max(gaps, key=lambda pair: pair[0], default=(0.0, None))
    if entry is None or gap < OVERFITTING:
        return []
    return [
        f"Overfit less (fewer epochs or trees, stronger regularisation, more records): with epsilon "
        f"{entry['epsilon']}, {entry['label']}, accuracy is {interval(entry['accuracy_members'])} on members and "
        f"{interval(entry['accuracy_nonmembers'])} on non-members."
    ]


def _mixed_groups(entries: Sequence[Entry], experiment: str) -> list[str]:
    own = [entry for entry in entries if entry["experiment"] == experiment]
    apart = most_at_risk(own, iid=False)
    if apart is None:
        return []
    mixed = best(own, arm=apart["arm"] + IID_SUFFIX, epsilon=apart["epsilon"])
    if mixed is None or not _falls(apart["auc"], mixed["auc"]):
        return []
    return [
        f"Train on records of all groups instead of one: with the records of {apart['label']} and of the others mixed, "
        f"the AUC falls from {interval(apart['auc'])} to {interval(mixed['auc'])} (epsilon {apart['epsilon']})."
    ]


def untested(entries: Sequence[Entry], experiment: str, facts: Mapping[str, Any]) -> list[str]:
    """Return what an audit of this experiment did not test.

    Args:
        entries: see `verdicts`.
        experiment: whose.
        facts: of the experiment.
    """
    missing = ", ".join(map(attack_name, facts["attacks_not_run"]))
    gaps = [f"Attacks that were not run: {missing}."] if missing else []
    if facts.get("mismatched_attacks"):
        weaker = ", ".join(map(attack_name, facts["mismatched_attacks"]))
        gaps.append(
            f"Shadow or reference models trained like the private targets: those of {weaker} were trained without "
            "privacy, which finds less."
        )
    own = [entry for entry in entries if entry["experiment"] == experiment]
    fewest = min((entry["nonmembers"] for entry in own), default=0)
    gaps.append(f"False positive rates below 1/{fewest}: the non-members of one model are too few.")
    if facts.get("stated"):
        gaps.append("The privacy guarantee of the program: it is stated by the user, and attacks can only refute it.")
    if predictions_only(facts):
        gaps.append("Other training runs: one model was given, so the spread over seeds and members is unknown.")
        gaps.append("The privacy guarantee of the model: an epsilon given for the report is not checked.")
    gaps.append(
        "Attackers who see weights or gradients, who query a model many times with altered records, or who plant "
        "records of their own; and the single records that are worst off."
    )
    return gaps
