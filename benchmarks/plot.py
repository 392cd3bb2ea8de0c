"""Draw what engines.py and cnns.py measured: rates beside Opacus hooks, one panel for each model."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from dpmia.papers import drawing

RESULTS = Path(__file__).parent / "results"

#: What each colour means: the usual way, its alternatives, ours, and the limit.
COLOURS = {
    **{"Opacus": drawing.ORANGE, "engine opacus": drawing.VERMILION, "plain": "0.6", "products": "0.8"},
    **dict.fromkeys(("jax", "JAX"), drawing.GREEN),
    "": drawing.BLUE,
}


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
        values = rows[rate]
        palette = {way: colour(way) for way in rows["way"]}
        sns.barplot(rows, x=rate, y="way", hue="way", palette=palette, errorbar=None, saturation=1, ax=panel)
        for place, (value, times) in enumerate(zip(values, rows["times_hooks"], strict=True)):
            text = f"{value:,.{0 if value >= 100 else 1}f}  ({times:.3g}x)"
            drawing.annotate(panel, text, (value, place), (4, 0), va="center")
        panel.set(xscale="log", xlim=(values.min() / 2, values.max() * 10), xlabel=rate.replace("_", " "))
        panel.set(title=name, ylabel="")
        panel.tick_params(axis="y", labelsize="small")
        panel.xaxis.set_minor_formatter(NullFormatter())
    for panel in panels[len(models) :]:
        panel.remove()
    figure.suptitle("One thread; in brackets: times Opacus hooks with a data loader", fontsize="medium")
    sns.despine(figure)
    return figure


def main() -> None:
    """Draw every table that is there."""
    tables = [pd.read_csv(path) for name in ("engines", "cnns") if (path := RESULTS / f"{name}.csv").exists()]
    with drawing.style():
        drawing.save(draw(tables), RESULTS / "rates.png")
    print(f"wrote {RESULTS / 'rates.png'}")


if __name__ == "__main__":
    main()
