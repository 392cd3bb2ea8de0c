"""Synthetic Adult records: what `adult.toml` leaves to compute, and two files from one table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.datasets.synthetic.draws import complete, pick
from dpmia.datasets.synthetic.sampler import Records, lines, mark, read_toml, write

TRAIN = 32_561
#: People with more than some college: groups of members are drawn from them, so as many as in the real files.
GRADUATES = 15_772


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write `adult.data` and `adult.test` with as many records as the real ones at every scale."""
    tables = read_toml("adult")
    (file,) = tables["file"]
    weights = country_weights(tables, tables["countries"], file["column"]["native-country"]["values"])
    records = Records(
        file,
        np.random.default_rng(seed),
        {
            "education": _education,
            "education-num": lambda _, records: records.category("education").codes + 1.0,
            "native-country": lambda rng, records: complete(
                rng, pick(rng, weights, records.category("race").codes), weights.shape[1]
            ),
            **AGES,
        },
    )
    rows = list(lines(file, records))
    write(folder / "adult.data", "\n".join(rows[:TRAIN]) + "\n\n")
    write(folder / "adult.test", "|1x3 Cross validator\n" + "".join(f"{row}.\n" for row in rows[TRAIN:]) + "\n")
    mark(folder, seed)


def _decades(_: np.random.Generator, records: Records) -> np.ndarray:
    """Return the decades of life that income grows in."""
    return np.minimum(records["age"], 70) / 10


#: Income grows with age, and less and less.
AGES = {"decades": _decades, "decades squared": lambda rng, records: _decades(rng, records) ** 2}


def country_weights(tables: Mapping, countries: Mapping, values: list[str]) -> np.ndarray:
    """Return the weights race -> country of birth.

    Args:
        tables: those of Adult, with the counts of each region.
        countries: race -> percent born in the United States, percent unknown, region of the others.
        values: countries, the last one unknown.
    """
    weights = np.zeros((len(countries["born"]), len(values)))
    for row, born in zip(weights, countries["born"].values(), strict=True):
        region = tables["countries"][born["others"]]
        row[values.index("United-States")] = born["here"]
        row[-1] = born["unknown"]
        for country, count in region.items():
            row[values.index(country)] = (100 - born["here"] - born["unknown"]) * count / sum(region.values())
    return weights


def _education(rng: np.random.Generator, records: Records) -> pd.Categorical:
    """Return the schooling with nobody further than their age allows and exactly `GRADUATES` above some college."""
    age, levels = records["age"], list(records.category("schooling").categories)
    high_school_begun, some_college, associate = map(levels.index, ("11th", "Some-college", "Assoc-voc"))
    codes = records.category("schooling").codes.astype(np.int64)
    codes = np.where(age < 22, np.minimum(codes, some_college), codes)
    codes = np.where(age < 18, np.minimum(codes, high_school_begun), codes)
    codes = complete(rng, codes, len(levels))
    missing = GRADUATES - int((codes > some_college).sum())
    old, new = (some_college, associate) if missing > 0 else (associate, some_college)
    codes[rng.choice(np.flatnonzero((codes == old) & (age >= 22)), abs(missing), replace=False)] = new
    return pd.Categorical.from_codes(codes, levels)
