"""Training under Lightning: interruptions leave no trace, and a loss that breaks down stops the run."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytorch_lightning as pl
import torch
from tiny_training import ENGINES, IDS, SHAPE, PowerCutError, failing_at, make, make_data
from training_checks import mean_losses

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import CURVE
from dpmia.models.mlp import MLP
from dpmia.training import lightning
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

#: Where the checkpoints of `signals.npz` are.
KEPT = "signals.npz.checkpoints/code/last.ckpt"


class EveryTenth(Checkpoints):
    """Checkpoints after every tenth call, whatever the time."""

    @property
    def often(self):
        return {"every_n_train_steps": 10}


class AfterEachCall(Checkpoints):
    @property
    def often(self):
        return {"every_n_train_steps": 1}


@pytest.fixture(scope="module")
def data():
    return make_data()


@pytest.fixture
def short_calls(monkeypatch):
    """Two steps in a call of `training_step`."""
    monkeypatch.setattr(lightning, "MOST_STEPS_PER_CALL", 2)


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
@pytest.mark.parametrize("most", [1, 2, 3, 32])
def test_lightning_trains_as_a_bare_loop_does_however_many_steps_a_call_takes(kind, sigma, most, data, monkeypatch):
    bare, trained = make(kind, data, sigma), make(kind, data, sigma)
    bare.advance(55)
    monkeypatch.setattr(lightning, "MOST_STEPS_PER_CALL", most)
    fit(trained)
    assert trained.done == trained.steps == 55
    assert torch.equal(bare.parameters()[0], trained.parameters()[0])


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_an_epoch_is_an_epoch_and_an_optimiser_step_is_lightnings(kind, sigma, data, monkeypatch):
    monkeypatch.setattr(lightning, "MOST_STEPS_PER_CALL", 1)
    trainers = []

    class Seen(pl.Trainer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            trainers.append(self)

    monkeypatch.setattr(lightning.pl, "Trainer", Seen)
    engine = make(kind, data, sigma)
    fit(engine)
    assert trainers[0].current_epoch == 11
    assert trainers[0].global_step == 55
    assert trainers[0].optimizers == [engine.optimiser]


def test_only_tiny_models_take_several_steps_in_a_call(data, capsys):
    recipe = Recipe("sgd", 0.1, batch_size=10, epochs=1)
    large = MLP(4, (6000, 6000), 3)
    run = Run("r", np.arange(50), Seeds(1, 2, 3))
    assert lightning.steps_per_call(PlainEngine(large, recipe, [run], *data)) == 1
    assert lightning.steps_per_call(PlainEngine(SHAPE, recipe, [run], *data)) == lightning.MOST_STEPS_PER_CALL
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("short_calls")
@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_interrupted_twice_training_ends_with_the_same_bits(kind, sigma, sampling, data, tmp_path):
    whole = make(kind, data, sigma, sampling=sampling)
    fit(whole)
    for stop in (30, 50):
        cut = make(failing_at(kind, stop), data, sigma, sampling=sampling)
        with pytest.raises(PowerCutError):
            fit(cut, EveryTenth(tmp_path / "signals.npz", "code"))
        assert cut.done == stop
        assert [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*t")] == [KEPT]
    kept = torch.load(tmp_path / KEPT, weights_only=True)
    assert kept["engine"]["done"] == 50, "the thirtieth call: those of an epoch take two, two and one steps"
    resumed = make(kind, data, sigma, sampling=sampling)
    fit(resumed, EveryTenth(tmp_path / "signals.npz", "code"))
    assert resumed.done == 55
    assert torch.equal(whole.parameters()[0], resumed.parameters()[0])


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_what_is_measured_after_each_epoch_changes_no_model(kind, sigma, data):
    unseen, watched = make(kind, data, sigma), make(kind, data, sigma)
    assert fit(unseen).after_epoch is None
    measured = fit(watched, after_epoch=lambda engine: [float(engine.parameters()[0].sum()), engine.done]).after_epoch
    assert torch.equal(unseen.parameters()[0], watched.parameters()[0])
    assert measured[:, 1].tolist() == list(range(5, 60, 5)), "11 epochs of 5 steps"
    assert measured[-1, 0] == float(watched.parameters()[0].sum())
    assert len(set(measured[:, 0])) == 11


def test_measurements_outlive_an_interruption(data, tmp_path):
    def measured(engine):
        return [float(engine.parameters()[0].sum())]

    whole = fit(make(PlainEngine, data), after_epoch=measured)
    with pytest.raises(PowerCutError):
        fit(make(failing_at(PlainEngine, 50), data), EveryTenth(tmp_path / "a.npz", "code"), after_epoch=measured)
    resumed = fit(make(PlainEngine, data), EveryTenth(tmp_path / "a.npz", "code"), after_epoch=measured)
    assert np.array_equal(resumed.after_epoch, whole.after_epoch)
    np.testing.assert_array_equal(resumed.curve, whole.curve)


@pytest.mark.slow  # trains thirty times
@pytest.mark.usefixtures("short_calls")
def test_a_training_cut_at_any_step_goes_on_with_the_same_numbers(data, tmp_path):
    def measured(engine):
        return [float(engine.parameters()[0].sum())]

    whole = fit(make(StackedEngine, data, 1.0, steps=15), after_epoch=measured)
    for stop in range(1, 15):
        checkpoints = AfterEachCall(tmp_path / f"{stop}.npz", "code")
        with pytest.raises(PowerCutError):
            fit(make(failing_at(StackedEngine, stop), data, 1.0, steps=15), checkpoints, after_epoch=measured)
        resumed = fit(make(StackedEngine, data, 1.0, steps=15), checkpoints, after_epoch=measured)
        assert np.array_equal(resumed.after_epoch, whole.after_epoch)
        np.testing.assert_array_equal(resumed.curve, whole.curve)


@pytest.mark.usefixtures("short_calls")
def test_a_finished_training_is_not_trained_further(data, tmp_path):
    first, again = make(PlainEngine, data, steps=40), make(PlainEngine, data, steps=40)
    fit(first, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    again.backward = None  # nothing is left to do
    fit(again, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    assert again.done == 40
    assert torch.equal(first.parameters()[0], again.parameters()[0])


def test_a_checkpoint_of_other_code_or_other_models_is_not_used(data, tmp_path):
    fit(make(PlainEngine, data), Checkpoints(tmp_path / "signals.npz", "code", every=0))
    for code, name in (("other code", "last"), ("code", "others")):
        untouched = make(failing_at(PlainEngine, 0), data)
        with pytest.raises(PowerCutError):
            fit(untouched, Checkpoints(tmp_path / "signals.npz", code), name)


def test_a_short_job_writes_none_and_a_job_that_succeeds_leaves_none(data, tmp_path):
    with Checkpoints(tmp_path / "signals.npz", "code") as checkpoints:
        fit(make(PlainEngine, data), checkpoints)
        assert list(tmp_path.iterdir()) == []
    with Checkpoints(tmp_path / "signals.npz", "code", every=0) as checkpoints:
        fit(make(PlainEngine, data), checkpoints)
        assert (tmp_path / KEPT).exists()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PowerCutError), Checkpoints(tmp_path / "signals.npz", "code", every=0) as checkpoints:
        fit(make(failing_at(PlainEngine, 6), data), checkpoints)
    assert (tmp_path / KEPT).exists()


@pytest.mark.usefixtures("short_calls")
def test_a_checkpoint_that_is_half_written_leaves_the_one_before_it(data, tmp_path, monkeypatch):
    # Lightning itself writes to the folder for temporary files, perhaps on another disk, and copies from there.
    monkeypatch.setattr(tempfile, "mkstemp", None)
    whole = make(PlainEngine, data, steps=40)
    fit(whole)
    saved, save = [], torch.save

    def cut_at_the_third(checkpoint, path, *options):
        save(checkpoint, path, *options)
        saved.append(path)
        if len(saved) == 3:
            Path(path).write_bytes(Path(path).read_bytes()[:1000])
            raise PowerCutError

    monkeypatch.setattr(torch, "save", cut_at_the_third)
    with pytest.raises(PowerCutError):
        fit(make(PlainEngine, data, steps=40), AfterEachCall(tmp_path / "signals.npz", "code"))
    assert len(set(saved)) == 1
    assert [file.name for file in (tmp_path / KEPT).parent.iterdir()] == ["last.ckpt"]
    resumed = make(PlainEngine, data, steps=40)
    fit(resumed, AfterEachCall(tmp_path / "signals.npz", "code"))
    assert torch.equal(whole.parameters()[0], resumed.parameters()[0])


def test_without_a_folder_nothing_is_written(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit(make(PlainEngine, data))
    assert list(tmp_path.iterdir()) == []


def test_inside_a_job_of_a_cluster_training_is_still_one_process(data, monkeypatch):
    # As in a batch job on two nodes: Lightning would take this process for one of two.
    variables = {"JOB_ID": "7", "JOB_NAME": "train", "NTASKS": "2", "PROCID": "1", "LOCALID": "1", "NODEID": "1"}
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    engine = make(StackedEngine, data, 1.0)
    fit(engine)
    assert engine.done == 55


def test_on_the_head_of_a_cluster_nothing_is_said_of_it(data, monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    engine = make(StackedEngine, data, 1.0)
    fit(engine)  # warnings are errors
    assert engine.done == 55


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_a_loss_that_breaks_down_stops_the_run_by_its_name(kind, sigma, data):
    with pytest.raises(TrainingError) as error:
        fit(make(kind, data, sigma, learning_rate=1e30, optimiser="sgd"))
    for text in ["model va/epsilon 1/replicate 3", "step 5:", "not finite", "Lower learning_rate"]:
        assert text in str(error.value)


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_records_met_in_no_batch_are_no_breakdown(kind, sigma, data):
    recipe = Recipe("sgd", 0.1, batch_size=1, epochs=1)
    run = Run("rare", np.arange(2), Seeds(1, 2, 3), sigma)
    engine = kind(SHAPE, recipe, [run], *data)
    engine.streams[0].batch = lambda: np.empty(0, dtype=np.int64)
    assert np.isnan(mean_losses(engine, 1)).all()
    engine.done = 0
    fit(engine)
    assert engine.done == 2


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_the_curve_is_of_the_records_met_in_each_epoch(kind, sigma, data, tmp_path):
    engine = make(kind, data, sigma, steps=15, optimiser="sgd")
    batches = []

    def watched(drawn):
        batches.append(drawn)
        losses, outputs = [], []
        for batch in drawn:
            x, y = data[0][5:55][batch], data[1][5:55][batch]
            output = engine.outputs_of(0, engine.parameters()[0], x)
            outputs.append((output.argmax(1) == y).float())
            losses.append(torch.nn.functional.cross_entropy(output, y, reduction="none"))
            rows[-1] += [float(losses[-1].sum()), float(outputs[-1].sum()), len(batch)]
        backward(drawn)
        if engine.done % 5 == 0:
            rows.append(np.zeros(3))

    rows, backward = [np.zeros(3)], engine.backward
    engine.backward = watched
    curve = fit(engine, logs=tmp_path, spent=lambda steps: steps / 2).curve
    columns = dict(zip(CURVE, curve.T, strict=True))
    assert columns["epoch"].tolist() == [1, 2, 3]
    assert columns["step"].tolist() == [5, 10, 15]
    assert columns["epsilon"].tolist() == [2.5, 5, 7.5]
    for row, (loss, correct, met) in zip(curve, rows, strict=False):
        np.testing.assert_allclose(row[2:4], [loss / met, correct / met], rtol=1e-5)
    assert (columns["clipped"] > 0).all() == (sigma is not None)
    table = pd.read_csv(tmp_path / "last" / "metrics.csv")
    np.testing.assert_allclose(table[list(CURVE)], curve)


@pytest.mark.parametrize(("epochs", "rows", "epsilons"), [(110, 55, 10), (250, 84, 10)])
def test_of_a_long_training_the_curve_has_a_row_for_a_few_epochs_each(data, epochs, rows, epsilons):
    curve = fit(make(PlainEngine, data, steps=5 * epochs), spent=float).curve
    assert len(curve) == rows
    assert curve[-1, 0] == epochs
    assert np.isfinite(curve[:, CURVE.index("epsilon")]).sum() == epsilons <= lightning.MOST_EPSILONS


def test_an_engine_that_has_taken_steps_is_refused(data):
    engine = make(PlainEngine, data)
    engine.advance(3)
    with pytest.raises(ValueError, match=r"taken 3 steps; .* from a checkpoint only"):
        fit(engine)


@pytest.mark.parametrize(("kind", "sigma"), ENGINES, ids=IDS)
def test_a_model_that_breaks_in_its_very_last_step_is_told_too(kind, sigma, data, monkeypatch):
    engine = make(kind, data, sigma)
    backward = engine.backward

    def backward_and_break(batches):
        backward(batches)
        if engine.done == engine.steps:
            monkeypatch.setattr(engine, "parameters", lambda: [torch.tensor([float("nan")])] * len(engine.runs))

    monkeypatch.setattr(engine, "backward", backward_and_break)
    with pytest.raises(TrainingError, match="not finite"):
        fit(engine)


def test_the_log_tells_every_now_and_then_how_far_training_is(data, monkeypatch, caplog):
    monkeypatch.setattr(lightning, "SECONDS_PER_LINE", 30.0)
    seconds = iter([100.0, 115.0, 116.0, 117.0, 131.0, 132.0, 133.0, 134.0, 135.0, 136.0, 200.0, 201.0])
    monkeypatch.setattr(lightning.time, "monotonic", lambda: next(seconds))
    with caplog.at_level("INFO", logger=lightning.__name__):
        fit(make(PlainEngine, data))
    name = "va/epsilon 1/replicate 3"
    assert caplog.messages == [
        f"{name}: step 20 of 55, epoch 4 of 11, 0:00:54 left",
        f"{name}: step 50 of 55, epoch 10 of 11, 0:00:10 left",
    ]


def test_hours_left_are_told_for_many_models_together(data):
    recipe = Recipe("adam", 0.01, batch_size=10, epochs=1000)
    runs = [Run(str(number), np.arange(50), Seeds(number, 2, 3)) for number in range(3)]
    engine = StackedEngine(SHAPE, recipe, runs, *data)
    assert lightning.progress(engine, 1.5) == "3 models: step 0 of 5000, epoch 0 of 1000, 2:05:00 left"
