"""Claims about corollary 5.4: the generalisation gap of private models."""

from __future__ import annotations

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import at_most
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.thudi.claims.shared import ARMS, TWO, datasets, epsilons
from dpmia.theory.unlearning import generalisation_bound

#: The sampling rate that the corollary is about.
RATE = 0.5


def _gap_minus_bound(tables: Tables) -> Cells:
    """Return the generalisation gap of the 0-1 loss minus its bound.

    The gap is that between members and other records. Over the whole larger set, as the corollary is worded, it is
    half as large, and no model could break the bound from epsilon 1.1 on.
    """
    arm = ARMS[RATE]
    return {
        f"{title}, ε = {format_epsilon(epsilon)}": rows(arm, epsilon, metric="accuracy_members")
        - rows(arm, epsilon, metric="accuracy_nonmembers")
        - float(generalisation_bound(epsilon))
        for title, rows in datasets(tables).items()
        for epsilon in epsilons(rows, arm)
    }


CLAIMS = (
    Claim(
        id="thudi-cor54-generalisation",
        artifact="thudi_theory",
        statement="The generalisation gap of private models stays below corollary 5.4.",
        tables=TWO,
        each=True,
        rule=Every(
            Condition(
                "accuracy on members minus that on others, minus tanh(epsilon / 2), at rate "
                f"{RATE:g} and every epsilon",
                at_most(0.01),
                _gap_minus_bound,
            )
        ),
    ),
)
