"""Settings of `precision_budgets`: bounds on the precision of attacks, from which epsilons are computed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dpmia.common.limits import RAREST
from dpmia.settings.base import Epsilon, Settings


class PrecisionBudgets(Settings):
    """Epsilons that keep the precision of every attack below some bounds, whatever the sampling rate of the arm.

    The bounds are those that theorem 3.3 of Thudi et al. gives for some epsilons at one sampling rate. An arm for whose
    rate no epsilon keeps a bound has no model for it.
    """

    epsilons: Annotated[list[Epsilon], Field(min_length=1)]
    """Epsilons at `rate`, one for each bound."""
    rate: Annotated[float, Field(ge=RAREST, lt=1)] = 0.5
    """The sampling rate at which these epsilons are given."""
    acceptance: Annotated[float, Field(gt=0, le=1)] = 0.01
    """Least share of the members that an attack must find for the bounds to hold against it."""
    jobs: Literal["together", "each bound"] = "together"
    """Whether one job trains the models of all bounds, or one job those of each."""
