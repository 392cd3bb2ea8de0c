"""How many records the arms draw from a file of one's own, before it is prepared."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import numpy as np

from dpmia.common.errors import DataError, words_of
from dpmia.common.registry import load
from dpmia.datasets.groups import group_column
from dpmia.jobs.drawing import ArmDraw
from dpmia.jobs.own_reading import OwnReading
from dpmia.splits.block import draw_one
from dpmia.splits.drawn_sizes import of_splits
from dpmia.splits.training_sets import TrainingSizes


def from_file(reading: OwnReading, by: str | None, draw: str, arms: Mapping[str, ArmDraw]) -> dict[str, TrainingSizes]:
    """Return the sizes of each arm that draws from a file of one's own; all rows of the file count.

    Args:
        reading: how the file is read, with its whole path.
        by: the column that holds the groups; None for none.
        draw: name of a function of `dpmia.splits.draws`.
        arms: how the records of each arm are drawn.

    Raises:
        DataError: the file cannot be read, an arm needs more records than there are, or what the user names draws no
            splits.
    """
    groups, function, splits = np.array(group_column(reading, by)), load(draw), {}
    for name, arm in arms.items():
        rng = np.random.default_rng(0)
        try:
            inspect.signature(function).bind(groups, rng, **arm.draw)
        except Exception as error:  # its own words may fail, too
            problem = f"it takes no groups, generator and arguments of arm {name!r} ({words_of(error)})"
            raise DataError(f"membership, {draw}", problem, "Name a function as in docs/extend.md") from None
        splits[name, 0] = draw_one(function, groups, rng, arm)
    return of_splits(splits, arms, len(groups))
