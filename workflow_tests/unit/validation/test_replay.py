"""The guarantee by replay: a training is run again with one record taken out, or replaced, and nothing else changed.

Both runs have the same weights, batches and noise, and each step starts from the same state: what the promise takes for
granted of one step, given all before it. Then three things must hold.

`sensitivity`: sums of clipped gradients differ by at most C where a record is taken out, by 2C where it is replaced.
`nothing else`: they differ by what that record gives in a batch of its own, and not at all where it is in none.
`noise`: other noise changes the step by sigma C times the difference of the noise, whatever the records.

What an optimiser makes of the noisy sum is the same function of it in both runs. What happens before a batch is drawn
(rate, number of steps, noise of other models, the relation) is the same in both runs too, so such a fault cannot show
here: the audit of `test_canary` sees it. `FAULTS` says of each deliberate fault which of the four finds it.
"""

from __future__ import annotations

import copy
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.models.mlp import MLP
from dpmia.training.engines import stacked_layout
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.recipe import Recipe, Run, Seeds
from dpmia.training.streams import Streams

CLIP_NORM, SIGMA, BATCH, STEPS = 0.5, 0.7, 4, 8
RECORDS = 10
PERCEPTRON = MLP(6, (5,), 2)
NETWORK = CNN((1, 6, 6), (Convolution(3, 3), MaxPool(2, 2)), (5,), 2)
#: Differences that rounding makes, in units of the clip norm: parameters have seven digits.
ROUNDING = 1e-4


# --- Replay -----------------------------------------------------------------------------------------------------


class Script(Streams):
    """Weights, batches and noise as given; they are not drawn, so they have no state."""

    def __init__(self, start):
        self.start, self.next_batch, self.next_noise = start, None, None

    def initial_parameters(self, architecture):
        return [part.clone() for part in self.start]

    def batch(self):
        return self.next_batch

    def noise(self, out):
        out.copy_(self.next_noise)

    def dropout(self):
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
        self.engine.load_state_dict(copy.deepcopy(state))  # a step may change it in place
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
    found, largest, largest_swapped = set(), 0.0, 0.0
    for batch in batches:
        state = copy.deepcopy(whole.engine.state_dict())
        noise, other_noise = torch.randn(2, architecture.parameter_count, generator=noises)
        rest = batch[batch != last]
        alone = [each.step(state, [last], noise) - each.step(state, [], noise) for each in (whole, swapped)]
        less, swap = without.step(state, rest, noise), swapped.step(state, batch, noise)
        reported = (noise - other_noise).double() * (SIGMA * CLIP_NORM)
        noisy = (
            without.step(state, rest, other_noise) + reported - less,
            whole.step(state, [], other_noise) + reported - whole.step(state, [], noise),
            whole.step(state, batch, other_noise) + reported,
        )
        step = whole.step(state, batch, noise)  # the last of all: the training goes on from here
        if max(deviation.norm() for deviation in (*noisy[:2], noisy[2] - step)) > ROUNDING * CLIP_NORM:
            found.add("noise")
        there = float(last in batch)
        apart, apart_swapped = step - less, step - swap
        unexplained = (apart - there * alone[0]).norm(), (apart_swapped - there * (alone[0] - alone[1])).norm()
        if max(unexplained) > ROUNDING * CLIP_NORM:
            found.add("nothing else")
        largest = max(largest, float(apart.norm()) / CLIP_NORM)
        largest_swapped = max(largest_swapped, float(apart_swapped.norm()) / CLIP_NORM)
    if largest > 1 + ROUNDING or largest_swapped > 2 + ROUNDING:
        found.add("sensitivity")
    return found, largest, largest_swapped


# --- The engines are right --------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, {"momentum": 0.9, "l2": 0.01}], ids=["sgd", "momentum, l2"])
@pytest.mark.parametrize(
    ("engine", "architecture"),
    [
        (StackedEngine, PERCEPTRON),
        (StackedEngine, replace(PERCEPTRON, activation="tanh")),
        (OpacusEngine, PERCEPTRON),
        (OpacusEngine, NETWORK),
        (ConvolutionEngine, NETWORK),
    ],
    ids=["stacked", "stacked, tanh", "opacus, ghost", "opacus, hooks", "convolution"],
)
def test_one_record_changes_a_step_by_its_own_clipped_gradient_and_by_nothing_else(engine, architecture, changes):
    longest, longest_swapped = 0.0, 0.0
    for victim in (3, RECORDS - 1):
        found, largest, largest_swapped = replay(engine, architecture, victim, **changes)
        assert not found
        longest, longest_swapped = max(longest, largest), max(longest_swapped, largest_swapped)
    # Clipping was at work: the bounds are reached.
    assert longest > 0.99
    assert longest_swapped > 1.9


@pytest.mark.parametrize("padded", [0, 10**9], ids=["ragged", "padded"])
def test_no_model_of_a_stack_notices_the_records_of_another(padded, monkeypatch):
    monkeypatch.setattr(stacked_layout, "PADDED_PARAMETERS", padded)
    assert not replay(StackedEngine)[0]
    x, y = make_data(PERCEPTRON)
    recipe = Recipe("adam", 0.1, BATCH, 1, clip_norm=CLIP_NORM)

    def bystander(first):
        runs = [Run(f"r{k}", rows, Seeds(k, k, k), SIGMA) for k, rows in enumerate((first, np.arange(RECORDS)))]
        engine = StackedEngine(PERCEPTRON, recipe, runs, x, y)
        engine.advance(engine.steps)
        return engine.parameters()[1]

    whole, swapped = bystander(np.arange(RECORDS)), bystander(np.append(np.arange(RECORDS - 1), 2 * RECORDS - 1))
    assert torch.equal(whole, swapped)


# --- Deliberate faults ------------------------------------------------------------------------------------------


class BeforeUpdate(StackedEngine):
    """Changes the noisy gradient just before the optimiser takes it."""

    def __init__(self, *args):
        super().__init__(*args)
        take = self._optimiser.step

        def step():
            self.change(self._flat.grad)
            take()

        self._optimiser.step = step

    def _step(self, batches, losses):
        self.drawn = len(batches[0])
        super()._step(batches, losses)


class OtherNorms(StackedEngine):
    """Clips by something else than the norm of each record's gradient."""

    def __init__(self, *args):
        super().__init__(*args)
        self.true_norms = self._network.gradient_norms
        self._network.gradient_norms = self.norms

    def layers(self):
        return zip(self._network.inputs, self._network.deltas, strict=True)

    def sum_of_gradients(self):
        """Of the batch, unclipped: float32 (parameters,)."""
        parts = [(delta.T @ a, delta.sum(0)) for a, delta in self.layers()]
        return torch.cat([part.flatten() for pair in parts for part in pair])


class NoClipping(OtherNorms):
    def norms(self):
        return torch.zeros_like(self.true_norms())


class ClippingOfTheBatch(OtherNorms):
    def norms(self):
        return torch.full_like(self.true_norms(), float(self.sum_of_gradients().norm()))


class MeanBeforeClipping(OtherNorms):
    def norms(self):
        norms = self.true_norms()
        return torch.full_like(norms, float(self.sum_of_gradients().norm()) / len(norms))


class SquaredNorm(OtherNorms):
    def norms(self):
        return self.true_norms().square()


class LargestEntry(OtherNorms):
    """The maximum norm in place of the Euclidean one."""

    def norms(self):
        largest = [
            torch.maximum(a.abs().amax(1), torch.ones(len(a))) * delta.abs().amax(1) for a, delta in self.layers()
        ]
        return torch.stack(largest).amax(0)


class WeightsOnly(OtherNorms):
    """Biases are left out of the norm."""

    def norms(self):
        return sum(a.square().sum(1) * delta.square().sum(1) for a, delta in self.layers()).sqrt()


class LastLayerOnly(OtherNorms):
    """The norm of the last layer's gradient clips all layers."""

    def norms(self):
        a, delta = list(self.layers())[-1]
        return (1 + a.square().sum(1)).sqrt() * delta.norm(dim=1)


class EachLayer(OtherNorms):
    """Each layer is clipped to C on its own."""

    def norms(self):
        for a, delta in self.layers():
            norms = (1 + a.square().sum(1)).sqrt() * delta.norm(dim=1)
            delta.mul_((CLIP_NORM / norms).clamp(max=1)[:, None])
        return torch.zeros(len(delta))


class NormsOfTheNeighbour(OtherNorms):
    """Factors go to the wrong records."""

    def norms(self):
        return self.true_norms().roll(1)


class ClippingAfterNoise(NoClipping, BeforeUpdate):
    def change(self, gradient):
        gradient.mul_((CLIP_NORM / BATCH / gradient.norm()).clamp(max=1))


class UnclippedMomentum(OtherNorms, BeforeUpdate):
    """Momentum is gathered from the gradients before they are clipped."""

    momentum = 0.0

    def norms(self):
        self.momentum = 0.9 * self.momentum + self.sum_of_gradients() / BATCH
        return self.true_norms()

    def change(self, gradient):
        gradient.add_(self.momentum)


class ActualBatchSize(BeforeUpdate):
    """The sum is divided by the number of records drawn."""

    def change(self, gradient):
        gradient.mul_(BATCH / max(self.drawn, 1))


class StepOfUnitLength(OtherNorms, BeforeUpdate):
    """The step is scaled by the gradient without noise."""

    length = 1.0

    def norms(self):
        self.length = float(self.sum_of_gradients().norm())
        return self.true_norms()

    def change(self, gradient):
        gradient.div_(self.length)


class SecondPass(StackedEngine):
    """Each batch is taken twice."""

    def _step(self, batches, losses):
        super()._step(batches, losses)
        super()._step(batches, losses)


class RecordTwice(StackedEngine):
    """Pieces of a batch overlap by a record."""

    def _step(self, batches, losses):
        super()._step([np.append(batch, batch[-1:]) for batch in batches], losses)


class EmptyBatchesSkipped(StackedEngine):
    def _step(self, batches, losses):
        if len(batches[0]):
            super()._step(batches, losses)


class BatchStatistics(StackedEngine):
    """Logits are centred over the batch."""

    def _losses(self, outputs, rows, places):
        return super()._losses(outputs - outputs.mean(0), rows, places)


class ClassWeights(StackedEngine):
    """Records are weighted by the numbers of the classes in the training set."""

    def _losses(self, outputs, rows, places):
        loss, gradient = super()._losses(outputs, rows, places)
        counts = torch.bincount(self.y[self._rows], minlength=2)
        return loss, gradient * (len(self._rows) / counts[self.y[rows]])[:, None]


class CentredData(StackedEngine):
    """Features are centred by the mean of the training set."""

    def __init__(self, architecture, recipe, runs, x, y, streams):
        super().__init__(architecture, recipe, runs, x - x[runs[0].records].mean(0), y, streams)


class OtherNoise(StackedEngine):
    """Changes the noise before any record's gradient is added to it."""

    def _draw_noise(self):
        super()._draw_noise()
        self.change_noise(self._flat.grad)


class NoiseOff(OtherNoise):
    def change_noise(self, noise):
        noise.zero_()


class HalfOfTheNoise(OtherNoise):
    def change_noise(self, noise):
        noise.mul_(0.5)


class NoiseWithoutClipNorm(OtherNoise):
    """Standard deviation sigma in place of sigma C."""

    def change_noise(self, noise):
        noise.div_(CLIP_NORM)


class NoiseDividedTwice(OtherNoise):
    """The noise is divided by the batch size before it is added to the mean, and once more with it."""

    def change_noise(self, noise):
        noise.div_(BATCH)


class NoiseOfEachRecord(OtherNoise):
    """Noise is added to each clipped gradient: none to an empty batch, and more to a large one."""

    def _step(self, batches, losses):
        self.drawn = len(batches[0])
        super()._step(batches, losses)

    def change_noise(self, noise):
        noise.mul_(self.drawn)


class NoiseOnWeights(OtherNoise):
    """Biases get none."""

    def change_noise(self, noise):
        for part in self._network.bias_gradients:
            part.zero_()


class NoiseDrawnOnce(OtherNoise):
    """The noise of the first step serves for all."""

    first = None

    def change_noise(self, noise):
        self.first = noise.clone() if self.first is None else self.first
        noise.copy_(self.first)


SENSITIVITY, NOTHING_ELSE, NOISE = "sensitivity", "nothing else", "noise"
FAULTS = {
    NoClipping: {SENSITIVITY},
    ClippingOfTheBatch: {SENSITIVITY, NOTHING_ELSE},
    MeanBeforeClipping: {SENSITIVITY, NOTHING_ELSE},
    SquaredNorm: {SENSITIVITY},
    LargestEntry: {SENSITIVITY},
    WeightsOnly: {SENSITIVITY},
    LastLayerOnly: {SENSITIVITY},
    EachLayer: {SENSITIVITY},
    NormsOfTheNeighbour: {SENSITIVITY, NOTHING_ELSE},
    ClippingAfterNoise: {NOTHING_ELSE, NOISE},
    UnclippedMomentum: {SENSITIVITY, NOTHING_ELSE},
    ActualBatchSize: {NOTHING_ELSE, NOISE},
    StepOfUnitLength: {NOTHING_ELSE, NOISE},
    SecondPass: {SENSITIVITY, NOISE},
    RecordTwice: {SENSITIVITY},
    EmptyBatchesSkipped: {NOTHING_ELSE, NOISE},
    BatchStatistics: {NOTHING_ELSE},
    ClassWeights: {NOTHING_ELSE},
    CentredData: {NOTHING_ELSE},
    NoiseOff: {NOISE},
    HalfOfTheNoise: {NOISE},
    NoiseWithoutClipNorm: {NOISE},
    NoiseDividedTwice: {NOISE},
    NoiseOfEachRecord: {NOISE},
    NoiseOnWeights: {NOISE},
    NoiseDrawnOnce: {NOISE},
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_shows_in_the_replay(fault):
    found = set()
    for victim in (RECORDS - 1, 3, 0):
        found |= replay(fault, victim=victim)[0]
        if found >= FAULTS[fault]:
            return
    pytest.fail(f"expected {FAULTS[fault]}, found {found}")
