"""Sizes of training sets, as models are trained on them and as batches must fit into them."""

from __future__ import annotations

from typing import NamedTuple

from dpmia.jobs.drawing import ArmDraw


class Drawn(NamedTuple):
    """Records that the models of one arm are trained on.

    Attributes:
        training: size of the training set of a target model; reference models have as many.
        population: number of records that shadow models draw theirs from; None where it is not known yet.
    """

    training: int
    population: int | None = None


def expected_size(arm: ArmDraw) -> int | None:
    """Return the expected number of members of an arm whose records join at random; None for other arms.

    Rate and steps follow from it: under add/remove the true number is part of the secret.

    Args:
        arm: how its records are drawn.
    """
    draw = arm.draw
    if "rate" not in draw or draw["records"] == "all":
        return None
    return round(draw["rate"] * draw["records"])


def shadow_size(population: int, count: int) -> int:
    """Return the size of the training set of each of `count` shadow models: floor(2 half / count)."""
    return 2 * (population // 2) // count
