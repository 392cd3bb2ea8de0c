"""Jobs that check what other jobs made."""

from __future__ import annotations

from dataclasses import dataclass

from dpmia.common.plain import PlainData
from dpmia.formats.model_card import Architecture


@dataclass(frozen=True)
class EngineCheck(PlainData):
    """Which target models of an experiment are trained a second time, by Opacus.

    Attributes:
        engine: name of the engine that trained them.
        models: architecture by arm.
        dataset: path of the prepared data set.
        splits: path of the splits of one block.
        signals: paths of the signals of that block's target models.
        work: multiplications that Opacus may make for one model; the number of steps follows from it, see
            `dpmia.validation.retraining`.
    """

    engine: str
    models: dict[str, Architecture]
    dataset: str
    splits: str
    signals: list[str]
    work: float
