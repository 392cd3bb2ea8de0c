"""What Izzo et al. 2024 claim."""

from __future__ import annotations

from dpmia.papers.izzo.claims import fig1, fig2, theorems

CLAIMS = (*theorems.CLAIMS, *fig1.CLAIMS, *fig2.CLAIMS)
