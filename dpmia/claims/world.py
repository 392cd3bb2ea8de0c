"""What a world of known truth is: it has a part of the measured effect, and replicates are drawn of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

#: World -> the part of the measured effect that it has.
EFFECTS = {"as measured": 1.0, "half": 0.5, "placebo": 0.0, "opposite": -1.0}


class Drawn(Protocol):
    """What was drawn of one world: as many replicates as several draws need together."""

    @property
    def shared(self) -> bool:
        """Whether replicates of one draw share records."""

    def part(self, replicates: slice, without: int | None = None) -> Any:
        """Return some of the replicates as a table that claims read, with all or without a group of shared records."""


class World(ABC):
    """What one measured table would be if another part of its effect were true."""

    @abstractmethod
    def with_effect(self, effect: float) -> World:
        """Return the world with a part of the measured effect."""

    @abstractmethod
    def draw(self, replicates: int, rng: np.random.Generator, draws: int = 1) -> Drawn:
        """Return so many replicates of each draw, one draw after the other."""
