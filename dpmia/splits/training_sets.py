"""Sizes of training sets, as models are trained on them and as batches must fit into them."""

from __future__ import annotations

from typing import NamedTuple

from dpmia.jobs.drawing import ArmDraw


class TrainingSizes(NamedTuple):
    """Records that the models of one arm are trained on.

    Attributes:
        training: size of the training set of a target model; reference models have as many.
        population: number of records that shadow models draw theirs from; None where it is not known yet.
    """

    training: int
    population: int | None = None


def expected_size(arm: ArmDraw, records: int | None) -> int | None:
    """Return the expected number of members of an arm whose records join at random; None for other arms.

    Sampling rate and steps follow from it: the realised number is secret under add/remove.

    Args:
        arm: how its records are drawn.
        records: of the data set, all of which are the pool of `records: all`; None if they are not known yet.
    """
    if arm.joins_at is None:
        return None
    pool = records if arm.draw["records"] == "all" else arm.draw["records"]
    return None if pool is None else round(arm.joins_at * pool)


def shadow_size(population: int, count: int) -> int:
    """Return the size of the training set of each of `count` shadow models: floor(2 half / count)."""
    return 2 * (population // 2) // count
