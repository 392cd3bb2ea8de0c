"""The second opinion: right engines agree, and each planted fault makes them differ."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from training_checks import experiment, splits_of, toy

from dpmia.common.errors import DataError
from dpmia.formats.stages import ENGINES
from dpmia.planning import jobs
from dpmia.training.engines import stacked
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.engines.stacked_network import StackedMLP
from dpmia.training.roles.targets import train_block
from dpmia.validation import retraining
from dpmia.validation.engines_agree import AGREES, DIFFERS, NOT_COMPARED

CHANGES = {"model": {"hidden": [16, 16]}, "training": {"batch_size": 10, "epochs": 8, "learning_rate": 0.02}}


def compared(epsilons=(1, 3, "inf"), work=5e9, dataset=None, **changes):
    """Train the target models of a small experiment, compare its engines, and return the rows as dicts."""
    dataset, given = dataset or toy(), experiment(**{**CHANGES, "epsilons": [list(epsilons)], **changes})
    splits = splits_of(dataset, given)
    signals = train_block(dataset, splits, jobs.train_job(given, given.epsilons[0], 0), 1)
    rows = retraining.compare("toy", jobs.engines(given).private, jobs.models(given), dataset, splits, signals, work)
    return [dict(zip(ENGINES, row, strict=True)) for row in rows]


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_engines_agree(optimiser):
    rows = compared(training={**CHANGES["training"], "optimiser": optimiser})
    assert [row["model"] for row in rows] == ["one/epsilon 1/replicate 0", "one/epsilon 3/replicate 1"]
    for row in rows:
        assert row["verdict"] == AGREES
        assert (row["engine"], row["second_engine"]) == ("stacked", "opacus (ghost)")
        assert row["steps_compared"] == row["steps"] == 32
        assert row["parameters"] == 3 * 16 + 16 + 16 * 16 + 16 + 16 * 2 + 2
        # Measured: rounding makes 2e-7.
        assert 0 < row["relative_difference_of_99_percent"] < 2e-6
        assert 0 < row["relative_difference"] < 1e-3
        assert 0 < row["loss_difference"] < 1e-4
        assert row["advantage_difference"] <= 1 / 30 + 1e-9  # one record at the threshold


def test_models_that_an_engine_trains_one_by_one_are_compared_one_by_one():
    """Networks of Thudi et al.: two private models of one block, and an engine for one at a time."""
    flat, rng = toy(), np.random.default_rng(0)
    images = replace(
        flat,
        x=rng.integers(256, size=(240, 64), dtype=np.uint8),
        features=tuple(f"p{i}" for i in range(64)),
        image=(1, 8, 8),
    )
    training = {**CHANGES["training"], "engine": "convolution"}
    rows = compared(dataset=images, model={"kind": "growing", "size": 1}, training=training)
    assert [row["model"] for row in rows] == ["one/epsilon 1/replicate 0", "one/epsilon 3/replicate 1"]
    for row in rows:
        assert (row["engine"], row["second_engine"]) == ("convolution", "opacus (hooks)")
        assert row["verdict"] == AGREES
        assert row["steps_compared"] == row["steps"] == 32
        assert 0 < row["relative_difference_of_99_percent"] < 1e-4


def test_records_that_join_at_random_and_batches_without_sampling_agree_too():
    bernoulli = {
        "membership": {"kind": "bernoulli", "records": 100},
        "arms": {"half": {"rate": 0.5}},
        "iid_arms": False,
    }
    assert {row["verdict"] for row in compared(**bernoulli)} == {AGREES}
    shuffled = {"training": {**CHANGES["training"], "sampling": "shuffle"}, "privacy": {"relation": "replace_one"}}
    assert {row["verdict"] for row in compared(**shuffled)} == {AGREES}


def clip_norm_off_by_one_percent(monkeypatch):
    right = stacked.clip_factors
    monkeypatch.setattr(stacked, "clip_factors", lambda norms, clip_norm: right(norms, 1.01 * clip_norm))


def bias_left_out_of_the_norm(monkeypatch):
    def gradient_norms(self):
        squares = torch.zeros(len(self.deltas[0]))
        for a, delta in zip(self.inputs, self.deltas, strict=True):
            squares.addcmul_(torch.linalg.vector_norm(a, dim=1) ** 2, torch.linalg.vector_norm(delta, dim=1) ** 2)
        return squares.sqrt_()

    monkeypatch.setattr(StackedMLP, "gradient_norms", gradient_norms)


def noise_by_another_batch_size(monkeypatch):
    right = StackedEngine._draw_noise

    def draw(self, model):
        right(self, model)
        self._gradients[model].mul_(self.recipe.batch_size / (self.recipe.batch_size + 1))

    monkeypatch.setattr(StackedEngine, "_draw_noise", draw)


def one_noise_stream_for_two_models(monkeypatch):
    right = StackedEngine._draw_noise

    def draw(self, model):
        if model == 0:
            self.before = self.streams[0]._noise.get_state()
        self.streams[model]._noise.set_state(self.before)
        right(self, model)

    monkeypatch.setattr(StackedEngine, "_draw_noise", draw)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
@pytest.mark.parametrize(
    "fault",
    [
        clip_norm_off_by_one_percent,
        bias_left_out_of_the_norm,
        noise_by_another_batch_size,
        one_noise_stream_for_two_models,
    ],
)
def test_a_fault_of_the_fast_engine_makes_them_differ(fault, optimiser, monkeypatch):
    fault(monkeypatch)  # before the models of the experiment are trained
    rows = compared(training={**CHANGES["training"], "optimiser": optimiser})
    assert {row["verdict"] for row in rows} == {DIFFERS}


def test_stored_outputs_of_another_training_differ():
    dataset, given = toy(), experiment(**{**CHANGES, "epsilons": [[1]]})
    splits = splits_of(dataset, given)
    signals = train_block(dataset, splits, jobs.train_job(given, [1.0], 0), 1)
    for signal in signals:
        signal.logits[:, 0] += np.float32(0.05)
    rows = retraining.compare("toy", jobs.engines(given).private, jobs.models(given), dataset, splits, signals, 5e9)
    rows = [dict(zip(ENGINES, row, strict=True)) for row in rows]
    assert {row["verdict"] for row in rows} == {DIFFERS}
    assert all(row["relative_difference_of_99_percent"] < 1e-5 < row["loss_difference"] for row in rows)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"arm": "two"}, "there is no two/epsilon 1/replicate 0 in it"),
        ({"replicate": 7}, "there is no one/epsilon 1/replicate 7 in it"),
        ({"accounting": None}, "no model has an accounting"),
    ],
)
def test_signals_of_other_models_are_refused(change, problem):
    dataset, given = toy(), experiment(**{**CHANGES, "epsilons": [[1]]})
    splits = splits_of(dataset, given)
    signals = train_block(dataset, splits, jobs.train_job(given, [1.0], 0), 1)
    others = [replace(signal, card=replace(signal.card, **change)) for signal in signals]
    with pytest.raises(DataError, match=f"signals of experiment toy: {problem}"):
        retraining.compare("toy", jobs.engines(given).private, jobs.models(given), dataset, splits, others, 5e9)


def test_large_models_are_compared_over_the_first_steps():
    step = retraining.STEP_WORK + 10 * 370
    assert [retraining._steps(32, step, count * step) for count in (32, 31, 60)] == [32, 10, 32]
    assert retraining._steps(1000, step, 80 * step) == 20
    assert retraining._steps(8, step, step) == 8
    for row in compared(work=5 * step):
        assert (row["parameters"], row["steps_compared"], row["steps"]) == (370, 10, 32)
        assert row["verdict"] == AGREES
        assert row["advantage_difference"] is None
        assert row["loss_difference"] < 1e-5


def test_models_of_opacus_are_not_compared():
    training = {**CHANGES["training"], "engine": "opacus"}
    for row in compared(training=training):
        assert (row["engine"], row["verdict"], row["reason"]) == ("opacus", NOT_COMPARED, "trained by Opacus itself")
        assert row["second_engine"] is None
        assert row["epsilon"] in (1, 3)


def test_modules_with_a_loss_of_their_own_are_not_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(
        "import pytorch_lightning as pl, torch\n"
        "class Mine(pl.LightningModule):\n"
        "    def __init__(self, inputs, outputs):\n"
        "        super().__init__()\n"
        "        self.layer = torch.nn.Linear(inputs, outputs)\n"
        "    def forward(self, x):\n"
        "        return self.layer(x)\n"
        "    def training_step(self, batch):\n"
        "        return torch.nn.functional.cross_entropy(self(batch[0]), batch[1])\n"
        "    def configure_optimizers(self):\n"
        "        return torch.optim.SGD(self.parameters(), 0.1)\n"
    )
    training = {"engine": "lightning", "batch_size": 10, "epochs": 2}
    for row in compared(model={"kind": "own.py:Mine"}, training=training):
        assert (row["verdict"], row["reason"]) == (NOT_COMPARED, "trained by Opacus itself")
        assert row["epsilon"] in (1, 3)


def test_epsilon_by_our_accountant_and_by_those_of_opacus():
    for row in compared():
        assert row["epsilon_opacus_prv"] == pytest.approx(row["epsilon"], rel=0.05)
        assert row["epsilon_opacus_rdp"] > row["epsilon"]
        assert row["accounting_reason"] is None
    for row in compared(privacy={"relation": "replace_one"}):
        assert row["epsilon_opacus_prv"] is row["epsilon_opacus_rdp"] is None
        assert row["accounting_reason"] == "relation replace-one: Opacus accounts for add-remove only"


def test_one_model_is_enough():
    rows = compared(epsilons=[1], replicates=1, block=1)
    assert [row["verdict"] for row in rows] == [AGREES]
    assert math.isfinite(rows[0]["advantage_difference"])
