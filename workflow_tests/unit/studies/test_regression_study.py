"""The study of regression models: its parts against second implementations, its numbers against reference values."""

from dataclasses import replace

import numpy as np
import pytest
from real_files import MIRROR, needs_real_files
from sklearn.tree import DecisionTreeRegressor

from dpmia.common.errors import ConfigError, TrainingError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published import eyedata, iwpc
from dpmia.formats.stages import REGRESSION
from dpmia.models.regressors import fit_ridge, fit_tree
from dpmia.settings.studies import Regression
from dpmia.studies import regression
from dpmia.studies.regression import target_columns
from dpmia.theory.overfitting import gaussian_advantage


def made(records=80, features=6, seed=0, noise=0.7):
    """Return a data set with two targets, a category of three values and a column of 0 and 1."""
    rng = np.random.default_rng(seed)
    group, flag = rng.integers(3, size=records), rng.integers(2, size=records)
    numbers = rng.normal(size=(records, features))
    x = np.column_stack([numbers, np.eye(3)[group], flag]).astype(np.float32)
    y = numbers[:, 0] + group + flag + noise * rng.normal(size=records)
    names = (*(f"n{i}" for i in range(features)), "group=a", "group=b", "group=c", "flag")
    return Dataset("made", x, y.astype(np.float32), names, ())


def run(**given):
    """Run the study; options that are not given have the defaults of the settings."""
    defaults = {key: Regression.model_fields[key].default for key in ("test_fraction", "cross_validation", "targets")}
    return regression.run(**defaults | given)


def means(table):
    return table.groupby(["target", "adversary", "parameter"])["advantage"].mean()


# Models


def test_ridge_is_the_closed_form():
    data = made()
    x, y = data.x.astype(float), data.y.astype(float)
    queried = made(seed=1).x
    for alpha, predicted in zip([0.5, 20], fit_ridge(data.x, data.y, [0.5, 20], 0)(queried), strict=True):
        centred = x - x.mean(0)
        weights = np.linalg.solve(centred.T @ centred + alpha * np.eye(10), centred.T @ (y - y.mean()))
        np.testing.assert_allclose(predicted, y.mean() + (queried - x.mean(0)) @ weights, rtol=1e-6, atol=1e-6)


def test_a_tree_read_down_to_a_depth_is_a_tree_of_that_depth():
    rng = np.random.default_rng(0)  # continuous features: no two splits are equally good
    x, y = rng.normal(size=(400, 4)).astype(np.float32), rng.normal(size=400)
    depths = [5, 1, 2, 3, 9, 40]
    for depth, predicted in zip(depths, fit_tree(x, y, depths, 3)(x), strict=True):
        np.testing.assert_allclose(
            predicted, DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y).predict(x)
        )


def test_depths_are_whole_numbers():
    with pytest.raises(ValueError, match="expected depths that are whole numbers"):
        fit_tree(np.zeros((3, 1)), np.zeros(3), [2.5], 0)


# Standard deviations


@pytest.mark.parametrize("alpha", [1, 30])
def test_leave_one_out_is_the_closed_form_of_linear_smoothers(alpha):
    data = made()
    table = run(seed=0, dataset=data, model="ridge", parameters=[alpha], splits=1)
    x, y = data.x.astype(float), data.y.astype(float)
    centred = x - x.mean(0)
    hat = 1 / len(y) + centred @ np.linalg.solve(centred.T @ centred + alpha * np.eye(x.shape[1]), centred.T)
    errors = y - hat @ y
    assert table["sigma_s"].unique() == pytest.approx([np.sqrt(np.mean(errors**2))], rel=1e-6)
    leave_one_out = errors / (1 - np.diag(hat))
    assert table["sigma_d"].unique() == pytest.approx([np.sqrt(np.mean(leave_one_out**2))], rel=1e-6)
    assert (table["ratio"] == table["sigma_d"] / table["sigma_s"]).all()
    assert (table["folds"] == len(y)).all()


def test_as_many_folds_as_records_leave_one_out():
    tables = [
        run(seed=0, dataset=made(30), model="tree", parameters=[2, 3], splits=1, cross_validation=folds)
        for folds in ("leave_one_out", 30)
    ]
    np.testing.assert_allclose(tables[0]["sigma_d"], tables[1]["sigma_d"])


# The table


def test_one_row_for_each_parameter_split_attack_and_target():
    options = {"model": "tree", "parameters": [2, 4], "splits": 3, "cross_validation": 5, "targets": ["group", "flag"]}
    table = run(seed=0, dataset=made(), **options)
    assert list(table.columns) == REGRESSION
    attacks = {"attribute", "uniform", "multi_query_descending", "multi_query_ascending"}
    rows = table.groupby(["target", "parameter", "replicate"])["adversary"].agg(set)
    assert len(rows) == 3 * 2 * 3
    assert (rows.loc["membership"] == {"threshold", "threshold_sigma_s"}).all()
    assert (rows.loc[["group", "flag"]] == attacks).all()
    assert len(table) == 2 * 3 * (2 + 2 * 4)
    assert table.groupby("target")["values"].unique().map(list).to_dict() == {
        "flag": [2],
        "group": [3],
        "membership": [2],
    }
    np.testing.assert_allclose(table["advantage"], table["tpr"] - table["fpr"], atol=1e-12)


def test_members_are_three_quarters_of_the_records():
    table = run(seed=0, dataset=made(81), model="tree", parameters=[3], splits=4, cross_validation=3)
    # 21 of 81 are no members: all rates are multiples of 1 / 60 and 1 / 21.
    for column, count in (("tpr", 60), ("fpr", 21)):
        np.testing.assert_allclose(table[column] * count, np.rint(table[column] * count), atol=1e-9)


def test_seeds_decide_and_other_options_do_not():
    base = {"seed": 0, "dataset": made(), "model": "tree", "splits": 4, "cross_validation": 5, "targets": ["group"]}
    table = run(parameters=[2, 4], **base)
    assert run(parameters=[2, 4], **base).equals(table)
    assert not run(parameters=[2, 4], **base | {"seed": 1})["advantage"].equals(table["advantage"])
    fewer = run(parameters=[2, 4], **base | {"splits": 2})
    assert fewer.equals(table[table["replicate"] < 2].reset_index(drop=True))


def test_records_and_not_names_decide_on_splits():
    base = {"seed": 0, "model": "ridge", "parameters": [1.0], "splits": 3, "cross_validation": 5}
    table = run(dataset=made(), **base)
    renamed = run(dataset=replace(made(), name="other"), **base)
    assert renamed["advantage"].equals(table["advantage"])
    assert not run(dataset=made(seed=1), **base)["advantage"].equals(table["advantage"])


def test_noise_without_features_separates_members_only_by_overfitting():
    rng = np.random.default_rng(0)
    data = Dataset("noise", rng.normal(size=(1500, 5)).astype(np.float32), rng.normal(size=1500).astype(np.float32),
                   tuple("abcde"), ())  # fmt: skip
    advantages = means(run(seed=0, dataset=data, model="tree", parameters=[1, 12], splits=10, cross_validation=10))
    for adversary in ("threshold", "threshold_sigma_s"):
        assert abs(advantages["membership", adversary, 1]) < 0.05
        assert advantages["membership", adversary, 12] > 0.3


def test_the_uniform_reduction_has_its_share_of_the_membership_advantage():
    table = run(seed=0, dataset=made(400), model="tree", parameters=[8], splits=60, cross_validation=5,
                targets=["group", "flag"])  # fmt: skip
    oracle = table[table["adversary"] == "threshold_sigma_s"].set_index("replicate")["advantage"]
    for target, values in (("group", 3), ("flag", 2)):
        uniform = table[(table["target"] == target) & (table["adversary"] == "uniform")].set_index("replicate")
        gap = uniform["advantage"] - oracle / values
        assert abs(gap.mean()) < 3 * gap.sem()
        assert gap.sem() < 0.02


# Targets and unhappy paths


def test_targets_are_found_by_name():
    features = made().features
    assert target_columns(features, "group").tolist() == [6, 7, 8]
    assert target_columns(features, "flag").tolist() == [9]
    assert target_columns(features, "n1").tolist() == [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": ["grup"]}, r"targets: 'grup' .* Did you mean 'group'\?"),
        ({"model": "tre"}, r"model: 'tre' is not one of ridge, tree. Did you mean 'tree'\?"),
        ({"parameters": []}, "parameters: .*positive numbers"),
        ({"parameters": [0, 3]}, "parameters: .*positive numbers"),
        ({"parameters": [2.5]}, r"parameters: \[2\.5\] holds a depth that is not whole"),
        ({"targets": ["n1"]}, "targets: 'n1' is a number, and attributes are inferred from categories or 0 and 1 only"),
        ({"splits": 0}, "splits: 0 "),
        ({"test_fraction": 1.0}, "test_fraction: 1.0 "),
        ({"cross_validation": 1}, "cross_validation: 1 is not 'leave_one_out' or a number from 2 to 80"),
        ({"cross_validation": "loo"}, "cross_validation: 'loo' "),
        ({"dataset": Dataset("c", np.zeros((4, 1), np.float32), np.arange(4), ("a",), tuple("abcd"))}, "has classes"),
    ],
)
def test_options_that_cannot_be_met_are_reported(change, message):
    options = {"dataset": made(), "model": "tree", "parameters": [3], "splits": 1, "cross_validation": 5} | change
    with pytest.raises(ConfigError, match=message):
        run(seed=0, **options)


def test_a_model_without_errors_is_refused():
    with pytest.raises(TrainingError, match=r"tree with parameter 40 on made: .*no error on any member"):
        run(seed=0, dataset=made(), model="tree", parameters=[3, 40], splits=1, cross_validation=5)


# The real files, against reference values of an independent implementation on the same files


@needs_real_files
@pytest.mark.parametrize(
    ("alpha", "ratio", "known_sigma", "unknown_sigma"),
    [(5, 5.087, 0.674, 0.615), (100, 1.519, 0.118, 0.125)],
)
def test_eyedata_at_paper_scale(eyes, alpha, ratio, known_sigma, unknown_sigma):
    assert eyes.loc[eyes["parameter"] == alpha, "ratio"].iloc[0] == pytest.approx(ratio, abs=5e-4)
    advantages = means(eyes)
    # Standard errors of 100 splits are at most .0125 here and there.
    assert advantages["membership", "threshold", alpha] == pytest.approx(known_sigma, abs=0.04)
    assert advantages["membership", "threshold_sigma_s", alpha] == pytest.approx(unknown_sigma, abs=0.04)


@pytest.fixture(scope="module")
def eyes():
    data = eyedata.encode(eyedata.read(MIRROR / "eyedata"))
    return run(seed=0, dataset=data, model="ridge", parameters=[5, 100], splits=100)


#: depth -> ratio, threshold, threshold_sigma_s; for each target: attribute, multi-query (both orders), uniform.
TREES = {
    7: ((1.133, 0.045, 0.046), (0.030, 0.030, 0.024, 0.015), (0.015, 0.038, 0.013, 0.008)),
    12: ((1.687, 0.228, 0.251), (0.171, 0.187, 0.180, 0.084), (0.086, 0.205, 0.091, 0.042)),
    20: ((4.682, 0.603, 0.707), (0.440, 0.629, 0.617, 0.236), (0.360, 0.649, 0.394, 0.118)),
    30: ((9.089, 0.771, 0.861), (0.497, 0.813, 0.805, 0.287), (0.468, 0.813, 0.556, 0.144)),
}


def check_trees(splits, folds, ratio_tolerance, tolerance):
    data = iwpc.encode(iwpc.read(MIRROR / "iwpc"))
    table = run(seed=0, dataset=data, model="tree", parameters=list(TREES), splits=splits, cross_validation=folds,
                targets=["vkorc1", "cyp2c9"])  # fmt: skip
    advantages = means(table)
    attacks = ("attribute", "multi_query_descending", "multi_query_ascending", "uniform")
    for depth, ((ratio, *membership), *targets) in TREES.items():
        ours = table.loc[table["parameter"] == depth, "ratio"].iloc[0]
        assert ours == pytest.approx(ratio, rel=ratio_tolerance)
        for adversary, value in zip(("threshold", "threshold_sigma_s"), membership, strict=True):
            assert advantages["membership", adversary, depth] == pytest.approx(value, abs=tolerance), (adversary, depth)
        for target, values in zip(("vkorc1", "cyp2c9"), targets, strict=True):
            for adversary, value in zip(attacks, values, strict=True):
                assert advantages[target, adversary, depth] == pytest.approx(value, abs=tolerance), (target, adversary)
        assert advantages["membership", "threshold", depth] == pytest.approx(float(gaussian_advantage(ours)), abs=0.05)


@needs_real_files
def test_trees_on_warfarin_patients_with_few_folds():
    check_trees(splits=12, folds=10, ratio_tolerance=0.03, tolerance=0.03)


@needs_real_files
@pytest.mark.slow
def test_trees_on_warfarin_patients_as_the_reference_was_run():
    check_trees(splits=12, folds=300, ratio_tolerance=0.015, tolerance=0.02)  # less than half a minute
