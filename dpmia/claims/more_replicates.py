"""What more replicates of the same records would show of a claim, given those that were measured.

Measured replicates stay, and so do the records, with what they add to the error. Only replicates to come are drawn,
around means that are known as well as the measured replicates allow. Where a condition compares many means, chance
makes some of them large: they are taken nearer to each other by the share of their spread that is noise (James and
Stein's estimator, positive part). What is found here says where replicates are worth their cost, and which claims no
number of replicates decides. No error of a verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpmia.claims.claim import EXPERIMENT, Claim, Tables
from dpmia.claims.limits import Extended, mean_of
from dpmia.claims.shared_records import measure
from dpmia.claims.worlds import BY_REPLICATE
from dpmia.formats.table_names import stage_of
from dpmia.metrics.intervals import FEWEST, REPLICATES, Estimate, all_equal

#: A share has a standard error of .035 at most.
DRAWS = 200

#: Cells of a condition from which on their spread says how much of it is noise.
FEWEST_CELLS = 4


def rests_on_replicates(claim: Claim, tables: Iterable[str]) -> bool:
    """Return whether a claim is about an experiment, and more replicates make all of its tables longer."""
    return claim.kind == EXPERIMENT and all(stage_of(table) in BY_REPLICATE for table in tables)


def decided_shares(
    claim: Claim,
    tables: Tables,
    times: Sequence[float],
    error: float,
    draws: int = DRAWS,
    seed: int = 0,
    outcomes: Collection[bool] = (True, False),
) -> dict[float, float]:
    """Return in which share of draws a claim is decided with several times the replicates: times -> share.

    NaN where the spread of some mean is not known, as it has too few replicates, or all are equal.

    Args:
        claim: whose tables number replicates or splits.
        tables: that it was judged on.
        times: multiples of the measured replicates, above 1.
        error: how often either verdict may be wrong.
        draws: number of draws.
        seed: of all draws.
        outcomes: that count as decided: that it holds, that it does not.

    Raises:
        MissingRowsError: rows that the claim needs are missing.
    """
    conditions = [_condition(cells) for cells in measure(claim.rule.measure, tables)]
    if not all(condition.has_spread for condition in conditions):
        return dict.fromkeys(times, float("nan"))
    most = max((condition.longest for condition in conditions), default=0)
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(times, 0)
    for _ in range(draws):
        of_mean, to_come = rng.normal(size=(2, most))
        for more in times:
            drawn = [condition.extended(of_mean, to_come, more) for condition in conditions]
            counts[more] += claim.rule.decide(drawn, error).holds in outcomes
    return {more: count / draws for more, count in counts.items()}


@dataclass(frozen=True)
class _Condition:
    """The cells of one condition.

    Attributes:
        cells: as they were measured; of those that are no curves, the mean.
        rows: of each value: what each replicate differs by from its mean, as a share of the replicates' number, so that
            normal numbers times these make a draw of the mean's error; 0 beyond its replicates.
        distances: of each value: of its mean from that of all values.
        kept: the share of the distances that is no noise.
        has_spread: whether the spread of each value is known.
    """

    cells: Mapping[str, Any]
    rows: np.ndarray
    distances: np.ndarray
    kept: float
    has_spread: bool

    @property
    def longest(self) -> int:
        """The largest number of replicates of a value."""
        return self.rows.shape[1]

    def extended(self, of_mean: np.ndarray, to_come: np.ndarray, times: float) -> dict[str, Any]:
        """Return the cells of one draw with so many times the replicates."""
        current, new = (self.rows @ numbers[: self.longest] for numbers in (of_mean, to_come))
        together = current.mean() if len(current) else 0.0
        expected = (self.kept - 1) * self.distances + np.sqrt(self.kept) * (current - together) + together
        shifts = iter((times - 1) / times * (expected + new / np.sqrt(times - 1)))
        return {name: _extended(values, times, shifts) for name, values in self.cells.items()}


def _condition(cells: Mapping[str, Any]) -> _Condition:
    values = [array for cell in cells.values() for array in _values(cell)]
    longest = max(map(len, values), default=0)
    whole = np.full((len(values), longest), np.nan)
    for row, array in zip(whole, values, strict=True):
        row[: len(array)] = array
    counts = np.maximum((~np.isnan(whole)).sum(axis=1, keepdims=True), 1)
    means = np.nansum(whole, axis=1, keepdims=True) / counts
    errors = np.nan_to_num(whole - means) / np.sqrt(counts * np.maximum(counts - 1, 1))
    distances = (means - means.mean()).ravel() if len(values) else np.empty(0)
    means_only = not any(isinstance(cell, Mapping | list | tuple) for cell in cells.values())
    kept = 1.0
    if means_only and len(values) >= FEWEST_CELLS and (spread := float((distances**2).sum())) > 0:
        noise = float(((errors - errors.mean(axis=0)) ** 2).sum())
        kept = max(0.0, 1 - noise / spread)
    varied = all(not all_equal(array[~np.isnan(array)]) for array in values if not np.isnan(array).all())
    has_spread = varied and bool((counts >= (2 if means_only else FEWEST)).all())
    return _Condition({name: _mean_in(cell) for name, cell in cells.items()}, errors, distances, kept, has_spread)


def _mean_in(cell: Any) -> Any:
    """Return the mean of a cell with its error, that of two replicates too; curves and exact numbers as they are."""
    if isinstance(cell, Mapping | list | tuple) or not np.ndim(cell):
        return cell
    mean = mean_of(cell)
    if mean.count != 2:
        return mean
    (values,) = _values(cell)
    return replace(mean, error=float(np.nanstd(values, ddof=1)) / 2**0.5, degrees=1, kind=REPLICATES)


def _values(cell: Any) -> list[np.ndarray]:
    """Return the values by replicate in a cell: its own, or those of its curves."""
    if isinstance(cell, Mapping):
        return [values for part in cell.values() for values in _values(part)]
    if isinstance(cell, list | tuple):
        return [values for part in cell for values in _values(part)]
    array = np.asarray(cell, dtype=float)
    return [array if array.ndim == 1 else array[0]] if array.ndim else []


def _extended(cell: Any, times: float, shifts: Any) -> Any:
    """Return a cell with its values extended, each by the next of the shifts."""
    if isinstance(cell, Mapping):
        return {name: _extended(part, times, shifts) for name, part in cell.items()}
    if isinstance(cell, list | tuple):
        return [_extended(part, times, shifts) for part in cell]
    if isinstance(cell, Estimate):
        return replace(cell.with_replicates(times), mean=cell.mean + float(next(shifts)))
    return Extended(cell, times, float(next(shifts))) if np.ndim(cell) else cell
