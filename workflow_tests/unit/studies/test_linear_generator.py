"""The study of a learned covariance matrix: its gradients, its privacy, and the table it returns."""

import math

import numpy as np
import pandas as pd
import pytest
from dp_accounting import get_sigma_gaussian
from settings_samples import OWN_CONFIG, ROOT

from dpmia.datasets.dataset import Dataset
from dpmia.planning.plan import make_plan
from dpmia.settings import studies
from dpmia.studies.linear_generator import (
    as_vectors,
    descend,
    descend_privately,
    median_gradient_norm,
    noise_multipliers,
    products,
    run,
)
from dpmia.theory.mip import corollary_8_scale, epsilon_from_eta, total_variation_scale

SMALL = {
    **{"records": 400, "dimension": 3, "steps": 40, "learning_rate": 0.1, "splits": 8, "runs": 2},
    **{"moments": (2, 4, 6, 8), "etas": (0.05, 0.4), "delta": 1e-5},
}


@pytest.fixture(scope="module")
def table():
    return run(seed=1, **SMALL)


@pytest.fixture
def x():
    return np.random.default_rng(2).normal(size=(30, 3)) @ np.diag([1, 2, 3])


def matrix(vector):
    """Return the symmetric matrix that a vector stands for."""
    entries = np.zeros((3, 3))
    row, column = np.triu_indices(3)
    entries[row, column] = entries[column, row] = vector / np.where(row == column, 1, math.sqrt(2))
    return entries


# Learning


def test_vectors_stand_for_matrices(x):
    for record, vector in zip(x, products(x), strict=True):
        np.testing.assert_allclose(matrix(vector), np.outer(record, record))
        np.testing.assert_allclose(as_vectors(np.outer(record, record)), vector)
        assert np.linalg.norm(vector) == pytest.approx(np.linalg.norm(np.outer(record, record)))


def test_the_gradient_is_that_of_the_objective(x):
    place, step = as_vectors(np.cov(x.T)), 1e-6

    def objective(vector):
        return np.mean([np.linalg.norm(np.outer(record, record) - matrix(vector)) ** 2 for record in x]) / 2

    slopes = [(objective(place + step * e) - objective(place - step * e)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(slopes, place - products(x).mean(axis=0), atol=1e-5)


def test_plain_descent_is_its_closed_form(x):
    targets = np.stack([products(x).mean(axis=0), products(x[:5]).mean(axis=0)])
    path = descend(targets, 25, 0.2)
    assert path.shape == (25, 2, 6)
    np.testing.assert_allclose(path[-1], (1 - 0.8**25) * targets)


def test_private_descent_is_the_step_done_record_by_record(x):
    clip_norm, sigmas = 4.0, [0.0, 0.5]
    estimates = descend_privately(products(x), np.array(sigmas), clip_norm, 3, 0.1, np.random.default_rng(7))
    for sigma, estimate in zip(sigmas, estimates, strict=True):
        current, rng = np.zeros(6), np.random.default_rng(7)
        for _ in range(3):
            total = np.zeros(6)
            for vector in products(x):
                gradient = current - vector
                total += gradient * min(1, clip_norm / np.linalg.norm(gradient))
            current = current - 0.1 * (total + sigma * clip_norm * rng.normal(size=(6, 1))[:, 0]) / len(x)
        np.testing.assert_allclose(estimate, current)


def test_private_descent_that_clips_nothing_and_adds_nothing_is_plain(x):
    squares = products(x)
    estimates = descend_privately(squares, np.zeros(1), 1e9, 30, 0.1, np.random.default_rng(0))
    np.testing.assert_allclose(estimates[0], descend(squares.mean(axis=0), 30, 0.1)[-1])


def test_the_clip_norm_is_the_median_of_all_gradients(x):
    path = descend(products(x).mean(axis=0), 4, 0.3)
    norms = [np.linalg.norm(place - vector) for place in path for vector in products(x)]
    assert median_gradient_norm(products(x), path) == pytest.approx(np.median(norms))


@pytest.mark.parametrize("steps", [1, 100])
def test_noise_is_that_of_one_gaussian_mechanism_of_all_steps(steps):
    etas = [0.02, 0.1, 0.4]
    for eta, sigma in zip(etas, noise_multipliers(etas, steps, 1e-5), strict=True):
        # Replacing a record moves the clipped sum by 2 in units of the clip norm.
        exact = get_sigma_gaussian(float(epsilon_from_eta(eta)), 1e-5) * 2 * math.sqrt(steps)
        assert exact * (1 - 1e-6) <= sigma <= exact * 1.002


# The table


def test_there_is_a_row_for_each_run_and_way_to_learn(table):
    counts = table.groupby(["run", "method"]).size().unstack("run")
    for number in (0, 1):
        assert counts[number].to_dict() == {"plain": 1, "clipped": 1, "dp": 2, "mip": 3 * 4 * 2}
    mip = table[table["method"] == "mip"]
    assert sorted(mip["moment"].unique()) == [2, 4, 6, 8]
    assert set(zip(mip["calibration"], mip["radius"], strict=True)) == {
        ("corollary_8", "laplace"),
        ("corollary_8", "gamma"),
        ("total_variation", "gamma"),
    }
    assert np.isfinite(table["relative_error"]).all()
    assert (table["records"] == 400).all()


def test_noise_scales_and_epsilons_are_those_of_the_theorems(table):
    mip = table[table["method"] == "mip"].set_index("calibration")
    for name, scale in {"corollary_8": corollary_8_scale, "total_variation": total_variation_scale}.items():
        expected = [float(scale(eta, moment)) for eta, moment in mip.loc[name, ["eta", "moment"]].to_numpy()]
        np.testing.assert_allclose(mip.loc[name, "noise_scale"], expected)
    dp = table[table["method"] == "dp"]
    np.testing.assert_allclose(dp["epsilon"], epsilon_from_eta(dp["eta"]))
    assert table.loc[table["method"] != "mip", ["moment", "radius", "calibration"]].isna().all(axis=None)


def test_less_privacy_is_less_error_and_none_the_least(table):
    errors = table.groupby(["method", "calibration", "radius", "moment", "eta"], dropna=False)["relative_error"].mean()
    plain = errors["plain"].item()
    assert plain < 0.3
    for method in ("mip", "dp"):
        steps = errors[method].unstack("eta")
        assert (steps[0.05] > steps[0.4]).all()
        assert (steps[0.4] > plain).all()


def test_the_error_of_noise_grows_like_its_scale():
    frame = run(seed=1, **SMALL | {"etas": (0.001, 0.002)})
    mip = frame[frame["method"] == "mip"].pivot_table(
        index=["run", "calibration", "radius", "moment"], columns="eta", values=["relative_error", "noise_scale"]
    )
    ratios = mip.xs(0.001, axis=1, level="eta") / mip.xs(0.002, axis=1, level="eta")
    ratios = ratios.xs("corollary_8", level="calibration")  # so large that nothing else counts
    np.testing.assert_allclose(ratios["relative_error"], ratios["noise_scale"], rtol=0.01)


def test_a_seed_repeats_the_study_and_more_of_it_leaves_the_rest(table):
    keys = ["run", "method", "calibration", "radius", "moment", "eta"]

    def errors(**changes):
        return run(seed=1, **SMALL | changes).set_index(keys)["relative_error"]

    plain = table.set_index(keys)["relative_error"]
    pd.testing.assert_series_equal(errors(), plain)
    more = errors(runs=3, etas=(0.05, 0.1, 0.4), moments=(8, 3, 2, 4, 6))
    assert len(more) > len(plain)
    pd.testing.assert_series_equal(more.reindex(plain.index), plain, rtol=1e-9)
    other = run(seed=2, **SMALL).set_index(keys)["relative_error"]
    assert (other.to_numpy() != plain.to_numpy()).all()
    by_run = plain.drop(index="plain", level="method").unstack("run")
    assert (by_run[0] != by_run[1]).all()


def test_a_data_set_is_refused():
    one = Dataset("adult", np.zeros((2, 1), np.float32), np.zeros(2, np.int64), ("a",), ("0",))
    with pytest.raises(ValueError, match="draws its own records, got the data set 'adult'"):
        run(seed=1, dataset=one, **SMALL)


@pytest.mark.slow  # about 30 CPU-seconds
def test_the_papers_sizes_give_what_the_report_says():
    paper = make_plan(OWN_CONFIG | {"scale": "paper"}, ROOT).studies["izzo_fig2"]
    frame = run(seed=1, **studies.options(paper))
    errors = frame.groupby(["method", "calibration", "radius", "moment", "eta"], dropna=False)["relative_error"].mean()
    assert errors["plain"].item() < 0.02
    printed = errors["mip"]["corollary_8"]["laplace"].unstack("moment")
    assert (printed.diff(axis=1).dropna(axis=1) < 0).all(axis=None)  # larger M, less error
    assert printed.loc[0.49, 4] < 1 < printed.loc[0.01, 8]
    # DP-SGD is limited by clipping, not by its noise: the facts expect an error of about .24 to .3.
    dp, clipped = errors["dp"].to_numpy(), errors["clipped"].item()
    np.testing.assert_allclose(dp, clipped, rtol=0.02)
    assert 0.15 < clipped < 0.4
