"""Claims about figure 3: attribute inference on trees and its reductions to membership inference."""

from __future__ import annotations

from itertools import pairwise

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, consistent_with, near, spelled
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.papers.yeom.claims.splits import DEEP, IWPC, MULTI, TARGETS, UNKNOWN, trees

#: Our rerun of the released data by the paper's definition, at one depth: genotype -> attack -> advantage.
DEPTH = 20
AT_DEPTH = {
    "vkorc1": {"attribute": 0.44, MULTI: 0.629, "uniform": 0.236},
    "cyp2c9": {"attribute": 0.36, MULTI: 0.649, "uniform": 0.118},
}
#: Attack -> as criteria call it.
NAMES = {"attribute": "attribute", MULTI: "multi-query", "uniform": "uniform"}


def _uniform_minus_share(tables: Tables) -> Cells:
    """Return the uniform reduction minus the m-th part of its oracle."""
    rows = trees(tables)
    return {
        f"{target}, depth {depth:g}": rows(depth, "uniform", target) - rows(depth, UNKNOWN) / values
        for target, values in TARGETS.items()
        for depth in rows.parameters()
    }


def _steps(tables: Tables) -> Cells:
    """Return by how much each attack exceeds the next one in the paper's order."""
    rows, cells = trees(tables), {}
    for target in TARGETS:
        for depth in rows.parameters(DEEP):
            curves = {
                "membership": rows(depth, UNKNOWN),
                "multi-query": rows(depth, MULTI, target),
                "attribute": rows(depth, "attribute", target),
                "uniform": rows(depth, "uniform", target),
            }
            for more, less in pairwise(curves):
                cells[f"{more} less {less}, {target}, depth {depth:g}"] = curves[more] - curves[less]
    return cells


def _at_depth(target: str, adversary: str, value: float) -> Condition:
    """Return the condition that an attack on a genotype is near its reference value."""
    return Condition(
        f"advantage of the {NAMES[adversary]} attack on {target} at depth {DEPTH}",
        near(value, 0.05),
        lambda tables: {f"{adversary}, {target}, expected {value:g}": trees(tables)(DEPTH, adversary, target)},
    )


CLAIMS = (
    Claim(
        id="yeom-thm7-uniform",
        artifact="yeom_fig3",
        statement="Evaluating one value chosen uniformly gives the m-th part of the membership advantage (theorem 7).",
        paper_value="0",
        tables=(IWPC,),
        rule=Every(
            Condition(
                "advantage of the uniform attack minus the m-th part of the membership advantage, for "
                f"m = {' and '.join(map(str, TARGETS.values()))}, at every depth",
                consistent_with(0),
                _uniform_minus_share,
            )
        ),
    ),
    Claim(
        id="yeom-fig3-order",
        artifact="yeom_fig3",
        statement="On trees that overfit: membership before multi-query before attribute before uniform.",
        tables=(IWPC,),
        rule=Every(
            Condition(
                "advantage of membership minus multi-query, multi-query minus attribute and attribute minus uniform "
                f"inference, for both genotypes, at every depth from {DEEP} up",
                above(0),
                _steps,
            )
        ),
    ),
    Claim(
        id="yeom-fig3-values",
        artifact="yeom_fig3",
        statement="At depth 20 attribute, multi-query and uniform attacks reach the reference values.",
        paper_value="; ".join(", ".join(map(spelled, values.values())) for values in AT_DEPTH.values())
        + " (our rerun of the released data)",
        tables=(IWPC,),
        rule=Every(
            *(
                _at_depth(target, adversary, value)
                for target, values in AT_DEPTH.items()
                for adversary, value in values.items()
            )
        ),
    ),
)
