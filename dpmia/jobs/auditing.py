"""Jobs that report audits."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpmia.common.plain import PlainData
from dpmia.jobs.attacking import AuditedAttack
from dpmia.privacy.plan_request import Relation


@dataclass(frozen=True)
class AuditedDescription(PlainData):
    """What the report of an audit says of the models of an experiment, or of a model known by its predictions.

    It is a part of the file `audit-<file>.json`. What is also a field of `ExperimentDescription` is the same there, but
    for the batch size and the number of reference models.

    Attributes:
        model: names of the networks; with predictions only, that of the user's settings.
        attacks_not_run: kinds of attacks.
        delta: of the privacy guarantee; None with predictions only, where nothing is trained, as for all that follow
            but `same_pool`.
        relation: of the privacy guarantee: `replace_one` or `add_remove`.
        compares: relation between the training sets with and without a record.
        independent: whether each record joins the training set on its own.
        same_pool: whether a user states that members and non-members come from one pool; None where nobody says.
        architecture: the networks with their activation and initial weights.
        passes: how often the models see their records; empty of those that fit themselves.
        optimiser: name.
        epochs: 0 of models that fit themselves.
        batch_size: of the first arm.
        replicates: number.
        program: command of a training program of the user.
        stated: whether the guarantee is what the user states of such a program.
        references: number of reference models; None where no attack uses them.
        private_references: whether these are trained with the epsilon of the target models.
        mismatched_attacks: attacks on private models whose shadow or reference models are trained without privacy.
        offline_a: of offline RMIA.
    """

    model: str
    attacks_not_run: list[str]
    delta: float | None = None
    relation: str | None = None
    compares: str | None = None
    independent: bool = False
    same_pool: bool | None = None
    architecture: str = ""
    passes: str = ""
    optimiser: str = ""
    epochs: int = 0
    batch_size: int = 0
    replicates: int = 1
    program: str | None = None
    stated: bool = False
    references: int | None = None
    private_references: bool = False
    mismatched_attacks: list[str] = field(default_factory=list)
    offline_a: str | None = None

    @property
    def predictions_only(self) -> bool:
        """Whether a model is known by its predictions only: nothing was trained, no privacy guarantee is known."""
        return self.delta is None

    @property
    def pool_unknown(self) -> bool:
        """Whether nothing is known about where members and non-members come from."""
        return self.predictions_only and self.same_pool is None


@dataclass(frozen=True)
class AuditPart(PlainData):
    """What the report of an audit takes of one experiment, or of one model known by its predictions.

    Attributes:
        description: of the models.
        groups: arm -> the group that its members come from.
        attacks: by name: those that rank single records.
        summary: file of the metrics with their intervals.
        signals: files of the target models.
        dataset: file of the prepared data; None with predictions only.
        splits: files; none with predictions only.
    """

    description: AuditedDescription
    groups: dict[str, str]
    attacks: dict[str, AuditedAttack]
    summary: str
    signals: list[str]
    dataset: str | None = None
    splits: list[str] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """All files, each once."""
        references = dict.fromkeys(file for attack in self.attacks.values() for file in attack.files)
        return [self.summary, *([self.dataset] if self.dataset else []), *self.splits, *self.signals, *references]


@dataclass(frozen=True)
class AuditJob(PlainData):
    """The report of one audit.

    Attributes:
        parts: by experiment.
        data: `synthetic` or `real`.
        scale: of the run.
        seed: of the run.
        fail_above: metric -> the largest value that the mean of any attack may have.
        epsilons: of the models that these limits are for; None for all.
        looks: whether replicates were added after a look.
        bound: on the precision of attacks, for which privacy guarantees are planned.
        acceptance: share of the members that such attacks find at least.
        relation: of the planned guarantees.
    """

    parts: dict[str, AuditPart]
    data: str
    scale: str
    seed: int
    fail_above: dict[str, float]
    epsilons: list[float] | None
    looks: bool
    bound: float
    acceptance: float
    relation: Relation
