"""What a network keeps outside of parameters and saved buffers: resumed with the rest, or refused."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_training import PowerCutError, failing_at
from training_checks import experiment, toy

from dpmia.common.errors import DataError, TrainingError
from dpmia.common.registry import load
from dpmia.formats.provenance import Provenance
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import load_signals, save_signals
from dpmia.models.building import OwnNetwork
from dpmia.planning import jobs
from dpmia.splits.block import draw_block
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.finished import Outputs, load_outputs, save_outputs
from dpmia.training.lightning import fit
from dpmia.training.roles import distilled
from dpmia.training.roles.targets import train_block
from dpmia.training.run import Run, Seeds

NETWORKS = """
import pytorch_lightning as pl
import torch

class Annealed(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer, self.factor = torch.nn.Linear(inputs, outputs), 1.0

    def forward(self, x):
        if self.training:
            self.factor *= 1.05
        return self.layer(x) * self.factor

class Unregistered(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer, self.shift = torch.nn.Linear(inputs, outputs), torch.rand(outputs)

    def forward(self, x):
        return self.layer(x) + self.shift

class Registered(Annealed):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        del self.factor
        self.register_buffer("factor", torch.ones(()), persistent=False)

class Noisy(Unregistered):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        self.shift = 0

    def forward(self, x):
        return self.layer(x) + torch.randn(len(x), 1)

class Masked(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = torch.nn.Linear(inputs, outputs)
        self.register_buffer("mask", torch.tensor([0.0, -torch.inf]))

    def forward(self, x):
        return self.layer(x) * torch.softmax(self.mask, 0)[0]

class Complex(torch.nn.Linear):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        self.register_buffer("phases", torch.ones(3, dtype=torch.complex64))

    def configure_optimizers(self, learning_rate):  # as plain networks may have
        pass

def lightning(kind):
    class Module(kind, pl.LightningModule):
        def training_step(self, batch, index):
            return torch.nn.functional.cross_entropy(self(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.05)

    return Module

AnnealedModule, RegisteredModule, MaskedModule = lightning(Annealed), lightning(Registered), lightning(Masked)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(NETWORKS)
    monkeypatch.chdir(tmp_path)


def train(name, engine="plain", replicates=(0,)):
    training = {"engine": engine, "batch_size": 10, "epochs": 3}
    training |= {} if engine == "lightning" else {"learning_rate": 0.05}
    given = experiment(
        model={"kind": f"own.py:{name}"},
        training=training,
        epsilons=[[1 if engine == "opacus" else "inf"]],
        privacy={"relation": "add_remove"} if engine == "opacus" else {},
        iid_arms=False,
        replicates=1,
        block=1,
        shadows=None,
        references=None,
        attacks={"random": {}},
    )
    dataset = toy()
    job = replace(jobs.train_job(given, given.epsilons[0], 0), parameters=True, replicates=list(replicates))
    splits = draw_block(dataset, None, load(jobs.split_job(given, 0).draw), job.arms, job.replicates, 1)
    return train_block(dataset, splits, job, 1)


@pytest.mark.parametrize(
    ("name", "engine"), [("Annealed", "plain"), ("AnnealedModule", "lightning"), ("Unregistered", "plain")]
)
def test_outputs_that_follow_from_something_else_are_refused(name, engine):
    """A new network is evaluated, so what was trained would not be what is attacked."""
    with pytest.raises(
        TrainingError, match=r"model one/.*forward uses something else\. Keep in a parameter or a buffer"
    ):
        train(name, engine)


@pytest.mark.parametrize(
    ("name", "engine"),
    [("Registered", "plain"), ("RegisteredModule", "lightning"), ("Noisy", "plain"), ("Noisy", "opacus")],
)
def test_buffers_and_random_outputs_are_no_such_state(name, engine):
    (signal,) = train(name, engine)
    assert np.isfinite(signal.logits).all()


@pytest.mark.parametrize(("name", "engine"), [("Noisy", "plain"), ("Noisy", "opacus")])
def test_random_outputs_are_those_of_the_models_seed_whatever_was_evaluated_before(name, engine):
    torch.rand(5)
    both = train(name, engine, replicates=(1, 0))
    for alone in (train(name, engine), train(name, engine, replicates=(1,))):
        (same,) = (signal for signal in both if signal.card.replicate == alone[0].card.replicate)
        assert np.array_equal(alone[0].logits, same.logits)
    target = both[0]
    queried = [distilled._QueriedTarget(toy(), target, target.card.model, 1).probabilities(np.arange(9)) for _ in "ab"]
    assert np.array_equal(*queried)


@pytest.mark.parametrize(("name", "engine"), [("Masked", "plain"), ("Masked", "opacus"), ("MaskedModule", "lightning")])
def test_buffers_may_hold_infinite_numbers(name, engine, tmp_path):
    (signal,) = train(name, engine)
    assert np.isfinite(signal.logits).all()
    save_signals(tmp_path / "block.npz", [signal], Provenance())
    (kept,) = load_signals(tmp_path / "block.npz")
    assert kept.buffers.tolist() == [0, -np.inf]
    checkpoints = Checkpoints(tmp_path / "kept.npz", "code", every=0)
    save_outputs(checkpoints, "one", Outputs(signal.logits, signal.parameters, signal.buffers, None))
    assert load_outputs(checkpoints, "one", len(signal.logits)).buffers.tolist() == [0, -np.inf]


def test_complex_buffers_are_refused_before_training():
    with pytest.raises(TrainingError, match=r"its buffer phases holds complex numbers\. Keep torch\.view_as_real"):
        train("Complex")


class MaskedNetwork(torch.nn.Sequential):
    """Has infinite numbers in a buffer from the start."""

    def __init__(self):
        super().__init__(torch.nn.Linear(3, 2))
        self.register_buffer("mask", torch.tensor([0.0, -torch.inf]))


@pytest.mark.parametrize(("kind", "sigma"), [(PlainEngine, None), (OpacusEngine, 1.0)])
def test_infinite_buffers_are_resumed_and_other_numbers_that_are_not_finite_refused(kind, sigma, tmp_path):
    def engine(kind=kind):
        x, y = torch.ones(40, 3), torch.arange(40) % 2
        run = Run("one", np.arange(40), Seeds(1, 2, 3), sigma)
        return kind(OwnNetwork(MaskedNetwork, None, 2, False), Recipe("sgd", 0.1, 10, 40), [run], x, y)

    def kept():
        return Checkpoints(tmp_path / "kept.npz", "code", every=0)

    with pytest.raises(PowerCutError):
        fit(engine(failing_at(kind, 150)), kept())
    resumed, whole = engine(), engine()
    fit(resumed, kept())
    whole.advance(160)
    assert torch.equal(resumed.parameters()[0], whole.parameters()[0])

    path = kept().path("last")
    state = torch.load(path, weights_only=True)
    state["engine"]["buffers"][0] = torch.inf
    torch.save(state, path)
    with pytest.raises(DataError, match=r"engine\.buffers holds numbers that are not finite"):
        fit(engine(), kept())


class Centred(torch.nn.Module):
    """Subtracts a running mean that is no part of its state dict."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.register_buffer("mean", torch.zeros(3), persistent=False)

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(0.1 * x.mean(0))
        return self.layer(x - self.mean)


@pytest.mark.parametrize(("kind", "sigma"), [(PlainEngine, None), (OpacusEngine, 1.0)])
def test_buffers_that_are_not_saved_are_resumed(kind, sigma):
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(40, 3, generator=generator) + 3, torch.randint(0, 2, (40,), generator=generator)

    def engine():
        run = Run("one", np.arange(40), Seeds(1, 2, 3), sigma)
        return kind(OwnNetwork(Centred, None, 2, False), Recipe("sgd", 0.1, 10, 5), [run], x, y)

    whole, first, second = engine(), engine(), engine()
    whole.advance(20)
    first.advance(7)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    second.advance(13)
    assert torch.equal(second.parameters()[0], whole.parameters()[0])
    assert torch.equal(second.buffers()[0], whole.buffers()[0])
    assert whole.buffers()[0].abs().min() > 1
