"""Networks as a user adds them: with dropout, batch norm, and what engines refuse."""

from dataclasses import dataclass

from torch import nn

from dpmia.models.initial_weights import torch_default


class Broken(nn.Module):
    """Returns NaN in eval mode only, so that training goes well."""

    def forward(self, x):
        return x if self.training else x * float("nan")


#: name -> layers between the two linear ones.
LAYERS = {
    "batch norm and dropout": lambda: [nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5)],
    "batch norm": lambda: [nn.BatchNorm1d(16), nn.ReLU()],
    "dropout": lambda: [nn.ReLU(), nn.Dropout(0.5)],
    "neither": lambda: [nn.ReLU()],
    "broken": lambda: [Broken()],
    "float64": lambda: [nn.Linear(16, 16).double()],
    "bfloat16": lambda: [nn.Linear(16, 16).bfloat16()],
    "batch norm without weights": lambda: [nn.BatchNorm1d(16, affine=False), nn.ReLU()],
    "batch norm without statistics": lambda: [nn.BatchNorm1d(16, track_running_stats=False), nn.ReLU()],
    "instance norm with statistics": lambda: [
        *(nn.Unflatten(1, (4, 4)), nn.InstanceNorm1d(4, affine=True, track_running_stats=True), nn.Flatten())
    ],
}


@dataclass(frozen=True)
class Network:
    """Two linear layers with others between them."""

    inputs: int
    outputs: int
    layers: str

    def module(self):
        return nn.Sequential(nn.Linear(self.inputs, 16), *LAYERS[self.layers](), nn.Linear(16, self.outputs))

    def initial_parameters(self, generator):
        return torch_default(self, generator)


class Forgetful(Network):
    """Has initial parameters for its linear layers only."""

    def initial_parameters(self, generator):
        return [*torch_default(self, generator)[:2], *torch_default(self, generator)[-2:]]


class Softmaxed(Network):
    """Returns probabilities where logits are wanted."""

    def module(self):
        return nn.Sequential(*super().module(), nn.Softmax(1))


def softmaxed(inputs, outputs, image, layers):
    return Softmaxed(inputs, outputs, layers)


def network(inputs, outputs, image, layers):
    return Network(inputs, outputs, layers)


def forgetful(inputs, outputs, image, layers):
    return Forgetful(inputs, outputs, layers)
