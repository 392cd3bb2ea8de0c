"""All claims of all papers, by name: each paper's are loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpmia.common.registry import load

if TYPE_CHECKING:
    from dpmia.claims.claim import Claim

#: Paper -> `module:object` of its claims.
CLAIMS: dict[str, str] = {
    "humphries": "dpmia.papers.humphries.claims:CLAIMS",
    "izzo": "dpmia.papers.izzo.claims:CLAIMS",
    "yeom": "dpmia.papers.yeom.claims:CLAIMS",
    "thudi": "dpmia.papers.thudi.claims:CLAIMS",
    "ye": "dpmia.papers.ye.claims:CLAIMS",
}


def claims() -> dict[str, tuple[Claim, ...]]:
    """Return the claims of all papers."""
    return {paper: load(spec) for paper, spec in CLAIMS.items()}
