"""Columns of the tables of each stage: one place for those who write tables and those who read them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpmia.formats.rows import COLUMNS, EFFECTS, KEYS, RECORDS

SIZES = ("features", "classes", "members", "nonmembers", "population", "validation", "background")

_TESTED = ("label", "attack", "alpha", "loss", "threshold")
PER_RECORD = ["experiment", "arm", "target", "record", "label", "membership", *_TESTED[1:], "decision"]
NULLS = ["experiment", "arm", "targets", "target", "record", *_TESTED, "null_losses", "null_loss"]
#: Of the models of an arm and an epsilon: how far their lists of the most exposed records agree, and single records'
#: false positive rates.
EXPOSURE = [
    *("experiment", "arm", "epsilon", "score", "seeds", "records", "listed", "jaccard", "by_chance", "verdict"),
    *("most_exposed", "nominal_fpr", "judged", "fpr", "smallest_p", "testable", "exceeded"),
]

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
#: Of a training whose guarantee was tried: the mechanism, the stated epsilon, and what attacks bound it by from below.
GUARANTEES = [
    *("engine", "sampler", "relation", "sampling_rate", "steps", "noise_multiplier", "delta", "epsilon"),
    *("epsilon_of_mechanism", "epsilon_of_rates", "models", "verdict"),
]


class Kind(StrEnum):
    """What the cells of a column hold; the value is how messages name it."""

    TEXT = "text"
    TRUTH = "True or False"
    NUMBER = "number"  # may be missing or infinite
    FINITE = "finite number"  # may be missing
    ERROR = "standard error"  # may be missing
    EPSILON = "epsilon"  # may be missing: of mechanisms that have none
    COUNT = "number of records, models or replicates"
    KNOWN_COUNT = "number of records, or nothing"


#: Columns that hold the same in all tables; columns of a layout that are neither here nor texts hold numbers.
KINDS = {
    **dict.fromkeys(("iid", "oracle"), Kind.TRUTH),
    **dict.fromkeys(("value", "mean", "low", "high"), Kind.NUMBER),
    **dict.fromkeys(EFFECTS, Kind.FINITE),
    **dict.fromkeys(("error", "degrees", "records_error"), Kind.ERROR),
    **dict.fromkeys(("replicate", "replicates"), Kind.COUNT),
    "epsilon": Kind.EPSILON,
    RECORDS: Kind.KNOWN_COUNT,
}


@dataclass(frozen=True)
class TableLayout:
    """The columns of one kind of table.

    Attributes:
        columns: that must be there.
        texts: those of them that hold texts.
        keys: those that no two rows share; none where rows may repeat.
        counts: those that hold numbers of records.
    """

    columns: Sequence[str]
    texts: Collection[str]
    keys: Sequence[str] = ()
    counts: Collection[str] = ()

    def kind(self, name: str) -> Kind:
        """Return what a column holds; one that belongs to no table may hold anything."""
        if name in self.texts:
            return Kind.TEXT
        if name in self.counts:
            return Kind.COUNT
        return KINDS.get(name, Kind.NUMBER if name in self.columns else Kind.TEXT)


_TEXTS = ("experiment", "arm", "attack", "metric")
#: Of metrics: those of a job, which have further columns, of all replicates, and their means.
METRICS = TableLayout(KEYS, _TEXTS)
REPLICATES = TableLayout(COLUMNS, _TEXTS, COLUMNS[:-1])
SUMMARY = TableLayout([*KEYS, "mean", "low", "high", "replicates"], _TEXTS, KEYS)

#: Stage -> layouts of its tables; one that has several has studies of several kinds.
LAYOUTS: dict[str, tuple[TableLayout, ...]] = {
    "replicates": (REPLICATES,),
    "summary": (SUMMARY,),
    "sizes": (TableLayout(["experiment", "arm", *SIZES], ("experiment", "arm"), ("experiment", "arm"), SIZES),),
    "per_record": (
        TableLayout(
            PER_RECORD,
            ("experiment", "arm", "membership", "attack", "decision"),
            ("experiment", "arm", "target", "record", "attack", "alpha"),
        ),
    ),
    "nulls": (TableLayout(NULLS, ("experiment", "arm", "attack")),),
    "exposure": (
        TableLayout(
            EXPOSURE, ("experiment", "arm", "score", "verdict", "most_exposed"), ("experiment", "arm", "epsilon")
        ),
    ),
    "engines": (
        TableLayout(
            ENGINES,
            (
                *("experiment", "model", "engine", "second_engine", "verdict", "reason", "sampler", "relation"),
                *("accountant", "accounting_reason"),
            ),
            ("experiment", "model"),
        ),
    ),
    "guarantees": (TableLayout(GUARANTEES, ("engine", "sampler", "relation", "verdict"), counts=("steps", "models")),),
    "studies": (
        TableLayout(
            REGRESSION,
            ("dataset", "model", "adversary", "target"),
            ("dataset", "model", "parameter", "adversary", "target", "replicate"),
        ),
        TableLayout(
            LINEAR_GENERATOR,
            ("method", "calibration", "radius"),
            ("run", "method", "moment", "calibration", "radius", "eta"),
        ),
    ),
}


def layout_of(stage: str, columns: Collection[str]) -> TableLayout | None:
    """Return the layout of a table: of several the one with the most of its columns, None where it has none."""
    if layouts := LAYOUTS.get(stage):
        return max(layouts, key=lambda layout: len({*layout.columns} & {*columns}))
    metrics = (REPLICATES, SUMMARY, METRICS)
    return next((layout for layout in metrics if {*layout.columns} <= {*columns}), None)
