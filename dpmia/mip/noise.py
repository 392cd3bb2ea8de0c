"""Noise that makes the output of any algorithm membership inference private (Izzo et al. 2024, algorithm 1).

What is guaranteed: of the records in `data` half are drawn at random and used; nobody who sees the released
output, however clever, predicts for any record whether it was in that half with probability above 1/2 + eta (a share
k/n other than 1/2, as for an odd number of records, takes its larger part in place of 1/2). Post-processing keeps this.

What is not guaranteed:

* that nobody can infer whether a record is in `data` at all: only which half it is in is hidden;
* anything given one particular output, as differential privacy would: the guarantee is on average over outputs, and two
  releases from the same data are two chances;
* anything where the moments are wrong: they are estimated from `splits` random halves, and an output that only a
  rare half produces may be missed;
* for more than one number, anything with `radius="laplace"`: it is not the density of theorem 7 (see `Noise`);
* anything against those who know the seed, or who study the last digits of floating-point numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from dpmia.common.errors import shown
from dpmia.common.limits import FEWEST_SPLITS, MOST_SPLITS
from dpmia.common.registry import suggestion
from dpmia.theory.mip import CALIBRATIONS

#: Outputs beyond are refused: with noise they might leave the range of floats.
LARGEST_OUTPUT = 1e300

#: Law of the distance between the output and what is released: (generator, dimensions, scale, count) -> distances.
RADII: dict[str, Callable[[np.random.Generator, int, float, int | None], np.ndarray]] = {
    "gamma": lambda rng, dimensions, scale, count: rng.gamma(dimensions, scale, count),
    "laplace": lambda rng, dimensions, scale, count: rng.laplace(0.0, scale, count),
}


@dataclass(frozen=True)
class Noise:
    """A random direction, uniform for the norm of corollary 8, times a random radius.

    The norm is ||x|| = (mean over coordinates of |x_i / sigma_i|^M)^(1/M). With d coordinates:

    * radius `gamma`, Gamma(d, scale): the density is proportional to exp(-||x|| / scale), that of theorem 7;
    * radius `laplace`, Laplace(0, scale), as the paper seems to draw it: proportional to exp(-||x|| / scale) /
      ||x||^(d-1). The same for d = 1. For larger d it is about d times smaller and peaks at the output itself;
      theorem 7 does not cover it, and in high dimension the guarantee fails: for outputs (1, ..., 1) and
      (-1, ..., -1), equally likely, and eta = 0.1 at M = 8 the best attacker gains 0.003 for d = 1, 0.05 for d = 10,
      0.13 for d = 100 and 0.26 for d = 1000.

    Attributes:
        moments: sigma_i, (coordinates,), > 0.
        moment: M >= 1, finite.
        scale: of the radius, in units of the norm.
        radius: `gamma` or `laplace`.

    Source: Izzo et al. 2024, corollary 8; the name of the radius law is lost there.
    """

    moments: np.ndarray
    moment: float
    scale: float
    radius: str = "gamma"

    def __post_init__(self) -> None:
        """Refuse an unknown radius law."""
        _known(self.radius, RADII, "radius")

    @classmethod
    def calibrated(
        cls,
        eta: float,
        moments: np.ndarray,
        moment: float,
        radius: str = "gamma",
        calibration: str = "corollary_8",
    ) -> Noise:
        """Return the noise that guarantees `eta` for outputs with these moments.

        Args:
            eta: gain of the best attacker, in (0, 1/2).
            moments: see the class.
            moment: see the class; at least 2 for `corollary_8`.
            radius: see the class.
            calibration: `corollary_8`, `theorem_7` (larger, for M >= 1 too) or `total_variation` (our proof, smaller).

        Raises:
            ValueError: eta, moment or a name is out of its range, or the radius is `laplace` with the scale
                `total_variation` for more than one coordinate, which is too little.
        """
        _known(calibration, CALIBRATIONS, "calibration")
        if (calibration, radius) == ("total_variation", "laplace") and len(moments) > 1:
            raise ValueError(
                "expected radius 'gamma' with calibration 'total_variation' for more than one number, got 'laplace', "
                "whose noise is too small there"
            )
        return cls(moments, moment, float(CALIBRATIONS[calibration](eta, moment)), radius)

    def norm(self, vectors: np.ndarray) -> np.ndarray:
        """Return the norm of each point: (..., coordinates) -> (...)."""
        return _power_mean(np.abs(vectors / self.moments), self.moment, axis=-1)

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        """Return the log density of each point up to a constant: (..., coordinates) -> (...)."""
        norm = self.norm(vectors)
        if self.radius == "gamma" or len(self.moments) == 1:
            return -norm / self.scale
        return -norm / self.scale - (len(self.moments) - 1) * np.log(norm)

    def draw(self, rng: np.random.Generator, count: int | None = None) -> np.ndarray:
        """Return one draw, (coordinates,), or `count` of them, (count, coordinates)."""
        dimensions, power = len(self.moments), float(self.moment)
        radius = RADII[self.radius](rng, dimensions, self.scale, count)
        shape = dimensions if count is None else (count, dimensions)
        # Each coordinate has a density proportional to exp(-|x / sigma|^M). That power has a gamma law of shape 1 / M:
        # a draw of shape 1 + 1 / M times U^M. Roots are multiplied, as at large M most U^M are too small for a float.
        sizes = rng.standard_gamma(1 + 1 / power, shape) ** (1 / power) * (1 - rng.random(shape))
        directions = self.moments * sizes * rng.choice([-1, 1], shape)
        return directions * (radius / self.norm(directions))[..., None]


def split_moments(outputs: np.ndarray, moment: float) -> np.ndarray:
    """Return sigma_i = (mean |output_i - mean output_i|^M)^(1/M), estimated from random halves.

    Consistent and biased downwards: at M = 2 the divisor is the number of halves, not one less.

    Args:
        outputs: (halves, coordinates), what the algorithm returned on each.
        moment: M >= 1, finite.

    Returns:
        (coordinates,), >= 0.

    Source: Izzo et al. 2024, algorithm 1.
    """
    return _power_mean(np.abs(outputs - outputs.mean(axis=0)), moment, axis=0)


def _power_mean(sizes: np.ndarray, moment: float, axis: int) -> np.ndarray:
    """Return (mean of sizes^M)^(1/M) along an axis."""
    power, largest = float(moment), sizes.max(axis=axis, keepdims=True)
    # In units of the largest one no power leaves the range of floating-point numbers.
    ratios = np.divide(sizes, largest, out=np.zeros_like(sizes), where=largest > 0)
    return largest.squeeze(axis) * (ratios**power).mean(axis=axis) ** (1 / power)


def random_halves(records: int, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return `count` independent, uniformly drawn halves: sorted row numbers, (records // 2,) each."""
    if records < 2:
        raise ValueError(f"expected at least 2 records to draw half of them, got {records}")
    return [np.sort(rng.permutation(records)[: records // 2]) for _ in range(count)]


def release(
    outputs: np.ndarray,
    last: np.ndarray,
    *,
    eta: float,
    moment: float,
    radius: str,
    calibration: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the output `last` with noise, calibrated by the outputs on other halves.

    The half of `last` must be independent of theirs: then neither the moments nor anything else read off `outputs`
    reveals about it. A coordinate that is the same in all `outputs` gets no noise; its common value is released, even
    where `last` has another.

    Args:
        outputs: (halves, coordinates), at least 2 halves.
        last: (coordinates,).
        eta: see `Noise.calibrated`, as for the other arguments.
        moment: M.
        radius: law.
        calibration: name.
        rng: for the noise.
    """
    moving = (outputs != outputs[0]).any(axis=0)
    released = outputs[0].astype(float)
    noise = Noise.calibrated(eta, split_moments(outputs[:, moving], moment), moment, radius, calibration)
    if moving.any():
        released[moving] = last[moving] + noise.draw(rng)
    return released


def privatise(
    function: Callable[[Any], np.ndarray],
    data: Any,
    *,
    eta: float,
    moment: float = 4,
    splits: int = 128,
    radius: str = "gamma",
    calibration: str = "corollary_8",
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return `function` of a random half of `data`, with noise that makes it eta-MIP. What that means: see the module.

    Examples:
        >>> import numpy as np
        >>> ages = np.random.default_rng(0).normal(40, 12, size=10_000)
        >>> round(float(privatise(np.mean, ages, eta=0.25, calibration="total_variation", random_state=1)))
        40

    Args:
        function: takes records as `data` holds them, returns a number or an array of numbers, always of one shape.
        data: array, (records, ...), or data frame.
        eta: gain of the best attacker over 1/2, in (0, 1/2).
        moment: M, of the moments by which noise is scaled; at least 2 for `corollary_8`. Larger M means less noise,
            and moments that are harder to estimate.
        splits: number of random halves for the moments, at least 16.
        radius: `gamma`, or `laplace` as printed; see `Noise`.
        calibration: `corollary_8`, `theorem_7` or `total_variation`; see `Noise.calibrated`.
        random_state: None draws unpredictable numbers; a number is for experiments, as who knows it undoes the noise.
        n_jobs: how many halves are worked on at once, as in joblib.

    Returns:
        An array of the shape that `function` returns.

    Raises:
        ValueError: an argument is out of its range, or outputs differ in shape or are not finite.
        TypeError: an argument is of another type.

    Source: Izzo et al. 2024, algorithm 1.
    """
    check_arguments(eta, moment, splits, radius, calibration, n_jobs)
    records = data if hasattr(data, "iloc") else np.asarray(data)
    if not records.ndim:
        raise TypeError(f"expected data to be an array or a data frame of records, got {shown(data)}")
    rng = seeded(random_state)
    if not callable(function):
        raise TypeError(f"expected a function of records, got {shown(function)}")
    halves = random_halves(len(records), splits + 1, rng)
    results = Parallel(n_jobs=n_jobs)(delayed(function)(_rows(records, half)) for half in halves)
    *outputs, last = map(np.asarray, results)
    flat = flatten([[output] for output in [*outputs, last]], "the function")
    released = release(flat[:-1], flat[-1], eta=eta, moment=moment, radius=radius, calibration=calibration, rng=rng)
    return released.reshape(last.shape)


def flatten(outputs: list[list[np.ndarray]], source: str) -> np.ndarray:
    """Return outputs on several halves, each a list of arrays, as one matrix: float64 (halves, numbers).

    Args:
        outputs: for each half its arrays.
        source: of the arrays, for messages.

    Raises:
        ValueError: the shapes differ between halves, or a number is not finite or too large.
        TypeError: outputs are no real numbers.
    """
    shapes = {tuple(np.shape(array) for array in arrays) for arrays in outputs}
    if len(shapes) > 1:
        raise ValueError(
            f"expected outputs of one shape from {source}, got {sorted(shapes)} on different halves. A class or "
            "category that not every half holds changes shapes: use more records."
        )
    objects = [np.ravel(array) for array in outputs[0] if np.asarray(array).dtype == object]
    if any(item is None for array in objects for item in array):
        raise TypeError(f"expected real numbers from {source}, got None")
    kinds = {np.asarray(array).dtype for arrays in outputs for array in arrays}
    if wrong := sorted(str(kind) for kind in kinds if kind.kind not in "fiubO"):
        raise TypeError(f"expected real numbers from {source}, got outputs of the type {wrong[0]}")
    flat = np.array([np.concatenate([np.ravel(array).astype(float) for array in arrays]) for arrays in outputs])
    if not (np.abs(flat) <= LARGEST_OUTPUT).all():
        problem = f"{source} gave outputs that are not finite, or beyond {LARGEST_OUTPUT:g}, on some half of the data"
        raise ValueError(problem)
    return flat


def check_arguments(
    eta: float, moment: float, splits: int, radius: str, calibration: str, n_jobs: int | None = None
) -> None:
    """Refuse arguments before anything is fitted; see `privatise`.

    Raises:
        ValueError: one is out of its range.
        TypeError: one is of another type.
    """
    given: list[tuple[str, Any, type]] = [("eta", eta, Real), ("moment", moment, Real), ("splits", splits, Integral)]
    for name, value, kind in given:
        if not isinstance(value, kind):
            raise TypeError(f"expected {name} to be {_TYPES[kind]}, got {shown(value)}")
    if not isinstance(n_jobs, Integral | None):
        raise TypeError(f"expected n_jobs to be {_TYPES[Integral]} or None, got {shown(n_jobs)}")
    if not FEWEST_SPLITS <= splits <= MOST_SPLITS:
        raise ValueError(f"expected splits between {FEWEST_SPLITS} and {MOST_SPLITS}, got {shown(splits)}")
    try:
        finite = not math.isinf(moment)
    except OverflowError:  # a whole number beyond all floats
        finite = False
    if not finite:
        raise ValueError(f"expected a finite moment M, got {shown(moment)}")
    _known(radius, RADII, "radius")
    _known(calibration, CALIBRATIONS, "calibration")
    with np.errstate(over="ignore"):
        scale = CALIBRATIONS[calibration](eta, moment)
    if not np.isfinite(scale):
        raise ValueError(f"expected a larger eta, got {shown(eta)}, whose noise is infinite")


def seeded(random_state: int | None) -> np.random.Generator:
    """Return a generator of random numbers; of unpredictable ones for None.

    Raises:
        TypeError: the seed is no whole number.
        ValueError: it is below 0.
    """
    if random_state is not None and not isinstance(random_state, Integral):
        raise TypeError(f"expected random_state to be {_TYPES[Integral]} or None, got {shown(random_state)}")
    if random_state is not None and random_state < 0:
        raise ValueError(f"expected random_state of at least 0, got {shown(random_state)}")
    return np.random.default_rng(random_state)


_TYPES: dict[type, str] = {Real: "a number", Integral: "a whole number"}


def _rows(records: Any, half: np.ndarray) -> Any:
    return records.iloc[half] if hasattr(records, "iloc") else records[half]


def _known(name: Any, allowed: dict[str, Any], argument: str) -> None:
    if not isinstance(name, str) or name not in allowed:
        hint = suggestion(name, allowed) if isinstance(name, str) else ""
        raise ValueError(f"expected {argument} in {sorted(allowed)}, got {shown(name)}{'. ' + hint if hint else ''}")
