"""What Thudi et al. 2024 claim, and what a random ranking under the same rule adds to it.

Models of one replicate share their split, so differences between them are taken within each replicate, and means over
epsilons too. Where a claim compares several sampling rates, epsilons or data sets, all must hold
(`dpmia.claims.decisions.Every`). Epsilons that were not run at a scale are skipped.
"""

from __future__ import annotations

from dpmia.papers.thudi.claims import bounds, corollary, fig3_and_4, fig5_and_6, fig7_to_10, fig11_to_13, fig14_to_17

CLAIMS = (
    *bounds.CLAIMS,
    *fig3_and_4.CLAIMS,
    *fig5_and_6.CLAIMS,
    *fig7_to_10.CLAIMS,
    *fig11_to_13.CLAIMS,
    *fig14_to_17.CLAIMS,
    *corollary.CLAIMS,
)
