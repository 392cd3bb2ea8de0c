"""What is given of a mechanism: its arguments, checked, and the epsilon that it has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dpmia.api.arrays import integer, number
from dpmia.common.errors import ArgumentError, shown
from dpmia.common.limits import MOST_STEPS, RAREST
from dpmia.privacy.inversion import MOST_NOISE

#: Sampler -> the arguments that say how much is trained with it; the others do not count.
COUNTED = {
    "poisson": ("noise_multiplier", "sampling_rate", "steps"),
    "full": ("noise_multiplier", "steps"),
    "shuffle": ("noise_multiplier", "epochs"),
}
SAMPLERS = tuple(COUNTED)
RELATIONS = ("replace_one", "add_remove")

#: Below these, privacy losses are larger than floats, and a rate is lost beside 1.
LEAST_NOISE, LEAST_RATE = 1e-3, 1e-12


def epsilon_of(
    sampler: str,
    sampling_rate: float,
    steps: int,
    epochs: int,
    noise_multiplier: float,
    delta: float,
    relation: str,
    near: float = 1.0,
) -> float:
    """Return the epsilon of a mechanism at `delta`: see `UpperBound`, and `Mechanism.epsilon` for `near`."""
    from dpmia.privacy.accounting import Mechanism

    one_of("epsilon, relation", relation, RELATIONS)
    _check_shuffle("epsilon, relation", sampler, relation)
    sampler = "shuffle" if sampler == "shuffle" else "poisson"
    return Mechanism(sampler, sampling_rate, steps, epochs, relation, delta, "pld").epsilon(noise_multiplier, near)


def _check_shuffle(where: str, sampler: str, relation: str) -> None:
    if sampler == "shuffle" and relation == "add_remove":
        problem = "'add_remove' cannot be combined with the sampler 'shuffle': removing a record moves all others"
        raise ArgumentError(where, problem, f"Set {where.split()[-1]}='replace_one'")


def checked_sampling(where: str, sampler: str | None, sampling_rate: float | None, compares: str) -> tuple[str, float]:
    """Return sampler and sampling rate, checked.

    Raises:
        ArgumentError: one is out of its range, or they cannot be combined.
    """
    sampler = ("full" if sampling_rate is None else "poisson") if sampler is None else sampler
    one_of(f"{where}, sampler", sampler, SAMPLERS)
    one_of(f"{where}, compares", compares, RELATIONS)
    _check_shuffle(f"{where}, compares", sampler, compares)
    if sampler == "poisson" and sampling_rate is None:
        raise ArgumentError(f"{where}, sampling_rate", "missing", "Give batch size / records, or sampler='full'")
    given = 1.0 if sampling_rate is None or sampler == "full" else sampling_rate
    rate, remedy = float(number(given, f"{where}, sampling_rate")), "Give batch size / records"
    require(f"{where}, sampling_rate", 0 < rate <= 1, sampling_rate, "a number above 0 and at most 1", remedy)
    require(f"{where}, sampling_rate", rate >= LEAST_RATE, sampling_rate, f"of at least {LEAST_RATE:g}", remedy)
    return sampler, rate


def check_counted(where: str, sampler: str, given: Mapping[str, float | None]) -> list[str]:
    """Return which arguments that count for a sampler are left out (None).

    Raises:
        ArgumentError: one is given that does not count.
    """
    if unused := [name for name, value in given.items() if value is not None and name not in COUNTED[sampler]]:
        raise ArgumentError(f"{where}, {unused[0]}", f"does not count for the sampler {sampler!r}", "Leave it out")
    return [name for name in COUNTED[sampler] if given[name] is None]


def checked_noise(where: str, noise_multiplier: float) -> float:
    """Return a noise multiplier.

    Raises:
        ArgumentError: it is out of range.
    """
    noise = float(number(noise_multiplier, where))
    require(where, 0 < noise < math.inf, noise_multiplier, "a finite number above 0")
    within = LEAST_NOISE <= noise <= MOST_NOISE
    require(where, within, noise_multiplier, f"from {LEAST_NOISE:g} to {MOST_NOISE:g}")
    return noise


def checked_count(where: str, count: int) -> int:
    """Return a number of steps or epochs.

    Raises:
        ArgumentError: it is out of range.
    """
    checked = integer(count, where, 1)
    require(where, checked <= MOST_STEPS, checked, f"a positive integer of at most {MOST_STEPS}")
    return checked


def one_of(where: str, value: object, valid: Sequence[str]) -> None:
    """Refuse a value that is none of some names.

    Raises:
        ArgumentError: it is another.
    """
    names = f"one of {', '.join(valid)}" if len(valid) > 2 else " or ".join(valid)
    require(where, isinstance(value, str) and value in valid, value, names)


def require(where: str, holds: bool, value: object, valid: str, remedy: str = "") -> None:
    """Refuse a value that is not what it must be.

    Raises:
        ArgumentError: `holds` is false.
    """
    if not holds:
        raise ArgumentError(where, f"{shown(value)} is not {valid}", remedy)


def require_prior(where: str, prior: float) -> None:
    """Refuse a probability of membership that is none, or too near to 0 or 1 for precision to have digits."""
    valid = f"a number from {RAREST:g} to 1 - {RAREST:g}"
    require(f"{where}, prior", RAREST <= prior <= 1 - RAREST, prior, valid)


def require_acceptance(where: str, acceptance: float) -> None:
    """Refuse a share of members found that no attack has."""
    require(f"{where}, acceptance", 0 < acceptance <= 1, acceptance, "a number above 0 and at most 1")
