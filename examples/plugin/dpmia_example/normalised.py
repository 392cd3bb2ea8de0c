"""A perceptron with layer norm and dropout."""

from dataclasses import dataclass

from torch import nn

from dpmia.models.initial_weights import torch_default


@dataclass(frozen=True)
class Normalised:
    """The shape of the network."""

    inputs: int
    outputs: int
    width: int

    def module(self):
        """Return the network on flat rows of features; it returns logits."""
        hidden = nn.Linear(self.inputs, self.width), nn.LayerNorm(self.width), nn.ReLU(), nn.Dropout(0.5)
        return nn.Sequential(*hidden, nn.Linear(self.width, self.outputs))

    def initial_parameters(self, generator):
        """Return weights and biases in the order of the module's parameters."""
        return torch_default(self, generator)


def normalised(inputs, outputs, image, width=64):
    """Return the network for a data set."""
    return Normalised(inputs, outputs, width)
