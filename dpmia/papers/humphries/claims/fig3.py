"""Claims about figure 3: clusters of COMPAS."""

from __future__ import annotations

from functools import partial

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import above, at_least
from dpmia.claims.decisions import Condition, Every
from dpmia.claims.quantities import at, metric
from dpmia.papers.humphries.claims.shared import FROM_01, OPTIMAL, over_iid

COMPAS, ARM, EPSILON = "compas_cluster", "cluster", 10

_claim = partial(Claim, artifact="humphries_fig3", tables=(f"replicates/{COMPAS}",))

CLAIMS = (
    _claim(
        id="humphries-fig3-compas-eps10",
        statement="On clusters of COMPAS the optimal threshold is nearly perfect at epsilon 10.",
        paper_value="about 1",
        rule=Every(
            Condition(
                f"advantage of the optimal threshold at epsilon {EPSILON}",
                at_least(0.9),
                at(EPSILON, metric(COMPAS, ARM, OPTIMAL)),
            )
        ),
    ),
    _claim(
        id="humphries-fig3-order",
        statement="On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        rule=over_iid(COMPAS, (ARM,), (OPTIMAL,), FROM_01, above(0.1)),
    ),
)
