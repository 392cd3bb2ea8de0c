"""How many claims have which verdict. Claims of a paper and ours are never added up, nor are theory and data."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from dpmia.claims.judge import REPRODUCED, VERDICTS


def of_papers(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the claims that the papers make."""
    return verdicts[~verdicts["ours"].astype(bool)]


def of_ours(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the claims that we added."""
    return verdicts[verdicts["ours"].astype(bool)]


def held(verdicts: pd.DataFrame) -> str:
    """Return how many of some claims are reproduced: `3 of 5`."""
    return f"{(verdicts['verdict'] == REPRODUCED).sum()} of {len(verdicts)}"


def others(verdicts: pd.DataFrame) -> str:
    """Return how many of some claims have which other verdict; nothing where all are reproduced."""
    return count_verdicts([verdict for verdict in verdicts["verdict"] if verdict != REPRODUCED])


def count_verdicts(verdicts: Collection[str]) -> str:
    """Return how many verdicts of each kind there are: `2 reproduced, 1 undecided`."""
    verdict_list = list(verdicts)
    return ", ".join(f"{verdict_list.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdict_list)


def summary(verdicts: pd.DataFrame, claims: str) -> str:
    """Return how many claims are reproduced, and which verdicts the others have.

    Args:
        verdicts: of these claims.
        claims: what they are called, in the plural.
    """
    rest = others(verdicts)
    return f"{held(verdicts)} {claims} reproduced{f' ({rest})' if rest else ''}"
