"""How papers write their claims: one row each, of id, statement and conditions."""

from __future__ import annotations

from functools import partial
from typing import Any

from dpmia.claims.claim import Claim
from dpmia.claims.decisions import Condition, DecisionRule, Every, Exact


def claim(
    id: str, statement: str, *conditions: Condition, rule: type[DecisionRule] = Every, note: Any = None, **fields: Any
) -> Claim:
    """Return a claim.

    Args:
        id: see `Claim`.
        statement: see `Claim`.
        conditions: what is measured, and what it must be.
        rule: how they decide.
        note: what makes the note of the finding, as the rule takes it; without it the rule's own.
        fields: all others of `Claim`. What claims of one figure share, its module binds once (`functools.partial`).
    """
    options = {} if note is None else {"note": note}
    return Claim(id=id, statement=statement, rule=rule(*conditions, **options), **fields)


#: Return a claim about formulas alone, of which every number is exact or simulated here.
theorem = partial(claim, rule=Exact, about_data=False)
