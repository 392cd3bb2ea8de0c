"""What is known of one trained model beside its outputs: typed here, plain JSON data in the headers of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpmia.common.optional import needed
from dpmia.common.plain import PlainData
from dpmia.common.seeds import Meaning, derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.privacy.record import Accounting, GuaranteeRow, Stated


@dataclass(frozen=True)
class Architecture(PlainData):
    """The architecture of a model.

    Attributes:
        build: name of the function that makes it, as `dpmia.common.registry.load` takes it.
        shape: arguments of that function beside those that follow from the data set.
    """

    build: str
    shape: Mapping[str, Any]


@dataclass(frozen=True)
class ModelCard(PlainData):
    """One trained model. What a role lacks is None.

    Attributes:
        arm: name of the arm.
        iid: whether members and non-members come from the same distribution.
        epsilon: as `dpmia.common.epsilon.spell_epsilon` writes it; of a model trained to attack another, the other's.
        role: `target`, `shadow`, `reference`, `distilled` or `leave_one_out`.
        meaning: what the seeds were derived from, as `dpmia.common.seeds.derive_seed` takes it.
        replicate: of the target model.
        number: of the model among those of the attacker.
        accounting: of the privacy guarantee; None without privacy, and where it is stated.
        stated: privacy guarantee that the user states of a program; None for all other models.
        compares: relation between the training sets with and without a record: `replace_one` or `add_remove`.
        rate: probability with which each record joined the training set; None where the size is fixed.
        model: the architecture.
        engine: name of the class that trained the model.
        recipe: how it was trained; `sampling` is the sampler of its batches.
        steps: number of optimiser steps.
        collusion: `keys` and `function` of a trainer who colludes with the attacker.
        seed: the user's seed.
    """

    arm: str
    iid: bool
    epsilon: str
    role: str
    meaning: Sequence[Meaning]
    replicate: int | None = None
    number: int | None = None
    accounting: Accounting | None = None
    stated: Stated | None = None
    compares: str | None = None
    rate: float | None = None
    model: Architecture | None = None
    engine: str | None = None
    recipe: Recipe | None = None
    steps: int | None = None
    collusion: Mapping[str, Any] | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse a meaning from which no seed follows, or that does not begin with what names the data."""
        derive_seed(0, *self.meaning)
        if self.meaning and not isinstance(self.meaning[0], str | int):
            raise ValueError(f"a meaning begins with a {type(self.meaning[0]).__name__}, not with a fingerprint")

    @property
    def split(self) -> tuple[str, int]:
        """Arm and replicate: the split that the model was trained on, or trained to attack.

        Raises:
            ValueError: the model belongs to no replicate.
        """
        return self.arm, needed(self.replicate)

    @property
    def split_meaning(self) -> tuple[Meaning, ...]:
        """What seeds that go with the split of a target model follow from: the data, the arm's draw, the replicate."""
        return tuple(self.meaning[:3])

    @property
    def guarantee(self) -> GuaranteeRow | None:
        """The privacy guarantee as tables show it; None without privacy."""
        return GuaranteeRow.of(self.accounting, self.stated)

    @property
    def target(self) -> tuple[str, str, int | None]:
        """Arm, epsilon and replicate: which target model this is, or was trained to attack."""
        return self.arm, self.epsilon, self.replicate

    def plain(self) -> dict[str, Any]:
        """Return plain JSON data. What is None is left out, but for `accounting`, where None means "no privacy"."""
        return {key: value for key, value in super().plain().items() if value is not None or key == "accounting"}
