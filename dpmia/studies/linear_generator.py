"""Learning a covariance matrix privately: noise for membership inference privacy against differential privacy.

A generator x = W z with standard normal z makes data of covariance W W^T. It is learned by gradient descent on
Sigma = W W^T, with the objective 1/(2k) sum ||x x^T - Sigma||_F^2 over the k training records, whose gradient at one
record is Sigma - x x^T. Symmetric matrices stand here as vectors of their d (d + 1) / 2 distinct entries, those off the
diagonal times sqrt(2), so that Frobenius norms are Euclidean norms. Noise on all d^2 entries of a gradient and then the
symmetric part, which is post-processing, is the same as noise on this vector.

Source: Izzo et al. 2024, section 5.2. Objective, error and sizes are reconstructed or chosen by us, as the source has
lost them; start (0) and learning rate as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.stages import LINEAR_GENERATOR
from dpmia.mip.noise import Noise, random_halves, split_moments
from dpmia.privacy.accounting import Mechanism
from dpmia.theory.mip import epsilon_from_eta

NAME = "linear_generator"

#: (calibration, radius) of `dpmia.mip.noise.Noise.calibrated`: as the paper prints it, as its theorem 7 proves it, and
#: with our smaller scale.
NOISES = (("corollary_8", "laplace"), ("corollary_8", "gamma"), ("total_variation", "gamma"))


def run(
    *,
    seed: int,
    dataset: Dataset | None = None,
    records: int,
    dimension: int,
    steps: int,
    learning_rate: float,
    splits: int,
    runs: int,
    moments: Sequence[float],
    etas: Sequence[float],
    delta: float,
) -> pd.DataFrame:
    """Return the error of the learned covariance matrix under each kind of privacy.

    Every run has fresh records, halves and noise; the true matrix is A A^T with A standard normal, the same in all
    runs. Within a run all M and all eta share records, halves and the random numbers that noise is made of, so that
    curves differ by what is compared.

    Args:
        seed: root of all randomness.
        dataset: none is taken.
        records: n; half of them train.
        dimension: d of a record.
        steps: of full-batch gradient descent from 0.
        learning_rate: of it.
        splits: random halves from which the moments are estimated.
        runs: independent repetitions.
        moments: M of corollary 8.
        etas: gains of the best attacker, in (0, 1/2).
        delta: of the differentially private baseline; theorem 4 is about delta = 0 and is exceeded by at most delta.

    Returns:
        One row for each run and way to learn, with the columns

        * run;
        * method: `plain` (no privacy), `mip`, `dp` (full-batch DP-SGD) or `clipped` (DP-SGD with its noise left out);
        * moment, calibration, radius: of `mip`;
        * eta; epsilon: by theorem 4, of `dp`;
        * clip_norm: of `dp` and `clipped`, the median norm of all gradients of the plain training. As in the paper,
          nothing is spent on it, though it reads the data;
        * noise_scale: of `mip` in units of the moments, of `dp` the noise multiplier;
        * relative_error: ||estimate - truth||_F / ||truth||_F;
        * records, dimension, steps, learning_rate, splits, delta: the options.

    Raises:
        ValueError: a data set is given, or an option is out of its range.
    """
    if dataset is not None:
        raise ValueError(f"the study {NAME} draws its own records, got the data set {dataset.name!r}; leave it out")
    mixing = np.random.default_rng(derive_seed(seed, NAME, "covariance")).normal(size=(dimension, dimension))
    truth = as_vectors(mixing @ mixing.T)
    multipliers = noise_multipliers(etas, steps, delta)
    rows = []
    for number in range(runs):
        own_seed = derive_seed(seed, NAME, "run", number)
        squares = products(_rng(own_seed, "records").normal(size=(records, dimension)) @ mixing.T)
        halves = random_halves(records, splits + 1, _rng(own_seed, "halves"))
        path = descend(np.array([squares[half].mean(axis=0) for half in halves]), steps, learning_rate)
        # Gradients are taken before each step: at the start and at all points of the path but the last.
        starts = np.vstack([np.zeros_like(truth), path[:-1, -1]])
        trained_on = squares[halves[-1]]
        clip_norm = median_gradient_norm(trained_on, starts)
        estimates = descend_privately(
            trained_on, np.append(multipliers, 0.0), clip_norm, steps, learning_rate, _rng(own_seed, "dp")
        )
        ways = [
            ({"method": "plain"}, path[-1, -1]),
            *_membership_private(path[-1], moments, etas, own_seed),
            *(
                ({"method": "dp", "eta": eta, "epsilon": float(epsilon_from_eta(eta)), "noise_scale": sigma}, estimate)
                for eta, sigma, estimate in zip(etas, multipliers, estimates[:-1], strict=True)
            ),
            ({"method": "clipped"}, estimates[-1]),
        ]
        for way, estimate in ways:
            clip = {"clip_norm": clip_norm} if way["method"] in ("dp", "clipped") else {}
            error = float(np.linalg.norm(estimate - truth) / np.linalg.norm(truth))
            rows.append({"run": number, **way, **clip, "relative_error": error})
    options = {"records": records, "dimension": dimension, "steps": steps, "learning_rate": learning_rate}
    return pd.DataFrame(rows).assign(**options, splits=splits, delta=delta).reindex(columns=LINEAR_GENERATOR)


def noise_multipliers(etas: Sequence[float], steps: int, delta: float) -> np.ndarray:
    """Return for each eta the noise multiplier of full-batch DP-SGD that gives the epsilon of theorem 4: (etas,).

    Every record is in every batch and one is replaced by another: `steps` Gaussian mechanisms, composed exactly.
    """
    mechanism = Mechanism("shuffle", 1.0, steps, steps, "replace_one", delta, "pld")
    return np.array([mechanism.noise_multiplier(float(epsilon_from_eta(eta))) for eta in etas])


def as_vectors(matrices: np.ndarray) -> np.ndarray:
    """Return symmetric matrices as vectors of the same length: (..., d, d) -> (..., d (d + 1) / 2)."""
    row, column = np.triu_indices(matrices.shape[-1])
    return matrices[..., row, column] * np.where(row == column, 1.0, np.sqrt(2))


def products(records: np.ndarray) -> np.ndarray:
    """Return x x^T of each record as a vector: (..., d) -> (..., d (d + 1) / 2)."""
    row, column = np.triu_indices(records.shape[-1])
    return records[..., row] * records[..., column] * np.where(row == column, 1.0, np.sqrt(2))


def descend(targets: np.ndarray, steps: int, learning_rate: float) -> np.ndarray:
    """Return the matrices after each step of plain gradient descent from 0: (steps, ..., entries).

    Args:
        targets: (..., entries), mean of x x^T over the training records: the gradient is the distance to it.
        steps: > 0.
        learning_rate: of each step.
    """
    path, current = np.empty((steps, *targets.shape)), np.zeros(targets.shape)
    for step in range(steps):
        current = current - learning_rate * (current - targets)
        path[step] = current
    return path


def median_gradient_norm(squares: np.ndarray, path: np.ndarray) -> float:
    """Return the median norm of all records' gradients at all matrices of a training.

    Args:
        squares: (records, entries), x x^T of the training records.
        path: (steps, entries), where gradients were taken.
    """
    return float(np.median(_gradient_norms(squares, path.T, (squares**2).sum(axis=1))))


def descend_privately(
    squares: np.ndarray,
    multipliers: np.ndarray,
    clip_norm: float,
    steps: int,
    learning_rate: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return what full-batch DP-SGD from 0 ends with, for several noise multipliers at once: (multipliers, entries).

    Args:
        squares: (records, entries), x x^T of the training records.
        multipliers: (multipliers,), sd of the noise in units of the clip norm; 0 clips only.
        clip_norm: bound on each record's gradient.
        steps: > 0.
        learning_rate: of each step.
        rng: for the noise, which all multipliers share up to its size.
    """
    lengths = (squares**2).sum(axis=1)
    current = np.zeros((squares.shape[1], len(multipliers)))
    for _ in range(steps):
        factors = np.minimum(1.0, clip_norm / _gradient_norms(squares, current, lengths))
        clipped_sum = current * factors.sum(axis=0) - squares.T @ factors
        noise = rng.normal(size=(squares.shape[1], 1)) * (multipliers * clip_norm)
        current = current - learning_rate * (clipped_sum + noise) / len(squares)
    return current.T


def _gradient_norms(squares: np.ndarray, matrices: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return ||matrix - x x^T|| for all records and matrices: (records, matrices).

    Args:
        squares: (records, entries).
        matrices: (entries, matrices).
        lengths: (records,), squared norms of `squares`.
    """
    squared = lengths[:, None] - 2 * (squares @ matrices) + (matrices**2).sum(axis=0)
    return np.sqrt(np.maximum(squared, np.finfo(float).tiny))


def _membership_private(
    outputs: np.ndarray,
    moments: Sequence[float],
    etas: Sequence[float],
    seed: int,
) -> Iterator[tuple[dict, np.ndarray]]:
    """Yield what corollary 8 makes of the last of the outputs, with the moments of all others, and how.

    Args:
        outputs: (halves, entries).
        moments: see `run`, as for `etas`.
        etas: gains.
        seed: of the run.
    """
    for calibration, radius in NOISES:
        for moment in moments:
            sigma = split_moments(outputs[:-1], moment)
            for eta in etas:
                noise = Noise.calibrated(eta, sigma, moment, radius, calibration)
                way = {"method": "mip", "moment": moment, "calibration": calibration, "radius": radius, "eta": eta}
                # The same numbers for every eta and M: their noise differs in size and shape only.
                yield way | {"noise_scale": noise.scale}, outputs[-1] + noise.draw(_rng(seed, "mip", radius))


def _rng(seed: int, *meaning: str) -> np.random.Generator:
    return np.random.default_rng(derive_seed(seed, *meaning))
