"""Engines with deliberate faults, and what shows each in the replay."""

from __future__ import annotations

import numpy as np
import torch
from replay import (
    BATCH,
    CLIP_NORM,
)

from dpmia.training.engines.stacked import StackedEngine


class BeforeUpdate(StackedEngine):
    """Changes the noisy gradient just before the optimiser takes it."""

    def __init__(self, *args):
        super().__init__(*args)
        take = self.optimiser.step

        def step():
            self.change(self._flat.grad)
            take()

        self.optimiser.step = step

    def gradients(self, batches):
        self.drawn = len(batches[0])
        super().gradients(batches)


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

    def step(self, batches):
        super().step(batches)
        super().step(batches)


class RecordTwice(StackedEngine):
    """Pieces of a batch overlap by a record."""

    def gradients(self, batches):
        super().gradients([np.append(batch, batch[-1:]) for batch in batches])


class EmptyBatchesSkipped(StackedEngine):
    def gradients(self, batches):
        if len(batches[0]):
            super().gradients(batches)


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

    def _draw_noise(self, model):
        super()._draw_noise(model)
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

    def gradients(self, batches):
        self.drawn = len(batches[0])
        super().gradients(batches)

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
