"""Claims about corollary 5.4: the generalisation gap of private models."""

from __future__ import annotations

from dpmia.claims.build import claim
from dpmia.claims.comparisons import at_most
from dpmia.claims.decisions import Condition
from dpmia.claims.quantities import Quantity, at_each, metric
from dpmia.papers.thudi.claims.shared import ARMS, EPSILONS, each_rate
from dpmia.papers.thudi.names import TWO
from dpmia.theory.unlearning import generalisation_bound

#: The sampling rate that the corollary is about.
RATE = 0.5


def _excess(experiment: str, rate: float) -> Quantity:
    """Return the generalisation gap of the 0-1 loss minus its bound.

    The gap is that between members and other records. Over the whole larger set, as the corollary is worded, it is
    half as large, and no model could break the bound from epsilon 1.1 on.
    """
    members, others = (metric(experiment, ARMS[rate], name=f"accuracy_{part}") for part in ("members", "nonmembers"))
    return members - others - generalisation_bound


CLAIMS = (
    claim(
        "thudi-cor54-generalisation",
        "The generalisation gap of private models stays below corollary 5.4.",
        Condition(
            "accuracy on members minus that on others, minus tanh(epsilon / 2) (without delta), "
            f"at rate {RATE:g} and every epsilon",
            at_most(0.01),
            at_each(EPSILONS, each_rate(_excess, (RATE,), "{}")),
            epsilons=EPSILONS,
        ),
        artifact="thudi_theory",
        tables=TWO,
        some_suffice=True,
    ),
)
