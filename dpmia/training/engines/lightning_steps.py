"""What a `LightningModule` decides of private training: optimiser, schedules, and the gradients of records."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from pytorch_lightning.core.optimizer import _configure_optimizers, _configure_schedulers_automatic_opt
from pytorch_lightning.utilities.exceptions import MisconfigurationException
from torch.optim.lr_scheduler import LRScheduler

from dpmia.common.errors import TrainingError


class TrainerState:
    """What a module may read of its `trainer` in private training, which has no trainer of the module's own."""

    logger = None
    global_rank = local_rank = 0
    world_size = 1
    is_global_zero = training = True

    def __init__(self, epochs: int, steps: int) -> None:
        """Begin at the first of `steps` steps."""
        self.max_epochs = epochs
        self.max_steps = self.estimated_stepping_batches = steps
        self.num_training_batches = steps // epochs
        self.loggers: list[Any] = []
        self.follow(0)

    def follow(self, done: int) -> None:
        """Take it that `done` steps were taken."""
        self.global_step = done
        self.current_epoch, self.batch = divmod(done, self.num_training_batches)

    def __getattr__(self, name: str) -> Any:
        # torch asks objects for such names, and takes a missing one for no.
        if name.startswith("__"):
            raise AttributeError(name)
        names = sorted(key for key in {*vars(type(self)), *vars(self)} - {"follow", "batch"} if key[0] != "_")
        problem = f"{name!r} is not available in private training"
        raise TrainingError("self.trainer of a LightningModule", problem, f"Remove it; there are {', '.join(names)}")


class Schedules:
    """The learning rate schedulers of a module, stepped as Lightning steps them."""

    def __init__(self, configs: list[Any], steps_per_epoch: int) -> None:
        """Take them as Lightning describes them."""
        self.configs, self.steps_per_epoch = configs, steps_per_epoch

    def follow(self, done: int) -> None:
        """Set the learning rates of the step after `done` others."""
        epoch, batch = divmod(done, self.steps_per_epoch)
        for config in self.configs if done else ():
            # Of an epoch the last step counts as its own, after which both kinds are due.
            count = (batch or self.steps_per_epoch) if config.interval == "step" else epoch if not batch else 0
            if count and count % config.frequency == 0:
                config.scheduler.step()

    def state_dict(self) -> list[Any]:
        """Return where the schedulers stand."""
        return [config.scheduler.state_dict() for config in self.configs]

    def load_state_dict(self, states: list[Any]) -> None:
        """Go on from `state_dict`."""
        for config, state in zip(self.configs, states, strict=True):
            config.scheduler.load_state_dict(state)


def attach(own: Any, state: TrainerState) -> None:
    """Give a module its state, and discard what it logs: sums over records, which have no noise."""
    own.trainer = state
    own.log = own.log_dict = _discard


def _discard(*args: Any, **kwargs: Any) -> None:
    pass


def optimisation_of(own: Any, state: TrainerState, where: str) -> tuple[torch.optim.Optimizer, Schedules]:
    """Return the optimiser of a module and its schedules; parameters that it does not update are frozen.

    Raises:
        TrainingError: there is none, there are several, or one of a kind that cannot be trained privately.
    """
    where = f"{where}, configure_optimizers"
    configured = own.configure_optimizers()
    if configured is None:
        raise TrainingError(where, "it returns None", "Return an optimiser")
    try:
        optimisers, schedulers, monitor = _configure_optimizers(configured)
        configs = _configure_schedulers_automatic_opt(schedulers, monitor)
    except MisconfigurationException as error:
        raise TrainingError(where, " ".join(str(error).split())) from error
    if len(optimisers) != 1:
        raise TrainingError(
            where, f"{len(optimisers)} optimisers cannot share one privacy guarantee here", "Return one"
        )
    optimiser = optimisers[0]
    closure = inspect.signature(type(optimiser).step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        problem = f"{type(optimiser).__name__} computes gradients several times in one step, without noise"
        raise TrainingError(where, problem, "Use an optimiser such as SGD or Adam")
    for config in configs:
        name = type(config.scheduler).__name__
        if config.reduce_on_plateau:
            problem = f"{name} follows a loss that has no noise"
            raise TrainingError(where, problem, "Use a schedule that depends on the step only")
        if not isinstance(config.scheduler, LRScheduler) or config.scheduler.optimizer is not optimiser:
            problem = f"{name} is no scheduler of torch for the optimiser that is returned"
            raise TrainingError(where, problem, "Use one of torch.optim.lr_scheduler")
    _freeze_others(own, optimiser, where)
    return optimiser, Schedules(configs, state.num_training_batches)


def _freeze_others(own: Any, optimiser: torch.optim.Optimizer, where: str) -> None:
    updated = {id(weights) for group in optimiser.param_groups for weights in group["params"] if weights.requires_grad}
    held = {id(weights) for weights in own.parameters()}
    if updated - held:
        raise TrainingError(
            where, "it updates parameters that are not of the module", "Register them in layers of the module"
        )
    if not updated:
        raise TrainingError(where, "no parameter is trained", "Set requires_grad = True on some")
    for parameter in own.parameters():
        parameter.requires_grad_(id(parameter) in updated)


def record_gradients(
    network: torch.nn.Module, own: Any, x: torch.Tensor, y: torch.Tensor, state: TrainerState, where: str
) -> float:
    """Leave the gradient of each record in `grad_sample` of each trained parameter, and return the loss.

    Args:
        network: with the hooks of Opacus, without earlier gradients; `own`, perhaps after what shapes its records.
        own: the user's module.
        x: float32, flat features of some records.
        y: their labels.
        state: of the training.
        where: of which model, for the message.

    Raises:
        TrainingError: `training_step` returns no loss, or layers do not get one row for each record.
    """
    loss = _loss(own, network[0](x) if network is not own else x, y, state.batch, where)  # type: ignore[index]
    if loss.requires_grad:
        loss.backward()
    for name, parameter in own.named_parameters():
        if not parameter.requires_grad:
            continue
        rows = parameter.grad_sample
        if rows is None and (parameter.grad is None or not parameter.grad.any()):
            rows = parameter.new_zeros(len(x), *parameter.shape)
        if not isinstance(rows, torch.Tensor) or len(rows) != len(x):
            raise TrainingError(
                f"{where}, {name}",
                f"Opacus finds no gradient for each of {len(x)} records: the layer is not called on one row for each "
                "record, or its weights are used outside of it",
                "Call each layer on the records of the batch in their order, several views one after another",
            )
        parameter.grad_sample = rows * len(x)
    return float(loss.detach())


def _loss(own: Any, x: torch.Tensor, y: torch.Tensor, index: int, where: str) -> torch.Tensor:
    """Return what `training_step` returns for a batch, if it is a loss."""
    takes_index = len(inspect.signature(own.training_step).parameters) > 1
    returned = own.training_step([x, y], *([index] if takes_index else []))
    loss = returned.get("loss") if isinstance(returned, dict) else returned
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        kind = f"a tensor of shape {tuple(loss.shape)}" if isinstance(loss, torch.Tensor) else type(loss).__name__
        problem = f"it returns {kind}, which is no loss"
        raise TrainingError(f"{where}, training_step", problem, "Return the mean loss of the records of the batch")
    return loss.reshape(())
