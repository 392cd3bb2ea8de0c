"""The privacy guarantee of one trained model, as it is stored beside the model; it needs no accountant to be read."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class Accounting(PlainData):
    """All that a reader needs to check the privacy guarantee of a model.

    Attributes:
        sampler: see `dpmia.privacy.accounting.Mechanism`.
        rate: see `Mechanism`.
        steps: see `Mechanism`.
        epochs: see `Mechanism`.
        relation: see `Mechanism`.
        delta: see `Mechanism`.
        accountant: see `Mechanism`.
        epsilon: of (epsilon, delta).
        noise_multiplier: sigma, in units of the clip norm.
        clip_norm: bound C on the gradient of one record.
        noise_sd: standard deviation of the noise on a sum of gradients.
        proved: whether a theorem stands behind the epsilon.
    """

    sampler: str
    rate: float
    steps: int
    epochs: int
    relation: str
    delta: float
    accountant: str
    epsilon: float
    noise_multiplier: float
    clip_norm: float
    noise_sd: float
    proved: bool


#: In the place of an accountant's name: the guarantee is what the user states.
STATED = "stated"


@dataclass(frozen=True)
class Stated(PlainData):
    """The privacy guarantee that a user states of a training program. Nothing here checks it.

    Attributes:
        epsilon: of (epsilon, delta).
        delta: of (epsilon, delta).
        relation: between neighbouring data sets, `replace_one` or `add_remove`.
    """

    epsilon: float
    delta: float
    relation: str


@dataclass(frozen=True)
class GuaranteeRow(PlainData):
    """The privacy guarantee of a model as tables show it. What a user does not state is None.

    Attributes:
        epsilon: see `Accounting`, as all that follow.
        delta: of (epsilon, delta).
        relation: between neighbouring data sets.
        sampler: name.
        rate: of the sampler.
        steps: number.
        epochs: number.
        noise_multiplier: sigma.
        clip_norm: C.
        accountant: name, or `STATED`.
        proved: whether a theorem stands behind the epsilon.
    """

    epsilon: float
    delta: float
    relation: str
    sampler: str | None = None
    rate: float | None = None
    steps: int | None = None
    epochs: int | None = None
    noise_multiplier: float | None = None
    clip_norm: float | None = None
    accountant: str = STATED
    proved: bool = False

    @classmethod
    def of(cls, accounting: Accounting | None, stated: Stated | None) -> GuaranteeRow | None:
        """Return the guarantee of a model with this accounting, or that a user states; None without privacy."""
        if accounting is not None:
            names = [field.name for field in fields(cls)]
            guarantee = cls(**{name: getattr(accounting, name) for name in names})
            return guarantee if stated is None else replace(guarantee, accountant=STATED)
        return None if stated is None else cls(**stated.plain())
