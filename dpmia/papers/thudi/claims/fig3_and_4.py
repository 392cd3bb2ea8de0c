"""Claims about figures 3 and 4: precision by epsilon and sampling rate, and what LiRA gains."""

from __future__ import annotations

from functools import partial

import pandas as pd

from dpmia.claims.build import claim, theorem
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import above, at_most, listed_numbers, near_each
from dpmia.claims.decisions import Cells, Condition
from dpmia.claims.quantities import Quantity, at_each, mean_over, metric
from dpmia.papers.thudi import budgets, names, theory
from dpmia.papers.thudi.claims.shared import ARMS, EPSILONS, each_rate, gain, lira
from dpmia.theory.precision_bounds import precision_bound

#: Figure 4: the middle rate and those on either side.
MIDDLE, OUTER = 0.5, (0.1, 0.9)

#: How much LiRA gains at most: more than anything that figure 3 shows; the paper prints no number.
LARGEST_GAIN = 0.15

#: Rate -> what random rankings gain. That of rate 1/2 is reported, so it comes first.
CONTROL = {0.5: 0.059, 0.1: 0.036, 0.3: 0.055, 0.7: 0.055, 0.9: 0.035}


def _rates_against_epsilons(tables: Tables, sign: int) -> Cells:
    """Return what the gain has at the middle rate above the outer ones, plus or minus what it has at the largest
    epsilon above the smallest, of each replicate. Both are differences of means, so noise adds to neither.
    """
    cells: Cells = {}
    for experiment, title in names.DATASETS.items():
        curves = {rate: at_each(EPSILONS, gain(experiment, rate))(tables) for rate in names.RATES}
        if any(len(curve) < 2 for curve in curves.values()):
            continue
        frames = {rate: pd.concat([*map(pd.Series, curve.values())], axis=1) for rate, curve in curves.items()}
        means = {rate: frame.mean(axis=1) for rate, frame in frames.items()}
        by_rate = means[MIDDLE] - sum(means[rate] for rate in OUTER) / len(OUTER)
        by_epsilon = sum(frame.iloc[:, -1] - frame.iloc[:, 0] for frame in frames.values()) / len(frames)
        cells[title] = by_rate + sign * by_epsilon
    return cells


def _over_bound(experiment: str, rate: float) -> Quantity:
    bound = partial(precision_bound, prior=rate, delta=budgets.DELTA, acceptance=budgets.ACCEPTANCE)
    return lira(experiment, rate, "precision") - bound


def _over_ceiling(experiment: str, rate: float) -> Quantity:
    return lira(experiment, rate, "precision") - metric(experiment, ARMS[rate], name="precision_ceiling")


_middle_minus_outer = each_rate(
    lambda experiment, rate: gain(experiment, MIDDLE) - gain(experiment, rate), OUTER, f"{{}}, {MIDDLE:g} less {{:g}}"
)

_fig3 = partial(claim, artifact="thudi_fig3", tables=names.ALL, some_suffice=True)
_fig4 = partial(claim, artifact="thudi_fig4", tables=names.ALL, some_suffice=True)

CLAIMS = (
    _fig3(
        "thudi-fig3-baseline",
        "LiRA against private models is more precise than predicting every record a member, but not by much.",
        *(
            Condition(
                "precision of LiRA minus baseline, mean over epsilon, at every rate",
                comparison,
                mean_over(EPSILONS, each_rate(gain)),
                epsilons=EPSILONS,
            )
            for comparison in (above(0), at_most(LARGEST_GAIN))
        ),
    ),
    _fig3(
        "thudi-fig3-sampling-dominates",
        "What LiRA gains over the baseline depends on the sampling rate, most at the middle, more than on epsilon.",
        *(
            Condition(
                f"gain of LiRA at rate {MIDDLE:g} minus the mean of those at {listed_numbers(OUTER)} (mean over "
                f"epsilon), {word} that at the largest epsilon less that at the smallest (mean over rates)",
                above(0),
                partial(_rates_against_epsilons, sign=sign),
                epsilons=EPSILONS,
            )
            for word, sign in (("minus", -1), ("plus", 1))
        ),
    ),
    _fig3(
        "thudi-fig3-below-bound",
        "LiRA's own decisions keep to theorem 3.3.",
        Condition(
            "precision of LiRA minus theorem 3.3, at every rate and epsilon",
            at_most(0),
            at_each(EPSILONS, each_rate(_over_bound)),
            epsilons=EPSILONS,
        ),
        ours=True,
    ),
    _fig3(
        "thudi-fig3-below-ceiling",
        "LiRA's own decisions keep to the exact upper bound of the trained mechanism, which is lower.",
        Condition(
            "precision of LiRA minus the exact upper bound, at every rate and epsilon",
            at_most(0),
            at_each(EPSILONS, each_rate(_over_ceiling)),
            epsilons=EPSILONS,
        ),
        ours=True,
    ),
    _fig4(
        "thudi-fig4-hump",
        "LiRA gains most at middle sampling rates.",
        Condition(
            f"gain of LiRA over the baseline at rate {MIDDLE:g} minus that at {listed_numbers(OUTER)}, "
            "mean over epsilon",
            above(0),
            mean_over(EPSILONS, _middle_minus_outer),
            epsilons=EPSILONS,
        ),
    ),
    theorem(
        "thudi-fig4-null-control",
        "A random ranking under the same rule gains most at middle rates, too.",
        Condition(
            "gain of random rankings over the baseline",
            near_each({f"rate {rate:g}": value for rate, value in CONTROL.items()}, 0.006),
            lambda tables: {f"rate {rate:g}": theory.control_gain(rate) for rate in CONTROL},
        ),
        artifact="thudi_fig4",
        ours=True,
        simulated=True,
        note="simulated; at the five rates {1:.3f}, {2:.3f}, {0:.3f}, {3:.3f}, {4:.3f}",
    ),
    _fig4(
        "thudi-fig4-beyond-control",
        "LiRA gains more than a random ranking under the same rule.",
        Condition(
            "precision of LiRA minus that of random rankings, mean over epsilon, at every rate",
            above(0),
            mean_over(EPSILONS, each_rate(partial(gain, over="control"))),
            epsilons=EPSILONS,
        ),
        ours=True,
    ),
)
