"""What tests of trained models share: a small data set, an experiment, and a second way to train a model."""

import numpy as np
import torch

from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.planning import jobs
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.block import draw_block
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit
from dpmia.training.model_spec import seeds
from dpmia.training.run import Run
from dpmia.training.train_models import architecture_for


def toy():
    """Return 240 records of two hospitals and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 240)
    x = (rng.random((240, 3)) + y[:, None] * [0.5, 0, 0]).astype(np.float32)
    return Dataset("toy", x, y, ("p", "q", "r"), ("no", "yes"), {"hospital": np.repeat(["a", "b"], [120, 120])})


def experiment(**changes):
    """Return settings with target, shadow and reference models that are trained in milliseconds."""
    settings = {
        "dataset": "heart",
        "membership": {"kind": "group", "by": "hospital", "members": 40, "nonmembers": 30},
        "arms": {"one": {"group": "a"}},
        "model": {"hidden": [6]},
        "training": {"batch_size": 10, "epochs": 2, "learning_rate": 0.05},
        "privacy": {"relation": "add_remove"},
        "epsilons": [[1, "inf"]],
        "replicates": 2,
        "block": 2,
        "shadows": {"count": 3, "l2": 0.01},
        "references": {"count": 6, "block": 3},
        "attacks": {"random": {}, "lira_offline": {}},
    }
    return checked(Experiment, settings | changes, "test")


def splits_of(dataset, given, block=0, seed=1):
    """Return the splits of one block of target models."""
    job = jobs.split_job(given, block)
    return draw_block(dataset, None, load(job.draw), job.arms, job.replicates, seed)


def trained_alone(dataset, card, records, soft_labels=None, expected=None):
    """Return the module of a model that is trained once more, alone, from its card.

    Models without privacy are trained by torch's own autograd and optimiser.
    """
    accounting = card.accounting
    sigma = None if accounting is None else accounting.noise_multiplier
    run = Run("again", records, seeds(card.seed, card.meaning), sigma, soft_labels, expected=expected)
    architecture = architecture_for(dataset, card.model)
    x, y = torch.from_numpy(dataset.inputs()), torch.from_numpy(dataset.y)
    engine = (PlainEngine if sigma is None else StackedEngine)(architecture, card.recipe, [run], x, y)
    fit(engine)
    module = architecture.module()
    torch.nn.utils.vector_to_parameters(engine.parameters()[0], module.parameters())
    return module


def logits_of(module, dataset, records):
    """Return what a model answers about some records."""
    with torch.inference_mode():
        return module(torch.from_numpy(dataset.inputs(records)))


def mean_losses(engine, steps):
    """Take some steps, and return the mean training loss of each model over them."""
    engine.advance(steps)
    return engine.tally.mean_losses()
