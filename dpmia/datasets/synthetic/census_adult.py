"""Synthetic records of two surveys: those of the census, with what `census_adult.toml` leaves to compute, and Adult."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets.published import census_adult
from dpmia.datasets.synthetic import adult
from dpmia.datasets.synthetic.draws import pick
from dpmia.datasets.synthetic.sampler import Records, read_toml, write_table


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write `census-income.test`, and Adult's two files, with as many records as the real ones at every scale."""
    tables = read_toml("census_adult")
    (file,) = tables["file"]
    column = file["column"]
    first_years = [int(years) for years in column["years"]["values"]]
    spelling = census_adult.WORDS["native-country"]
    countries = [spelling[word] for word in column["native-country"]["values"]]
    weights = adult.country_weights(read_toml("adult"), tables["countries"], countries)
    computed = {
        "years": lambda _, records: np.digitize(records["age"], first_years) - 1,
        "education-num": lambda _, records: records.category("education").codes + 1.0,
        "native-country": lambda rng, records: pick(rng, weights, records.category("race").codes),
        **adult.AGES,
    }
    write_table(folder, file, Records(file, np.random.default_rng([seed, 1]), computed))
    adult.write_files("adult", folder, seed, scale)
