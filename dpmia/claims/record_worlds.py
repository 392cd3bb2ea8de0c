"""Worlds of tables about single records: what attacks predict on them, and from which losses they set thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dpmia.claims.world import Chance, World
from dpmia.formats.rows import MissingRowsError


@dataclass(frozen=True)
class RecordWorld(World):
    """What attacks predict on single records; each replicate is a target model.

    Attributes:
        table: `per_record/<experiment>` (see `dpmia.evaluation.per_record.per_record_table`).
        effect: a record that is drawn as a member was one with probability (1 + effect) / 2, and so for non-members.
    """

    table: pd.DataFrame
    effect: float = 1.0

    @classmethod
    def of(cls, table: pd.DataFrame) -> RecordWorld:
        """Return the world as measured."""
        return cls(table.reset_index(drop=True))

    def with_effect(self, effect: float) -> RecordWorld:
        """Return the world with a part of the measured difference between members and others."""
        return replace(self, effect=effect)

    def draw(self, chance: Chance) -> DrawnRecords:
        """Return target models."""
        return DrawnRecords(self, chance.of_table())

    @cached_property
    def targets(self) -> list[dict[tuple[str, str], list[np.ndarray]]]:
        """For each target model, (arm, membership) -> the rows of each of its records."""
        by_target: dict[Any, dict[tuple[str, str], list[np.ndarray]]] = {}
        keys = ["target", "arm", "membership", "record"]
        for (target, arm, part, _), rows in self.table.groupby(keys, sort=False).indices.items():
            by_target.setdefault(target, {}).setdefault((arm, part), []).append(rows)
        return list(by_target.values())

    def target(self, number: int, rng: np.random.Generator) -> pd.DataFrame:
        """Return the rows of a drawn target model: one that was measured, with records drawn anew."""
        records = self.targets[rng.integers(len(self.targets))]
        rows, parts, names = [], [], []
        for (arm, part), own in records.items():
            others = next(rows for (of, other), rows in records.items() if of == arm and other != part)
            for name in range(len(own)):
                source = own if rng.random() < (1 + self.effect) / 2 else others
                rows.append(source[rng.integers(len(source))])
                parts += [part] * len(rows[-1])
                names += [f"{part}-{name}"] * len(rows[-1])
        drawn = self.table.iloc[np.concatenate(rows)]
        return drawn.assign(target=number, membership=parts, record=names)


@dataclass(frozen=True)
class DrawnRecords:
    """Target models, each drawn when it is read."""

    world: RecordWorld
    rng: np.random.Generator
    shared: bool = False

    def part(self, replicates: slice, without: int | None = None) -> pd.DataFrame:
        """Return as many target models."""
        count = replicates.stop - replicates.start
        return pd.concat([self.world.target(number, self.rng) for number in range(count)], ignore_index=True)


@dataclass(frozen=True)
class NullWorld(World):
    """The losses that attacks take for those of a non-member, for a few records.

    What an attack takes for all target models alike, as those of reference models, stays the same for all of them.
    Thresholds are quantiles of the losses that were drawn.

    Attributes:
        table: `nulls/<experiment>` (see `dpmia.evaluation.per_record.nulls_table`).
        effect: share of the losses that an attack takes from its own; the others come from those of all attacks.
    """

    table: pd.DataFrame
    effect: float = 1.0

    @classmethod
    def of(cls, table: pd.DataFrame) -> NullWorld:
        """Return the world as measured."""
        return cls(table.reset_index(drop=True))

    def with_effect(self, effect: float) -> NullWorld:
        """Return the world with a part of the measured difference between attacks.

        Raises:
            MissingRowsError: the part is below 0.
        """
        if effect < 0:
            raise MissingRowsError("null losses of attacks have no opposite")
        return replace(self, effect=effect)

    def draw(self, chance: Chance) -> DrawnNulls:
        """Return the same target models with other losses, for each draw."""
        return DrawnNulls(self, chance.of_table())

    @cached_property
    def places(self) -> list[tuple[np.ndarray, list[list[np.ndarray]]]]:
        """For each record the rows of all its losses, and those of each attack: by target model, or of all alike."""
        places = []
        for _, of_record in self.table.groupby(["arm", "targets", "record"], sort=False):
            attacks = []
            for _, of_attack in of_record.groupby("attack", sort=False):
                models = [rows.index.to_numpy() for _, rows in of_attack.groupby("target", sort=False)]
                losses = [self._losses[rows] for rows in models]
                alike = all(len(values) == len(losses[0]) and (values == losses[0]).all() for values in losses)
                attacks += [models] if alike else [[rows] for rows in models]
            places.append((of_record.index.to_numpy(), attacks))
        return places

    @cached_property
    def _losses(self) -> np.ndarray:
        return self.table["null_loss"].to_numpy()

    def drawn(self, rng: np.random.Generator) -> pd.DataFrame:
        """Return the table with losses and thresholds drawn anew."""
        losses, thresholds = np.empty(len(self.table)), np.empty(len(self.table))
        for of_all, attacks in self.places:
            for models in attacks:
                count = len(models[0])
                own = rng.random(count) < self.effect
                source = np.where(own, rng.choice(models[0], count), rng.choice(of_all, count))
                taken = np.sort(self._losses[source])
                alpha = float(self.table.at[models[0][0], "alpha"])
                for rows in models:
                    losses[rows], thresholds[rows] = taken, np.quantile(taken, alpha)
        return self.table.assign(null_loss=losses, threshold=thresholds)


@dataclass(frozen=True)
class DrawnNulls:
    """Null losses of the measured records, drawn when they are read."""

    world: NullWorld
    rng: np.random.Generator
    shared: bool = False

    def part(self, replicates: slice, without: int | None = None) -> pd.DataFrame:
        """Return the table of one draw."""
        return self.world.drawn(self.rng)
