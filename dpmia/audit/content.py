"""The content of an audit: what `audit-<file>.json` holds, and the page is made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpmia.audit.entries import Accuracy, Entry, GroupRisk
from dpmia.audit.limits import AuditLimits
from dpmia.audit.plain import PlainWords
from dpmia.audit.scores import RocCurve
from dpmia.audit.verdicts import ModelVerdict
from dpmia.common.plain import PlainData
from dpmia.formats.detected import Column
from dpmia.jobs.auditing import AuditedDescription
from dpmia.metrics.exposure import Agreement
from dpmia.privacy.record import GuaranteeRow

FORMAT, VERSION = "dpmia-audit", 4


@dataclass(frozen=True)
class AuditRun(PlainData):
    """The run that an audit was made in.

    Attributes:
        data: `synthetic` or `real`.
        scale: of the settings.
        seed: of the settings.
        synthetic: whether any of the data are synthetic.
        version: of dpmia.
    """

    data: str
    scale: str
    seed: int
    synthetic: bool
    version: str


@dataclass(frozen=True)
class DataFile(PlainData):
    """A file that records were read from: its name, its SHA-256 and its number of rows."""

    name: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class Origin(PlainData):
    """Where the records of an experiment come from.

    Attributes:
        name: of the data set, or of the predictions.
        description: what was detected in the files, in sentences.
        files: the files.
        synthetic: whether the records are.
        columns: of a user's table, as all that follow; empty or None of predictions and of published data sets.
        groups: group -> number of records.
        classes: class -> number of records.
        records: number of rows that are used.
        by: the column of groups.
        warnings: what a reader should know of the table.
    """

    name: str
    description: list[str]
    files: list[DataFile]
    synthetic: bool
    columns: list[Column] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    records: int | None = None
    by: str | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AuditedExperiment(PlainData):
    """What was found on the models of one experiment, as sentences.

    Attributes:
        description: of its models.
        sizes: arm -> kind -> number of records; where it is random, the smallest and the largest over replicates.
        how: how the models were trained.
        in_plain_words: for each model.
        verdicts: for each model.
        remedies: what would lower the risk.
        untested: what was not tested.
    """

    description: AuditedDescription
    sizes: dict[str, dict[str, list[int]]]
    how: str
    in_plain_words: list[PlainWords]
    verdicts: list[ModelVerdict]
    remedies: list[str]
    untested: list[str]


@dataclass(frozen=True)
class PrivateModels(PlainData):
    """Private models of one arm that share their privacy guarantee.

    Attributes:
        experiment: name.
        arm: name.
        label: the arm as people read it.
        models: number.
        guarantee: that they share.
    """

    experiment: str
    arm: str
    label: str
    models: int
    guarantee: GuaranteeRow


@dataclass(frozen=True)
class ArmCurve(PlainData):
    """The ROC curve of an attack on the models of one arm and one epsilon.

    Attributes:
        experiment: name.
        arm: name.
        epsilon: as text.
        attack: name.
        models: number of models that it is the mean of.
        nonmembers: of one model.
        curve: the curve.
    """

    experiment: str
    arm: str
    epsilon: str
    attack: str
    models: int
    nonmembers: int
    curve: RocCurve


@dataclass(frozen=True)
class ExposedRow(PlainData):
    """One of the most exposed records.

    Attributes:
        row: of the user's file; of the data set where there is no such file.
        group: of the record; None where records have none.
        rank: see `dpmia.metrics.exposure.ExposedRecord`, as all that follow.
        above: share of non-members.
        score: of the attack; None where it is infinite.
        models: number.
    """

    row: int
    group: str | None
    rank: int
    above: float
    score: float | None
    models: int


@dataclass(frozen=True)
class ExposedArm(PlainData):
    """The most exposed records of an arm, by the strongest attack at its largest epsilon.

    Attributes:
        experiment: name.
        arm: name.
        label: the arm as people read it.
        iid: whether members and non-members come from one pool.
        epsilon: as text.
        attack: name.
        records: in the order of their ranks.
        tied: see `dpmia.metrics.exposure.MostExposed`.
        unseen: see `MostExposed`.
        nonmembers: of one model.
        stability: whether other models would list the same records; None where that is not known.
        by_loss: whether the attack ranks records by the loss alone.
    """

    experiment: str
    arm: str
    label: str
    iid: bool
    epsilon: str
    attack: str
    records: list[ExposedRow]
    tied: int
    unseen: int
    nonmembers: int
    stability: Agreement | None
    by_loss: bool


@dataclass(frozen=True)
class Planned(PlainData):
    """What privacy guarantees are planned for: fields of `dpmia.privacy.plan_request.PlanRequest`."""

    bound: float
    records: int
    batch_size: int
    epochs: int
    delta: float
    acceptance: float


@dataclass(frozen=True)
class PlannedRow(PlainData):
    """A privacy guarantee that could be given: a row of `dpmia.privacy.planner.plan`."""

    bound: float
    rate: float
    members: int
    epsilon: float | None
    noise_multiplier: float | None
    batch_rate: float | None
    steps: int | None
    exact_precision: float | None
    deletion_capacity: int | None
    remark: str


@dataclass(frozen=True)
class AuditContent(PlainData):
    """What an audit found.

    Attributes:
        run: that it was made in.
        data: where the records come from.
        experiments: by name.
        results: of each attack on each model.
        accuracy: of each model.
        guarantees: of all private models.
        roc: curves of the attacks that rank single records.
        groups: risk of each group.
        without_arm: groups that no arm has members of, with their sizes.
        exposed: the most exposed records of each arm.
        limits: how the models do that are held to limits.
        planned: what guarantees are planned for; None where no model takes steps of ours.
        plan: guarantees that could be given.
        format: name of the file format.
        version: of the file format.
    """

    run: AuditRun
    data: list[Origin]
    experiments: dict[str, AuditedExperiment]
    results: list[Entry]
    accuracy: list[Accuracy]
    guarantees: list[PrivateModels]
    roc: list[ArmCurve]
    groups: list[GroupRisk]
    without_arm: list[str]
    exposed: list[ExposedArm]
    limits: AuditLimits
    planned: Planned | None
    plan: list[PlannedRow] = field(default_factory=list)
    format: str = FORMAT
    version: int = VERSION
