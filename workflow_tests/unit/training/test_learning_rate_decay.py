"""A learning rate that falls by the step, and the memory of Adam: the same formula in every engine."""

import copy
import functools

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR

from dpmia.common.errors import ConfigError
from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, Convolution
from dpmia.models.mlp import MLP
from dpmia.planning import jobs
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.settings.training import Training
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

PERCEPTRON = MLP(inputs=50, hidden=(6,), outputs=3)
NETWORK = CNN((2, 5, 5), (Convolution(4, 3),), (6,), 3)
#: Nobody's gradient is so long: clipping without effect, noise of no size.
LOUD = 1e4
#: name -> engine, architecture, noise multiplier.
ENGINES = {
    "stacked": (StackedEngine, PERCEPTRON, None),
    "stacked, private": (StackedEngine, PERCEPTRON, 0.0),
    "plain, perceptron": (PlainEngine, PERCEPTRON, None),
    "plain, convolutions": (PlainEngine, NETWORK, None),
    "convolution": (ConvolutionEngine, NETWORK, None),
    "convolution, private": (ConvolutionEngine, NETWORK, 0.0),
    "opacus, ghosts": (OpacusEngine, PERCEPTRON, 0.0),
    "opacus, hooks": (OpacusEngine, NETWORK, 0.0),
}
every_engine = pytest.mark.parametrize("name", ENGINES)


@functools.cache
def data(records=12):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(records, 50, generator=generator), torch.randint(0, 3, (records,), generator=generator)


def recipe(**changes):
    """Return a recipe whose every batch is the whole training set."""
    settings = {"optimiser": "sgd", "learning_rate": 0.5, "batch_size": 12, "epochs": 40, "sampling": "shuffle"}
    return Recipe(**{**settings, "clip_norm": LOUD, **changes})


def run(sigma=None, **changes):
    return Run("r", np.arange(12), Seeds(1, 2, 3), sigma, **changes)


def make(name, settings, **changes):
    kind, architecture, sigma = ENGINES[name]
    return kind(architecture, settings, [run(sigma, **changes)], *data())


def loss(architecture, parameters):
    """Return the mean loss of all records as a function of the flat parameters."""
    module, parts, done = architecture.module(), {}, 0
    for name, part in module.named_parameters():
        parts[name] = parameters[done : done + part.numel()].view_as(part)
        done += part.numel()
    x, y = data()
    return cross_entropy(torch.func.functional_call(module, parts, (x,)), y)


@every_engine
@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_the_step_after_t_others_has_the_learning_rate_over_one_plus_decay_times_t(name, decay):
    settings = recipe(decay=decay)
    engine = make(name, settings)
    for t in range(8):
        before = engine.parameters()[0].requires_grad_()
        (gradient,) = torch.autograd.grad(loss(ENGINES[name][1], before), before)
        engine.advance(1)
        expected = -0.5 / (1 + decay * t) * gradient
        torch.testing.assert_close(engine.parameters()[0] - before.detach(), expected, rtol=1e-3, atol=1e-6)


@every_engine
def test_adam_follows_a_scheduler_and_the_betas_of_the_framework(name):
    settings = recipe(optimiser="adam", learning_rate=0.01, betas=[0.5, 0.99], decay=0.05)
    engine = make(name, settings)
    flat = engine.parameters()[0].requires_grad_()
    optimiser = torch.optim.Adam([flat], lr=0.01, betas=(0.5, 0.99))
    scheduler = LambdaLR(optimiser, lambda t: 1 / (1 + 0.05 * t))
    for _ in range(30):
        optimiser.zero_grad()
        loss(ENGINES[name][1], flat).backward()
        optimiser.step()
        scheduler.step()
    engine.advance(30)
    torch.testing.assert_close(engine.parameters()[0], flat.detach(), rtol=0, atol=1e-4)


@every_engine
@pytest.mark.parametrize("changes", [{"decay": 0.05}, {"betas": [0.5, 0.99]}])
def test_decay_and_betas_make_a_difference(name, changes):
    adam = {"optimiser": "adam", "learning_rate": 0.01}
    plain, changed = make(name, recipe(**adam)), make(name, recipe(**adam, **changes))
    for engine in (plain, changed):
        engine.advance(20)
    assert (plain.parameters()[0] - changed.parameters()[0]).abs().max() > 1e-2


@every_engine
def test_resuming_goes_on_at_the_pace_that_was_reached(name):
    settings = recipe(decay=0.3, momentum=0.9)
    whole = make(name, settings)
    whole.advance(7)
    state, momenta = copy.deepcopy((whole.state_dict(), whole.optimiser.state_dict()))
    whole.advance(6)
    resumed = make(name, settings)
    resumed.load_state_dict(state)
    resumed.optimiser.load_state_dict(momenta)
    resumed.advance(6)
    assert torch.equal(whole.parameters()[0], resumed.parameters()[0])


def test_the_pace_is_that_of_the_formula():
    # Yeom et al. 2018, VI-A: decay 5e-4; after 2000 steps half of the learning rate is left.
    assert [Recipe("sgd", 1, 1, 1, decay=5e-4).pace(t) for t in (0, 2000, 18000)] == [1, 0.5, 0.1]
    assert Recipe("sgd", 1, 1, 1).pace(10**9) == 1


# Settings


def experiment(**training):
    settings = {
        "dataset": "mnist",
        "membership": {"kind": "iid", "members": 40, "nonmembers": 40},
        "arms": {"one": {}},
        "iid_arms": False,
        "training": training,
        "epsilons": [["inf"]],
        "replicates": 1,
        "block": 1,
        "attacks": {"random": {}},
    }
    return checked(Experiment, settings, "test")


def test_the_recipe_of_a_job_holds_betas_and_decay():
    reported = jobs.train_job(experiment(betas=[0.5, 0.99], decay=5e-4), [float("inf")], 0).recipes
    (reported,) = reported.values()
    assert reported.betas == (0.5, 0.99)
    assert reported.decay == 5e-4


def test_left_out_they_are_those_of_the_framework():
    ours = Training()
    framework = torch.optim.Adam([torch.zeros(1)]).defaults
    assert tuple(ours.betas) == framework["betas"] == Recipe("adam", 1, 1, 1).betas
    assert ours.decay == Recipe("adam", 1, 1, 1).decay == 0


@pytest.mark.parametrize(
    ("key", "value"), [("betas", [0.9]), ("betas", [0.9, 1.0]), ("betas", [0.9, 0.9, 0.9]), ("decay", -0.1)]
)
def test_impossible_ones_are_refused_by_name(key, value):
    with pytest.raises(ConfigError, match=rf"training\.{key}"):
        experiment(**{key: value})
