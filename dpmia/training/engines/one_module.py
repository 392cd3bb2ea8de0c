"""What engines of one module share, whoever takes its steps: its initial weights, and what is kept of it."""

from __future__ import annotations

import torch

from dpmia.common.errors import TrainingError
from dpmia.common.seeds import derive_seed
from dpmia.models.generators import drawing_from
from dpmia.training.engines.base import Engine
from dpmia.training.engines.evaluation import evaluate, flat_buffers
from dpmia.training.run import Run
from dpmia.training.streams import full_generator

#: Records on which a trained network is compared with one made anew.
FEW = 8


class OneModule(Engine):
    """One model: `module()` of the architecture, trained as it is."""

    def _start(self) -> None:
        """Take the one run, and make its module with the initial weights of its streams.

        Raises:
            ValueError: there are several runs, or the engine does not train this one.
        """
        if len(self.runs) != 1:
            raise ValueError(f"this engine trains one model at a time, got {len(self.runs)}")
        self.run, self.stream = self.runs[0], self.streams[0]
        self._refuse_unsuited(self.run)
        with self.stream.dropout():
            self.module = self.architecture.module().train()
        with torch.no_grad():
            start = self.stream.initial_parameters(self.architecture)
            for parameter, value in zip(self.module.parameters(), start, strict=True):
                parameter.copy_(value)

    def _refuse_unsuited(self, run: Run) -> None:
        """Refuse a run that the engine does not train, by a ValueError."""

    def parameters(self) -> list[torch.Tensor]:
        """See `Engine.parameters`."""
        return [torch.cat([p.detach().flatten() for p in self.module.parameters()]).cpu()]

    def buffers(self) -> list[torch.Tensor]:
        """See `Engine.buffers`."""
        return [flat_buffers(self.module).cpu()]

    def outputs_of(self, number: int, parameters: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """See `Engine.outputs_of`; what `forward` draws at random comes from the run's seed."""
        with drawing_from(full_generator(derive_seed(self.run.seeds.weights, "outputs")), self.device):
            return super().outputs_of(number, parameters, x)

    def refuse_other_state(self) -> None:
        """See `Engine.refuse_other_state`: a few records are evaluated by the trained module and by one made anew."""
        x = self.x[torch.from_numpy(self.run.records[:FEW])].to(self.device)
        anew = self._trained(0, self.parameters()[0])
        outputs = []
        for module in (self.module.to(self.device), anew):
            with drawing_from(torch.Generator().manual_seed(0), self.device):
                outputs.append(evaluate(module, x))
        if not torch.allclose(outputs[0], outputs[1], rtol=1e-3, atol=1e-5, equal_nan=True):
            problem = "a new network with its parameters and buffers has other outputs, so forward uses something else"
            remedy = "Keep in a parameter or a buffer all that changes in training, and draw random numbers from torch"
            raise TrainingError(f"model {self.run.name}", problem, remedy)
