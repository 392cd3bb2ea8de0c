"""The cells of a claim in the draws of a world: what its rule decides, many times over.

Where each value rests on one replicate, all draws are measured at once. What records that replicates share add to the
variance of a cell is measured as in verdicts, on the replicates of one draw without each group of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.decisions import DecisionRule, Every, Measured, Some
from dpmia.claims.limits import WITHOUT_LIMIT, Extended
from dpmia.claims.shared_records import stacked
from dpmia.claims.world import Chance, World
from dpmia.claims.worlds import BY_REPLICATE, WORLD_OF_STAGE
from dpmia.formats.rows import GROUPS, MissingRowsError
from dpmia.formats.table_names import stage_of
from dpmia.metrics.intervals import Estimate, estimate_rows
from dpmia.metrics.shared_records import variance_of

#: Columns that number replicates.
_REPLICATE = ("replicate", "target")


def replicates_of_table(table: pd.DataFrame) -> int:
    """Return the number of replicates, or splits, of a table; of single records, of target models."""
    return max((int(table[column].nunique()) for column in _REPLICATE if column in table), default=0)


class DrawnTables:
    """The tables of one world, each drawn when it is read first; the same whatever other tables there are."""

    def __init__(self, world: Callable[[str], World], draws: int, most: int, seed: int) -> None:
        """Take what returns the world of a table, the number of draws, of replicates of each, and the seed."""
        self.draws, self.most, self.starts = draws, most, range(0, draws * most, most)
        whole = slice(0, draws * most)
        self._of = cache(lambda name: world(name).draw(Chance(most, draws, seed, name)))
        self.whole = cache(lambda name: self._of(name).part(whole))
        self.centred = cache(lambda name: world(name).draw(Chance(most, draws, seed, name, centred=True)).part(whole))

    def part(self, name: str, start: int, count: int, without: int | None = None) -> Any:
        """Return some of the replicates of a table, with all or without a group of the records that they share."""
        return self._of(name).part(slice(start, start + count), without)

    def shared(self, name: str) -> bool:
        """Return whether the replicates of a table share records."""
        return self._of(name).shared


@dataclass(frozen=True)
class DrawnValues:
    """The values of all replicates of all draws.

    Attributes:
        rule: of the claim.
        cells: with the values as arrays, one draw after the other.
        centred: the same where the replicates of each draw are on the mean what replicates without limit would be.
        effects: the same with the effect of each group of records that replicates share; empty where they share none.
        draws: their number.
        most: number of replicates of each draw.
        shares: the same with the replicates of each cell, as a share of the most that a table has: experiments that a
            claim compares have different numbers.
        times: how many times the replicates of a draw its limits are for.
    """

    rule: DecisionRule
    cells: Measured
    centred: Measured
    effects: Measured
    draws: int
    most: int
    shares: Measured
    times: float = 1.0

    def of(self, count: int) -> Iterator[Measured]:
        """Yield the cells of each draw with so many replicates, of the table that has the most."""
        if isinstance(self.rule, Every | Some):
            yield from self._means(count)
            return
        for draw in range(self.draws):
            yield self._of_draw(draw, count)

    @property
    def mean(self) -> Measured:
        """The cells with next to no variance: each replicate is the mean over draws."""
        return _mapped(lambda values: self._of_draws(values).mean(axis=0), self.cells)

    def of_records(self) -> Iterator[Measured]:
        """Yield the cells of each draw as replicates without limit would give them: with the variance by records."""
        every = _mapped(lambda values: 1.0, self.centred)
        return replace(self, cells=self.centred, shares=every, times=WITHOUT_LIMIT).of(self.most)

    def _of_draws(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(self.draws, -1)

    def _of_draw(self, draw: int, count: int) -> Measured:
        def some(values: np.ndarray, effects: np.ndarray, share: float) -> Extended:
            above = _above(self._of_draws(values)[draw, : _share_of(count, share)], effects)
            return Extended(above, self.times, 0.0)

        return _mapped(some, self.cells, self.effects, self.shares)

    def _means(self, count: int) -> Iterator[Measured]:
        def estimates(values: np.ndarray, effects: np.ndarray, share: float) -> list[Estimate]:
            variance = variance_of(effects) if len(effects) else 0.0
            some = self._of_draws(values)[:, : _share_of(count, share)]
            return [mean.with_replicates(self.times).with_records(variance) for mean in estimate_rows(some)]

        means = _mapped(estimates, self.cells, self.effects, self.shares)
        for draw in range(self.draws):
            yield [{name: cell[draw] for name, cell in cells.items()} for cells in means]


@dataclass(frozen=True)
class DrawnCells:
    """The cells of a claim in the draws of a world.

    Attributes:
        of: takes a number of replicates; returns the cells of each draw.
        values: all of them; None where replicates are target models, of which each draw has its own.
    """

    of: Callable[[int], Iterable[Measured]]
    values: DrawnValues | None = None


def draw_cells(claim: Claim, tables: Tables, drawn: DrawnTables) -> DrawnCells:
    """Return the cells of a claim in the draws of a world.

    Raises:
        MissingRowsError: a table has no world, or lacks what the claim needs.
    """
    there = [name for name in claim.tables if name in tables]
    missing = [name for name in claim.tables if name not in tables]
    if not there or (missing and not claim.some_suffice):
        raise MissingRowsError(f"without {', '.join(missing)}")
    if without := [name for name in there if stage_of(name) not in WORLD_OF_STAGE]:
        raise MissingRowsError(f"{', '.join(without)}: no world")

    own = {name: replicates_of_table(tables[name]) for name in there}
    most = max(own.values())

    def measure(start: int, count: int, without: int | None = None) -> Measured:
        counts = {name: _share_of(count, own[name] / most) for name in there}
        return claim.rule.measure({name: drawn.part(name, start, counts[name], without) for name in there})

    def of_first_draw() -> Measured:
        whole = measure(0, drawn.most)
        if not any(map(drawn.shared, there)):
            return whole
        return stacked(whole, [measure(0, drawn.most, group) for group in range(GROUPS)])

    if any(stage_of(name) not in BY_REPLICATE for name in there):
        return DrawnCells(lambda count: (measure(start, count) for start in drawn.starts))
    cells = claim.rule.measure({name: drawn.whole(name) for name in there})
    centred = claim.rule.measure({name: drawn.centred(name) for name in there})
    effects = _mapped(_effects, of_first_draw())
    shares = _shares(cells, claim.rule.measure({name: tables[name] for name in there}), most)
    values = DrawnValues(
        claim.rule, _mapped(_array, cells), _mapped(_array, centred), effects, drawn.draws, drawn.most, shares
    )
    if all(condition.by_replicate for condition in claim.conditions):
        return DrawnCells(values.of, values)
    return DrawnCells(lambda count: (_mapped(_above, measure(start, count), effects) for start in drawn.starts), values)


def _shares(cells: Any, measured: Any, most: int) -> Any:
    """Return the replicates of each cell as it was measured, as a share of `most`; 1 for what was not measured."""
    if isinstance(cells, Mapping):
        measured_cells = measured if isinstance(measured, Mapping) else {}
        return {name: _shares(cell, measured_cells.get(name), most) for name, cell in cells.items()}
    if isinstance(cells, list | tuple):
        parts = measured if measured is not None and len(measured) == len(cells) else [None] * len(cells)
        return [_shares(cell, part, most) for cell, part in zip(cells, parts, strict=True)]
    count = 0 if measured is None else int((~np.isnan(_array(measured))).sum())
    return count / most if count else 1.0


def _share_of(count: int, share: float) -> int:
    return max(1, round(count * share))


def _array(values: ArrayLike) -> np.ndarray:
    return np.asarray(values, dtype=float)


def _effects(values: ArrayLike) -> np.ndarray:
    """Return the mean effect of each group of records on the replicates that have a number; none where they share none.

    Of a difference between experiments the longer one has replicates without a partner. A group without which a
    replicate has no number counts as one without effect, as in intervals.
    """
    array = _array(values)
    if array.ndim == 1:
        return np.empty(0)
    effects = (array[0] - array[1:])[:, ~np.isnan(array[0])]
    return np.nan_to_num(effects).mean(axis=1) if effects.size else np.zeros(len(array) - 1)


def _above(values: ArrayLike, effects: np.ndarray) -> np.ndarray:
    """Return values of replicates above those without each group of records, as `mean_of` takes them."""
    array = _array(values)
    return np.vstack([array, array - effects[:, None]]) if len(effects) else array


def _mapped(function: Callable[..., Any], *cells: Any) -> Any:
    """Return what a function makes of the values of cells, curves and pairs of curves."""
    first, *_ = cells
    if isinstance(first, Mapping):
        return {name: _mapped(function, *(cell[name] for cell in cells)) for name in first}
    if isinstance(first, list | tuple):
        return [_mapped(function, *values) for values in zip(*cells, strict=True)]
    return function(*cells)
