"""Claims about figures 11 to 13: the ROC of LiRA, models without privacy, and the rate of the shadow models."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations, permutations

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import above, at_most, near
from dpmia.claims.decisions import Cells, Condition, Some
from dpmia.claims.quantities import at, metric
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, NOT_PRIVATE, TWO, each_rate, gain, lira, measured

#: The epsilon of the private models of these figures.
EPSILON = 3

#: Figure 11: the false positive rate at which the true one is taken. It takes 100 non-members to show it.
FPR = 0.01

#: Figure 13: tolerance of differences between shadow rates. Half of .02, the smallest gain of LiRA that figure 4 marks.
SHADOW_TOLERANCE = 0.01

_aucs = each_rate(partial(lira, name="auc"), title="AUC, {}, p = {:g}")
_tprs = each_rate(partial(lira, name=f"tpr@{FPR:g}"), title=f"TPR at {100 * FPR:g} %, {{}}, p = {{:g}}")
_shown_tprs, _with_hidden = measured(at(EPSILON, _tprs), pd.Series.all, "there are too few non-members")
_tprs_above_random = each_rate(
    lambda experiment, rate: (
        lira(experiment, rate, f"tpr@{FPR:g}") - metric(experiment, ARMS[rate], "random", f"tpr@{FPR:g}")
    ),
)
_shown_above_random, _ = measured(at(EPSILON, _tprs_above_random), pd.Series.all, "there are too few non-members")

_differences_of_rates = {
    f"{names.DATASETS[experiment]}, {more:g} less {less:g}": gain(control, more) - gain(control, less)
    for experiment, control in names.CONTROLS.items()
    for more, less in permutations(names.RATES, 2)
}
_without_minus_with_privacy = {
    names.DATASETS[experiment]: gain(control, 0.5) - gain(experiment, 0.5).fixed(EPSILON)
    for experiment, control in names.CONTROLS.items()
}


def _differences_of_shadow_rates(tables: Tables) -> Cells:
    """Return the precision with one shadow rate minus that with another, mean over the rates of the targets."""
    cells: Cells = {}
    for experiment, title in names.DATASETS.items():
        for more, less in combinations(names.RATES, 2):
            differences = {
                arm: metric(experiment, arm, names.LIRA_BY_RATE[more], "precision_best")
                - metric(experiment, arm, names.LIRA_BY_RATE[less], "precision_best")
                for arm in ARMS.values()
            }
            of_targets = at(EPSILON, differences)(tables)
            if of_targets:
                name = f"{title}, shadows at {more:g} less {less:g}"
                cells[name] = pd.concat([*of_targets.values()], axis=1).mean(axis=1)
    return cells


_claim = partial(claim, tables=TWO, each=True)

CLAIMS = (
    _claim(
        "thudi-fig11-near-diagonal",
        "Against private models LiRA's ROC is close to guessing.",
        Condition(f"AUC of LiRA at epsilon {EPSILON}, at every rate", near(0.5, 0.05), at(EPSILON, _aucs)),
        Condition(
            f"TPR of LiRA at FPR {FPR:g} and epsilon {EPSILON}, at every rate with enough non-members to show it",
            at_most(0.05),
            _shown_tprs,
        ),
        artifact="thudi_fig11",
        note=_with_hidden,
    ),
    _claim(
        "thudi-fig11-low-fpr",
        "At low false positive rates LiRA finds more members than random scores, at some sampling rate.",
        Condition(
            f"TPR of LiRA minus that of random scores at FPR {FPR:g} and epsilon {EPSILON}, at the rates with enough "
            "non-members to show it",
            above(0),
            _shown_above_random,
        ),
        artifact="thudi_fig11",
        rule=Some,
        note=_with_hidden,
    ),
    claim(
        "thudi-fig12-no-dp",
        "Without privacy LiRA gains more than with it.",
        Condition(
            f"gain of LiRA at rate 0.5 without privacy minus that at epsilon {EPSILON}, on each data set",
            above(0),
            at(math.inf, _without_minus_with_privacy),
        ),
        artifact="thudi_fig12",
        tables=(*NOT_PRIVATE, *TWO),
        each=True,
    ),
    claim(
        "thudi-fig12-depends-on-p",
        "Without privacy the gain depends on the sampling rate.",
        Condition(
            "gain of LiRA without privacy at one rate minus that at another, for all pairs of rates",
            above(0.05),
            at(math.inf, _differences_of_rates),
        ),
        artifact="thudi_fig12",
        tables=NOT_PRIVATE,
        each=True,
        rule=Some,
    ),
    _claim(
        "thudi-fig13-shadow-rate",
        "The sampling rate of the shadow models makes no difference to LiRA.",
        Condition(
            f"precision of LiRA at epsilon {EPSILON} with one shadow rate minus that with another, mean over "
            "the rates of the target models",
            near(0, SHADOW_TOLERANCE),
            _differences_of_shadow_rates,
        ),
        artifact="thudi_fig13",
    ),
)
