"""LightningModules of the user's own: trained by their own loss and optimiser, from the seeds of the run."""

import numpy as np
import pytest
import torch

from dpmia.common.errors import TrainingError, UserError
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.recipe import Recipe
from dpmia.jobs.training import Engines
from dpmia.models.building import build
from dpmia.training.engines.lightning_module import LightningEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.lightning import fit
from dpmia.training.model_spec import specify
from dpmia.training.run import Run, Seeds

CODE = '''
import pytorch_lightning as pl
import torch
from torch import nn

class Still(pl.LightningModule):
    """An optimiser that takes no step, and a record of what training saw."""

    rate = 0.0

    def __init__(self, outputs):
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, outputs))
        self.seen = []

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        x, y = batch
        self.seen.append((x.clone(), y.clone(), torch.rand(())))
        self.log("loss", 0.0)
        return nn.functional.cross_entropy(self(x + torch.rand(())), y)

    def validation_step(self, batch, index):
        raise AssertionError("there are no validation records")

    def configure_optimizers(self):
        optimiser = torch.optim.SGD(self.parameters(), self.rate)
        return [optimiser], [torch.optim.lr_scheduler.StepLR(optimiser, 1, gamma=0.5)]

class Moving(Still):
    rate = 0.5

class Broken(Still):
    def training_step(self, batch, index):
        return nothing  # line 37

class Infinite(Still):
    rate = 1.0

    def training_step(self, batch, index):
        return super().training_step(batch, index) * float("inf")

class Early(Still):
    def configure_callbacks(self):
        class Stop(pl.Callback):
            def on_train_batch_end(self, trainer, *args, **kwargs):
                trainer.should_stop = True
        return [Stop()]

class Batches(Still):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.extra = nn.BatchNorm1d(1, track_running_stats=False)

def network(outputs):
    return nn.Sequential(nn.Flatten(), nn.Linear(4, outputs))
'''

RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.random((60, 4)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0.5).astype(np.int64))
RECIPE = Recipe("its own", 0.01, 10, 3, sampling="shuffle")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def engine_of(name, seed=1, recipe=RECIPE, batches=2, **run):
    architecture = build(Architecture(f"own.py:{name}", {}), 4, 2, (2, 2))
    LightningEngine.check(architecture, recipe, "model one")
    run = Run("one", np.arange(25), Seeds(seed, batches, 3), **run)
    return LightningEngine(architecture, recipe, [run], X, Y)


def trained(name, **how):
    engine = engine_of(name, **how)
    fit(engine)
    return engine


def test_its_card_states_the_steps_of_the_records_that_were_drawn_whatever_number_was_expected():
    card = ModelCard(arm="one", iid=False, epsilon="inf", role="target", meaning=["m"], replicate=0)
    engines = Engines("", f"{LightningEngine.__module__}:LightningEngine")
    model, common = Architecture("own.py:Still", {}), {"recipe": RECIPE, "root_seed": 1, "expected": 40}
    spec = specify("one", card, np.arange(25), np.arange(30), model=model, engines=engines, **common)
    assert spec.card.steps == len(trained("Still").module[1].seen) == 6


def test_it_is_trained_by_its_own_optimiser_on_the_records_of_the_run():
    engine = trained("Still")
    seen = engine.module[1].seen
    assert len(seen) == 3 * 2, "three epochs of two batches; the rest of each permutation is left out"
    assert {x.shape for x, _, _ in seen} == {(10, 2, 2)}
    records = {(x.numpy().tobytes(), int(y)) for x, y in zip(X[:25], Y[:25], strict=True)}
    for x, y, _ in seen:
        assert {(one.numpy().tobytes(), int(label)) for one, label in zip(x, y, strict=True)} <= records
    assert torch.equal(engine.parameters()[0], engine_of("Still").parameters()[0]), "its optimiser takes no step"
    assert not torch.equal(trained("Moving").parameters()[0], engine.parameters()[0])
    assert engine.module[1].layers[2].num_batches_tracked == 6


def test_outputs_are_those_of_eval_mode():
    engine = trained("Moving")
    own = engine.module[1].eval()
    with torch.inference_mode():
        expected = own(X.unflatten(1, (2, 2)))
    torch.testing.assert_close(engine.outputs_of(0, engine.parameters()[0], X), expected)


def test_all_that_is_drawn_comes_from_the_seeds_of_the_run():
    def state(engine):
        return torch.cat([engine.parameters()[0].double(), engine.buffers()[0]])

    torch.manual_seed(1)
    first = trained("Moving")
    torch.manual_seed(2)
    second = trained("Moving")
    assert torch.equal(state(first), state(second))
    assert not torch.equal(state(first), state(trained("Moving", seed=9)))


def test_batches_take_all_bits_of_their_seed():
    records = [trained("Still", batches=seed).module[1].seen[0][0] for seed in (2, 2 + 2**32)]
    assert not torch.equal(*records)


def test_a_module_that_ends_its_training_early_is_refused():
    """The settings say how long models are trained, and pages repeat it."""
    problem = r"model one: its training ended after 1 of 6 steps\. Remove what ends it, such as EarlyStopping"
    with pytest.raises(TrainingError, match=problem):
        trained("Early")


def test_an_error_in_training_names_its_file_and_line():
    from dpmia.common.plugins import errors_of_file

    with pytest.raises(UserError) as failed, errors_of_file("own.py:Broken", "model one"):
        trained("Broken")
    assert "own.py, line 37, model one: NameError: name 'nothing' is not defined" in str(failed.value)


def test_a_training_that_breaks_down_is_refused():
    with pytest.raises(TrainingError, match=r"model one, step 6: .* are not finite\. Lower the learning rate of its"):
        trained("Infinite")


@pytest.mark.parametrize("run", [{"noise_multiplier": 1.0}, {"soft_labels": np.ones((25, 2), dtype=np.float32)}])
def test_noise_and_soft_labels_are_refused(run):
    with pytest.raises(ValueError, match="no noise and no soft labels"):
        engine_of("Still", **run)


@pytest.mark.parametrize("engine", [PlainEngine, OpacusEngine])
def test_engines_that_would_not_use_its_loss_refuse_it(engine):
    architecture = build(Architecture("own.py:Still", {}), 4, 2, (2, 2))
    with pytest.raises(TrainingError, match=r"a loss and an optimiser of its own.*engine: lightning"):
        engine.check(architecture, RECIPE, "model one")


def test_a_plain_network_is_refused_here():
    with pytest.raises(TrainingError, match=r"OwnNetwork cannot be combined with engine 'lightning'"):
        engine_of("network")


def test_batch_norm_without_statistics_is_refused():
    with pytest.raises(TrainingError, match="track_running_stats=True"):
        engine_of("Batches")
