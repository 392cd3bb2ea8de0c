"""Figure 2a of Yeom et al. on ridge regression: the attack against theorem 3, one assumption changed at a time.

python docs/measured/interventions/ridge_errors.py resources/real/prepared/eyedata.npz
"""

import sys
from functools import partial

import numpy as np
import pandas as pd

from dpmia.attacks import gaussian_error
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.metrics.ranking import advantage
from dpmia.models.regressors import fit_ridge
from dpmia.theory.overfitting import gaussian_advantage

PENALTIES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
SPLITS, SEED = 100, 2
#: Records whose target lies as many standard deviations from the mean are left out.
OUTLIER = 5


def spread(errors):
    """Return the root mean squared error of each penalty."""
    return np.sqrt(np.mean(np.square(errors), axis=1))


def left_out(x, y, parts):
    """Return the spread of the errors on records that cross-validation in so many parts left out."""
    errors = np.empty((len(PENALTIES), len(y)))
    order = np.random.default_rng(SEED).permutation(len(y))
    for part in np.array_split(order, parts):
        kept = np.setdiff1d(order, part)
        errors[:, part] = y[part] - fit_ridge(x[kept], y[kept], PENALTIES, SEED)(x[part])
    return spread(errors)


def differences(x, y, *, parts=None, of_split=False, gaussian=False):
    """Return the advantage minus theorem 3 by split and penalty.

    Args:
        x: features.
        y: targets.
        parts: of cross-validation; one for each record if left out.
        of_split: the attacker knows the spreads of the attacked model, not those of the model fitted on all records.
        gaussian: errors are drawn from normal distributions of the spreads that the attacker knows.
    """
    of_attacker = spread(y - fit_ridge(x, y, PENALTIES, SEED)(x)), left_out(x, y, parts or len(y))
    rows = []
    for split in range(SPLITS):
        rng = np.random.default_rng(derive_seed(SEED, "ridge errors", split))
        members = rng.permutation(len(y)) >= np.ceil(0.25 * len(y))
        errors = y - fit_ridge(x[members], y[members], PENALTIES, SEED)(x)
        of_members, of_others = (spread(errors[:, members]), spread(errors[:, ~members])) if of_split else of_attacker
        if gaussian:
            errors = rng.normal(size=errors.shape) * np.where(members, of_members[:, None], of_others[:, None])
        advantages = [
            advantage(gaussian_error.decisions(*by_penalty), members)["advantage"]
            for by_penalty in zip(errors, of_members, of_others, strict=True)
        ]
        rows.append(np.array(advantages) - gaussian_advantage(of_others / of_members))
    return np.array(rows)


def main(file):
    """Print the mean difference at each penalty, and the one farthest from 0 with its 95 % interval over splits."""
    data = Dataset.load(file)
    x, y = data.inputs(), data.y.astype(float)
    usual = np.abs(y - y.mean()) < OUTLIER * y.std()
    worlds = {
        "nothing": partial(differences, x, y),
        "cross-validation in 4 parts": partial(differences, x, y, parts=4),
        "spreads of the attacked model": partial(differences, x, y, of_split=True),
        "without the outlier": partial(differences, x[usual], y[usual]),
        "without the outlier, spreads of the attacked model": partial(differences, x[usual], y[usual], of_split=True),
        "normal errors": partial(differences, x, y, gaussian=True),
        "normal errors, spreads of the attacked model": partial(differences, x, y, of_split=True, gaussian=True),
    }
    table = {}
    for name, world in worlds.items():
        rows = world()
        mean = rows.mean(axis=0)
        worst = int(np.argmax(np.abs(mean)))
        half = 1.96 * rows[:, worst].std(ddof=1) / np.sqrt(SPLITS)
        interval = f"[{mean[worst] - half:.3f}, {mean[worst] + half:.3f}]"
        table[name] = [*mean.round(3), f"{mean[worst]:.3f} {interval} at {PENALTIES[worst]}"]
    print(f"{(~usual).sum()} outlier of {len(y)} records")
    print(pd.DataFrame(table, index=[*PENALTIES, "worst"]).T.to_string())


if __name__ == "__main__":
    main(sys.argv[1])
