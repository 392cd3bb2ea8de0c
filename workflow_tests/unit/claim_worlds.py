"""Invented tables in which everything that a paper claims is so, to be bent until one claim is not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import HighestAt, above, highest_at
from dpmia.claims.judge import JudgedRun, judge
from dpmia.claims.power import verdict_shares
from dpmia.claims.world import Chance
from dpmia.claims.worlds import WORLD_OF_STAGE
from dpmia.formats.rows import COLUMNS
from dpmia.formats.stages import layout_of

#: The means of an experiment by (arm, epsilon, attack, metric).
Means = dict[tuple[str, float, str, str], float]


class World:
    """Means of all experiments, which can be bent, and the tables that a run would have with some noise."""

    def __init__(self, experiments: Mapping[str, Means], others: Mapping[str, pd.DataFrame] | None = None) -> None:
        self.experiments, self.others = experiments, dict(others or {})

    def bent(
        self,
        experiment: str,
        value: float | Callable[[float], float],
        arm: str | Iterable[str] | None = None,
        epsilon: float | None = None,
        attack: str | None = None,
        metric: str | None = None,
    ) -> World:
        """Return this world with other means where all that is named fits; at least one must."""
        arms = [arm] if isinstance(arm, str) else arm
        means, hits = dict(self.experiments[experiment]), 0
        for key, old in means.items():
            wanted = (None if arms is None else key[0] if key[0] in arms else "", epsilon, attack, metric)
            if all(want is None or want == actual for want, actual in zip(wanted, key, strict=True)):
                means[key] = value(old) if callable(value) else value
                hits += 1
        assert hits, "nothing was bent"
        return World({**self.experiments, experiment: means}, self.others)

    def write(self, folder: Path, tables: Iterable[str], noise: float = 1e-4, replicates: int = 4) -> None:
        """Write the tables of a run: values of replicates scatter about the means by `noise`."""
        for name in tables:
            stage, experiment = name.split("/")
            if name in self.others:
                table = whole(stage, self.others[name])
            elif stage == "replicates" and experiment in self.experiments:
                table = _table(experiment, self.experiments[experiment], noise, replicates)
            else:
                continue
            path = folder / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False)


def whole(stage: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of a stage with all of its columns; those that nobody looks at are empty."""
    layout = layout_of(stage, table.columns)
    return table if layout is None else table.reindex(columns=layout.columns)


def _table(experiment: str, means: Means, noise: float, replicates: int) -> pd.DataFrame:
    keys = pd.MultiIndex.from_tuples(means, names=["arm", "epsilon", "attack", "metric"])
    values = np.array(list(means.values()))[:, None] + scatter(len(means), replicates, noise, experiment)
    table = pd.DataFrame(values, index=keys).rename_axis(columns="replicate").stack().rename("value").reset_index()
    iid = table["arm"].str.endswith("-iid")
    return table.assign(experiment=experiment, iid=iid, oracle=False)[COLUMNS]


def scatter(means: int, replicates: int, noise: float, name: str = "") -> np.ndarray:
    """Return noise for each mean and replicate that leaves the means as they are, so that no accident decides."""
    drawn = np.random.default_rng([*name.encode()]).normal(size=(means, replicates))
    return noise * (drawn - drawn.mean(axis=1, keepdims=True))


def verdict(claim: Claim, world: World, folder: Path, *, synthetic=False, scale="paper", **options) -> str:
    """Return the verdict on a claim in a world."""
    world.write(folder, claim.tables, **options)
    return judge(claim, JudgedRun(folder, synthetic, scale))[0]


def assert_by_replicate(claim: Claim, world: World) -> None:
    """Assert that measuring some replicates gives what measuring all of them gives for these, where a claim says so."""
    tables = world.others | {
        f"replicates/{name}": _table(name, means, 0.3, 4) for name, means in world.experiments.items()
    }
    worlds = {name: WORLD_OF_STAGE[name.partition("/")[0]](tables[name]) for name in claim.tables if name in tables}
    drawn = {name: table_world.draw(Chance(9, table=name)) for name, table_world in worlds.items()}
    whole, part = (
        claim.rule.measure({name: sample.part(replicates) for name, sample in drawn.items()})
        for replicates in (slice(0, 9), slice(3, 7))
    )
    for condition, of_all, of_part in zip(claim.conditions, whole, part, strict=True):
        assert _numbers(of_all)
        if condition.by_replicate:
            for more, less in zip(_numbers(of_all), _numbers(of_part), strict=True):
                np.testing.assert_allclose(more[3:7], less, atol=1e-12)


def _numbers(cells: object) -> list[np.ndarray]:
    """Return the values of cells, curves or pairs of curves."""
    parts = cells.values() if isinstance(cells, Mapping) else cells if isinstance(cells, tuple) else None
    return [np.asarray(cells)] if parts is None else [cell for part in parts for cell in _numbers(part)]


def met_at_random(claims: Iterable[Claim], world: World) -> list[str]:
    """Return ids of the claims that random scores and equal accuracies reproduce at six replicates, or the run's."""
    tables = world.others | {
        f"replicates/{name}": _table(name, means, 0.005, 4) for name, means in world.experiments.items()
    }
    shares = verdict_shares([*claims], tables, [6], draws=3, worlds=["placebo"])
    most = (
        shares.dropna(subset="replicates").sort_values("replicates", kind="stable").groupby("id")["reproduced"].last()
    )
    return sorted(most.index[most == 1])


def with_comparison(claim: Claim, place: int, comparison: object) -> Claim:
    """Return a claim of whose conditions one compares otherwise."""
    other = copy.deepcopy(claim)
    object.__setattr__(other.conditions[place], "comparison", comparison)
    return other


def with_impossible(claim: Claim) -> list[Claim]:
    """Return the claim with each of its conditions made impossible to meet, one by one."""
    impossible = [
        highest_at(0.7) if isinstance(condition.comparison, HighestAt) else above(1e9) for condition in claim.conditions
    ]
    return [with_comparison(claim, place, comparison) for place, comparison in enumerate(impossible)]
