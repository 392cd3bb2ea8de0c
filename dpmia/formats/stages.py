"""Columns of the tables of each stage: one place for those who write tables and those who read them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dpmia.formats.rows import COLUMNS, KEYS

SIZES = ("features", "classes", "members", "nonmembers", "population", "validation", "background")

_TESTED = ("label", "attack", "alpha", "loss", "threshold")
PER_RECORD = ["experiment", "arm", "target", "record", "label", "membership", *_TESTED[1:], "decision"]
NULLS = ["experiment", "arm", "targets", "target", "record", *_TESTED, "null_losses", "null_loss"]

REGRESSION = [
    *("dataset", "records", "members", "nonmembers", "model", "parameter", "folds", "sigma_s", "sigma_d", "ratio"),
    *("adversary", "target", "values", "replicate", "tpr", "fpr", "advantage"),
]
LINEAR_GENERATOR = [
    *("run", "method", "moment", "calibration", "radius", "eta", "epsilon", "clip_norm", "noise_scale"),
    *("relative_error", "records", "dimension", "steps", "learning_rate", "splits", "delta"),
]

#: Of a model that was trained a second time: what was compared, what came out, and its accounting.
COMPARED = ["experiment", "model", "engine", "second_engine", "parameters", "steps_compared", "steps"]
DIFFERENCES = [
    *("parameter_difference", "relative_difference", "relative_difference_of_99_percent"),
    *("loss_difference", "loss_difference_of_99_percent", "advantage_difference"),
]
ACCOUNTING = [
    *("sampler", "relation", "rate", "noise_multiplier", "accounted_steps", "delta", "accountant", "epsilon"),
    *("epsilon_opacus_rdp", "epsilon_opacus_prv"),
]
ENGINES = [*COMPARED, *DIFFERENCES, "tolerance", "verdict", "reason", *ACCOUNTING, "accounting_reason"]


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of table.

    Attributes:
        columns: that must be there.
        texts: those of them that hold texts or truth values; all others hold numbers.
        keys: those that no two rows share; none where rows may repeat.
    """

    columns: Sequence[str]
    texts: Collection[str]
    keys: Sequence[str] = ()

    @property
    def numbers(self) -> list[str]:
        """The columns that hold numbers."""
        return [name for name in self.columns if name not in self.texts]


#: Stage -> layouts of its tables; one that has several has studies of several kinds. Tables of metrics are checked
#: further (`dpmia.formats.tables`).
LAYOUTS: dict[str, tuple[Layout, ...]] = {
    "replicates": (Layout(COLUMNS, COLUMNS),),
    "summary": (Layout([*KEYS, "mean", "low", "high", "replicates"], [*KEYS, "mean", "low", "high", "replicates"]),),
    "sizes": (Layout(["experiment", "arm", *SIZES], ("experiment", "arm"), ("experiment", "arm")),),
    "per_record": (
        Layout(
            PER_RECORD,
            ("experiment", "arm", "membership", "attack", "decision"),
            ("experiment", "arm", "target", "record", "attack", "alpha"),
        ),
    ),
    "nulls": (Layout(NULLS, ("experiment", "arm", "attack")),),
    "engines": (
        Layout(
            ENGINES,
            (
                *("experiment", "model", "engine", "second_engine", "verdict", "reason", "sampler", "relation"),
                *("accountant", "accounting_reason"),
            ),
            ("experiment", "model"),
        ),
    ),
    "studies": (
        Layout(
            REGRESSION,
            ("dataset", "model", "adversary", "target"),
            ("dataset", "model", "parameter", "adversary", "target", "replicate"),
        ),
        Layout(
            LINEAR_GENERATOR,
            ("method", "calibration", "radius"),
            ("run", "method", "moment", "calibration", "radius", "eta"),
        ),
    ),
}


def layout_of(stage: str, columns: Collection[str]) -> Layout | None:
    """Return the layout of a table; of several the one with the most of its columns, None where a stage has none."""
    return max(LAYOUTS.get(stage, ()), key=lambda layout: len({*layout.columns} & {*columns}), default=None)
