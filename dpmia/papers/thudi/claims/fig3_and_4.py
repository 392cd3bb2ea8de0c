"""Claims about figures 3 and 4: the positive accuracy of LiRA by sampling rate, and what it gains over the baseline."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, at_most, listed, near_each
from dpmia.claims.decisions import Cells, Condition, Every, Exact
from dpmia.claims.rows import Replicates
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.thudi import budgets, names, theory
from dpmia.papers.thudi.claims.shared import ALL, ARMS, datasets, epsilons, mean_gain
from dpmia.theory.positive_accuracy import positive_accuracy_bound

#: How many ranges over epsilon the range over rates exceeds.
FACTOR = 3

#: Figure 4: the middle rate and those on either side.
MIDDLE, OUTER = 0.5, (0.1, 0.9)

#: Rate -> what random rankings gain. That of rate 1/2 is reported, so it comes first.
CONTROL = {0.5: 0.059, 0.1: 0.036, 0.3: 0.055, 0.7: 0.055, 0.9: 0.035}


def _each_rate(value: Callable[[Replicates, str], pd.Series]) -> Callable[[Tables], Cells]:
    """Return the measure of a number at each rate of each data set."""
    return lambda tables: {
        f"{title}, p = {rate:g}": value(rows, arm)
        for title, rows in datasets(tables).items()
        for rate, arm in ARMS.items()
    }


def _each_model(value: Callable[[Replicates, float, float], pd.Series]) -> Callable[[Tables], Cells]:
    """Return the measure of a number at each rate and epsilon of each data set."""
    return lambda tables: {
        f"{title}, p = {rate:g}, ε = {format_epsilon(epsilon)}": value(rows, rate, epsilon)
        for title, rows in datasets(tables).items()
        for rate, arm in ARMS.items()
        for epsilon in epsilons(rows, arm)
    }


def _rates_against_epsilons(tables: Tables) -> Cells:
    """Return the range over rates minus `FACTOR` ranges over epsilon, of each replicate by itself.

    The noise of single replicates widens the ranges over epsilon, so this leans against the claim.
    """
    cells = {}
    for title, rows in datasets(tables).items():
        frames = [
            pd.concat([rows(arm, epsilon, names.LIRA, "precision_best") for epsilon in epsilons(rows, arm)], axis=1)
            for arm in ARMS.values()
        ]
        means = pd.concat([frame.mean(axis=1) for frame in frames], axis=1)
        widest = pd.concat([frame.max(axis=1) - frame.min(axis=1) for frame in frames], axis=1).max(axis=1)
        cells[title] = means.max(axis=1) - means.min(axis=1) - FACTOR * widest
    return cells


def _over_bound(rows: Replicates, rate: float, epsilon: float) -> pd.Series:
    bound = float(positive_accuracy_bound(epsilon, rate, budgets.DELTA, budgets.ACCEPTANCE))
    return rows(ARMS[rate], epsilon, names.LIRA, "precision") - bound


def _over_ceiling(rows: Replicates, rate: float, epsilon: float) -> pd.Series:
    arm = ARMS[rate]
    return rows(arm, epsilon, names.LIRA, "precision") - rows(arm, epsilon, metric="precision_ceiling")


def _middle_minus_outer(tables: Tables) -> Cells:
    return {
        f"{title}, {MIDDLE:g} less {rate:g}": mean_gain(rows, ARMS[MIDDLE]) - mean_gain(rows, ARMS[rate])
        for title, rows in datasets(tables).items()
        for rate in OUTER
    }


CLAIMS = (
    Claim(
        id="thudi-fig3-baseline",
        artifact="thudi_fig3",
        statement="LiRA against private models is hardly more precise than predicting every record a member.",
        tables=ALL,
        each=True,
        rule=Every(
            Condition(
                "positive accuracy of LiRA minus baseline, mean over epsilon, at every rate",
                at_most(0.15),
                _each_rate(mean_gain),
            )
        ),
    ),
    Claim(
        id="thudi-fig3-sampling-dominates",
        artifact="thudi_fig3",
        statement="The sampling rate matters far more than epsilon.",
        tables=ALL,
        each=True,
        rule=Every(
            Condition(
                f"range of LiRA's positive accuracy over rates minus {FACTOR} times the widest range over epsilon",
                above(0),
                _rates_against_epsilons,
            )
        ),
    ),
    Claim(
        id="thudi-fig3-below-bound",
        artifact="thudi_fig3",
        statement="LiRA's own decisions keep to theorem 3.3.",
        tables=ALL,
        each=True,
        ours=True,
        rule=Every(
            Condition(
                "positive accuracy of LiRA minus theorem 3.3, at every rate and epsilon",
                at_most(0),
                _each_model(_over_bound),
            )
        ),
    ),
    Claim(
        id="thudi-fig3-below-ceiling",
        artifact="thudi_fig3",
        statement="LiRA's own decisions keep to the exact ceiling of the trained mechanism, which is lower.",
        tables=ALL,
        each=True,
        ours=True,
        rule=Every(
            Condition(
                "positive accuracy of LiRA minus the exact upper bound, at every rate and epsilon",
                at_most(0),
                _each_model(_over_ceiling),
            )
        ),
    ),
    Claim(
        id="thudi-fig4-hump",
        artifact="thudi_fig4",
        statement="LiRA gains most at middle sampling rates.",
        tables=ALL,
        each=True,
        rule=Every(
            Condition(
                f"gain of LiRA over the baseline at rate {MIDDLE:g} minus that at {listed(OUTER)}, mean over epsilon",
                above(0),
                _middle_minus_outer,
            )
        ),
    ),
    Claim(
        id="thudi-fig4-null-control",
        artifact="thudi_fig4",
        statement="A random ranking under the same rule gains most at middle rates, too.",
        about_data=False,
        ours=True,
        rule=Exact(
            Condition(
                "gain of random rankings over the baseline",
                near_each({f"rate {rate:g}": value for rate, value in CONTROL.items()}, 0.006),
                lambda tables: {f"rate {rate:g}": theory.control_gain(rate) for rate in CONTROL},
            ),
            note="simulated; at the five rates {1:.3f}, {2:.3f}, {0:.3f}, {3:.3f}, {4:.3f}",
        ),
    ),
    Claim(
        id="thudi-fig4-beyond-control",
        artifact="thudi_fig4",
        statement="LiRA gains more than a random ranking under the same rule.",
        tables=ALL,
        each=True,
        ours=True,
        rule=Every(
            Condition(
                "positive accuracy of LiRA minus that of random rankings, mean over epsilon, at every rate",
                above(0),
                _each_rate(lambda rows, arm: mean_gain(rows, arm, "control")),
            )
        ),
    ),
)
