"""What Lightning costs: training under its `Trainer` against a bare loop over the same engine, in CPU seconds.

Writes `benchmarks/results/lightning.csv`; rounds of both are interleaved, and the median of each is reported.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, TRAMER_BONEH_MNIST
from dpmia.models.mlp import MLP
from dpmia.training.engines.base import GradientEngine
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit, steps_per_call
from dpmia.training.run import Run, Seeds

RESULTS = Path(__file__).parent / "results" / "lightning.csv"
ROUNDS = 3


@dataclass(frozen=True)
class Case:
    """Models to train: `models` at once, on as many records as make an epoch of `steps` steps."""

    name: str
    engine: type[GradientEngine]
    architecture: MLP | CNN
    sigma: float | None
    models: int
    batch_size: int
    steps: int
    epochs: int


CASES = (
    Case("30-16-2, 128 models", StackedEngine, MLP(30, (16,), 2), 1.0, 128, 32, 12, 100),
    Case("30-16-2, one model", StackedEngine, MLP(30, (16,), 2), 1.0, 1, 32, 12, 100),
    Case("104-256-256-2, 4 models", StackedEngine, MLP(104, (256, 256), 2), 1.0, 4, 200, 20, 20),
    Case("104-256-256-2, no privacy", PlainEngine, MLP(104, (256, 256), 2), None, 1, 200, 20, 30),
    Case("104-256-256-2, Opacus", OpacusEngine, MLP(104, (256, 256), 2), 1.0, 1, 200, 20, 20),
    Case("MNIST CNN", ConvolutionEngine, TRAMER_BONEH_MNIST, 1.0, 1, 128, 5, 20),
)


def make(case: Case) -> GradientEngine:
    """Return the engine of a case at its start."""
    records = case.steps * case.batch_size
    features = case.architecture.widths[0] if isinstance(case.architecture, MLP) else 28 * 28
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(records, features, generator=generator)
    y = torch.randint(0, 2, (records,), generator=generator)
    recipe = Recipe("adam", 1e-3, case.batch_size, case.epochs)
    runs = [Run(str(i), np.arange(records), Seeds(i, i, i), case.sigma) for i in range(case.models)]
    return case.engine(case.architecture, recipe, runs, x, y)


def cpu_seconds(case: Case, train: Callable[[GradientEngine], object]) -> float:
    """Return what training the models of a case takes."""
    engine = make(case)
    started = time.process_time()
    train(engine)
    return time.process_time() - started


def main() -> None:
    """Measure all cases."""
    torch.set_num_threads(1)
    rows = []
    for case in CASES:
        cpu_seconds(case, fit)  # warm up
        times = [
            (cpu_seconds(case, lambda each: each.advance(each.steps)), cpu_seconds(case, fit)) for _ in range(ROUNDS)
        ]
        bare, trained = (statistics.median(each) for each in zip(*times, strict=True))
        steps = case.steps * case.epochs
        rows.append(
            [case.name, steps_per_call(make(case)), 1000 * bare / steps, 1000 * trained / steps, trained / bare - 1]
        )
    columns = ["case", "steps_per_call", "bare_ms_per_step", "lightning_ms_per_step", "overhead"]
    table = pd.DataFrame(rows, columns=columns)
    table.to_csv(RESULTS, index=False, float_format="%.4g")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
