"""Claims about figure 4: the share p of men among the members of Adult."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, at_most, below, near, not_above, not_below
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.claims.rows import Replicates
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.humphries.claims.shared import (
    ATTACKS,
    AVERAGE,
    FROM_1,
    OPTIMAL,
    UP_TO_1,
    nonmembers_better,
)

GENDER = "adult_gender"
#: The epsilon at which bias is compared with no privacy.
STRICT = 0.1
SHARES = ("p0", "p25", "p50", "p75", "p100")


def _steps(attack: str, pairs: tuple[tuple[str, str], ...]) -> Callable[[Tables], Cells]:
    """Return the measure of the advantage at one share minus that at a larger one."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, GENDER)
        return {
            f"{fewer} less {more}, ε = {format_epsilon(epsilon)}": rows(fewer, epsilon, attack)
            - rows(more, epsilon, attack)
            for epsilon in rows.epsilons(FROM_1, "p0", attack)
            for fewer, more in pairs
        }

    return measure


def _falls_with_men(attack: str) -> Every:
    of = f"advantage of {ATTACKS[attack]}"
    return Every(
        Condition(f"{of} at p = 0 minus that at p = 1, at {FROM_1}", above(0), _steps(attack, (("p0", "p100"),))),
        Condition(
            f"{of} at each p minus that at the next larger, at {FROM_1}",
            not_below(0),
            _steps(attack, tuple(pairwise(SHARES))),
        ),
    )


def _mean_advantage(tables: Tables, arm: str) -> pd.Series:
    rows = Replicates.of(tables, GENDER)
    return rows.mean(arm, rows.epsilons(FROM_1, "p100", AVERAGE), AVERAGE)


def _bias_minus_leak(tables: Tables) -> pd.Series:
    rows = Replicates.of(tables, GENDER)
    return rows("p0", STRICT, AVERAGE) - rows("p50", np.inf, AVERAGE)


def _distance_of_accuracies(tables: Tables) -> pd.Series:
    rows = Replicates.of(tables, GENDER)
    distances = [
        (rows(arm, epsilon, metric="accuracy_members") - rows(arm, epsilon, metric="accuracy_validation")).abs()
        for arm in SHARES
        for epsilon in rows.epsilons(UP_TO_1, arm, metric="accuracy_validation")
    ]
    return pd.concat(distances, axis=1).mean(axis=1)


CLAIMS = (
    Claim(
        id="humphries-fig4-monotone-p",
        artifact="humphries_fig4",
        statement="The more men among the members, the worse the average threshold does.",
        tables=(f"replicates/{GENDER}",),
        rule=_falls_with_men(AVERAGE),
    ),
    Claim(
        id="humphries-fig4-monotone-p-optimal",
        artifact="humphries_fig4",
        statement="The more men among the members, the worse the optimal threshold does.",
        tables=(f"replicates/{GENDER}",),
        rule=_falls_with_men(OPTIMAL),
    ),
    Claim(
        id="humphries-fig4-negative",
        artifact="humphries_fig4",
        statement="Where most members are men the average threshold has a negative advantage.",
        paper_value="negative from p = 0.75",
        tables=(f"replicates/{GENDER}",),
        rule=Every(
            Condition(
                f"advantage of the average threshold at p = 1, mean over {FROM_1}",
                below(0),
                lambda tables: {"p = 1": _mean_advantage(tables, "p100")},
            ),
            Condition(
                f"advantage of the average threshold at p = 0.75, mean over {FROM_1}",
                not_above(0),
                lambda tables: {"p = 0.75": _mean_advantage(tables, "p75")},
            ),
        ),
    ),
    Claim(
        id="humphries-fig4-bias-vs-privacy",
        artifact="humphries_fig4",
        statement="Members without men leak at epsilon 0.1 about what members without bias leak without privacy.",
        paper_value="similar",
        tables=(f"replicates/{GENDER}",),
        rule=Every(
            Condition(
                f"advantage of the average threshold at p = 0 and epsilon {STRICT:g} minus that at p = 0.5 "
                "without privacy",
                near(0, 0.05),
                _bias_minus_leak,
            )
        ),
    ),
    Claim(
        id="humphries-fig4-validation",
        artifact="humphries_fig4",
        statement="Members are classified as well as other records drawn like them: what is learnt is the bias.",
        tables=(f"replicates/{GENDER}",),
        rule=Every(
            Condition(
                f"distance between accuracy on members and on validation records, mean over all p and {UP_TO_1}",
                at_most(0.02),
                _distance_of_accuracies,
            )
        ),
    ),
    Claim(
        id="humphries-fig4-p1-nonmember-acc",
        artifact="humphries_fig4",
        statement="Where all members are men, non-members are classified better than members.",
        tables=(f"replicates/{GENDER}",),
        rule=Every(nonmembers_better(GENDER, "p100", "1")),
    ),
)
