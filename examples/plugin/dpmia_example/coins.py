"""Coins that were thrown: weight and width against the side."""

from pathlib import Path

import numpy as np

from dpmia.datasets.encoding import prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table

KINDS = {"mint": Category(("north", "south")), "weight": Number(0), "width": Number(0)}
LAYOUT = Layout(columns=(*KINDS, "side"), kinds={**KINDS, "side": Category(("heads", "tails"))}, header=True)


def read(folder):
    """Parse the file; errors name row and column."""
    return read_table(folder / "coins.csv", LAYOUT)


def encode(frame, attributes=()):
    """Return the data set; the attribute `mint` is always there."""
    y = frame["side"].cat.codes.to_numpy()
    provenance = frame.attrs["provenance"]
    return prepared("coins", frame[list(KINDS)], y, ("heads", "tails"), ("mint", *attributes), provenance)


def write_synthetic(name, folder, seed, scale):
    """Write a synthetic file in the format of the published one, and the mark that it is synthetic."""
    rng = np.random.default_rng(seed)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    mints = rng.choice(["north", "south"], 400)
    weights = rng.normal(5 + (mints == "south"), 1).clip(0.1)
    sides = rng.choice(["heads", "tails"], 400)
    rows = zip(mints, weights, rng.uniform(1, 3, 400), sides, strict=True)
    lines = [f"{mint},{weight:.3f},{width:.3f},{side}" for mint, weight, width, side in rows]
    (folder / "coins.csv").write_text("\n".join(["mint,weight,width,side", *lines]) + "\n", encoding="utf-8")
    (folder / "SYNTHETIC.txt").write_text("Synthetic data.\n", encoding="utf-8")
