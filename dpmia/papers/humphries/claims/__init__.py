"""What Humphries et al. 2023 claim, and what the exact upper bound adds to it.

Differences between an arm and its IID arm, and between arms, are taken within each replicate. Where a claim compares
several epsilons, attacks or arms, all must hold (`dpmia.claims.decisions.Every`). Of the epsilons
that a claim names, those that a scale left out are skipped.
"""

from __future__ import annotations

from dpmia.papers.humphries.claims import below_ceiling, fig1, fig2, fig3, fig4_and_5, fig6_to_9, strong, table2

CLAIMS = (
    *fig1.CLAIMS,
    *table2.CLAIMS,
    *fig2.CLAIMS,
    *fig3.CLAIMS,
    *fig4_and_5.CLAIMS,
    *fig6_to_9.CLAIMS,
    *below_ceiling.CLAIMS,
    *strong.CLAIMS,
)
