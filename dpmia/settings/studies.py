"""Settings of studies: experiments whose models are fitted in milliseconds, so that one job does all of it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dpmia.common.limits import FEWEST_SPLITS, MOST_SPLITS
from dpmia.settings import names
from dpmia.settings.base import Delta, OneOf, Positive, Settings

Number = Annotated[int, Field(ge=1)]
Gain = Annotated[float, Field(gt=0, lt=0.5)]


class LinearGenerator(Settings):
    """Learning a covariance matrix under membership inference privacy and under differential privacy (Izzo et al.)."""

    kind: Literal["linear_generator"]
    """A generator with one linear layer, on normal records drawn anew in each run."""
    records: Annotated[int, Field(ge=2)]
    """Number of records; half of them train."""
    dimension: Number
    """Numbers in a record."""
    steps: Number
    """Steps of gradient descent."""
    learning_rate: Positive = 0.1
    """Its step size."""
    splits: Annotated[int, Field(ge=FEWEST_SPLITS, le=MOST_SPLITS)]
    """Random halves from which moments are estimated."""
    runs: Annotated[int, Field(ge=2)]
    """Independent repetitions."""
    moments: Annotated[list[Annotated[float, Field(ge=2, le=100)]], Field(min_length=1)]
    """Moments M of corollary 8."""
    etas: Annotated[list[Gain], Field(min_length=1)]
    """Gains of the best attacker over guessing."""
    delta: Delta = 1e-5
    """Delta of the differentially private baseline."""
    dataset: ClassVar[None] = None
    attributes: ClassVar[list[str]] = []
    pool: ClassVar[int] = 1


class Regression(Settings):
    """Membership and attribute inference on overfitted regression models (Yeom et al.)."""

    kind: Literal["regression"]
    """Ridge or trees on a data set with a number to predict."""
    dataset: Annotated[str, OneOf(names.DATASETS)]
    """Data set."""
    attributes: list[str] = []
    """Columns to keep out of the features."""
    pool: ClassVar[int] = 1
    model: Literal["ridge", "tree"]
    """Kind of model."""
    parameters: Annotated[list[Positive], Field(min_length=1)]
    """Alphas of `ridge`, depths of `tree`."""
    splits: Number
    """Random splits into members and others."""
    test_fraction: Annotated[float, Field(gt=0, lt=1)] = 0.25
    """Share of the records that are no members."""
    cross_validation: Literal["leave_one_out"] | Annotated[int, Field(ge=2)] = "leave_one_out"
    """How sigma_D is found: parts that are left out in turn."""
    targets: list[str] = []
    """Features whose values are inferred."""


Study = LinearGenerator | Regression

#: kind -> its settings.
KINDS: dict[str, type[Settings]] = {"linear_generator": LinearGenerator, "regression": Regression}


def options(study: Any) -> dict[str, Any]:
    """Return the options that the function of a study takes, as plain data."""
    return study.model_dump(exclude={"kind", "dataset", "attributes"})
