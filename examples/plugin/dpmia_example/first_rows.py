"""Members are records of the first half of the file, non-members of the second: what changed in between shows."""

import numpy as np

from dpmia.splits.split import Split


def draw(groups, rng, *, members, nonmembers):
    """Draw one split. `groups` has one entry for each record; all else comes from the settings."""
    half = len(groups) // 2
    first, second = rng.permutation(half), half + rng.permutation(len(groups) - half)
    rest = np.concatenate([first[members:], second[nonmembers:]])
    return Split(first[:members], second[:nonmembers], rest, np.empty(0))
