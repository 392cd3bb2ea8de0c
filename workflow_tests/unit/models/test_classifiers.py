"""Classifiers of scikit-learn behind the interface of all engines."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy.special import softmax

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.models import classifiers
from dpmia.training.engines.scikit_learn import CLOSEST, ScikitLearnEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

RECIPE = Recipe("its own", 0.0, 1, 0)
RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.random((60, 4)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0.5).astype(np.int64))


def engine(architecture, records=range(30), seed=1, y=Y, **run):
    made = ScikitLearnEngine(architecture, RECIPE, [Run("one", np.array(records), Seeds(seed, 0, 0), **run)], X, y)
    fit(made)
    return made


@pytest.mark.parametrize(
    "architecture",
    [
        classifiers.logistic_regression(4, 2, None),
        classifiers.random_forest(4, 2, None, trees=5),
        classifiers.gradient_boosting(4, 2, None, trees=3),
    ],
)
def test_outputs_are_the_probabilities_of_the_classifier(architecture):
    made = engine(architecture)
    logits = made.outputs_of(0, made.parameters()[0], X).numpy()
    wanted = np.clip(made.classifier.predict_proba(X.numpy()), CLOSEST, 1 - CLOSEST)
    np.testing.assert_allclose(softmax(logits, axis=1), wanted, atol=1e-5)
    assert np.isfinite(logits).all()


def test_the_seed_decides():
    forest = classifiers.random_forest(4, 2, None, trees=5)
    first, same, other = (engine(forest, seed=seed).outputs_of(0, None, X) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_a_class_that_no_member_has_is_unlikely():
    three = Y.clone()
    three[50:] = 2
    logits = engine(classifiers.logistic_regression(4, 3, None), y=three).outputs_of(0, None, X)
    assert logits.shape == (60, 3)
    assert (logits[:, 2] < -10).all()


@pytest.mark.parametrize("make", [classifiers.logistic_regression, partial(classifiers.gradient_boosting, trees=3)])
def test_a_training_set_of_one_class_is_refused(make):
    with pytest.raises(TrainingError, match="model one: its training set has records of one class only"):
        engine(make(4, 2, None), y=torch.zeros(60, dtype=torch.int64)).outputs_of(0, None, X)


@pytest.mark.parametrize("run", [{"noise_multiplier": 1.0}, {"soft_labels": np.ones((30, 2), dtype=np.float32)}])
def test_noise_and_soft_labels_are_refused(run):
    with pytest.raises(ValueError, match="no noise and no soft labels"):
        engine(classifiers.logistic_regression(4, 2, None), **run)


class Odd:
    """A classifier that answers with the same row for every record."""

    def __init__(self, row):
        self.row, self.classes_ = row, [0, 1]

    def fit(self, x, y):
        return self

    def predict_proba(self, x):
        return np.array([[0.5, 0.5], *[self.row] * (len(x) - 1)])


@pytest.mark.parametrize("row", [(np.nan, 0.5), (0.7, 0.7), (-0.5, 1.5), (np.inf, 0)])
def test_numbers_that_are_no_probabilities_are_refused(row):
    with pytest.raises(TrainingError, match=r"model one, row 1 .* of its predict_proba: .* add up to 1"):
        engine(classifiers.Classifier(2, lambda seed: Odd(row))).outputs_of(0, None, X)


def test_probabilities_that_are_text_are_refused():
    with pytest.raises(TrainingError, match="model one: its predict_proba returns text"):
        engine(classifiers.Classifier(2, lambda seed: Odd(("0.5", "0.5")))).outputs_of(0, None, X)
