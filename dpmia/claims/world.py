"""What a world of known truth is: it has a part of the measured effect, and replicates are drawn of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

#: World -> the part of the measured effect that it has.
PARTS = {"as measured": 1.0, "half": 0.5, "placebo": 0.0, "opposite": -1.0}


@dataclass(frozen=True)
class Chance:
    """What is random in the tables of a world.

    Replicates of one number, and groups of records of one number, are the same in all tables: what a claim compares
    over tables varies as measured, as it does within one.

    Attributes:
        replicates: number of each draw.
        draws: their number.
        seed: of all.
        table: the name of the one to be drawn.
        centred: whether the replicates of each draw are on the mean what replicates without limit would be.
    """

    replicates: int
    draws: int = 1
    seed: int = 0
    table: str = ""
    centred: bool = False

    def of_replicates(self, measured: int) -> np.ndarray:
        """Return standard normal values for each measured replicate, shape (measured, draws * replicates)."""
        values = np.random.default_rng([self.seed, 0]).normal(size=(measured, self.draws, self.replicates))
        if self.centred:
            values -= values.mean(axis=2, keepdims=True)
        return values.reshape(measured, -1)

    def of_records(self, groups: int) -> np.ndarray:
        """Return standard normal values for each group of records that replicates share, shape (groups, draws)."""
        return np.random.default_rng([self.seed, 1]).normal(size=(groups, self.draws))

    def of_table(self) -> np.random.Generator:
        """Return a generator of what is the table's own."""
        return np.random.default_rng([self.seed, 2, *self.table.encode()])


class DrawnReplicates(Protocol):
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
    def draw(self, chance: Chance) -> DrawnReplicates:
        """Return the replicates of each draw, one draw after the other."""
