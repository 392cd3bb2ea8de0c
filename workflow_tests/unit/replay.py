"""A training that is run again with one record taken out, or replaced, and nothing else changed."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.models.mlp import MLP
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

CLIP_NORM, SIGMA, BATCH, STEPS = 0.5, 0.7, 4, 8
RECORDS = 10
PERCEPTRON = MLP(6, (5,), 2)
NETWORK = CNN((1, 6, 6), (Convolution(3, 3), MaxPool(2, 2)), (5,), 2)
#: Differences that rounding makes, in units of the clip norm: parameters have seven digits.
ROUNDING = 1e-4


class Script(Streams):
    """Weights, batches and noise as given; they are not drawn, so they have no state."""

    def __init__(self, start):
        self.start, self.next_batch, self.next_noise = start, None, None

    def initial_parameters(self, architecture):
        return [part.clone() for part in self.start]

    def batch(self):
        return self.next_batch

    def noise(self, out, deviation=1):
        torch.mul(self.next_noise, deviation, out=out)

    def dropout(self, device=None):
        return nullcontext()

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


@dataclass
class Player:
    """One engine on one training set, that takes any step from any state."""

    engine: Any

    def step(self, state, batch, noise):
        """Return what the step subtracts from the parameters, in units of a sum of gradients: float64 (parameters,)."""
        of_engine, of_optimiser = copy.deepcopy(state)  # a step may change it in place
        self.engine.load_state_dict(of_engine)
        self.engine.optimiser.load_state_dict(of_optimiser)
        script, recipe = self.engine.streams[0], self.engine.recipe
        script.next_batch, script.next_noise = np.array(batch, dtype=np.int64), noise
        before = self.engine.parameters()[0].double()
        self.engine.advance(1)
        return (before - self.engine.parameters()[0].double()) * (recipe.batch_size / recipe.learning_rate)


def make_data(architecture):
    """Records whose gradients are shorter and longer than the clip norm; each has a twin with the other label."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(RECORDS, architecture.inputs, generator=generator) * torch.linspace(0.1, 3, RECORDS)[:, None]
    y = torch.randint(0, 2, (RECORDS,), generator=generator)
    return torch.cat([x, x]), torch.cat([y, 1 - y])


def replay(engine_type, architecture=PERCEPTRON, victim=RECORDS - 1, **changes):
    """Replay some steps without one record and with another in its place.

    Returns:
        The names of what does not hold, and the largest difference seen without the record and with its twin, in
        units of the clip norm.
    """
    recipe = replace(Recipe("sgd", 1.0, BATCH, 1, clip_norm=CLIP_NORM), **changes)
    x, y = make_data(architecture)
    start = architecture.initial_parameters(torch.Generator().manual_seed(2))
    others = np.delete(np.arange(RECORDS), victim)
    last = RECORDS - 1  # the place of the victim

    def player(records):
        run = Run("r", records, Seeds(1, 2, 3), SIGMA)
        return Player(engine_type(architecture, recipe, [run], x, y, [Script(start)]))

    whole, without, swapped = (
        player(np.append(others, tail).astype(int)) for tail in ([victim], [], [victim + RECORDS])
    )
    rng, noises = np.random.default_rng(3), torch.Generator().manual_seed(4)
    batches = [np.flatnonzero(rng.random(RECORDS) < BATCH / RECORDS) for _ in range(STEPS)]
    batches[1], batches[3], batches[5] = np.array([last]), np.array([], dtype=int), np.arange(RECORDS)
    faults, largest, largest_swapped = set(), 0.0, 0.0
    for batch in batches:
        state = copy.deepcopy((whole.engine.state_dict(), whole.engine.optimiser.state_dict()))
        noise, other_noise = torch.randn(2, architecture.parameter_count, generator=noises)
        rest = batch[batch != last]
        alone = [played.step(state, [last], noise) - played.step(state, [], noise) for played in (whole, swapped)]
        less, swap = without.step(state, rest, noise), swapped.step(state, batch, noise)
        reported = (noise - other_noise).double() * (SIGMA * CLIP_NORM)
        noisy = (
            without.step(state, rest, other_noise) + reported - less,
            whole.step(state, [], other_noise) + reported - whole.step(state, [], noise),
            whole.step(state, batch, other_noise) + reported,
        )
        step = whole.step(state, batch, noise)  # the last of all: the training goes on from here
        if max(deviation.norm() for deviation in (*noisy[:2], noisy[2] - step)) > ROUNDING * CLIP_NORM:
            faults.add("noise")
        there = float(last in batch)
        apart, apart_swapped = step - less, step - swap
        unexplained = (apart - there * alone[0]).norm(), (apart_swapped - there * (alone[0] - alone[1])).norm()
        if max(unexplained) > ROUNDING * CLIP_NORM:
            faults.add("nothing else")
        largest = max(largest, float(apart.norm()) / CLIP_NORM)
        largest_swapped = max(largest_swapped, float(apart_swapped.norm()) / CLIP_NORM)
    if largest > 1 + ROUNDING or largest_swapped > 2 + ROUNDING:
        faults.add("sensitivity")
    return faults, largest, largest_swapped
