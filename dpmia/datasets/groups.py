"""The groups of a data set, told before it is prepared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dpmia.datasets.own_files import group_values
from dpmia.registry import load


def group_sizes(module: str | None, own: Mapping[str, Any] | None, by: str) -> dict[str, int | None]:
    """Return the number of records of each group, the groups in their order.

    Args:
        module: of a published data set: its groups are those that its layout knows, their sizes None.
        own: of a file of one's own, as `dpmia.settings.own_data.OwnData.reading` says; its groups are counted.
        by: the attribute that holds the groups.

    Returns:
        Nothing where the groups are not known before the data are read.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    if own is not None:
        return dict(_counted(json.dumps(dict(own), sort_keys=True), by, Path(own["path"]).stat().st_mtime_ns))
    dataset = load(module)
    known = getattr(dataset, "GROUPS", {}).get(by) or getattr(getattr(dataset, "KINDS", {}).get(by), "values", ())
    return dict.fromkeys(known)


@cache
def _counted(own: str, by: str, changed: int) -> tuple[tuple[str, int], ...]:
    """Count the groups of a file once, though many experiments at all scales ask for them."""
    reading = json.loads(own)
    return tuple(sorted(Counter(group_values(Path(reading["path"]), reading, by)).items()))
