"""Numbers and names of an audit as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpmia.common.epsilon import spell_epsilon

Cell = Mapping[str, Any]

#: Words of attacks' names that are spelled in another way.
ACRONYMS = {"lira": "LiRA", "rmia": "RMIA"}


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with a fixed number of digits, never `-0.00`; a dash for none."""
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def interval(cell: Cell | None, digits: int = 2) -> str:
    """Return a mean and its interval: `0.53 [0.50, 0.56]`; a dash where there is none."""
    if cell is None:
        return "-"
    mean = number(cell["mean"], digits)
    if cell["low"] is None:
        return mean
    return f"{mean} [{number(cell['low'], digits)}, {number(cell['high'], digits)}]"


def of_hundred(cell: Cell) -> str:
    """Return a share and its interval as numbers of 100: `53 [50, 56]`."""
    scaled = {key: None if cell[key] is None else 100 * cell[key] for key in ("mean", "low", "high")}
    return interval(scaled, 0)


def below_resolution(resolution: float) -> str:
    """Return what stands in the place of a rate that so few non-members cannot show: `(< 1/46)`."""
    return f"(< 1/{round(1 / resolution)})"


def epsilon_sign(epsilon: str) -> str:
    """Return an epsilon as tables show it."""
    return "∞" if epsilon == spell_epsilon(float("inf")) else epsilon


def attack_name(attack: str) -> str:
    """Return the name of an attack in words."""
    return " ".join(ACRONYMS.get(word, word) for word in attack.split("_"))


def describe_model(facts: Mapping[str, Any], epsilon: str) -> str:
    """Return a model in words: `perceptron 64-64 with epsilon 1`; of predictions only, no more than is known."""
    model = facts["model"].replace("mlp", "perceptron")
    if epsilon != "inf":
        return f"{model} with epsilon {epsilon}"
    return model if predictions_only(facts) else f"{model} without privacy"


def predictions_only(facts: Mapping[str, Any]) -> bool:
    """Return whether a model is known by its predictions only: nothing was trained, no privacy guarantee is known."""
    return facts["delta"] is None
