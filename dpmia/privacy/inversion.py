"""Bounds inverted: the noise, sampling rate or number of steps at which a bound has a wanted value.

Every bound on attacks, and epsilon, falls with noise and rises with the sampling rate and the number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from dpmia.common.errors import TrainingError
from dpmia.common.limits import MOST_STEPS

#: Noise multipliers that are tried: nothing that is trained needs less, and with more nothing is learnt. With less, the
#: accountant of privacy loss distributions gets slow, too.
LEAST_NOISE, MOST_NOISE = 0.05, 1e6
#: What the noise multiplier to start from is multiplied or divided by at first; then by its square, and so on.
FIRST_FACTOR = 1.25
#: The smallest sampling rate that is tried.
LEAST_RATE = 1e-8
#: Relative width of the bracket around a noise multiplier or rate.
TOLERANCE = 1e-5


def smallest_noise(bound: Callable[[float], float], value: float, near: float = 1.0, where: str = "plan") -> float:
    """Return the smallest noise multiplier found, to one part in 100 000, at which `bound` is at most `value`.

    Args:
        bound: of a noise multiplier; falls with it.
        value: that the bound must not exceed.
        near: where to start.
        where: what needs the noise, for the message.

    Raises:
        TrainingError: no noise multiplier up to `MOST_NOISE` suffices.
    """
    low = high = min(max(near, LEAST_NOISE), MOST_NOISE)
    factor = FIRST_FACTOR
    while bound(high) > value:
        if high >= MOST_NOISE:
            problem = f"no noise multiplier up to {MOST_NOISE:g} keeps a bound of {value:g}"
            remedy = "Raise the bound (epsilon or delta of a guarantee), or take fewer steps or a smaller sampling rate"
            raise TrainingError(where, problem, remedy)
        low, high, factor = high, min(factor * high, MOST_NOISE), factor**2
    factor = FIRST_FACTOR
    while bound(low) <= value:
        if low <= LEAST_NOISE:
            return low
        low, high, factor = max(low / factor, LEAST_NOISE), low, factor**2
    return _crossing(lambda noise: bound(noise) - value, low, high)


def largest_rate(bound: Callable[[float], float], value: float) -> float:
    """Return the largest sampling rate found at which `bound` is at most `value`: see `smallest_noise`.

    Raises:
        TrainingError: no sampling rate down to `LEAST_RATE` suffices.
    """
    high = 1.0
    if bound(high) <= value:
        return high
    low = high / 4
    while bound(low) > value:
        if low <= LEAST_RATE:
            problem = f"no sampling rate down to {LEAST_RATE:g} keeps a bound of {value:g}"
            raise TrainingError("plan", problem, "Raise the bound or the noise multiplier, or take fewer steps")
        low, high = max(low / 4, LEAST_RATE), low
    return _crossing(lambda rate: bound(rate) - value, low, high)


def most_steps(bound: Callable[[int], float], value: float) -> int:
    """Return the largest number of steps at which `bound` is at most `value`: see `smallest_noise`.

    Of more than 100 000 steps it is the largest found, to one part in 100 000.

    Raises:
        TrainingError: a single step is too many, or `MOST_STEPS` are not.
    """
    if bound(1) > value:
        problem = f"a single step exceeds a bound of {value:g}"
        raise TrainingError("plan", problem, "Raise the bound or the noise multiplier, or lower the sampling rate")
    low, high = 1, 4
    while bound(high) <= value:
        if high >= MOST_STEPS:
            problem = f"a bound of {value:g} is kept by {MOST_STEPS} steps and more"
            raise TrainingError("plan", problem, "Lower the bound or the noise multiplier")
        low, high = high, min(4 * high, MOST_STEPS)
    # A bound of a million steps takes a second, and is smooth on a logarithmic scale: so few are computed.
    log_steps = brentq(lambda log: bound(round(math.exp(log))) - value, math.log(low), math.log(high), xtol=TOLERANCE)
    steps = round(math.exp(log_steps))
    apart = max(1, int(TOLERANCE * steps))
    while bound(steps) > value:
        steps -= apart
    while bound(min(steps + apart, high)) <= value:
        steps += apart
    return steps


def _crossing(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where `excess` passes zero, on the side where it is none; on a logarithmic scale."""
    rising = excess(high) > 0
    ends = {math.log(low): low, math.log(high): high}

    def place(log: float) -> float:
        return ends.get(log) or math.exp(log)  # exp(log(8)) is less than 8, and may be on the other side

    root = brentq(lambda log: excess(place(log)), *ends, xtol=TOLERANCE)
    while excess(place(root)) > 0:  # the root may lie on the wrong side by its tolerance
        root += -TOLERANCE if rising else TOLERANCE
    return place(root)
