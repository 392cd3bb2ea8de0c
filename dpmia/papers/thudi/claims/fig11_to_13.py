"""Claims about figures 11 to 13: the ROC of LiRA, models without privacy, and the rate of the shadow models."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations, permutations

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import UNPRINTED, above, at_most, highest_at, near
from dpmia.claims.decisions import Cells, Condition, Highest, Some
from dpmia.claims.quantities import at, metric
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, each_rate, gain, lira, measured, noted

#: The epsilon of the private models of these figures.
EPSILON = 3

#: Figure 11: the false positive rate at which the true one is taken. It takes 100 non-members to show it.
FPR = 0.01

#: Figure 13: tolerance of differences between shadow rates. Half of .02, the smallest gain of LiRA that figure 4 marks.
SHADOW_TOLERANCE = 0.01

#: The rate that the paper's shadow models have elsewhere, too.
HALF = 0.5

_aucs = each_rate(partial(lira, name="auc"), title="AUC, {}, p = {:g}")
_tprs = each_rate(partial(lira, name=f"tpr@{FPR:g}"), title=f"TPR at {100 * FPR:g} %, {{}}, p = {{:g}}")
_shown_tprs, _with_hidden = measured(at(EPSILON, _tprs), pd.Series.all, "there are too few non-members")
_tprs_above_random = each_rate(
    lambda experiment, rate: (
        lira(experiment, rate, f"tpr@{FPR:g}") - metric(experiment, ARMS[rate], "random", f"tpr@{FPR:g}")
    ),
)
_shown_above_random, _ = measured(at(EPSILON, _tprs_above_random), pd.Series.all, "there are too few non-members")

_without_minus_with_privacy = {
    names.DATASETS[experiment]: gain(control, HALF) - gain(experiment, HALF).fixed(EPSILON)
    for experiment, control in names.CONTROLS.items()
}


def _depends_on_rate(id: str, experiment: str) -> Claim:
    """Return the claim that on one data set the gain without privacy depends on the sampling rate."""
    control = names.CONTROLS[experiment]
    differences = {
        f"{names.DATASETS[experiment]}, {more:g} less {less:g}": gain(control, more) - gain(control, less)
        for more, less in permutations(names.RATES, 2)
    }
    return claim(
        id,
        f"Without privacy the gain on {names.DATASETS[experiment]} depends on the sampling rate.",
        Condition(
            "gain of LiRA without privacy at one rate minus that at another, for all pairs of rates",
            above(UNPRINTED),
            at(math.inf, differences),
        ),
        artifact="thudi_fig12",
        tables=(f"replicates/{control}",),
        rule=Some,
        note=noted(
            "an attack with one TPR and one FPR at every rate meets it, too: its gain is a function of the rate"
        ),
    )


def _by_shadow_rate(tables: Tables) -> dict[str, dict[float, pd.Series]]:
    """Return the precision by the rate of the shadow models, mean over the rates of the targets, by data set."""
    curves: dict[str, dict[float, pd.Series]] = {}
    for experiment, title in names.DATASETS.items():
        for rate, attack in names.LIRA_BY_RATE.items():
            of_arms = {arm: metric(experiment, arm, attack, "precision_best") for arm in ARMS.values()}
            if of_targets := at(EPSILON, of_arms)(tables):
                curves.setdefault(title, {})[rate] = pd.concat([*map(pd.Series, of_targets.values())], axis=1).mean(
                    axis=1
                )
    return curves


def _differences_of_shadow_rates(tables: Tables) -> Cells:
    """Return the precision with one shadow rate minus that with another."""
    return {
        f"{title}, shadows at {more:g} less {less:g}": curve[more] - curve[less]
        for title, curve in _by_shadow_rate(tables).items()
        for more, less in combinations(curve, 2)
    }


_ONE_SET = noted("of one set of shadow models for each rate: the limits leave out that other sets would differ")

_claim = partial(claim, tables=names.TWO, some_suffice=True)

CLAIMS = (
    _claim(
        "thudi-fig11-near-diagonal",
        "Against models with epsilon 3 LiRA's ROC is close to guessing.",
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
        "At low false positive rates and epsilon 3 LiRA finds more members than random scores, at some sampling rate.",
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
            f"gain of LiRA at rate {HALF:g} without privacy minus that at epsilon {EPSILON}, on each data set",
            above(0),
            at(math.inf, _without_minus_with_privacy),
        ),
        artifact="thudi_fig12",
        tables=(*names.NOT_PRIVATE, *names.TWO),
        some_suffice=True,
        ours=True,
    ),
    _depends_on_rate("thudi-fig12-depends-on-p-cifar", names.CIFAR10),
    _depends_on_rate("thudi-fig12-depends-on-p-mnist", names.MNIST),
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
        note=_ONE_SET,
    ),
    _claim(
        "thudi-fig13-half-best",
        f"Shadow models at rate {HALF:g} are on average best.",
        Condition(
            f"precision of LiRA at epsilon {EPSILON} by the rate of the shadow models, mean over the rates of the "
            "target models",
            highest_at(HALF),
            _by_shadow_rate,
        ),
        artifact="thudi_fig13",
        paper_value="0.5",
        rule=Highest,
        note=_ONE_SET,
    ),
)
