"""How fast convolutional networks are trained on a GPU: `python benchmarks/gpu.py [--quick]`.

Records per second by the clock, batches and noise included: of one process on a CPU core, of one on the GPU, and of
several that share it, as jobs of a workflow do. The networks and recipes are those of `cnns.py`, with the published
batch sizes.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier
from typing import NamedTuple

import numpy as np
import torch
from cnns import CASES
from engines import make_data
from timing import write_rows

from dpmia.jobs.training import Engines
from dpmia.training.devices import chosen_device
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.run import Run, Seeds

RESULTS = Path(__file__).parent / "results" / "gpu.csv"
ENGINES = {"convolution": ConvolutionEngine, "opacus": OpacusEngine}
BATCHES = dict(zip(CASES, (512, 1024), strict=True))


class Task(NamedTuple):
    """What one process trains: a model of a case by an engine, on `cpu` or `gpu`, for some seconds."""

    case: str
    engine: str
    accelerator: str
    seconds: float


def records_per_second(task: Task, all_ready: Barrier) -> float:
    """Return how many records a second the model is trained on, once all processes are ready."""
    torch.set_num_threads(1)
    case, engine_type = CASES[task.case], ENGINES[task.engine]
    batch = BATCHES[task.case]
    case = replace(case, records=8 * batch)
    x, y = make_data(case)
    device = chosen_device(engine_type, Engines("private", "nonprivate", task.accelerator), task.case)
    run = Run("benchmark", np.arange(case.records), Seeds(1, 2, 3), 1.0)
    engine = engine_type(case.architecture, replace(case.recipe, batch_size=batch), [run], x, y, device=device)
    engine.step(engine.draw())
    all_ready.wait()
    before, start = engine.tally.records.sum(), time.perf_counter()
    while time.perf_counter() - start < task.seconds:
        engine.step(engine.draw())
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return float((engine.tally.records.sum() - before) / (time.perf_counter() - start))


def main() -> None:
    """Measure, print one table, write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a second each")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the table as CSV")
    arguments = parser.parse_args()
    seconds, rows = 1.0 if arguments.quick else 4.0, []
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    ways = [("cpu", 1), *((("gpu", count) for count in (1, 4, 16)) if gpu else ())]
    for case in CASES:
        for engine in ENGINES:
            for accelerator, processes in ways:
                with (
                    get_context("spawn").Manager() as shared,
                    ProcessPoolExecutor(processes, get_context("spawn")) as pool,
                ):
                    barrier = shared.Barrier(processes)
                    task = Task(case, engine, accelerator, seconds)
                    rates = list(pool.map(records_per_second, [task] * processes, [barrier] * processes))
                row = {
                    "model": f"{case.split(',')[0]}, batch {BATCHES[case]}",
                    "engine": engine,
                    "device": gpu if accelerator == "gpu" else "CPU core",
                    "processes": processes,
                    "records_per_second": round(sum(rates)),
                    "torch": torch.__version__,
                }
                rows.append(row)
                print("  ".join(f"{value!s:>22}" for value in row.values()), flush=True)
    write_rows(rows, arguments.output)


if __name__ == "__main__":
    main()
