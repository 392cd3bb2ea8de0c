"""Claims about figures 11 to 13: the ROC of LiRA, models without privacy, and the rate of the shadow models."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import above, at_most, consistent_with, near
from dpmia.claims.decisions import Cells, Condition, Every, Some
from dpmia.claims.rows import Replicates
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, TWO, datasets, gain

#: The epsilon of the private models of these figures.
EPSILON = 3

#: Figure 11: the false positive rate at which the true one is taken. It takes 100 non-members to show it.
FPR = 0.01


def _of_lira(tables: Tables, metric: str, name: str) -> Cells:
    """Return a metric of LiRA at each rate of each data set."""
    return {
        f"{name}, {title}, p = {rate:g}": rows(arm, EPSILON, names.LIRA, metric)
        for title, rows in datasets(tables).items()
        for rate, arm in ARMS.items()
    }


def _tprs(tables: Tables) -> Cells:
    return _of_lira(tables, f"tpr@{FPR:g}", f"TPR at {100 * FPR:g} %")


def _shown_tprs(tables: Tables) -> Cells:
    """Return true positive rates where all models have as many non-members as it takes."""
    return {
        name: values for name, values in _tprs(tables).items() if not np.isnan(np.asarray(values, dtype=float)).any()
    }


def _with_hidden(tables: Tables, finding: Finding) -> str:
    hidden = len(_tprs(tables)) - len(_shown_tprs(tables))
    return finding.note + (f"; in {hidden} more there are too few non-members" if hidden else "")


def _gain_without_privacy(tables: Tables) -> Cells:
    rows = Replicates.of(tables, names.CIFAR10)
    return {"": gain(rows, ARMS[0.5], math.inf) - gain(rows, ARMS[0.5], EPSILON)}


def _differences_of_rates(tables: Tables) -> Cells:
    return {
        f"{title}, {more:g} less {less:g}": gain(rows, ARMS[more], math.inf) - gain(rows, ARMS[less], math.inf)
        for title, rows in datasets(tables).items()
        for more, less in permutations(names.RATES, 2)
    }


def _differences_of_shadow_rates(tables: Tables) -> Cells:
    return {
        f"{title}, p = {rate:g}, shadows at {more:g} less {less:g}": rows(
            arm, EPSILON, names.LIRA_BY_RATE[more], "precision_best"
        )
        - rows(arm, EPSILON, names.LIRA_BY_RATE[less], "precision_best")
        for title, rows in datasets(tables).items()
        for rate, arm in ARMS.items()
        for more, less in combinations(names.RATES, 2)
    }


CLAIMS = (
    Claim(
        id="thudi-fig11-near-diagonal",
        artifact="thudi_fig11",
        statement="Against private models LiRA's ROC is close to guessing.",
        tables=TWO,
        each=True,
        rule=Every(
            Condition(
                f"AUC of LiRA at epsilon {EPSILON}, at every rate",
                near(0.5, 0.05),
                lambda tables: _of_lira(tables, "auc", "AUC"),
            ),
            Condition(
                f"TPR of LiRA at FPR {FPR:g} and epsilon {EPSILON}, at every rate with enough non-members to show it",
                at_most(0.05),
                _shown_tprs,
            ),
            note=_with_hidden,
        ),
    ),
    Claim(
        id="thudi-fig12-no-dp",
        artifact="thudi_fig12",
        statement="Without privacy LiRA gains more than with it.",
        tables=(f"replicates/{names.CIFAR10}",),
        rule=Every(
            Condition(
                f"gain of LiRA on CIFAR10 at rate 0.5 without privacy minus that at epsilon {EPSILON}",
                above(0),
                _gain_without_privacy,
            )
        ),
    ),
    Claim(
        id="thudi-fig12-depends-on-p",
        artifact="thudi_fig12",
        statement="Without privacy the gain depends on the sampling rate.",
        tables=TWO,
        each=True,
        rule=Some(
            Condition(
                "gain of LiRA without privacy at one rate minus that at another, for all pairs of rates",
                above(0.05),
                _differences_of_rates,
            )
        ),
    ),
    Claim(
        id="thudi-fig13-shadow-rate",
        artifact="thudi_fig13",
        statement="The sampling rate of the shadow models makes no difference to LiRA.",
        tables=TWO,
        each=True,
        rule=Every(
            Condition(
                f"positive accuracy of LiRA at epsilon {EPSILON} with one shadow rate minus that with another, at "
                "every rate",
                consistent_with(0),
                _differences_of_shadow_rates,
            )
        ),
    ),
)
