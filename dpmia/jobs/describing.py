"""What captions say of an experiment: its settings, as they are resolved and described."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class ArmDescription(PlainData):
    """What an arm may have otherwise than its experiment; see `ExperimentDescription`."""

    members: int | float | str | None
    learning_rate: float
    batch_size: int
    epochs: int
    l2: float


@dataclass(frozen=True)
class PrecisionBudget(PlainData):
    """The epsilon that keeps a bound on precision at the sampling rate of an arm; None where no epsilon does."""

    bound: float
    arm: str
    rate: float
    epsilon: float | None


@dataclass(frozen=True)
class ExperimentDescription(PlainData):
    """What captions say of an experiment.

    Attributes:
        dataset: name; `own data` of a file of one's own.
        architecture: networks with their activation and initial weights.
        sizes: a phrase on how many records target models are trained on; empty where the data decide that.
        passes: a phrase on how often they see their records; empty of models that fit themselves.
        replicates: number.
        epochs: as the five that follow, of the experiment; arms may have others. 0 of models that fit themselves.
        batch_size: expected size of Poisson batches.
        learning_rate: of the optimiser.
        momentum: of SGD.
        l2: penalty.
        members: number, share or `all`; None where each record joins on its own.
        optimiser: name.
        sampling: of private models: `poisson` or `shuffle`.
        sampling_without_privacy: of the others.
        clip_norm: of the gradients of private models.
        clipped_to: of the gradients of models without privacy; None where they are not clipped.
        pairing: of clusters of different classes; None without clusters.
        canaries: their number; None without them.
        references: number of reference models; None without them.
        offline_a: of RMIA, as readers see it; None without an attack that has it.
        epsilons: all of them, rising, as people read them.
        keys: shared by trainer and attacker; None without collusion.
        relation: `replace_one` or `add_remove`.
        delta: of (epsilon, delta).
        accountant: `pld`, `rdp` or `rdp_as_published`.
        arms: by name.
        precision_budgets: of every bound and arm; None of an experiment without such bounds.
    """

    dataset: str
    architecture: str
    sizes: str
    passes: str
    replicates: int
    epochs: int = 0
    batch_size: int = 0
    learning_rate: float = 0.0
    momentum: float = 0.0
    l2: float = 0.0
    members: int | float | str | None = None
    optimiser: str = "adam"
    sampling: str = "poisson"
    sampling_without_privacy: str = "shuffle"
    clip_norm: float = 1.0
    clipped_to: float | None = None
    pairing: str | None = None
    canaries: int | None = None
    references: int | None = None
    offline_a: str | None = None
    epsilons: list[str] = field(default_factory=list)
    keys: int | None = None
    relation: str = "replace_one"
    delta: float = 1e-5
    accountant: str = "pld"
    arms: dict[str, ArmDescription] = field(default_factory=dict)
    precision_budgets: list[PrecisionBudget] | None = None

    def of_arm(self, name: str) -> ExperimentDescription:
        """Return the description with what one of its arms has."""
        return replace(self, **self.arms[name].plain())
