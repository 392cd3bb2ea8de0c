"""The groups of a data set, known before it is prepared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from dpmia.common.files import is_file
from dpmia.common.registry import load
from dpmia.datasets.own.files import Overview, in_order, overview
from dpmia.datasets.raw.parsing import Category, Number
from dpmia.jobs.own_reading import OwnReading


def group_sizes(module: str | None, own: OwnReading | None, by: str) -> dict[str, int | None]:
    """Return the number of records of each group, the groups in their order.

    Args:
        module: of a published data set: its groups are those that its layout knows, their sizes None.
        own: how a file of one's own is read, with its whole path; its groups are counted.
        by: the attribute that holds the groups.

    Returns:
        Nothing where the groups are not known before the data are read.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    if own is not None:
        counts = Counter(group_column(own, by))
        return {group: counts[group] for group in in_order(counts)}
    if module is None:
        raise ValueError("group_sizes takes the module of a data set or a file of one's own")
    dataset = load(module)
    groups: Mapping[str, Iterable[str]] = getattr(dataset, "GROUPS", {})
    kinds: Mapping[str, Number | Category] = getattr(dataset, "KINDS", {})
    kind = kinds.get(by)
    return dict.fromkeys(groups.get(by) or (kind.values if isinstance(kind, Category) else ()))


def group_column(own: OwnReading, by: str | None) -> tuple[str, ...]:
    """Return the group of every record of a file of one's own; of records without groups, an empty one.

    Args:
        own: see `group_sizes`.
        by: see `group_sizes`; None for no groups.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    return _overview(own, by).groups


def file_size(own: OwnReading, by: str | None) -> tuple[int, int, int, int]:
    """Return records, features, classes and rows of pixels (0 for no images) of a file of one's own.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    file_overview = _overview(own, by)
    return len(file_overview.groups), file_overview.features, file_overview.classes, file_overview.image


def _overview(own: OwnReading, by: str | None) -> Overview:
    """Read a file once, though many experiments at all scales use it."""
    path = Path(own.path)
    changed = path.stat().st_mtime_ns if is_file(path) else 0  # reading says what is wrong with it
    return _read(json.dumps(own.plain(), sort_keys=True), by, changed)


@cache
def _read(own: str, by: str | None, changed: int) -> Overview:
    return overview(OwnReading.from_plain(json.loads(own)), by)
