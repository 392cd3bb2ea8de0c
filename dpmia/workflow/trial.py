"""How fast this machine is: a few steps of each kind of model that is to be trained, in seconds altogether."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import torch

from dpmia.common.errors import PlaceError
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.models.building import IMAGE_NETWORKS
from dpmia.training.engines.base import Engine
from dpmia.training.run import Run, Seeds
from dpmia.training.train_models import architecture_for  # and with it what a training job imports
from dpmia.workflow.expected import MachineRates, key, step_seconds
from dpmia.workflow.interrupts import quiet_interrupts
from dpmia.workflow.training_work import Trained

#: CPU seconds for which each kind of model is trained, and after which no further kind is begun.
SECONDS, MOST = 0.15, 60.0

#: Epochs: more than a trial comes to.
ENDLESS = 100_000

#: CPU seconds that the reference machine takes for `_arithmetic`.
REFERENCE = 0.065


def measure(kinds: Iterable[Trained], rates: MachineRates) -> MachineRates:
    """Return the rates of this machine, with those that are known already.

    Kinds whose single step would take longer than all others together stay with an estimate from their size.

    Args:
        kinds: of models; those that are to be trained most come first.
        rates: what was measured before.
    """
    begun = time.process_time()
    start = begun  # what this process did until now is what a training job does before its work
    speed = _arithmetic() / REFERENCE
    steps: dict[str, float] = {}
    for kind in kinds:
        spent = time.process_time() - begun
        if (
            _can_be_tried(kind)
            and key(kind) not in {**rates.steps, **steps}
            and spent + step_seconds(kind) * speed < MOST
        ):
            steps[key(kind)] = _step(kind)
    return MachineRates(platform.node(), start, speed, {**rates.steps, **steps})


def _can_be_tried(kind: Trained) -> bool:
    """Return whether models of this library are trained, on records of a size that is known before the data are."""
    module = kind.architecture.build.partition(":")[0]
    return module.startswith("dpmia.") and kind.timeout is None and bool(module != IMAGE_NETWORKS or kind.data[2])


def _arithmetic() -> float:
    """Return the CPU seconds of work as jobs without training do it: arrays and plain Python."""
    rng = np.random.default_rng(0)
    started = time.process_time()
    for _ in range(10):
        values = rng.standard_normal(100_000)
        np.sort(values)
        sum(range(100_000))
    return time.process_time() - started


def _step(kind: Trained) -> float:
    """Return the CPU seconds of one step of one model, or of one fit of a model that fits itself."""
    torch.set_num_threads(1)
    inputs, outputs, rows = kind.data
    records = kind.records if kind.recipe.epochs == 0 else max(4 * kind.recipe.batch_size, 256)
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.random((records, inputs), dtype=np.float32))
    y = torch.from_numpy(rng.integers(0, outputs, records))
    image = (inputs // rows**2, rows, rows) if rows else None
    dataset = SimpleNamespace(features=range(inputs), classes=range(outputs), image=image)
    architecture = architecture_for(cast(Dataset, dataset), kind.architecture)
    engine_type: type[Engine] = load(kind.engine)
    recipe = replace(kind.recipe, epochs=min(kind.recipe.epochs, 1) * ENDLESS)
    width = min(engine_type.width(architecture, recipe), kind.models)
    noise = 1.0 if kind.private else None
    runs = [Run(f"trial {number}", np.arange(records), Seeds(number, number, number), noise) for number in range(width)]
    engine = engine_type(architecture, recipe, runs, x, y)
    if recipe.epochs == 0:
        started = time.process_time()
        engine.advance(engine.steps)
        return (time.process_time() - started) / width
    engine.advance(1)  # what is set up by the first step
    done, started = 0, time.process_time()
    while not done or time.process_time() - started < SECONDS:
        engine.advance(1)
        done += 1
    return (time.process_time() - started) / (done * width)


def main() -> None:
    """Add to the file of rates that is named what the kinds of models on standard input cost, a JSON list."""
    quiet_interrupts()
    path = Path(sys.argv[1])
    rates = measure(map(Trained.from_plain, json.loads(sys.stdin.read())), MachineRates.read(path))
    try:
        rates.write(path)
    except OSError as error:
        sys.exit(str(PlaceError.of(error) or error))


if __name__ == "__main__":
    main()
