"""Measured tables from which worlds are made, small and invented."""

import numpy as np
import pandas as pd

from dpmia.claims.worlds import RANDOM
from dpmia.formats.rows import COLUMNS, EFFECTS, GROUPS

REPLICATES = 5

#: Attack, whether it is an oracle, metric -> its mean, and its mean under placebo (None: not known).
METRICS = {
    ("loss", False, "advantage"): (0.3, 0.0),
    ("loss", False, "auc"): (0.7, 0.5),
    ("loss", False, "tpr@0.01"): (0.05, 0.01),
    ("loss", False, "recall"): (0.9, 0.75),
    ("loss", False, "precision"): (0.6, 0.5),
    ("loss", False, "nan_scores"): (0.0, None),
    ("oracle", True, "advantage"): (0.4, 0.06),
    (RANDOM, True, "advantage"): (0.06, 0.06),
    ("lira", False, "precision"): (0.8, 0.5),
    ("lira", False, "precision_best"): (0.9, 0.56),
    ("lira", False, "precision_control"): (0.56, 0.56),
    ("lira", False, "precision_baseline"): (0.5, 0.5),
    ("model", False, "accuracy_members"): (0.95, 0.85),
    ("model", False, "accuracy_nonmembers"): (0.85, 0.85),
    ("model", False, "advantage_ceiling"): (0.9, 0.9),
}
MEASURED = {key: mean for key, (mean, _) in METRICS.items()}
PLACEBO = {key: mean for key, (_, mean) in METRICS.items() if mean is not None}


def metrics_table(arms=("a",), means=MEASURED):
    """Return a table whose metrics scatter together by .1 and each by .001 about their means."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=REPLICATES)
    rows = []
    for arm in arms:
        for (attack, oracle, name), mean in means.items():
            noise = 0.1 * common + 0.001 * rng.normal(size=REPLICATES)
            noise -= noise.mean()
            key = ["toy", arm, arm.endswith("-iid"), 1.0, attack, oracle, name]
            rows += [[*key, replicate, mean + noise[replicate]] for replicate in range(REPLICATES)]
    return pd.DataFrame(rows, columns=COLUMNS)


def study_table(splits=5):
    """Return a table of a study with two depths: the attack's advantage scatters about half of ratio minus 1."""
    rng = np.random.default_rng(0)
    rows = [
        [depth, ratio, "threshold", "membership", split, (ratio - 1) / 2 + 0.01 * rng.normal()]
        for depth, ratio in ((1.0, 1.2), (2.0, 1.8))
        for split in range(splits)
    ]
    return pd.DataFrame(rows, columns=["parameter", "ratio", "adversary", "target", "replicate", "advantage"])


def records_table(targets=2, records=200):
    """Return decisions on single records: an attack finds nine of ten members, and is wrong about one of ten others."""
    rows = [
        ["toy", "a", target, f"{part}{record}", part, "attack", 0.1, (record % 10 == 0) != (part == "member")]
        for target in range(targets)
        for part in ("member", "nonmember")
        for record in range(records)
    ]
    return pd.DataFrame(
        rows, columns=["experiment", "arm", "target", "record", "membership", "attack", "alpha", "decision"]
    )


def shared_table(mean, common=1.0, own=0.1, replicates=6):
    """Return a table of one metric, the mean score of `GROUPS` records that all replicates are evaluated on.

    Args:
        mean: the metric's mean over replicates.
        common: spread of what is special about each record to all replicates.
        own: of what is special about it to each replicate.
        replicates: their number.
    """
    rng = np.random.default_rng(0)
    scores = common * rng.normal(size=GROUPS) + own * rng.normal(size=(replicates, GROUPS))
    scores += mean - scores.mean()
    rows = []
    for replicate, of_records in enumerate(scores):
        effects = [of_records.mean() - np.delete(of_records, group).mean() for group in range(GROUPS)]
        key = ["toy", "a", False, 1.0, "loss", False, "advantage", replicate]
        rows.append([*key, of_records.mean(), *effects])
    return pd.DataFrame(rows, columns=[*COLUMNS, *EFFECTS])
