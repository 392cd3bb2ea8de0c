"""The splits of one block: all arms, some replicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.errors import ConfigError, shown
from dpmia.common.files import whole_file
from dpmia.common.plugins import errors_of_file, spec_of
from dpmia.common.reading.arrays import arrays
from dpmia.common.reading.place import Stage
from dpmia.common.reading.source import made
from dpmia.common.registry import suggestion
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.draws import shuffled
from dpmia.splits.split import Split

#: Files stand in this folder, each under the id of its clusters.
_CLUSTERS = Stage({"clusters": 1}, "the clusters")


def draw_block(
    dataset: Dataset,
    clusters: np.ndarray | None,
    draw: Callable[..., Split],
    arms: Mapping[str, ArmDraw],
    replicates: Sequence[int | str],
    root_seed: int,
) -> dict[tuple[str, int | str], Split]:
    """Return the split of every (arm, replicate).

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        draw: function of `dpmia.splits.draws`.
        arms: how the records of each arm are drawn.
        replicates: numbers of the replicates, or names of other draws.
        root_seed: the user's seed.

    Raises:
        ConfigError: groups are made by an attribute that the data set does not keep, or `draw` returns no split.
        DataError: more records are to be drawn than there are.
    """
    splits = {}
    for name, arm in arms.items():
        groups = _groups(dataset, clusters, arm.groups)
        for replicate in replicates:
            # The IID arm reshuffles the very records of its counterpart, so both start from one draw.
            meaning = (dataset.fingerprint, arm.groups, arm.drawn_by, replicate)
            split = draw_one(draw, groups, np.random.default_rng(derive_seed(root_seed, "split", *meaning)), arm)
            if arm.iid:
                split = shuffled(split, np.random.default_rng(derive_seed(root_seed, "shuffle", *meaning)))
            splits[name, replicate] = split
    return splits


def draw_one(draw: Callable[..., Split], groups: np.ndarray, rng: np.random.Generator, arm: ArmDraw) -> Split:
    """Return one split of an arm, but for its shuffling; see `draw_block`.

    Raises:
        ConfigError: `draw` returns no split of these records.
        UserError: `draw` is not of this library, and fails.
    """
    where = f"membership, {getattr(draw, '__name__', None) or shown(draw)}"
    if not callable(draw):
        raise ConfigError(where, "it is no function", "Name one as in docs/extend.md")
    with errors_of_file(spec_of(draw), where, every=True):
        split = draw(groups, rng, **arm.draw)
    if not isinstance(split, Split):
        raise ConfigError(where, f"it returns {type(split).__name__}", "Return a dpmia.splits.split.Split")
    for word, records in (("members", split.members), ("non-members", split.nonmembers)):
        if not len(records):
            raise ConfigError(where, f"it returns a split without {word}", "Draw at least one")
    if (last := split.last) >= len(groups):
        problem = f"it returns row {last} of {len(groups)} records, from 0"
        raise ConfigError(where, problem, "Draw from range(len(groups))")
    return split


def save_clusters(path: Path | str, groups: np.ndarray) -> None:
    """Write the cluster of each record, and in a run the place of the file."""
    content: dict[str, Any] = {"groups": groups} | _CLUSTERS.stated(path)
    with whole_file(path) as part:
        np.savez_compressed(part, **content)


def load_clusters(files: Sequence[str], dataset: Dataset) -> np.ndarray | None:
    """Return the cluster of each record of a data set, from the file that a job made; None without a file.

    Raises:
        DataError: the file is damaged, made of other records, or stands in the place of other clusters.
    """
    if not files:
        return None
    with arrays(made(files[0])) as file:
        _CLUSTERS.check_arrays(file)
        return file.array("groups", "text", (len(dataset),))


def _groups(dataset: Dataset, clusters: np.ndarray | None, how: Any) -> np.ndarray:
    if how is None:
        return np.zeros(len(dataset), dtype="<U1")
    if isinstance(how, str):
        return _attribute(dataset, how)
    if "merge" in how:
        return _merged(_attribute(dataset, how["by"]), how["merge"])
    if clusters is None or len(clusters) != len(dataset):
        raise ValueError("a cluster experiment needs the cluster of every record")
    return clusters


def _attribute(dataset: Dataset, name: str) -> np.ndarray:
    if name not in dataset.attributes:
        listing = ", ".join(dataset.attributes) or "it has none"
        problem = f"{name!r} is not an attribute of the data set {dataset.name} ({listing})"
        remedy = suggestion(name, dataset.attributes) or "Add the column to the key attributes"
        raise ConfigError("membership.by", problem, remedy)
    return dataset.attributes[name]


def _merged(values: np.ndarray, merge: Mapping[str, Sequence[str]]) -> np.ndarray:
    """Return the group of every record; `merge` names the values of each group."""
    group_of = {value: group for group, members in merge.items() for value in members}
    unique = np.unique(values)
    missing = sorted(set(unique.tolist()) - set(group_of))
    unknown = sorted(set(group_of) - set(unique.tolist()))
    if missing or unknown or len(group_of) != sum(map(len, merge.values())):
        problem = f"values without a group: {missing}; values that do not occur: {unknown}"
        raise ConfigError("membership.merge", problem, f"Put each of these in one group: {', '.join(unique.tolist())}")
    return np.array([group_of[value] for value in unique.tolist()])[np.searchsorted(unique, values)]
