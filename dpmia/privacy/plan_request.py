"""What the planner (`dpmia.privacy.planner`) is given: the one place of its arguments, their defaults and ranges."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dpmia.common.errors import ConfigError
from dpmia.common.limits import DELTAS
from dpmia.common.plain import PlainData

Relation = Literal["replace_one", "add_remove"]

_SHARE = {"gt": 0, "lt": 1}

#: Field of `PlanRequest` -> its range, as pydantic takes it: settings are checked by the same.
RANGES: dict[str, dict[str, Any]] = {
    "bound": _SHARE,
    "records": {"ge": 2},
    "batch_size": {"ge": 1},
    "epochs": {"ge": 1},
    "delta": {"ge": DELTAS[0], "le": DELTAS[1]},
    "acceptance": {"gt": 0, "le": 1},
    "unlearning": _SHARE,
}

#: Limit of a range -> how values are compared with it, and its name.
_LIMITS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "gt": (operator.gt, "greater than"),
    "ge": (operator.ge, "of at least"),
    "lt": (operator.lt, "less than"),
    "le": (operator.le, "of at most"),
}


@dataclass(frozen=True)
class PlanRequest(PlainData):
    """A bound on the precision of attacks, and the training run that is to keep it.

    Attributes:
        bound: largest probability, in (0, 1), that a record which an attack predicts a member was one.
        records: n, the records there are, at least 2; at rate p about p * n of them are trained on.
        batch_size: expected number of records in a batch of DP-SGD with Poisson sampling; the same at every rate.
        epochs: passes over the training set.
        delta: of the privacy guarantee, from 1e-11 to 0.1, and less than `acceptance`.
        relation: `add_remove`: each record is drawn on its own with probability p; `replace_one`: exactly p * n
            records are drawn.
        acceptance: the bound holds for attacks that predict "member" of a member at least this often, in (0, 1].
        unlearning: B, least probability that none of the records to be deleted was trained on, in (0, 1).
        rates: sampling rates to try, in (0, 1); None for twelve below the bound.
    """

    bound: float = 0.75
    records: int = 60000
    batch_size: int = 512
    epochs: int = 40
    delta: float = 1e-5
    relation: Relation = "add_remove"
    acceptance: float = 0.01
    unlearning: float = 0.8
    rates: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Check all fields.

        Raises:
            ConfigError: one is out of its range.
        """
        for name, limits in RANGES.items():
            value = getattr(self, name)
            whole = isinstance(getattr(type(self), name), int)
            _require(not whole or int(value) == value, name, value, "an integer")
            _check_range(name, value, limits)
        for rate in self.rates or ():
            _check_range("rates", rate, _SHARE)
        _require(self.rates is None or len(self.rates) > 0, "rates", self.rates, "a list of at least one sampling rate")
        below = f"a number less than acceptance ({self.acceptance:g})"
        _require(self.delta < self.acceptance, "delta", self.delta, below)
        _require(self.relation in get_args(Relation), "relation", self.relation, " or ".join(get_args(Relation)))


def _check_range(name: str, value: float, limits: dict[str, Any]) -> None:
    within = all(_LIMITS[limit][0](value, edge) for limit, edge in limits.items())
    allowed = " and ".join(f"{_LIMITS[limit][1]} {edge:g}" for limit, edge in limits.items())
    _require(within, name, value, f"a number {allowed}")


def _require(holds: bool, key: str, value: object, valid: str) -> None:
    if not holds:
        raise ConfigError(f"plan.{key}", f"{value!r} is not {valid}")
