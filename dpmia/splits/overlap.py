"""Which arms evaluate their replicates on the same records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from dpmia.splits.split import Split


def arms_sharing_records(splits: Mapping[tuple[str, int], Split]) -> set[str]:
    """Return the arms of which some record is a member or non-member in two replicates or more.

    Args:
        splits: by (arm, replicate), of all blocks.
    """
    evaluated: defaultdict[str, list[np.ndarray]] = defaultdict(list)
    for (arm, _), split in splits.items():
        evaluated[arm] += [split.members, split.nonmembers]
    return {arm for arm, parts in evaluated.items() if np.bincount(np.concatenate(parts)).max() > 1}
