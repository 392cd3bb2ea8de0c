"""The theorems at a few ratios, with the threshold attack played on drawn errors beside its formula."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpmia.attacks import gaussian_error
from dpmia.papers.artifact import Facts
from dpmia.theory.overfitting import (
    binary_attribute_advantage,
    gaussian_advantage,
    most_telling_influence,
    unknown_sigma_advantage,
)

RATIOS = (1.0, 1.5, 2.0, 5.0, 10.0, 50.0)
ERRORS = 1_000_000


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return a row for each ratio: theorem 3 and a simulation, the formula for unknown sigma_D, theorem 5's peak."""
    rng = np.random.default_rng(0)
    members, others = rng.normal(size=(2, ERRORS))
    rows = []
    for ratio in RATIOS:
        caught, accused = (gaussian_error.decisions(errors, 1.0, ratio).mean() for errors in (members, ratio * others))
        peak = float(most_telling_influence(ratio))
        rows.append(
            {
                "ratio": ratio,
                "threshold": float(gaussian_advantage(ratio)),
                "threshold_simulated": caught - accused,
                "threshold_sigma_s": float(unknown_sigma_advantage(ratio)),
                "most_telling_influence": peak,
                "attribute_at_peak": float(binary_attribute_advantage(peak, 1.0, ratio)),
            }
        )
    return pd.DataFrame(rows).round(4)
