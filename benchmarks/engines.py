"""How fast each way of training small perceptrons is: `python benchmarks/engines.py [--quick]`.

Every rate is model-steps (one optimiser step of one model, sampling included) per CPU second of one thread, so
that other work on the machine counts little. Rounds visit all ways in turn (A B C A B C ...); a rate is the
median over rounds and a ratio the median of the ratios within a round. Each way has a process of its own;
its memory is the peak above what stands there with the libraries and the data loaded.
"""

from __future__ import annotations

import argparse
import contextlib
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import opacus
import torch
from perceptrons import CLIPPED_GRAD, JAX_GHOST, PERCEPTRONS
from timing import Worker, measure, ratio, work, write_rows
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import torch_optimiser
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

RESULTS = Path(__file__).parent / "results" / "engines.csv"


@dataclass(frozen=True)
class Case:
    """One model, recipe and size of the training set."""

    architecture: MLP | CNN
    recipe: Recipe
    records: int


def _recipe(optimiser: str, batch_size: int) -> Recipe:
    return Recipe(optimiser, 1e-3 if optimiser == "adam" else 0.01, batch_size, epochs=10**6)


CASES = {
    name: Case(
        MLP(each.widths[0], each.widths[1:-1], each.widths[-1]), _recipe(each.optimiser, each.batch), each.records
    )
    for name, each in PERCEPTRONS.items()
}
COMMAND = [sys.executable, __file__]


def make_data(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """Return features and labels of twice as many records as one training set has."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2 * case.records, case.architecture.inputs, generator=generator)
    return x, torch.randint(0, case.architecture.outputs, (len(x),), generator=generator)


def make_runs(case: Case, models: int, noise_multiplier: float | None) -> list[Run]:
    """Return models with training sets of their own."""
    rng = np.random.default_rng(0)
    return [
        Run(f"{k}", rng.permutation(2 * case.records)[: case.records], Seeds(k, k, k), noise_multiplier)
        for k in range(models)
    ]


# Each way of training is a generator: every `next` takes one step and returns how many model-steps that were.


def plain_loader(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """Ordinary training as in most tutorials."""
    module = case.architecture.module()
    optimiser = torch_optimiser(case.recipe, module.parameters())
    data = TensorDataset(x[: case.records], y[: case.records])
    loader = DataLoader(data, batch_size=case.recipe.batch_size, shuffle=True, drop_last=True)
    while True:
        for features, labels in loader:
            yield _autograd_step(module, optimiser, features, labels)


def plain_index(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """Ordinary training with batches cut out of tensors and a fused optimiser: as fast as automatic gradients go."""
    module = case.architecture.module()
    optimiser = torch_optimiser(case.recipe, module.parameters(), fused=True)
    x, y = x[: case.records], y[: case.records]
    while True:
        for batch in torch.randperm(case.records).split(case.recipe.batch_size):
            yield _autograd_step(module, optimiser, x[batch], y[batch])


def _autograd_step(
    module: torch.nn.Module, optimiser: torch.optim.Optimizer, features: torch.Tensor, labels: torch.Tensor
) -> int:
    optimiser.zero_grad()
    cross_entropy(module(features), labels).backward()
    optimiser.step()
    return 1


def opacus_hooks(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """DP training as in Opacus' tutorials: its data loader, its hooks, its noise."""
    module = case.architecture.module()
    module, optimiser, loader = opacus.PrivacyEngine().make_private(
        module=module,
        optimizer=torch_optimiser(case.recipe, module.parameters()),
        data_loader=DataLoader(TensorDataset(x[: case.records], y[: case.records]), case.recipe.batch_size),
        noise_multiplier=1.0,
        max_grad_norm=case.recipe.clip_norm,
    )
    while True:
        for features, labels in loader:
            yield _autograd_step(module, optimiser, features, labels)


def engine_steps(make: Callable, models: int, noise_multiplier: float | None, together: int = 5) -> Callable:
    """Return the way that trains by the engine `make`, without privacy if the noise is None.

    It takes several steps together, as under Lightning: what an engine does once for a chunk of steps is not done
    for each step.
    """

    def steps(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
        engine = make(case.architecture, case.recipe, make_runs(case, models, noise_multiplier), x, y)
        while True:
            engine.advance(together)
            yield together * models

    return steps


def gemm_floor(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """The matrix products that a step cannot do without, and nothing else."""
    size, layers = case.recipe.batch_size, list(pairwise(case.architecture.widths))
    inputs = [torch.randn(size, width) for width in case.architecture.widths]
    deltas = [torch.randn(size, width) for width in case.architecture.widths]
    weights = [torch.randn(fan_out, fan_in) for fan_in, fan_out in layers]
    gradients = [torch.empty_like(w) for w in weights]
    while True:
        for layer, w in enumerate(weights):
            torch.mm(inputs[layer], w.T, out=inputs[layer + 1])
            torch.mm(deltas[layer + 1].T, inputs[layer], out=gradients[layer])
            if layer:
                torch.mm(deltas[layer + 1], w, out=deltas[layer])
        for matrix in inputs[1:] + deltas[:-1]:
            matrix.fill_(0.5)  # without it products of products overflow, which is slower
        yield 1


STACKS = (1, 4, 16, 64, 256)
WAYS: dict[str, Callable] = {
    "Opacus hooks, DataLoader": opacus_hooks,
    "Opacus hooks, DataLoader, tuned allocator": opacus_hooks,
    "Opacus ghost, tensor indexing": engine_steps(OpacusEngine, 1, 1.0),
    **{f"stacked, K={models}": engine_steps(StackedEngine, models, 1.0) for models in STACKS},
    "plain torch, DataLoader": plain_loader,
    "plain torch, tensor indexing, fused": plain_index,
    **{f"stacked, no privacy, K={models}": engine_steps(StackedEngine, models, None) for models in STACKS},
    "products only": gemm_floor,
}
HOOKS, TUNED, GHOST = list(WAYS)[:3]
PLAIN_LOADER, PLAIN, FLOOR = "plain torch, DataLoader", "plain torch, tensor indexing, fused", "products only"


def measure_two_processes(case: str, way: str, rounds: int, seconds: float) -> dict[str, float]:
    """Return the throughput of two processes on two cores in units of that of one alone.

    By the clock on the wall, which other work on the machine spoils, and by CPU time, which it does not: what
    is missing to 2 there is lost to shared caches and memory.
    """
    ratios: dict[str, list[float]] = {"per_second": [], "per_cpu_second": []}
    with contextlib.closing(Worker(COMMAND, core=0)) as first, contextlib.closing(Worker(COMMAND, core=1)) as second:
        for worker in (first, second):
            worker.measure(case, way, 0.1)
        for _ in range(rounds):
            alone = first.measure(case, way, seconds), second.measure(case, way, seconds)
            for worker in (first, second):
                worker.ask(case, way, seconds)
            both = first.outputs_of(), second.outputs_of()
            for key, found in ratios.items():
                found.append(2 * sum(answer[key] for answer in both) / sum(answer[key] for answer in alone))
    return {key: statistics.median(found) for key, found in ratios.items()}


def fastest(rates: dict[str, list[float]], start: str) -> str:
    """Return the stacked way with the best median whose name starts with `start`."""
    return max((way for way in WAYS if way.startswith(start)), key=lambda way: statistics.median(rates[way]))


def judge(
    case: str, rates: dict[str, list[float]], memory: dict[str, float], two: dict[str, float] | None
) -> list[str]:
    """Return one line for each goal: what was wanted, what was measured."""
    best, public = fastest(rates, "stacked, K"), fastest(rates, "stacked, no privacy")
    taken = f"K={StackedEngine.width(CASES[case].architecture, CASES[case].recipe)}"
    engine = f"stacked, {taken}"
    goals: list[tuple[str, float, float]] = []  # what, measured, at least
    if case.startswith("104"):
        goals = [
            ("times Opacus hooks", ratio(rates, engine, HOOKS), 40),
            ("times Opacus ghost", ratio(rates, engine, GHOST), 2.5),
            ("times plain torch, indexed and fused", ratio(rates, engine, PLAIN), 1 / 1.2),
            ("of the products alone", ratio(rates, engine, FLOOR), 0.6),
            ("of the speed without privacy", ratio(rates, engine, f"stacked, no privacy, {taken}"), 1 / 1.25),
        ]
    elif case.startswith("20-"):
        goals = [("times Opacus hooks", ratio(rates, engine, HOOKS), 40)]
    elif "256, sgd" in case:
        goals = [("times Opacus hooks", ratio(rates, engine, HOOKS), 30)]
    goals.append((f"of the best K at {taken}, which the engine takes", ratio(rates, engine, best), 0.97))
    goals.append(("times plain torch, indexed and fused, without privacy", ratio(rates, public, PLAIN), 1))
    if two is not None:
        goals.append(("times one process with two, by wall clock", two["per_second"], 1.8))
        goals.append(("times one process with two, by CPU time", two["per_cpu_second"], 1.8))
    lines = [
        f"{'met' if found >= wanted else 'NOT MET':8} {found:6.2f} {what}; goal: at least {wanted:.3g}"
        for what, found, wanted in goals
    ]
    if case.startswith("104"):
        used = memory["stacked, K=16"]
        lines.append(f"{'met' if used <= 100 else 'NOT MET':8} {used:6.0f} MB at K=16; goal: at most 100")
    return lines


def main() -> None:
    """Measure, print one table, write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round of a fraction of a second each")
    parser.add_argument("--case", default="", help="only the models whose name contains this, for instance 104-")
    parser.add_argument(
        "--jax", metavar="PYTHON", help="of an environment with jax and jax-privacy, to measure them, too"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=RESULTS, help="the table as CSV")
    arguments = parser.parse_args()
    if arguments.worker:
        torch.set_num_threads(1)
        work(CASES, WAYS, make_data)
        return
    rounds, seconds = (1, 0.3) if arguments.quick else (5, 1.0)
    script = str(Path(__file__).with_name("jax_clipping.py"))
    by_jax = {way: [arguments.jax, script] for way in (CLIPPED_GRAD, JAX_GHOST) if arguments.jax}
    rows, verdicts = [], []
    for name, case in ((name, case) for name, case in CASES.items() if arguments.case in name):
        rates, memory = measure(__file__, name, [*WAYS, *by_jax], rounds, seconds, by_jax)
        del memory[FLOOR]
        two = measure_two_processes(name, "stacked, K=4", rounds, 2 * seconds) if name.startswith("104") else None
        verdicts += [name, *judge(name, rates, memory, two)]
        width = StackedEngine.width(case.architecture, case.recipe)
        print(f"\n{name}; {case.records} records; the engine itself takes K={width}")
        print(f"{'':45}{'model-steps/s':>14}{'x hooks':>9}{'x plain':>9}{'of products':>12}{'MB':>7}")
        for way in rates:
            row = {
                "model": name,
                "way": way,
                "model_steps_per_cpu_second": round(statistics.median(rates[way]), 2),
                "times_hooks": round(ratio(rates, way, HOOKS), 3),
                "times_plain": round(ratio(rates, way, PLAIN), 3),
                "of_products": round(ratio(rates, way, FLOOR), 3),
                "megabytes_above_data": round(memory[way]) if way in memory else "",
                "rounds": rounds,
                "machine": platform.processor() or platform.machine(),
                "torch": torch.__version__,
            }
            rows.append(row)
            print(
                f"{way:45}{row['model_steps_per_cpu_second']:14,.1f}{row['times_hooks']:9.2f}"
                f"{row['times_plain']:9.2f}{row['of_products']:12.2f}{row['megabytes_above_data']:>7}",
                flush=True,
            )
    print("\n" + "\n".join(verdicts))
    write_rows(rows, arguments.output)


if __name__ == "__main__":
    main()
