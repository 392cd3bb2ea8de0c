"""The theorems at a few ratios, with the threshold attack played on drawn errors beside its formula."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from dpmia.attacks import gaussian_error
from dpmia.papers.artifact import RunSummary
from dpmia.theory.overfitting import (
    binary_attribute_advantage,
    gaussian_advantage,
    most_telling_influence,
    unknown_sigma_advantage,
)

RATIOS = (1.0, 1.5, 2.0, 5.0, 10.0, 50.0)
ERRORS = 1_000_000


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each ratio: theorem 3 and a simulation, the formula for unknown sigma_D, theorem 5's peak."""
    rows = []
    for ratio, simulated in simulated_advantages(RATIOS).items():
        peak = float(most_telling_influence(ratio))
        rows.append(
            {
                "ratio": ratio,
                "threshold": float(gaussian_advantage(ratio)),
                "threshold_simulated": simulated,
                "threshold_sigma_s": float(unknown_sigma_advantage(ratio)),
                "most_telling_influence": peak,
                "attribute_at_peak": float(binary_attribute_advantage(peak, 1.0, ratio)),
            }
        )
    return pd.DataFrame(rows).round(4)


def simulated_advantages(ratios: Iterable[float]) -> dict[float, float]:
    """Return the advantage of the threshold attack on `ERRORS` drawn errors of either kind, by ratio."""
    members, others = np.random.default_rng(0).normal(size=(2, ERRORS))
    advantages = {}
    for ratio in ratios:
        tpr, fpr = (gaussian_error.decisions(errors, 1.0, ratio).mean() for errors in (members, ratio * others))
        advantages[ratio] = float(tpr - fpr)
    return advantages
