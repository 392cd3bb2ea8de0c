"""What a network keeps outside of parameters and saved buffers: resumed with the rest, or refused."""

import copy

import numpy as np
import pytest
import torch
from training_checks import experiment, splits_of, toy

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.models.building import OwnNetwork
from dpmia.planning import jobs
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
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

def lightning(kind):
    class Module(kind, pl.LightningModule):
        def training_step(self, batch, index):
            return torch.nn.functional.cross_entropy(self(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.05)

    return Module

AnnealedModule, RegisteredModule = lightning(Annealed), lightning(Registered)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(NETWORKS)
    monkeypatch.chdir(tmp_path)


def train(name, engine="plain"):
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
    return train_block(dataset, splits_of(dataset, given), jobs.train_job(given, given.epsilons[0], 0), 1)


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
