"""Records of a target model that have per-record results."""

from __future__ import annotations

import numpy as np

from dpmia.common.seeds import derive_seed
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal


def draw_records(signal: Signal, count: int, root_seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw members and non-members of a target model.

    Args:
        signal: the target model's outputs.
        count: records of each part; all where there are fewer.
        root_seed: the user's seed.

    Returns:
        Rows of the data set, in the order drawn: the first of many are what is drawn where few are wanted.
    """
    rng = np.random.default_rng(derive_seed(root_seed, "points", *signal.card.meaning))
    members, nonmembers = (np.sort(signal.records[signal.membership == part]) for part in (MEMBER, NONMEMBER))
    return rng.permutation(members)[:count], rng.permutation(nonmembers)[:count]
