"""Claims about figure 3: clusters of COMPAS."""

from __future__ import annotations

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import above, at_least
from dpmia.claims.decisions import Condition, Every
from dpmia.claims.rows import Replicates
from dpmia.papers.humphries.claims.shared import FROM_01, OPTIMAL, over_iid

COMPAS, EPSILON = "compas_cluster", 10

CLAIMS = (
    Claim(
        id="humphries-fig3-compas-eps10",
        artifact="humphries_fig3",
        statement="On clusters of COMPAS the optimal threshold is nearly perfect at epsilon 10.",
        paper_value="about 1",
        tables=(f"replicates/{COMPAS}",),
        rule=Every(
            Condition(
                f"advantage of the optimal threshold at epsilon {EPSILON}",
                at_least(0.9),
                lambda tables: Replicates.of(tables, COMPAS)("cluster", EPSILON, OPTIMAL),
            )
        ),
    ),
    Claim(
        id="humphries-fig3-order",
        artifact="humphries_fig3",
        statement="On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        tables=(f"replicates/{COMPAS}",),
        rule=Every(over_iid(COMPAS, ("cluster",), (OPTIMAL,), FROM_01, above(0.1))),
    ),
)
