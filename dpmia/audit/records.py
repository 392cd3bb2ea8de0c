"""Scores of single records: which are the most exposed, and would other seeds name the same?"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np

from dpmia.datasets.table import Dataset
from dpmia.exposure import stability
from dpmia.metrics import mean_interval
from dpmia.signals import Signal

#: Length of the list of the most exposed records, and of the lists that seeds are compared by.
LISTED = 10


class Exposure:
    """How high the members of the models of one arm rank among the non-members, record by record."""

    def __init__(self) -> None:
        """Start without any model."""
        self.models: list[dict[int, float]] = []
        #: Of the model with the fewest: a share of them below one of this number cannot be seen.
        self.nonmembers = 0

    def add(self, signal: Signal, scores: np.ndarray) -> None:
        """Take in one model: of each member, the share of non-members with at least its score."""
        outside = np.sort(scores[signal.is_nonmember])
        self.nonmembers = min(len(outside), self.nonmembers or len(outside))
        above = 1 - np.searchsorted(outside, scores[signal.is_member], side="left") / len(outside)
        self.models.append(dict(zip(signal.records[signal.is_member].tolist(), above.tolist(), strict=True)))

    def most(self, dataset: Dataset | None, listed: int = LISTED) -> list[dict[str, Any]]:
        """Return the most exposed records: those with the fewest non-members at or above them, on average.

        Args:
            dataset: tells row and group of each record; None where only numbers of records are known.
            listed: how many.

        Returns:
            For each `row` (of the user's file), `group`, `above` (mean share of non-members at or above it), and
            `models` that it was a member of. Records that were members of more than half of the models come first:
            a mean over one model says little.
        """
        shares = defaultdict(list)
        for model in self.models:
            for record, above in model.items():
                shares[record].append(above)
        most = max(map(len, shares.values()))
        often = {record: each for record, each in shares.items() if 2 * len(each) > most}
        first = sorted(often, key=lambda record: (np.mean(often[record]), record))[:listed]
        by = dataset.provenance.get("own", {}).get("by") if dataset else None
        return [
            {
                "row": int(dataset.rows[record]) if dataset is not None and dataset.rows is not None else record,
                "group": str(dataset.attributes[by][record]) if by else None,
                "above": float(np.mean(often[record])),
                "models": len(often[record]),
            }
            for record in first
        ]

    def stable(self, rng: np.random.Generator) -> dict[str, float] | None:
        """Return how far two models name the same records: mean Jaccard index over pairs, and by chance.

        Each pair is compared on the members that it shares, by lists of a tenth of them and at most `LISTED`; None
        where no pair shares enough.
        """
        found = []
        for one, other in combinations(self.models, 2):
            shared = sorted(set(one) & set(other))
            listed = min(LISTED, len(shared) // 10)
            if listed:
                scores = -np.array([[model[record] for record in shared] for model in (one, other)])
                found.append(stability(scores, rng, listed))
        if not found:
            return None
        return {
            "jaccard": mean_interval(np.array([each.jaccard for each in found])).mean,
            "by_chance": float(np.mean([each.by_chance for each in found])),
            "pairs": len(found),
        }
