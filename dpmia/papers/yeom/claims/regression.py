"""Claims about regression: figures 2a and 2b, membership inference, and figure 3, attribute inference.

Studies fit trees (IWPC) and ridge regression (Eyedata) on random splits of one set of records.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import UNPRINTED, above, below, near, spelled
from dpmia.claims.decisions import Cells, Condition
from dpmia.claims.quantities import slopes
from dpmia.claims.rows import Splits
from dpmia.theory.overfitting import gaussian_advantage, unknown_sigma_advantage

IWPC, EYEDATA = "yeom_iwpc", "yeom_eyedata"

#: Attackers on membership who know the errors of both kinds of records, or those of members only.
KNOWN, UNKNOWN = "threshold", "threshold_sigma_s"
MULTI = "multi_query_descending"
#: Genotype -> number of its values.
TARGETS = {"vkorc1": 3, "cyp2c9": 6}
#: Trees from this depth on overfit strongly.
DEEP = 15

#: Ridge penalties from which on our attack stays below theory.
STRONG = 50

#: The smallest penalty, and the advantage there in our rerun of the released data.
WEAK, AT_WEAK = 5, 0.674

#: Our rerun of the released data by the paper's definition, at one depth: genotype -> attack -> advantage.
DEPTH = 20
AT_DEPTH = {
    "vkorc1": {"attribute": 0.44, MULTI: 0.629, "uniform": 0.236},
    "cyp2c9": {"attribute": 0.36, MULTI: 0.649, "uniform": 0.118},
}
#: Theorem 7: tolerance. Half of .008, the smallest advantage of the uniform attack in the same rerun (CYP2C9, depth 7),
#: as the paper prints no number. On shallower trees advantages are smaller still, and the claim says little.
THEOREM_7_TOLERANCE = 0.004
#: Attack -> as criteria call it.
NAMES = {"attribute": "attribute", MULTI: "multi-query", "uniform": "uniform"}


def _at_each(
    study: str, quantity: Callable[[Splits, float], pd.Series], least: float = 0, parameter: str = "depth"
) -> Callable[[Tables], Cells]:
    """Return the measure of a quantity at each depth, or penalty, from `least` up."""

    def measure(tables: Tables) -> Cells:
        rows = Splits.of(tables, study)
        return {f"{parameter} {value:g}": quantity(rows, value) for value in rows.parameters(least)}

    return measure


def _over_theorem_3(rows: Splits, parameter: float) -> pd.Series:
    return rows(parameter, KNOWN) - float(gaussian_advantage(rows.ratio[parameter]))


def _unknown_over_formula(rows: Splits, depth: float) -> pd.Series:
    return rows(depth, UNKNOWN) - float(unknown_sigma_advantage(rows.ratio[depth]))


def _slope_over_ratio(tables: Tables) -> pd.Series:
    """Return the slope of the advantage on ridge regression for each step to the next larger ratio of errors."""
    rows = Splits.of(tables, EYEDATA)
    rising = sorted(rows.parameters(), key=lambda penalty: rows.ratio[penalty])
    return slopes(pd.concat({penalty: rows(penalty, KNOWN) for penalty in rising}, axis=1), range(len(rising)))


def _uniform_minus_share(tables: Tables) -> Cells:
    """Return the uniform reduction minus the m-th part of its oracle."""
    rows = Splits.of(tables, IWPC)
    return {
        f"{target}, depth {depth:g}": rows(depth, "uniform", target) - rows(depth, UNKNOWN) / values
        for target, values in TARGETS.items()
        for depth in rows.parameters()
    }


def _steps(tables: Tables) -> Cells:
    """Return by how much each attack exceeds the next one in the paper's order."""
    rows, cells = Splits.of(tables, IWPC), {}
    for target in TARGETS:
        for depth in rows.parameters(DEEP):
            curves = {"membership": rows(depth, UNKNOWN)}
            curves |= {NAMES[name]: rows(depth, name, target) for name in (MULTI, "attribute", "uniform")}
            for more, less in pairwise(curves):
                cells[f"{more} less {less}, {target}, depth {depth:g}"] = curves[more] - curves[less]
    return cells


def _at_depth(target: str, adversary: str, value: float) -> Condition:
    """Return the condition that an attack on a genotype is near its reference value."""
    return Condition(
        f"advantage of the {NAMES[adversary]} attack on {target} at depth {DEPTH}",
        near(value, 0.05),
        lambda tables: {
            f"{adversary}, {target}, expected {value:g}": Splits.of(tables, IWPC)(DEPTH, adversary, target)
        },
    )


_trees = partial(claim, tables=(f"studies/{IWPC}",))
_ridge = partial(claim, artifact="yeom_fig2a", tables=(f"studies/{EYEDATA}",))

#: How near theorem 3 the paper's "appear to agree" is taken to be.
AGREEMENT = near(0, UNPRINTED)

CLAIMS = (
    _trees(
        "yeom-fig2a-agreement-tree",
        "On trees the attack that knows both errors follows theorem 3.",
        Condition("advantage minus theorem 3, at every depth", AGREEMENT, _at_each(IWPC, _over_theorem_3)),
        artifact="yeom_fig2a",
    ),
    _ridge(
        "yeom-fig2a-agreement-ridge",
        "On ridge regression the attack that knows both errors follows theorem 3.",
        Condition(
            "advantage minus theorem 3, at every penalty",
            AGREEMENT,
            _at_each(EYEDATA, _over_theorem_3, parameter="penalty"),
        ),
    ),
    _ridge(
        "yeom-fig2a-regression",
        "On ridge regression advantage rises with the ratio, to that of our rerun at the smallest penalty.",
        Condition(
            f"advantage at penalty {WEAK}",
            near(AT_WEAK, 0.04),
            lambda tables: {f"penalty {WEAK}": Splits.of(tables, EYEDATA)(WEAK, KNOWN)},
        ),
        Condition("slope of the advantage for each step to the next larger ratio", above(0), _slope_over_ratio),
        expected=f"{spelled(AT_WEAK)} (our rerun of the released data)",
        ours=True,
    ),
    _ridge(
        "yeom-fig2a-regression-below-theory",
        "On ridge regression with penalties from 50 up the attack stays below theorem 3.",
        Condition(
            f"advantage minus theorem 3, at every penalty from {STRONG} up",
            below(0),
            _at_each(EYEDATA, _over_theorem_3, STRONG, "penalty"),
        ),
        ours=True,
    ),
    _trees(
        "yeom-fig2b-exceeds-theory",
        "On trees that overfit the attack without the error on new records beats its formula.",
        Condition(
            f"advantage minus the formula, at every depth from {DEEP} up",
            above(0.05),
            _at_each(IWPC, _unknown_over_formula, DEEP),
        ),
        artifact="yeom_fig2b",
    ),
    _trees(
        "yeom-fig2b-unknown-beats-known",
        "On trees that overfit it even beats the attack that knows both errors.",
        Condition(
            f"advantage without the error on new records minus that with both, at every depth from {DEEP} up",
            above(0),
            _at_each(IWPC, lambda rows, depth: rows(depth, UNKNOWN) - rows(depth, KNOWN), DEEP),
        ),
        artifact="yeom_fig2b",
    ),
    _trees(
        "yeom-thm7-uniform",
        "Evaluating one value chosen uniformly gives the m-th part of the membership advantage (theorem 7).",
        Condition(
            "advantage of the uniform attack minus the m-th part of the membership advantage, for "
            f"m = {' and '.join(map(str, TARGETS.values()))}, at every depth",
            near(0, THEOREM_7_TOLERANCE),
            _uniform_minus_share,
        ),
        artifact="yeom_fig3",
        expected="0",
    ),
    _trees(
        "yeom-fig3-order",
        "On trees that overfit: membership before multi-query before attribute before uniform.",
        Condition(
            "advantage of membership minus multi-query, multi-query minus attribute and attribute minus uniform "
            f"inference, for both genotypes, at every depth from {DEEP} up",
            above(0),
            _steps,
        ),
        artifact="yeom_fig3",
    ),
    _trees(
        "yeom-fig3-values",
        "At depth 20 attribute, multi-query and uniform attacks reach the reference values.",
        *(
            _at_depth(target, adversary, value)
            for target, values in AT_DEPTH.items()
            for adversary, value in values.items()
        ),
        artifact="yeom_fig3",
        expected="; ".join(", ".join(map(spelled, values.values())) for values in AT_DEPTH.values())
        + " (our rerun of the released data)",
        ours=True,
    ),
)
