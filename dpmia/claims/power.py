"""How often claims are reproduced or refuted in worlds whose truth is known (`dpmia.claims.worlds`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.drawn_cells import DrawnTables, DrawnValues, draw_cells, replicates_of_table
from dpmia.claims.limits import ENOUGH, ERROR
from dpmia.claims.world import PARTS, World
from dpmia.claims.worlds import BY_REPLICATE, WORLD_OF_STAGE, MetricWorld
from dpmia.formats.rows import MissingRowsError
from dpmia.formats.table_names import experiment_of, stage_of
from dpmia.metrics.intervals import clopper_pearson

#: Numbers of replicates in which power is looked for, beside those of the run and of each scale.
LADDER = (5, 10, 20, 50, 100)

#: Draws of each world: a share has a standard error of .05 at most.
DRAWS = 100

#: Beside worlds with a part of the measured effect: the means that the paper prints, with the measured scatter.
PRINTED = "as printed"
WORLDS = ("as measured", PRINTED, "half", "placebo", "opposite")

SHARES = ["reproduced", "not reproduced", "undecided"]
POWER = [
    *("id", "world", "replicates", "fewest", "power", "needed", "most", "never"),
    *("placebo", "opposite", "met_at_random", "decided", "reason"),
]
COLUMNS = ["id", "world", "replicates", *SHARES, "unlimited", "reason"]

_OUTCOME = {True: "reproduced", False: "not reproduced", None: "undecided"}

#: The outcome of replicates without limit where the records that they share leave too much to chance.
MORE_RECORDS = "more records"

#: Why no number of replicates is enough: with these means the claim does not hold.
DOES_NOT_HOLD = "does not hold"


def verdict_shares(
    claims: Sequence[Claim],
    tables: Tables,
    counts: Sequence[int] = LADDER,
    draws: int = DRAWS,
    seed: int = 0,
    worlds: Sequence[str] = WORLDS,
    error: float = ERROR,
) -> pd.DataFrame:
    """Return how often each verdict results in each world.

    Args:
        claims: to judge.
        tables: measured tables by name.
        counts: numbers of replicates of each draw, of the table of a claim that has the most: others have as much fewer
            as they were measured with. Each claim is also judged at the number that its tables have.
        draws: number of draws of each world.
        seed: of all draws.
        worlds: those of `WORLDS` to judge them in.
        error: how often either verdict may be wrong.

    Returns:
        Columns `COLUMNS`: one row for each world, claim and number of replicates. `unlimited` is the verdict that
        replicates without limit would lead to, or `MORE_RECORDS` where the claim then holds, but less than `ENOUGH` of
        the draws show it, as the records that replicates share are too few; empty where replicates are target models.
        Where a claim cannot be judged in a world there is one row, without numbers, with the reason.
    """
    printed: dict[str, dict[Any, float]] = {}
    for claim in claims:
        for name, means in claim.printed.items():
            printed.setdefault(name, {}).update(means)
    most = max(*counts, *(replicates_of(claim, tables) for claim in claims))
    measured = cache(lambda name: WORLD_OF_STAGE[stage_of(name)](tables[name]))
    rows: list[list[Any]] = []
    for world in worlds:
        drawn = DrawnTables(partial(_world, measured, printed, world), draws, most, seed)
        for claim in claims:
            try:
                if world == PRINTED and not claim.printed:
                    raise MissingRowsError("the paper prints no number that it compares")
                cells = draw_cells(claim, tables, drawn)
                unlimited = _unlimited(claim, cells.values, error)
                for count in _counts(claim, counts, tables):
                    verdicts = [claim.rule.decide(sample, error).holds for sample in cells.of(count)]
                    shares = [sum(holds is verdict for holds in verdicts) / draws for verdict in (True, False, None)]
                    rows.append([claim.id, world, count, *shares, unlimited, ""])
            except MissingRowsError as missing:
                rows.append([claim.id, world, pd.NA, *[float("nan")] * len(SHARES), "", str(missing)])
    return pd.DataFrame(rows, columns=COLUMNS).astype({"replicates": "Int64"})


def _unlimited(claim: Claim, values: DrawnValues | None, error: float) -> str:
    """Return what replicates without limit would lead to; see `verdict_shares`."""
    if values is None:
        return ""
    holds = claim.rule.decide(values.mean, error).holds
    shown = np.mean([claim.rule.decide(measured, error).holds is True for measured in values.of_records()])
    return MORE_RECORDS if holds and shown < ENOUGH else _OUTCOME[holds]


def replicates_of(claim: Claim, tables: Tables) -> int:
    """Return the largest number of replicates that the tables of a claim have; of single records, target models."""
    return max(_replicates_of(claim, tables), default=0)


def _replicates_of(claim: Claim, tables: Tables) -> list[int]:
    """Return the number of replicates of each table of a claim."""
    return [replicates_of_table(tables[name]) for name in claim.tables if name in tables]


def met_at_random(shares: pd.DataFrame, draws: int = DRAWS, error: float = ERROR) -> pd.Series:
    """Return which rows of shares show a claim that is reproduced more often than its rule errs.

    In the world `placebo` such a claim is met by random scores. A share is taken to be larger only where the draws show
    it: with 100 of them, from .11 on for an error of .05.

    Args:
        shares: what `verdict_shares` returns.
        draws: its number of draws.
        error: how often its rule errs.
    """
    low, _ = clopper_pearson((shares["reproduced"].fillna(0) * draws).round().to_numpy(dtype=int), draws)
    return pd.Series(low > error, index=shares.index)


def assess(claims: Sequence[Claim], tables: Tables, error: float = ERROR) -> pd.DataFrame:
    """Return the power of claims on the tables that they were judged on, and whether random scores meet them.

    Args:
        claims: those that were judged.
        tables: by name.
        error: how often either verdict may be wrong.

    Returns:
        See `power`; without the world `opposite`.
    """
    shares = verdict_shares(claims, tables, worlds=("as measured", PRINTED, "placebo"), error=error)
    return power(shares, claims, tables, error=error)


def power(
    shares: pd.DataFrame, claims: Iterable[Claim], tables: Tables, draws: int = DRAWS, error: float = ERROR
) -> pd.DataFrame:
    """Return what shares say about each claim at the number of replicates that its tables have.

    Args:
        shares: what `verdict_shares` returned.
        claims: those that it was given.
        tables: the same.
        draws: its number of draws.
        error: the same as there.

    Returns:
        One row for each claim, columns `POWER`: `replicates` is the number of the table that has the most, `fewest` of
        that which has the fewest; `world` is that of the effect (as printed where the paper prints a
        number, else as measured), `power` the share reproduced there; `needed` the smallest number of replicates at
        which it is `ENOUGH` (missing: at none up to `most`; `never` then says why), `placebo` and `opposite` the
        shares reproduced there,
        `met_at_random` whether placebo reproduces the claim more often than it errs, `decided` the largest share of
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
            "fewest": min(_replicates_of(claim, tables), default=0),
            "power": _at(effect, count),
            "needed": enough.min() if len(enough) else pd.NA,
            "most": effect["replicates"].max(),
            "never": "" if len(enough) else _never(effect),
            "placebo": here.get("placebo", float("nan")),
            "opposite": here.get("opposite", float("nan")),
            "met_at_random": bool(met_at_random(placebo[placebo["replicates"] == count], draws, error).any()),
            "decided": 1 - own[own["replicates"] == own["replicates"].max()]["undecided"].min(),
            "reason": "; ".join(filter(None, placebo["reason"].unique())),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=POWER).astype({"needed": "Int64", "most": "Int64"})


def _never(effect: pd.DataFrame) -> str:
    """Return what it takes where no number of replicates tried is enough; empty where that is not known."""
    unlimited, most = effect["unlimited"].iloc[0], effect["replicates"].max()
    return {"": "", "reproduced": f"above {most}", MORE_RECORDS: MORE_RECORDS}.get(unlimited, DOES_NOT_HOLD)


def planned_counts(claims: Iterable[Claim], planned: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return by claim and scale how many replicates the tables of a claim have at most.

    Args:
        claims: those to be judged.
        planned: scale -> experiment or study -> its number of replicates or splits.
    """
    return {
        claim.id: {
            scale: max(of_scale.get(experiment_of(name), 0) for name in claim.tables)
            for scale, of_scale in planned.items()
        }
        for claim in claims
    }


def describe_detectable(margin: float) -> str:
    """Return the minimal detectable effect of one claim as text; nothing where it has none."""
    return f"{ENOUGH:g} for a margin of {margin:.2g}" if margin > 0 else ""


def describe(row: pd.Series) -> str:
    """Return the power of one claim as text: `0.45 with 4 replicates, 0.8 from 10 on`; nothing where it has none."""
    if math.isnan(row["power"]):
        return ""
    never = {DOES_NOT_HOLD: "at no number, as it does not hold at this effect", MORE_RECORDS: "with more records only"}
    least = f"from {row['needed']} on" if pd.notna(row["needed"]) else never.get(row["never"], f"above {row['most']}")
    needed = f"{ENOUGH:g} {least}"
    count = f"{row['fewest']} to {row['replicates']}" if row["fewest"] < row["replicates"] else f"{row['replicates']}"
    return f"{row['power']:.2f} with {count} replicates, {needed} (effect {row['world']})"


def _at(shares: pd.DataFrame, count: int) -> float:
    """Return the share reproduced with so many replicates; NaN where there is none."""
    reproduced = shares.loc[shares["replicates"] == count, "reproduced"]
    return float(reproduced.iloc[0]) if len(reproduced) else float("nan")


def _counts(claim: Claim, counts: Sequence[int], tables: Tables) -> list[int]:
    """Return the numbers of replicates at which a claim is judged; of single records, that of the run alone."""
    own = replicates_of(claim, tables)
    return [own] if any(stage_of(name) not in BY_REPLICATE for name in claim.tables) else sorted({*counts, own})


def _world(
    measured: Callable[[str], World], printed: Mapping[str, Mapping[Any, float]], world: str, table: str
) -> World:
    """Return what a table is in a world."""
    as_measured = measured(table)
    if world != PRINTED:
        return as_measured.with_effect(PARTS[world])
    return as_measured.with_means(printed.get(table, {})) if isinstance(as_measured, MetricWorld) else as_measured
