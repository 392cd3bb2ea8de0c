"""The device on which an engine trains its models."""

from __future__ import annotations

import torch

from dpmia.common.errors import TrainingError
from dpmia.jobs.training import Engines
from dpmia.training.engines.base import CPU, Engine


def chosen_device(engine: type[Engine], wanted: Engines, where: str) -> torch.device:
    """Return where the models of an engine are trained; matrix products and convolutions then use all bits.

    Args:
        engine: those for the CPU stay there.
        wanted: names the accelerator and its index.
        where: one of the models, for the message.

    Raises:
        TrainingError: there is no such GPU.
    """
    _compute_exactly()
    if not engine.uses_gpu or wanted.accelerator == "cpu":
        return CPU
    count = torch.cuda.device_count()
    index = wanted.devices[0] if isinstance(wanted.devices, list) else 0
    if index < count:
        return torch.device("cuda", index)
    if wanted.accelerator == "gpu" or count:
        remedy = "Set training.accelerator: auto or cpu, or other devices"
        raise TrainingError(where, f"there is no GPU {index}: {count} found", remedy)
    return CPU


def _compute_exactly() -> None:
    """Let matrix products and convolutions use all bits of their numbers, and convolutions sum in the same order.

    The framework's default for convolutions on a GPU is TF32, which keeps 10 bits of 23, and the user's file may ask
    for less in matrix products, too. Models would be others than on the CPU, and ghost clipping, which takes norms in
    one pass and the clipped sum in another, could round the two differently.
    """
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
