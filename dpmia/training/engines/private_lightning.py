"""A `LightningModule` of the user's own, trained privately: its loss and optimiser, gradients of records by Opacus."""

from __future__ import annotations

import math
from typing import Any

import torch

from dpmia.formats.recipe import Recipe
from dpmia.training.engines.lightning_module import OWN_RATE, lightning_network_of, own_module
from dpmia.training.engines.lightning_private_checks import refuse_mixing, refuse_unsuited
from dpmia.training.engines.lightning_steps import Schedules, TrainerState, attach, optimisation_of, record_gradients
from dpmia.training.engines.opacus import OpacusEngine, check_layers


class PrivateLightningEngine(OpacusEngine):
    """One private model. Batches, noise, clipping and accounting are those of every other private model here.

    `training_step` gets a fixed number of records at a time. Of a smaller batch, records are repeated, and the
    gradients of the repetitions are dropped: however a loss depends on the number of records, the gradient of one
    record does not depend on how many others were sampled.
    """

    lower_rate = OWN_RATE

    def _build(self) -> None:
        """See `Engine._build`."""
        self.schedules = Schedules([], 1)
        self.trainer_state = TrainerState(self.recipe.epochs, self.steps)
        super()._build()
        self._chunk = min(self._chunk, _records_at_once(self.recipe))

    def _mode(self) -> str:
        return "hooks"

    def _torch_optimiser(self) -> torch.optim.Optimizer:
        """Return the module's own optimiser. What it does not update is frozen."""
        own = own_module(self.module)
        own.to(self.device)
        attach(own, self.trainer_state)
        optimiser, self.schedules = optimisation_of(own, self.trainer_state, f"model {self.run.name}")
        return optimiser

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse what cannot be trained privately; see `Engine.check`."""
        network = lightning_network_of(architecture, where)
        check_layers(architecture, network, where, "epsilon inf")
        refuse_unsuited(own_module(network), where)

    @classmethod
    def try_out(cls, architecture: Any, recipe: Recipe, where: str, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuse a loss that mixes records, as far as a few records show it; see `Engine.try_out`."""
        refuse_mixing(architecture, recipe, where, x, y)

    def _set_learning_rate(self) -> None:
        """Leave the learning rates to the module's schedules."""
        self.schedules.follow(self.done)
        self.trainer_state.follow(self.done)

    def _gradients_of_chunk(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """See `OpacusEngine._gradients_of_chunk`; chunks have one size, and rows beyond theirs count for nothing."""
        rows = torch.arange(self._chunk, device=self.device) % len(x)
        loss = record_gradients(
            self.module, own_module(self.module), x[rows], y[rows], self.trainer_state, f"model {self.run.name}"
        )
        for parameter in self._private_optimiser.params:
            parameter.grad_sample = parameter.grad_sample[: len(x)]
        self.tally.losses += loss * len(x)
        self.tally.correct = math.nan

    def state_dict(self) -> dict[str, Any]:
        """See `GradientEngine.state_dict`."""
        return {**super().state_dict(), "schedules": self.schedules.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `GradientEngine.load_state_dict`."""
        super().load_state_dict(state)
        self.schedules.load_state_dict(state["schedules"])


def _records_at_once(recipe: Recipe) -> int:
    """Return a number of records that most batches do not exceed, and all where they have one size."""
    spread = 2 * math.isqrt(recipe.batch_size) if recipe.sampling == "poisson" else 0
    return recipe.batch_size + spread
