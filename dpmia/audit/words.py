"""What an audit found, in sentences for people who know neither attacks nor differential privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.audit.findings import best, blind_of

Entry = Mapping[str, Any]


def model_of(facts: Mapping[str, Any], epsilon: str) -> str:
    """Return a model in words: `perceptron 64-64 with epsilon 1`; of one known by its answers, only what is known."""
    model = facts["model"].replace("mlp", "perceptron")
    if epsilon != "inf":
        return f"{model} with epsilon {epsilon}"
    return model if answers_only(facts) else f"{model} without privacy"


def answers_only(facts: Mapping[str, Any]) -> bool:
    """Return whether a model is known by its answers only, so that no promise of it is known here."""
    return facts["delta"] is None


def plainly(found: Sequence[Entry], experiment: str, facts: Mapping[str, Any]) -> list[str]:
    """Return what an experiment found, a paragraph for each epsilon.

    Args:
        found: entries of `dpmia.audit.findings.results`.
        experiment: whose.
        facts: of the experiment, with the model's name.
    """
    epsilons = dict.fromkeys(each["epsilon"] for each in found if each["experiment"] == experiment)
    return [_paragraph(found, experiment, epsilon, facts) for epsilon in epsilons]


def interval(cell: Mapping[str, Any] | None, digits: int = 2) -> str:
    """Return a mean and its interval: `0.53 [0.50, 0.56]`; a dash where there is none."""
    if cell is None:
        return "-"
    told = f"{cell['mean']:.{digits}f}"
    return told if cell["low"] is None else f"{told} [{cell['low']:.{digits}f}, {cell['high']:.{digits}f}]"


def of_hundred(value: float) -> str:
    """Return a share as a number of 100."""
    return f"{100 * value:.0f} in 100"


def below(entry: Entry) -> str:
    """Return in short why a true positive rate cannot be told: the rate is below what the non-members can show."""
    return f"(< 1/{round(1 / entry['resolution'])})"


def _paragraph(found: Sequence[Entry], experiment: str, epsilon: str, facts: Mapping[str, Any]) -> str:
    wanted = {"experiment": experiment, "epsilon": epsilon}
    mixed, apart = best(found, iid=True, **wanted), best(found, iid=False, **wanted)
    model = model_of(facts, epsilon)
    told = [f"{model[0].upper()}{model[1:]}."]
    if mixed is not None:
        told.append(_picked("one member and one non-member of the same kind", mixed))
    if apart is not None and answers_only(facts):
        told.append(_picked("one member and one non-member of the table", apart))
        told.append("They were not drawn from one pool: how far they differ without the model is not known here.")
    elif apart is not None:
        if mixed is None:
            shown = f"one member, of one group (here: {apart['arm']}), and one non-member of the others"
            told.append(_picked(shown, apart))
        else:
            told.append(
                f"If the members all come from one group (here: {apart['arm']}) and the non-members from the others, "
                f"it is {of_hundred(apart['auc']['mean'])} ({_name(apart)})."
            )
        blind = blind_of(found, apart)
        if blind is not None:
            told.append(
                "Somebody who never asks the model and looks at the records alone gets "
                f"{of_hundred(blind['auc']['mean'])} there: {_compared(apart['auc']['mean'], blind['auc']['mean'])}"
            )
    return " ".join(told)


def _picked(shown: str, entry: Entry) -> str:
    told = (
        f"Shown {shown}, a stranger who sees the model's answers and guesses as well as our best attack "
        f"({_name(entry)}) picks the member {of_hundred(entry['auc']['mean'])} times; a coin reaches 50."
    )
    rate = entry["tpr_at_1pct_fpr"]
    return told if rate is None else f"{told} At one false alarm in 100 it finds {of_hundred(rate['mean'])} members."


def _compared(attack: float, blind: float) -> str:
    if attack > blind + 0.005:
        return "what lies above that is the model's doing."
    return "so what the attack finds, the data give away, and not the model alone."


def _name(entry: Entry) -> str:
    return entry["attack"].replace("_", " ")
