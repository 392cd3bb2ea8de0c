"""Whether Opacus takes the gradients of single records of a network: tried on a few before it is trained."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from dpmia.common.errors import TrainingError
from dpmia.training.engines.loss import record_losses

if TYPE_CHECKING:
    from dpmia.training.engines.opacus import OpacusEngine

#: Records of the trial: half of them are a batch, the others may replace its first.
RECORDS = 8

#: Gradients that differ by less than this share are equal but for rounding.
ROUNDING = 1e-4

#: Seeds with which a network that draws random numbers is tried.
SEEDS = 10

#: Why a network is refused whose layers Opacus does not see as they are used, and what to do.
NOT_FOUND = (
    "Opacus does not find the gradient of each record: weights are used outside of their layer, or a layer is called "
    "on parts of records or not at all"
)
REMEDY = "Call each layer on one row for each record, in their order, and use its weights nowhere else"


def refuse_other_gradients(engine: OpacusEngine, where: str) -> None:
    """Refuse a network with whose gradients clipping would not bound what one record does.

    By automatic differentiation alone, the gradient of a record must not change with another record of the batch, and
    its norm must be the one by which Opacus clips it: it takes norms layer by layer, and misses weights that are used
    outside of their layer, or layers that are called on parts of records. Parameters and buffers must stay as they are:
    they are part of the model, and noise is added to gradients only.

    Args:
        engine: not yet trained, with `RECORDS` records.
        where: one of the models, for the message.

    Raises:
        TrainingError: it is such a network.
    """
    half = RECORDS // 2
    x, y = engine.train_x[:half], engine.train_y[:half]
    changed = x.clone()
    changed[0] = engine.train_x[(engine.train_x - x[0]).flatten(1).norm(dim=1).argmax()]
    with _seeded(0):
        network = engine.architecture.module().train()
    network.load_state_dict(engine.module.state_dict())
    with refuse_changes(network, where, getattr(engine.architecture, "layer_name", str)):
        first = _gradients(network, x, y, seed=0)
    deterministic = equal_rows(first, _gradients(network, x, y, seed=1))
    if mixes_records(lambda inputs, seed: _gradients(network, inputs, y, seed), x, changed, deterministic):
        problem = (
            "the gradient of a record changes with another record of the batch: clipping would not bound what one "
            "record does"
        )
        raise TrainingError(where, problem, "Return outputs that each depend on their own record alone")
    try:
        with _seeded(0):
            norms = engine.record_norms(x, y)
    except Exception as error:  # the network alone has just been run, so whatever it is comes from Opacus
        if isinstance(error, TrainingError) or engine.grad_sample_mode == "hooks":
            raise
        raise TrainingError(
            where, f"ghost clipping cannot train it ({error})", "Set grad_sample_mode: hooks"
        ) from error
    # The sum of 10^7 squares takes float64.
    expected = torch.stack([gradient.double().norm() for gradient in first])
    if len(norms) != half or not equal_rows(expected[:, None], norms[:, None]):
        raise TrainingError(where, NOT_FOUND, REMEDY)


def mixes_records(gradients: Callable[[Any, int], torch.Tensor], batch: Any, changed: Any, deterministic: bool) -> bool:
    """Return whether the gradient of a record changes with another record of its batch.

    Args:
        gradients: takes a batch and a seed; returns the gradient of each record, shape (records, parameters).
        batch: records.
        changed: the same, but for the first.
        deterministic: whether all seeds give the same gradients. Otherwise `SEEDS` of them are tried, as random pairs
            of records need not meet the first.
    """
    return not all(
        equal_rows(gradients(batch, seed)[1:], gradients(changed, seed)[1:])
        for seed in range(1 if deterministic else SEEDS)
    )


@contextmanager
def refuse_changes(network: torch.nn.Module, where: str, named: Callable[[str], str] = str) -> Iterator[None]:
    """Refuse a network whose own code changes parameters or buffers within the block, as running statistics do.

    Args:
        network: in training mode.
        where: the place, for the message.
        named: returns the name of a parameter or a buffer as the author of the network knows it.

    Raises:
        TrainingError: the message names the first that changed.
    """
    before = {name: values.clone() for name, values in _state(network)}
    yield
    for name, values in _state(network):
        if name not in before or not torch.equal(values, before[name]):
            problem = f"it changes {named(name)} itself, which would keep something of the records without privacy"
            raise TrainingError(where, problem, "Leave changes to the optimiser, and keep no running statistics")


def _state(network: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield all parameters and buffers of a network with their names; a state dict lacks buffers that are not saved."""
    yield from network.named_parameters()
    yield from network.named_buffers()


def _gradients(network: torch.nn.Module, x: torch.Tensor, y: torch.Tensor, seed: int) -> torch.Tensor:
    """Return the gradient of each record by automatic differentiation alone: shape (records, parameters)."""
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    with _seeded(seed):
        losses = record_losses(network(x), y)
    gradients = []
    for loss in losses:
        parts = torch.autograd.grad(loss, trained, retain_graph=True, allow_unused=True, materialize_grads=True)
        gradients.append(torch.cat([part.flatten() for part in parts]))
    return torch.stack(gradients)


def equal_rows(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether rows are equal but for rounding."""
    scale = torch.maximum(one.norm(dim=1), other.norm(dim=1)).max()
    return bool(((one - other).norm(dim=1) <= ROUNDING * scale).all())


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Draw from a seed within the block, and go on outside of it as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Full backward hook is firing")
        torch.manual_seed(seed)
        yield
