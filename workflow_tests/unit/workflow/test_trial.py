"""The trial of a machine: what it measures follows from the models, and what is known stays."""

from __future__ import annotations

import io
import json
import sys

from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.workflow import trial
from dpmia.workflow.expected import MachineRates, key
from dpmia.workflow.training_work import Trained

RECIPE = Recipe("sgd", 0.1, batch_size=4, epochs=2)
STACKED = "dpmia.training.engines.stacked:StackedEngine"
PERCEPTRON = Trained(
    STACKED, Architecture("dpmia.models.mlp:perceptron", {"hidden": [3]}), (5, 2, 0), True, RECIPE, 3, 20, 40
)
FOREST = Trained(
    "dpmia.training.engines.scikit_learn:ScikitLearnEngine",
    Architecture("dpmia.models.classifiers:random_forest", {"trees": 2}),
    (5, 2, 0),
    False,
    Recipe("its own", learning_rate=0.0, batch_size=1, epochs=0),
    1,
    20,
    40,
)


def test_each_kind_of_model_is_measured(monkeypatch):
    monkeypatch.setattr(trial, "SECONDS", 0.0)
    rates = trial.measure([PERCEPTRON, FOREST], MachineRates(steps={"known": 1.0}))
    assert set(rates.steps) == {"known", key(PERCEPTRON), key(FOREST)}
    assert all(seconds > 0 for seconds in rates.steps.values())
    assert rates.start > 0
    assert rates.speed > 0


def test_what_is_known_is_not_measured_again():
    steps = {key(PERCEPTRON): 123.0}
    assert trial.measure([PERCEPTRON], MachineRates(steps=steps)).steps == steps


def test_what_would_take_too_long_is_left_to_its_estimate(monkeypatch):
    monkeypatch.setattr(trial, "MOST", 0.0)
    assert trial.measure([PERCEPTRON], MachineRates()).steps == {}


def test_the_command_adds_to_a_file(tmp_path, monkeypatch):
    path = tmp_path / "rates.json"
    monkeypatch.setattr(trial, "SECONDS", 0.0)
    monkeypatch.setattr(sys, "argv", ["trial", str(path)])
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps([PERCEPTRON.plain()])))
    trial.main()
    assert set(MachineRates.read(path).steps) == {key(PERCEPTRON)}
