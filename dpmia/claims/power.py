"""How often claims are reproduced or refuted in worlds whose truth is known (`dpmia.claims.worlds`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim, MissingRowsError, Tables
from dpmia.claims.decisions import Every, Measured, Some
from dpmia.claims.limits import ERROR, Limits
from dpmia.claims.worlds import BY_REPLICATE, EFFECTS, STAGES, WITHOUT_WORLD, MetricWorld, World
from dpmia.metrics.intervals import clopper_pearson

#: Numbers of replicates in which power is looked for, beside those of the run and of each scale.
LADDER = (5, 10, 20, 50, 100)

#: Draws of each world: a share has a standard error of .05 at most.
DRAWS = 100

#: The share of draws with the right verdict that is enough power.
ENOUGH = 0.8

#: Beside worlds with a part of the measured effect: the means that the paper prints, with the measured scatter.
PRINTED = "as printed"
WORLDS = ("as measured", PRINTED, "half", "placebo", "opposite")

SHARES = ["reproduced", "not reproduced", "undecided"]
POWER = [
    *("id", "world", "replicates", "power", "needed", "most"),
    *("placebo", "opposite", "without_attack", "decided", "reason"),
]
COLUMNS = ["id", "world", "replicates", *SHARES, "reason"]


def verdict_shares(
    claims: Sequence[Claim],
    tables: Tables,
    counts: Sequence[int] = LADDER,
    draws: int = DRAWS,
    seed: int = 0,
    worlds: Sequence[str] = WORLDS,
) -> pd.DataFrame:
    """Return how often each verdict results in each world.

    Args:
        claims: to judge.
        tables: measured tables by name.
        counts: numbers of replicates of each draw; each claim is also judged at the number that its tables have.
        draws: number of draws of each world.
        seed: of all draws.
        worlds: those of `WORLDS` to judge them in.

    Returns:
        Columns `COLUMNS`: one row for each world, claim and number of replicates. Where a claim cannot be judged in a
        world there is one row, without numbers, with the reason.
    """
    printed: dict[str, dict[Any, float]] = {}
    for claim in claims:
        for name, means in claim.printed.items():
            printed.setdefault(name, {}).update(means)
    most = max(*counts, *(replicates_of(claim, tables) for claim in claims))
    measured = cache(lambda name: STAGES[_stage(name)](tables[name]))
    rows: list[list[Any]] = []
    for world in worlds:
        drawn = _Drawn(partial(_world, measured, printed, world), draws, most, seed)
        for claim in claims:
            try:
                if world == PRINTED and not claim.printed:
                    raise MissingRowsError("the paper prints no number that it compares")
                cells = _cells(claim, tables, drawn)
                for count in _counts(claim, counts, tables):
                    verdicts = [claim.rule.decide(each).holds for each in cells(count)]
                    shares = [sum(found is verdict for found in verdicts) / draws for verdict in (True, False, None)]
                    rows.append([claim.id, world, count, *shares, ""])
            except MissingRowsError as error:
                rows.append([claim.id, world, pd.NA, *[float("nan")] * len(SHARES), str(error)])
    return pd.DataFrame(rows, columns=COLUMNS).astype({"replicates": "Int64"})


def replicates_of(claim: Claim, tables: Tables) -> int:
    """Return the largest number of replicates that the tables of a claim have; of single records, target models."""
    there = [tables[name] for name in claim.tables if name in tables]
    return max((int(table[column].nunique()) for table in there for column in _REPLICATE if column in table), default=0)


#: Columns that number replicates.
_REPLICATE = ("replicate", "target")


def without_attack(shares: pd.DataFrame, draws: int = DRAWS) -> pd.Series:
    """Return which rows of shares show a claim that is reproduced more often than its rule errs.

    In the world `placebo` such a claim holds without an attack.

    Args:
        shares: what `verdict_shares` returns.
        draws: its number of draws.
    """
    low, _ = clopper_pearson((shares["reproduced"].fillna(0) * draws).round().to_numpy(dtype=int), draws)
    return pd.Series(low > ERROR, index=shares.index)


def assess(claims: Sequence[Claim], tables: Tables) -> pd.DataFrame:
    """Return the power of claims on the tables that they were judged on, and whether they hold without an attack.

    Returns:
        See `power`; without the world `opposite`.
    """
    return power(verdict_shares(claims, tables, worlds=("as measured", PRINTED, "placebo")), claims, tables)


def power(shares: pd.DataFrame, claims: Iterable[Claim], tables: Tables, draws: int = DRAWS) -> pd.DataFrame:
    """Return what shares say about each claim at the number of replicates that its tables have.

    Args:
        shares: what `verdict_shares` returned.
        claims: those that it was given.
        tables: the same.
        draws: its number of draws.

    Returns:
        One row for each claim, columns `POWER`: `world` is that of the effect (as printed where the paper prints a
        number, else as measured), `power` the share reproduced there; `needed` the smallest number of replicates at
        which it is `ENOUGH` (missing: at none up to `most`), `placebo` and `opposite` the shares reproduced there,
        `without_attack` whether placebo reproduces the claim more often than it errs, `decided` the largest share of
        decided verdicts in any world with the most replicates, and `reason` why there is no placebo.
    """
    rows = []
    for claim in claims:
        own = shares[shares["id"] == claim.id]
        placebo, printed = own[own["world"] == "placebo"], own[own["world"] == PRINTED]
        effect = printed if printed["replicates"].notna().any() else own[own["world"] == "as measured"]
        enough = effect[effect["reproduced"] >= ENOUGH]["replicates"]
        count = replicates_of(claim, tables)
        here = {name: _at(own[own["world"] == name], count) for name in own["world"].unique()}
        rows.append({
            "id": claim.id,
            "world": effect["world"].iloc[0],
            "replicates": count,
            "power": _at(effect, count),
            "needed": enough.min() if len(enough) else pd.NA,
            "most": effect["replicates"].max(),
            "placebo": here.get("placebo", float("nan")),
            "opposite": here.get("opposite", float("nan")),
            "without_attack": bool(without_attack(placebo[placebo["replicates"] == count], draws).any()),
            "decided": 1 - own[own["replicates"] == own["replicates"].max()]["undecided"].min(),
            "reason": "; ".join(filter(None, placebo["reason"].unique())),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=POWER).astype({"needed": "Int64", "most": "Int64"})


def planned_counts(claims: Iterable[Claim], planned: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return by claim and scale how many replicates the tables of a claim have at most.

    Args:
        claims: those to be judged.
        planned: scale -> experiment or study -> its number of replicates or splits.
    """
    return {
        claim.id: {
            scale: max(of_scale.get(name.partition("/")[2], 0) for name in claim.tables)
            for scale, of_scale in planned.items()
        }
        for claim in claims
    }


def describe(row: pd.Series) -> str:
    """Return the power of one claim as text: `0.45 with 4 replicates, 0.8 from 10 on`; nothing where it has none."""
    if math.isnan(row["power"]):
        return ""
    needed = (
        f"{ENOUGH:g} from {row['needed']} on" if pd.notna(row["needed"]) else f"below {ENOUGH:g} up to {row['most']}"
    )
    return f"{row['power']:.2f} with {row['replicates']} replicates, {needed} (effect {row['world']})"


def _at(shares: pd.DataFrame, count: int) -> float:
    """Return the share reproduced with so many replicates; NaN where there is none."""
    found = shares.loc[shares["replicates"] == count, "reproduced"]
    return float(found.iloc[0]) if len(found) else float("nan")


def _counts(claim: Claim, counts: Sequence[int], tables: Tables) -> list[int]:
    """Return the numbers of replicates at which a claim is judged; of single records, that of the run alone."""
    own = replicates_of(claim, tables)
    return [own] if any(_stage(name) not in BY_REPLICATE for name in claim.tables) else sorted({*counts, own})


def _stage(table: str) -> str:
    return table.partition("/")[0]


def _world(
    measured: Callable[[str], World], printed: Mapping[str, Mapping[Any, float]], world: str, table: str
) -> World:
    """Return what a table is in a world."""
    as_measured = measured(table)
    if world != PRINTED:
        return as_measured.with_effect(EFFECTS[world])
    return as_measured.with_means(printed.get(table, {})) if isinstance(as_measured, MetricWorld) else as_measured


class _Drawn:
    """The tables of one world, each drawn when it is read first; the same whatever other tables there are."""

    def __init__(self, world: Callable[[str], World], draws: int, most: int, seed: int) -> None:
        """Take what returns the world of a table, the number of draws, of replicates of each, and the seed."""
        self.draws, self.starts = draws, range(0, draws * most, most)
        self._of = cache(lambda name: world(name).draw(draws * most, np.random.default_rng([seed, *name.encode()])))
        self.whole = cache(lambda name: self.part(name, 0, draws * most))

    def part(self, name: str, start: int, count: int) -> Any:
        """Return some of the replicates of a table."""
        return self._of(name).part(slice(start, start + count))


def _cells(claim: Claim, tables: Tables, drawn: _Drawn) -> Callable[[int], Iterable[Measured]]:
    """Return what takes a number of replicates and returns the cells of a claim in each draw.

    Raises:
        MissingRowsError: a table has no world, or lacks what the claim needs.
    """
    there = [name for name in claim.tables if name in tables]
    missing = [name for name in claim.tables if name not in tables]
    if not there or (missing and not claim.each):
        raise MissingRowsError(f"without {', '.join(missing)}")
    if reasons := [
        WITHOUT_WORLD.get(_stage(name), f"{name} has no world") for name in there if _stage(name) not in STAGES
    ]:
        raise MissingRowsError("; ".join(reasons))

    def measure(start: int, count: int) -> Measured:
        return claim.rule.measure({name: drawn.part(name, start, count) for name in there})

    by_replicate = all(condition.by_replicate for condition in claim.conditions)
    if not by_replicate or any(_stage(name) not in BY_REPLICATE for name in there):
        return lambda count: (measure(start, count) for start in drawn.starts)
    of_all = [_arrays(cells) for cells in claim.rule.measure({name: drawn.whole(name) for name in there})]
    if isinstance(claim.rule, Every | Some):
        return lambda count: _means(of_all, drawn.draws, count)
    return lambda count: ([_cut(cells, slice(start, start + count)) for cells in of_all] for start in drawn.starts)


def _means(of_all: Measured, draws: int, count: int) -> Iterator[Measured]:
    """Yield for each draw the means of all cells over its first replicates."""
    means = [
        {name: Limits.of_rows(values.reshape(draws, -1)[:, :count]) for name, values in cells.items()}
        for cells in of_all
    ]
    for draw in range(draws):
        yield [{name: each[draw] for name, each in cells.items()} for cells in means]


def _arrays(cells: Any) -> Any:
    """Return cells, curves and pairs of curves with arrays for values."""
    if isinstance(cells, Mapping):
        return {name: _arrays(each) for name, each in cells.items()}
    return tuple(map(_arrays, cells)) if isinstance(cells, tuple) else np.asarray(cells, dtype=float)


def _cut(cells: Any, replicates: slice) -> Any:
    """Return some of the replicates of cells, curves or pairs of curves."""
    if isinstance(cells, Mapping):
        return {name: _cut(each, replicates) for name, each in cells.items()}
    return tuple(_cut(each, replicates) for each in cells) if isinstance(cells, tuple) else cells[replicates]
