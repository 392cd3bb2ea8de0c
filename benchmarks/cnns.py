"""How fast each way of training two convolutional networks is: `python benchmarks/cnns.py [--quick]`.

Rates are records per CPU second of one thread, batches and noise included; rounds, ratios and memory as in
`engines.py`. The batch of the larger network is an eighth of the published 1 024: the gradients of its single
records, which Opacus holds all at once, would take several gigabytes.
"""

from __future__ import annotations

import argparse
import platform
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import opacus
import torch
from engines import Case, engine_steps, make_data, opacus_hooks, plain_index
from timing import TUNED, measure, ratio, work, write_rows
from torch.utils.data import DataLoader, TensorDataset

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.evaluation import evaluate
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import torch_optimiser

RESULTS = Path(__file__).parent / "results" / "cnns.csv"


def _recipe(learning_rate: float, batch_size: int) -> Recipe:
    return Recipe("sgd", learning_rate, batch_size, epochs=10**6, clip_norm=0.1, momentum=0.9)


CASES = {
    "MNIST, 26 010 parameters, batch 512": Case(TRAMER_BONEH_MNIST, _recipe(0.5, 512), 4096),
    "CIFAR10, 550 570 parameters, batch 128": Case(TRAMER_BONEH_CIFAR10, _recipe(1.0, 128), 1024),
}


def opacus_ghost(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """DP training as in Opacus' tutorials on ghost clipping."""
    module = case.architecture.module()
    module, optimiser, criterion, loader = opacus.PrivacyEngine().make_private(
        module=module,
        optimizer=torch_optimiser(case.recipe, module.parameters()),
        criterion=torch.nn.CrossEntropyLoss(),
        data_loader=DataLoader(TensorDataset(x[: case.records], y[: case.records]), case.recipe.batch_size),
        noise_multiplier=1.0,
        max_grad_norm=case.recipe.clip_norm,
        grad_sample_mode="ghost",
    )
    while True:
        for features, labels in loader:
            optimiser.zero_grad()
            criterion(module(features), labels).backward()
            optimiser.step()
            yield 1


def evaluation(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """No training: the outputs of all records, as models are evaluated."""
    yield from _evaluations(case.architecture.module(), case, x)


def evaluation_channels_first(case: Case, x: torch.Tensor, y: torch.Tensor) -> Iterator[int]:
    """The same, but images stay in memory as they come, channel by channel."""
    images, *layers = case.architecture.module()
    yield from _evaluations(torch.nn.Sequential(torch.nn.Unflatten(1, images.unflattened_size), *layers), case, x)


def _evaluations(module: torch.nn.Module, case: Case, x: torch.Tensor) -> Iterator[int]:
    while True:
        evaluate(module, x[: case.records])
        yield case.records // case.recipe.batch_size


HOOKS, OURS, PLAIN = "Opacus hooks, DataLoader", "convolution", "plain torch, tensor indexing, fused"
USUAL: dict[str, Callable] = {
    HOOKS: opacus_hooks,
    "Opacus ghost, DataLoader": opacus_ghost,
    "engine opacus (hooks on chunks)": engine_steps(OpacusEngine, 1, 1.0, 1),
    OURS: engine_steps(ConvolutionEngine, 1, 1.0, 1),
    PLAIN: plain_index,
    "convolution, no privacy": engine_steps(ConvolutionEngine, 1, None, 1),
    "evaluation": evaluation,
    "evaluation, channels first": evaluation_channels_first,
}
WAYS = {name: steps for way, steps in USUAL.items() for name, steps in ((way, steps), (f"{way}, {TUNED}", steps))}


def main() -> None:
    """Measure, print one table, write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round of a fraction of a second each")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=RESULTS, help="the table as CSV")
    arguments = parser.parse_args()
    if arguments.worker:
        torch.set_num_threads(1)
        work(CASES, WAYS, make_data)
        return
    rounds, seconds = (1, 0.3) if arguments.quick else (5, 1.0)
    rows = []
    for name, case in CASES.items():
        rates, memory = measure(__file__, name, WAYS, rounds, seconds)
        print(f"\n{name}\n{'':52}{'records/s':>10}{'x hooks':>9}{'x plain':>9}{'MB':>7}")
        for way in WAYS:
            row = {
                "model": name,
                "way": way,
                "records_per_cpu_second": round(case.recipe.batch_size * statistics.median(rates[way])),
                "times_hooks": round(ratio(rates, way, HOOKS), 3),
                "times_plain": round(ratio(rates, way, PLAIN), 3),
                "megabytes_above_data": round(memory[way]),
                "rounds": rounds,
                "machine": platform.processor() or platform.machine(),
                "torch": torch.__version__,
            }
            rows.append(row)
            print(
                f"{way:52}{row['records_per_cpu_second']:10,}{row['times_hooks']:9.2f}{row['times_plain']:9.2f}"
                f"{row['megabytes_above_data']:7}",
                flush=True,
            )
        gain, alike = ratio(rates, OURS, HOOKS), ratio(rates, f"{OURS}, {TUNED}", f"{HOOKS}, {TUNED}")
        verdict = "met" if gain >= 2 else "NOT MET"
        print(f"{verdict:8} {gain:.2f} times Opacus hooks; goal: at least 2; with both allocators tuned {alike:.2f}")
    write_rows(rows, arguments.output)


if __name__ == "__main__":
    main()
