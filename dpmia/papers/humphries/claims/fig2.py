"""Claims about figure 2: clusters of Adult, and the same with members from the other cluster."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_least, at_most, near
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import at, at_each, mean_over, metric, trend_over
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.shared import (
    AVERAGE,
    EVERY,
    FROM_01,
    FROM_1,
    OPTIMAL,
    SHADOW,
    STRICT,
    UP_TO_1,
    bound,
    ceiling,
    over_iid,
)

ADULT, REVERSE, ARM = "adult_cluster", "adult_cluster_reverse", "cluster"

_average, _optimal = metric(ADULT, ARM, AVERAGE), metric(ADULT, ARM, OPTIMAL)
_average_iid, _reverse = metric(ADULT, ARM + IID_SUFFIX, AVERAGE), metric(REVERSE, ARM, OPTIMAL)
_accuracy = metric(ADULT, ARM, name="accuracy_members")


_claim = partial(claim, artifact="humphries_fig2", tables=(f"replicates/{ADULT}",))

CLAIMS = (
    _claim(
        "humphries-fig2-noniid-near-one",
        "On clusters of Adult the optimal threshold is nearly perfect from epsilon 1 up.",
        Condition(
            f"advantage of the optimal threshold, mean over {FROM_1}",
            at_least(0.8),
            mean_over(FROM_1, _optimal),
            epsilons=FROM_1,
        ),
        paper_value="close to 1",
    ),
    _claim(
        "humphries-fig2-noniid-above-iid",
        "On clusters of Adult every attack does better than on the same records shuffled.",
        over_iid(ADULT, (ARM,), (AVERAGE, OPTIMAL, SHADOW), FROM_01, at_least(0.05)),
    ),
    _claim(
        "humphries-fig2-iid-below-bound",
        "On shuffled records the average threshold stays below the bound.",
        Condition(
            f"advantage of the average threshold, IID, minus the (epsilon, delta) bound, at {EVERY}",
            at_most(0),
            at_each(EVERY, _average_iid - bound),
            epsilons=EVERY,
        ),
    ),
    _claim(
        "humphries-fig2-noniid-breaks-bound",
        "On clusters the attack exceeds the bound that holds for independent records.",
        Condition(
            f"advantage of the optimal threshold, non-IID, minus the (epsilon, delta) bound, at {STRICT}",
            above(0),
            at_each(STRICT, _optimal - bound),
            epsilons=STRICT,
        ),
        rule=Some,
    ),
    _claim(
        "humphries-fig2-noniid-breaks-ceiling",
        "On clusters even the average threshold, no oracle, exceeds the exact upper bound for IID records.",
        Condition(
            f"advantage of the average threshold, non-IID, minus the exact upper bound, at {UP_TO_1}",
            above(0),
            at_each(UP_TO_1, _average - ceiling(ADULT, ARM)),
            epsilons=UP_TO_1,
        ),
        ours=True,
        rule=Some,
    ),
    _claim(
        "humphries-fig2-grows-with-eps",
        "On clusters the advantage grows with epsilon.",
        Condition(
            "slope of the optimal threshold's advantage for each step to the next epsilon run",
            above(0),
            trend_over(EVERY, _optimal),
            epsilons=EVERY,
        ),
    ),
    _claim(
        "humphries-fig2-acc-flat-adv-rises",
        "Accuracy is the same without privacy as at epsilon 1, and yet the average threshold gains once more.",
        Condition(
            "accuracy on members without privacy minus that at epsilon 1",
            near(0, 0.05),
            at(np.inf, {"rise of the accuracy": _accuracy - _accuracy.fixed(1)}),
        ),
        Condition(
            "advantage of the average threshold without privacy minus that at the largest finite epsilon",
            above(0),
            at(np.inf, {"rise of the advantage": _average - _average.at_largest_finite()}),
        ),
    ),
    _claim(
        "humphries-fig2-reverse-similar",
        "With members from the other cluster the attack does about as well.",
        Condition(
            f"advantage of the optimal threshold minus that of figure 2, at {FROM_1}",
            near(0, 0.1),
            at_each(FROM_1, _reverse - _optimal),
            epsilons=FROM_1,
        ),
        artifact="humphries_fig2_reverse",
        paper_value="very similar",
        tables=(f"replicates/{ADULT}", f"replicates/{REVERSE}"),
    ),
)
