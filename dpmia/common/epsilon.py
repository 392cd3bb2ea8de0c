"""Epsilon has one spelling: 1, 1.0, 1.00 and 1e0 are one value, in file names and in tables."""

from __future__ import annotations

import math

#: Noise for less takes an accountant more memory and time than there is; no record can be distinguished from another.
SMALLEST_EPSILON = 1e-4


def parse_epsilon(value: object) -> float:
    """Return epsilon as a float; `inf` means no privacy.

    YAML reads `1e3` as text, so text is welcome.

    Raises:
        ValueError: not a number, or not greater than 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a number")
    try:
        epsilon = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{value!r} is not a number") from None
    if epsilon == math.inf and str(value).lower().lstrip("+.") not in {"inf", "infinity"}:
        raise ValueError(f"{value!r} is too large. Write inf for no privacy")
    if math.isnan(epsilon) or epsilon <= 0:
        raise ValueError(f"{value!r} is not a positive number. Write inf for no privacy")
    if epsilon < SMALLEST_EPSILON:
        raise ValueError(f"{value!r} is less than {SMALLEST_EPSILON:g}. Choose a larger epsilon")
    return epsilon


def spell_epsilon(epsilon: float) -> str:
    """Return the one spelling of `epsilon`: `0.01`, `1`, `1000`, `inf`."""
    return "inf" if math.isinf(epsilon) else f"{epsilon:.12g}"


def format_epsilon(epsilon: float) -> str:
    """Return an epsilon as people read it: `0.01`, `1`, `∞`."""
    return "∞" if math.isinf(epsilon) else spell_epsilon(epsilon)


def spell_group(epsilons: list[float]) -> str:
    """Return the name of a group of epsilons in file names: `0.1_1`."""
    return "_".join(map(spell_epsilon, epsilons))
