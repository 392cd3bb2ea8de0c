"""Synthetic rats: 200 genes that rise and fall together, and one more that goes with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets.published import eyedata
from dpmia.datasets.published.regression import standardised
from dpmia.datasets.synthetic.sampler import mark, write

RATS = 120
#: Quantiles, over the genes, of their mean and of their standard deviation, rounded from the real file.
LEVELS = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)
MEANS = (3.4, 4.3, 5.2, 6.1, 7.1, 7.9, 9.9)
SPREADS = (0.15, 0.18, 0.21, 0.29, 0.34, 0.37, 0.44)
#: Variances of the leading principal components of the standardised genes; the rest is a gene's own.
COMPONENTS = (122, 17, 5.5, 4.7, 3.3, 2.9, 2.4, 2, 1.9, 1.5, 1.4, 1.4, 1.2, 1.2)
#: Correlations of the gene to predict with these components, its mean and its standard deviation.
CORRELATIONS = (0.79, 0.05, 0.08, 0.13, 0.25, 0.08, 0.03, 0.06, 0.13)
MEAN, SPREAD = 8.39, 0.145
#: Degrees of freedom of the t distribution: few, since rats with unusual eyes stand far out.
HEAVY = 5


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write `eyedata.csv`: names in quotes, then plain numbers with up to nine decimals; 120 rats at any scale."""
    rng = np.random.default_rng(seed)
    genes = len(eyedata.PROBES)
    components = standardised(rng.standard_t(HEAVY, size=(RATS, len(COMPONENTS))))
    loadings = rng.normal(size=(genes, len(COMPONENTS)))
    loadings[:, 0] = np.sign(loadings[:, 0]) * rng.uniform(0.5, 1.2, genes)  # every gene has a part in the first
    directions = np.linalg.qr(loadings)[0]
    own = np.sqrt((genes - sum(COMPONENTS)) / genes)
    x = components * np.sqrt(COMPONENTS) @ directions.T + own * rng.normal(size=(RATS, genes))
    weights = np.zeros(len(COMPONENTS))
    weights[: len(CORRELATIONS)] = CORRELATIONS
    y = components @ weights + np.sqrt(1 - np.sum(np.square(CORRELATIONS))) * standardised(
        rng.standard_t(HEAVY, size=RATS)
    )

    places = rng.random((2, genes))
    numbers = np.column_stack(
        [
            np.interp(places[0], LEVELS, MEANS) + np.interp(places[1], LEVELS, SPREADS) * standardised(x),
            MEAN + SPREAD * standardised(y),
        ]
    )
    header = ",".join(f'"{name}"' for name in eyedata.LAYOUT.columns)
    rows = (",".join(f"{value:.9f}".rstrip("0") for value in row) for row in numbers)
    write(folder / eyedata.FILE, "\n".join([header, *rows]) + "\n")
    mark(folder, seed)
