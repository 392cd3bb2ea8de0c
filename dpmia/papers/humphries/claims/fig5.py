"""Claims about figure 5: the share p of people with little education among the members of Adult."""

from __future__ import annotations

from collections.abc import Callable

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, not_below
from dpmia.claims.decisions import Cells, Condition, Every, Some
from dpmia.claims.rows import Replicates
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.humphries.claims.shared import FROM_1, OPTIMAL, STRICT, nonmembers_better, over_bound

EDUCATION = "adult_education"


def _over_half(arm: str) -> Callable[[Tables], Cells]:
    """Return the measure of the advantage at a share minus that at p = 0.5."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, EDUCATION)
        return {
            f"{arm} less p50, ε = {format_epsilon(epsilon)}": rows(arm, epsilon, OPTIMAL)
            - rows("p50", epsilon, OPTIMAL)
            for epsilon in rows.epsilons(FROM_1, "p100", OPTIMAL)
        }

    return measure


CLAIMS = (
    Claim(
        id="humphries-fig5-monotone-p",
        artifact="humphries_fig5",
        statement="The more members with little education, the better the optimal threshold does.",
        paper_value="better for large p",
        tables=(f"replicates/{EDUCATION}",),
        rule=Every(
            Condition(
                f"advantage of the optimal threshold at p = 1 minus that at p = 0.5, at {FROM_1}",
                above(0),
                _over_half("p100"),
            ),
            Condition(
                f"advantage of the optimal threshold at p = 0.75 minus that at p = 0.5, at {FROM_1}",
                not_below(0),
                _over_half("p75"),
            ),
        ),
    ),
    Claim(
        id="humphries-fig5-breaks-bound",
        artifact="humphries_fig5",
        statement="With members of little education only, the attack exceeds the bound for independent records.",
        tables=(f"replicates/{EDUCATION}",),
        rule=Some(
            Condition(
                f"advantage of the optimal threshold at p = 1 minus the (epsilon, delta) bound, at {STRICT}",
                above(0),
                over_bound(EDUCATION, "p100", OPTIMAL, STRICT),
            )
        ),
    ),
    Claim(
        id="humphries-fig5-p0-nonmember-acc",
        artifact="humphries_fig5",
        statement="Where all members are of much education, non-members are classified better than members.",
        tables=(f"replicates/{EDUCATION}",),
        rule=Every(nonmembers_better(EDUCATION, "p0", "0")),
    ),
)
