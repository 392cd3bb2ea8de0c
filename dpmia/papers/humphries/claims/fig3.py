"""Claims about figure 3: clusters of COMPAS."""

from __future__ import annotations

from functools import partial

from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_least
from dpmia.claims.decisions import Condition
from dpmia.claims.quantities import at, metric
from dpmia.papers.humphries.claims.shared import FROM_01, OPTIMAL, over_iid

COMPAS, ARM, EPSILON = "compas_cluster", "cluster", 10

_claim = partial(claim, artifact="humphries_fig3", tables=(f"replicates/{COMPAS}",))

CLAIMS = (
    _claim(
        "humphries-fig3-compas-eps10",
        "On clusters of COMPAS the optimal threshold is nearly perfect at epsilon 10.",
        Condition(
            f"advantage of the optimal threshold at epsilon {EPSILON}",
            at_least(0.9),
            at(EPSILON, metric(COMPAS, ARM, OPTIMAL)),
        ),
        paper_value="about 1",
    ),
    _claim(
        "humphries-fig3-order",
        "On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        over_iid(COMPAS, (ARM,), (OPTIMAL,), FROM_01, above(0.1)),
    ),
)
