"""Numbers that scatter about their means, over replicates and over the records that these share."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd

from dpmia.claims.world import Chance

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Scatter(Mapping[Key, pd.Series]):
    """Numbers by key that scatter about their means, when they are read.

    A number is its mean + deviations @ normal, and + effects @ groups of its draw.

    Attributes:
        places: key -> row of the others.
        means: true mean of each number.
        deviations: shape (numbers, measured replicates); their product with standard normal values has the measured
            covariance.
        effects: of each group of shared records, shape (numbers, groups); without columns where none are shared.
        normal: standard normal values, shape (measured replicates, drawn replicates).
        groups: how much of each effect the replicates of each draw have, shape (groups, draws).
        draw: of each drawn replicate.
    """

    places: Mapping[Key, int]
    means: np.ndarray
    deviations: np.ndarray
    effects: np.ndarray
    normal: np.ndarray
    groups: np.ndarray
    draw: np.ndarray

    @classmethod
    def drawn(
        cls,
        places: Mapping[Key, int],
        means: np.ndarray,
        deviations: np.ndarray,
        effects: np.ndarray,
        chance: Chance,
    ) -> Scatter[Key]:
        """Return the numbers of all draws; each draw has records of its own."""
        normal = chance.of_replicates(deviations.shape[1])
        groups = effects.shape[1]
        records = np.sqrt(1 - 1 / max(groups, 1)) * chance.of_records(groups)
        draw = np.repeat(np.arange(chance.draws), chance.replicates)
        return cls(places, means, deviations, effects, normal, records, draw)

    def part(self, replicates: slice, without: int | None = None) -> Scatter[Key]:
        """Return some of the drawn replicates, with all or without a group of records."""
        groups = self.groups
        if without is not None and len(groups):
            groups = groups - (np.arange(len(groups)) == without)[:, None]
        return replace(self, normal=self.normal[:, replicates], groups=groups, draw=self.draw[replicates])

    def __getitem__(self, key: Key) -> pd.Series:
        place = self.places[key]
        own = self.deviations[place] @ self.normal
        of_draws = self.means[place] + self.effects[place] @ self.groups
        return pd.Series(own + of_draws[self.draw])

    def __iter__(self) -> Iterator[Key]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def means_and_deviations(values: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of measured numbers (rows) over replicates (columns), and the deviations of `Scatter`."""
    counts = values.notna().sum(axis=1)
    means = values.mean(axis=1)
    deviations = values.sub(means, axis=0).div(np.sqrt(counts - 1), axis=0).fillna(0)
    return means.to_numpy(), deviations.to_numpy()


def scattered(values: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers with more than one value: others have no spread."""
    return values[values.notna().sum(axis=1) > 1]
