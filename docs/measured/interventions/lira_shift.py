"""Figures 4 and 13 of Thudi et al.: what LiRA gains where target models are less confident than shadow models, or more.

Simulated, without data or models. python docs/measured/interventions/lira_shift.py
"""

import numpy as np

from dpmia.common.seeds import derive_seed
from dpmia.metrics.intervals import mean_interval
from dpmia.metrics.precision import best_quantile

RECORDS, RATE, SHADOWS, RUNS, SEED = 20_000, 0.3, 20, 400, 5
#: How much confidence on a record rises when a model is trained on it, in standard deviations over models.
EFFECT = 0.08
#: Confidence of the target model less that of shadow models, on every record, in the same unit.
SHIFTS = (-0.3, 0.0, 0.3)


def gain(shift, rng):
    """Return the precision of the best of forty quantiles of LiRA's scores less the share of members."""
    is_member = rng.random(RECORDS) < RATE
    target = shift + EFFECT * is_member + rng.normal(size=RECORDS)
    trained_on = rng.random((SHADOWS, RECORDS)) < 0.5
    shadows = EFFECT * trained_on + rng.normal(size=(SHADOWS, RECORDS))
    means = [np.average(shadows, axis=0, weights=side + 1e-9) for side in (trained_on, ~trained_on)]
    scores = np.square(target - means[1]) - np.square(target - means[0])
    return best_quantile(scores, is_member)[0] - is_member.mean()


def main():
    """Print the mean gain by shift, and that of random scores, with 95 % intervals over runs."""
    rng = np.random.default_rng(derive_seed(SEED, "LiRA and shifts"))
    rows = {f"target {shift:+g}": [gain(shift, rng) for _ in range(RUNS)] for shift in SHIFTS}
    members = [rng.random(RECORDS) < RATE for _ in range(RUNS)]
    rows["random scores"] = [best_quantile(rng.random(RECORDS), of_run)[0] - of_run.mean() for of_run in members]
    for name, gains in rows.items():
        mean = mean_interval(np.array(gains))
        print(f"{name:16}{mean.mean:.4f} [{mean.low:.4f}, {mean.high:.4f}]")


if __name__ == "__main__":
    main()
