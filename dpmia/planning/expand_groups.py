"""`arms: each group`: one arm per group with enough records, expanded before the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpmia.common.arms import arm_name
from dpmia.common.errors import ConfigError, shown
from dpmia.common.files import is_file
from dpmia.settings import names
from dpmia.settings.messages import checked, place
from dpmia.settings.own_data import OwnData

EACH_GROUP = "each group"

#: Fewest records of a group that has an arm, where the settings do not say.
SMALLEST = 100


def expand_groups(settings: Mapping[str, Any], root: Path, where: str) -> dict[str, Any]:
    """Return the settings of an experiment with `arms: each group` spelled out.

    A membership experiment on one's own file that does not say `by` goes by the file's group.

    Args:
        settings: of one experiment, at one scale, not yet checked.
        root: folder to which paths are relative.
        where: the place, for messages.

    Raises:
        ConfigError: the groups cannot be read, or fewer than one has enough records.
    """
    settings = dict(settings)
    dataset, membership = settings.get("dataset"), settings.get("membership")
    if isinstance(dataset, dict):
        dataset = checked(OwnData, dataset, place(where, "dataset"))
        if not is_file(root / dataset.path):
            raise ConfigError(place(where, "dataset.path"), f"{dataset.path!r} is not a file in {root.resolve()}")
        if isinstance(membership, dict) and membership.get("kind") in ("group", "bias"):
            membership = {"by": dataset.by} | membership
            settings["membership"] = {key: value for key, value in membership.items() if value is not None}
    if isinstance(settings.get("arms"), str) and settings["arms"] != EACH_GROUP:
        problem = f"{settings['arms']!r} is neither a mapping of arms nor {EACH_GROUP!r}"
        raise ConfigError(place(where, "arms"), problem)
    if settings.get("arms") != EACH_GROUP:
        return settings
    if not isinstance(membership, dict) or membership.get("kind") != "group" or membership.get("by") is None:
        raise ConfigError(
            place(where, "arms"),
            f"{EACH_GROUP!r} needs membership.kind 'group' and a column of groups",
            "Name the column in membership.by, or in dataset.group of your own file",
        )
    smallest = membership.get("smallest", SMALLEST)
    if not isinstance(smallest, int) or isinstance(smallest, bool) or smallest < 1:
        raise ConfigError(place(where, "membership.smallest"), f"{shown(smallest)} is not a positive integer")
    if not isinstance(membership["by"], str):
        raise ConfigError(place(where, "membership.by"), f"{shown(membership['by'])} is not a string")
    sizes = _sizes(dataset, membership["by"], root, where)
    settings["arms"] = _arms(sizes, smallest, membership["by"], where)
    return settings


def _sizes(dataset: Any, by: str, root: Path, where: str) -> dict[str, int | None]:
    from dpmia.datasets.groups import group_sizes  # here: it imports NumPy

    if isinstance(dataset, OwnData):
        return group_sizes(None, dataset.reading.at(root / dataset.path), by)
    if not isinstance(dataset, str) or dataset not in names.DATASETS:
        return {"any": None}  # mistakes in the data set are reported when all settings are checked
    sizes = group_sizes(names.DATASETS[dataset], None, by)
    if not sizes:
        problem = f"{EACH_GROUP!r} is unavailable: the groups of {dataset!r} are not known before it is read"
        raise ConfigError(place(where, "arms"), problem, "List the arms by name")
    return sizes


def _arms(sizes: Mapping[str, int | None], smallest: int, by: str, where: str) -> dict[str, dict[str, str]]:
    """Return the arms of the groups that are large enough; a size of None is not known yet and counts as such."""
    total = sum(size or 0 for size in sizes.values())
    arms: dict[str, dict[str, str]] = {}
    for group, size in sizes.items():
        if size is None or min(size, total - size) >= smallest:
            name = arm_name(group)
            while name in arms:
                name += "_"
            arms[name] = {"group": group}
    if not arms:
        listed = ", ".join(f"{group!r}: {size}" for group, size in list(sizes.items())[:10])
        raise ConfigError(
            place(where, "arms"),
            f"no group of {by!r} has at least {smallest} records, with as many in the other groups ({listed})",
            "Lower membership.smallest, or choose another group column",
        )
    return arms
