"""Jobs that attack models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpmia.common.plain import PlainData
from dpmia.common.plugins import errors_of_file
from dpmia.common.registry import load


@dataclass(frozen=True)
class AttackSpec(PlainData):
    """An attack: the name of its class, and its options."""

    attack: str
    options: dict[str, Any]

    def make(self) -> Any:
        """Return the attack.

        Raises:
            UserError: it is not of this library, and fails.
        """
        with errors_of_file(self.attack, "attack", every=True):
            return load(self.attack)(**self.options)


@dataclass(frozen=True)
class AttackJob(AttackSpec):
    """Which attack to run.

    Attributes:
        reference_arm: the arm whose reference models it uses; None for the IID arm of the target model's arm, or for
            its own where it has none.
        details: whether precision is measured, too.
        epsilons: of the models to attack, as they are spelled; None for all.
    """

    reference_arm: str | None
    details: bool
    epsilons: list[str] | None


@dataclass(frozen=True)
class AuditedAttack(AttackSpec):
    """An attack by which an audit ranks single records, and the files of the reference models that it uses."""

    files: list[str]


@dataclass(frozen=True)
class PerRecordJob(PlainData):
    """Attacks with per-record results.

    Attributes:
        attacks: by name.
        arms: whose target models are attacked.
        count: members, and non-members.
        alphas: false positive rates at which thresholds are set.
    """

    attacks: dict[str, AttackSpec]
    arms: list[str]
    count: int
    alphas: list[float]


@dataclass(frozen=True)
class BlindJob(PlainData):
    """On which replicates of a block the blind baseline is measured, and at which epsilons also with the loss."""

    replicates: list[int]
    with_loss: list[str]


@dataclass(frozen=True)
class PredictionsJob(PlainData):
    """How tables of the outputs of one model are read, and of its reference models (see `dpmia.settings.predictions`).

    Attributes:
        path: table of the model.
        label: column with the true class.
        member: column that says whether a record was trained on.
        classes: label -> column with the model's output for it.
        scale: `probabilities` or `logits`.
        references: tables of the reference models.
        same_pool: whether members and non-members come from the same distribution.
        epsilon: of the model, as it is spelled.
        population: names of the attacks that use the attacker's population.
    """

    path: str
    label: str
    member: str
    classes: dict[str, str]
    scale: str
    references: list[str]
    same_pool: bool
    epsilon: str
    population: list[str]
