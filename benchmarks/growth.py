"""How the time of training grows: `python benchmarks/growth.py [--quick]`.

One thing grows, by factors of two, and all else stays: models that are trained together, records, the width of the
hidden layers, epochs. Times are CPU seconds of one thread for a whole training under Lightning, as jobs run it; rounds
visit all sizes in turn, and the numbers are medians. The slope of log time against log size says how time grows: 1 in
proportion, 2 with the square. It is fitted to the larger half of the sizes, where what each training costs at least
does not show.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns
import torch
from matplotlib.figure import Figure

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.papers import drawing
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Size:
    """Private perceptrons and what they are trained on; by itself the smallest case that is measured."""

    models: int = 1
    records: int = 1_000
    width: int = 32
    epochs: int = 2


#: What grows -> the sizes that are measured.
GROWING = {
    "models": tuple(2**i for i in range(10)),
    "records": tuple(1_000 * 2**i for i in range(8)),
    "width": tuple(32 * 2**i for i in range(7)),
    "epochs": tuple(2 * 2**i for i in range(8)),
}
INPUTS, BATCH = 104, 200


def cpu_seconds(size: Size) -> float:
    """Return what it takes to train private perceptrons with two hidden layers."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(size.records, INPUTS, generator=generator)
    y = torch.randint(0, 2, (size.records,), generator=generator)
    recipe = Recipe("adam", 1e-3, BATCH, size.epochs)
    runs = [Run(str(k), np.arange(size.records), Seeds(k, k, k), 1.0) for k in range(size.models)]
    architecture = MLP(INPUTS, (size.width, size.width), 2)
    started = time.process_time()
    width = StackedEngine.width(architecture, recipe)
    for first in range(0, size.models, width):
        fit(StackedEngine(architecture, recipe, runs[first : first + width], x, y))
    return time.process_time() - started


def slope(sizes: list[int], seconds: list[float]) -> float:
    """Return how log time grows with log size, by least squares over the larger half of the sizes."""
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[-half:]), np.log(seconds[-half:]), 1)[0])


def measure(rounds: int, most: int) -> pd.DataFrame:
    """Return a row for each size, its median time and the slope of what grows; at most `most` sizes of each."""
    sizes = {(what, size): replace(Size(), **{what: size}) for what, some in GROWING.items() for size in some[:most]}
    seconds: dict[tuple[str, int], list[float]] = {key: [] for key in sizes}
    cpu_seconds(Size())  # warm up
    for _ in range(rounds):
        for key, size in sizes.items():
            seconds[key].append(cpu_seconds(size))
    table = pd.DataFrame(
        [{"grows": what, "size": size, "cpu_seconds": statistics.median(seconds[what, size])} for what, size in sizes]
    )
    slopes = {what: slope(list(rows["size"]), list(rows["cpu_seconds"])) for what, rows in table.groupby("grows")}
    return table.assign(
        slope=table["grows"].map(slopes), rounds=rounds, machine=platform.processor() or platform.machine()
    )


def draw(table: pd.DataFrame) -> Figure:
    """Return a panel for each thing that grows, both axes logarithmic, the slope in its title."""
    figure = Figure(figsize=(3.2 * table["grows"].nunique(), 3.2), layout="constrained")
    panels = figure.subplots(1, table["grows"].nunique(), sharey=True)
    for panel, (what, rows) in zip(panels, table.groupby("grows", sort=False), strict=True):
        sns.lineplot(rows, x="size", y="cpu_seconds", marker="o", color=drawing.BLUE, ax=panel)
        panel.set(xscale="log", yscale="log", xlabel=what, ylabel="CPU seconds of training")
        panel.set(title=f"slope {rows['slope'].iloc[0]:.2f}")
    sns.despine(figure)
    return figure


def main() -> None:
    """Measure, print, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round of the three smallest sizes each")
    parser.add_argument("--output", type=Path, default=RESULTS / "growth.csv", help="the table; a picture beside it")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    table = measure(rounds=1, most=3) if arguments.quick else measure(rounds=5, most=99)
    print(table.to_string(index=False, float_format="%.3g"))
    table.to_csv(arguments.output, index=False, float_format="%.4g")
    with drawing.style():
        drawing.save(draw(table), arguments.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
