"""What LiRA loses with few shadow models, on scores with a known law.

Two errors come of a mean and a variance from n models on a side. The false positive rate is above its level: with
each record's own variance, phi standardised is sqrt(1 + 1/n) times a Student t with n - 1 degrees of freedom and no
normal variable; with a pooled variance, sqrt(1 + 1/n) times a normal one. And the ranking is worse than that of the
likelihood ratio of the law itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from attack_checks import measure
from gaussian_law import GaussianLaw
from scipy import stats

from dpmia.attacks.lira import OfflineLira, OnlineLira
from dpmia.common.seeds import derive_seed

COLUMNS = ["attack", "variance", "models", "replicate", "metric", "value", "expected", "limit"]


def run(
    *,
    seed: int,
    models: Sequence[int] = (4, 8, 16, 32, 64),
    records: int = 4000,
    replicates: int = 5,
    shift: float = 2.0,
    difficulty: float = 3.0,
    levels: Sequence[float] = (0.1, 0.01),
) -> pd.DataFrame:
    """Attack invented models whose confidences are Gaussian, and set what is found beside what the law implies.

    Args:
        seed: the user's seed.
        models: numbers of shadow models with and without each record, each at least 2.
        records: half of them members.
        replicates: independent repetitions.
        shift: what training on a record adds to its confidence, in standard deviations of one model.
        difficulty: standard deviation of the confidence over records, in the same unit.
        levels: nominal false positive rates.

    Returns:
        Columns `COLUMNS`. `metric` is `auc`, `tpr_at_1pct_fpr`, or `fpr at <level>` (offline: the rate at which the
        Gaussian tail of that level calls non-members members). `expected` is the exact value for so many models
        where there is a closed form, NaN else; `limit` that for infinitely many.
    """
    law = GaussianLaw(shift=shift, difficulty=difficulty)
    rows = []
    for count in models:
        for replicate in range(replicates):
            rng = np.random.default_rng(derive_seed(seed, "few shadows", count, replicate))
            drawn = law.draw(rng, records // 2, records - records // 2, references=2 * count)
            for variance in ("per_point", "pooled"):
                for name, lines in _measured(law, drawn, count, variance, levels, rng):
                    rows += [[name, variance, count, replicate, *line] for line in lines]
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(
    law: GaussianLaw, drawn: tuple, count: int, variance: str, levels: Sequence[float], rng: np.random.Generator
) -> Iterator[tuple[str, list[list]]]:
    signal, knowledge = drawn
    widened = law.spread("noise") * np.sqrt(1 + 1 / count)
    for name, attack in (("online", OnlineLira(variance)), ("offline", OfflineLira(variance))):
        exact = name == "offline" and variance == "pooled"
        metrics = measure(attack, signal, knowledge, rng)
        lines = [
            ["auc", metrics["auc"], law.auc(widened) if exact else np.nan, law.auc(law.noise)],
            [
                "tpr_at_1pct_fpr",
                metrics["tpr_at_1pct_fpr"],
                law.tpr(widened, 0.01) if exact else np.nan,
                law.tpr(law.noise, 0.01),
            ],
        ]
        if name == "offline":
            scores = attack.scores(signal, knowledge, rng)[signal.is_nonmember]
            for level in levels:
                rate = float((scores >= stats.norm.isf(level)).mean())
                lines.append([f"fpr at {level:g}", rate, nominal_to_actual(level, count, variance), level])
        yield name, lines


def nominal_to_actual(level: float, models: int, variance: str) -> float:
    """Return the false positive rate of offline LiRA that aims at `level`, for Gaussian confidences.

    Args:
        level: nominal rate.
        models: number of models trained without the record.
        variance: `per_point`, or `pooled` over so many records that it is known.
    """
    at = stats.norm.isf(level) / np.sqrt(1 + 1 / models)
    return float(stats.t.sf(at, models - 1) if variance == "per_point" else stats.norm.sf(at))
