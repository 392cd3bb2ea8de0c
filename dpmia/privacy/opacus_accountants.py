"""What the accountants of Opacus report for a mechanism. Importing this module imports Opacus, which takes seconds."""

from __future__ import annotations

import warnings
from functools import cache

from opacus.accountants import PRVAccountant, RDPAccountant

from dpmia.privacy.record import Accounting

#: The largest epsilon that is given to them: PRV takes gigabytes above, and privacy losses leave the range of floats.
LARGEST_EPSILON = 100


def not_covered(accounting: Accounting) -> str:
    """Return why Opacus has no accountant for a mechanism; nothing where it has."""
    if accounting.sampler != "poisson":
        return f"sampler {accounting.sampler}: Opacus accounts for Poisson sampling only"
    if accounting.relation != "add_remove":
        return f"relation {accounting.relation.replace('_', '-')}: Opacus accounts for add-remove only"
    if accounting.epsilon > LARGEST_EPSILON:
        return f"epsilon {accounting.epsilon:g}: accountants of Opacus are run up to {LARGEST_EPSILON}"
    return ""


@cache
def opacus_epsilons(accounting: Accounting) -> tuple[float, float]:
    """Return the epsilon of the mechanism by the RDP and by the PRV accountant of Opacus.

    Raises:
        ValueError: Opacus has no accountant for it.
    """
    if reason := not_covered(accounting):
        raise ValueError(reason)
    epsilons = []
    for kind in (RDPAccountant, PRVAccountant):
        accountant = kind()
        accountant.history = [(accounting.noise_multiplier, accounting.rate, accounting.steps)]
        with warnings.catch_warnings():
            # With another order epsilon would be a little smaller; it is an upper bound with any.
            warnings.filterwarnings("ignore", message="Optimal order is the")
            epsilons.append(float(accountant.get_epsilon(accounting.delta)))
    return epsilons[0], epsilons[1]
