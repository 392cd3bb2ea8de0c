"""Draw what engines.py and cnns.py measured: rates beside Opacus hooks, one panel for each model."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

RESULTS = Path(__file__).parent / "results"

#: What each colour means: the usual way, its alternatives, ours, and the limit.
COLOURS = {"Opacus": "#E69F00", "engine opacus": "#D55E00", "plain": "0.6", "products": "0.8", "": "#0072B2"}


def colour(way: str) -> str:
    """Return the colour of a way by how its name begins; ours where no name fits."""
    return next(value for name, value in COLOURS.items() if way.startswith(name))


def draw(tables: list[pd.DataFrame]) -> Figure:
    """Return one panel of bars for each model of the tables, on a logarithmic axis, with the numbers at the bars."""
    models = [(name, rows) for table in tables for name, rows in table.groupby("model", sort=False)]
    figure = Figure(figsize=(13, 3.4 * ((len(models) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(models) + 1) // 2, 2, squeeze=False).ravel()
    for panel, (name, rows) in zip(panels, models, strict=False):
        rate = next(column for column in rows.columns if column.endswith("_per_cpu_second"))
        values = rows[rate].to_numpy()[::-1]
        ways = rows["way"].tolist()[::-1]
        panel.barh(ways, values, color=[colour(way) for way in ways])
        for place, (value, times) in enumerate(zip(values, rows["times_hooks"].to_numpy()[::-1], strict=True)):
            panel.text(
                value * 1.05, place, f"{value:,.{0 if value >= 100 else 1}f}  ({times:.3g}x)", va="center", fontsize=7
            )
        panel.set(xscale="log", xlim=(values.min() / 2, values.max() * 10), xlabel=rate.replace("_", " "))
        panel.set_title(name, fontsize=10)
        panel.tick_params(axis="y", labelsize=7)
        panel.xaxis.set_minor_formatter(NullFormatter())
    for panel in panels[len(models) :]:
        panel.remove()
    figure.suptitle("One thread; in brackets: times Opacus hooks with a data loader", fontsize=10)
    return figure


def main() -> None:
    """Draw every table that is there."""
    mpl.use("Agg")
    tables = [pd.read_csv(path) for name in ("engines", "cnns") if (path := RESULTS / f"{name}.csv").exists()]
    draw(tables).savefig(RESULTS / "rates.png", dpi=110)
    print(f"wrote {RESULTS / 'rates.png'}")


if __name__ == "__main__":
    main()
