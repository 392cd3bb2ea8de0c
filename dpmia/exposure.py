"""Single records: which are the most exposed, is a list of them stable, and is the nominal rate kept for each?

A list of the records with the highest scores says something about records only if other seeds give the same list. An
attack that promises a false positive rate for each record can be held to it wherever the target model and the
reference models are exchangeable: trained alike, the record in none of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import betaincinv, comb  # scipy.stats takes half a second to import

from dpmia.signals import Signal

#: How long a list of the most exposed records is.
LISTED = 20


def p_values(scores: np.ndarray, reference_scores: np.ndarray, outside: np.ndarray | None = None) -> np.ndarray:
    """Return for each record how unusual its score is among those of models that were not trained on it.

    (1 + number of reference scores at least as high) / (1 + number of reference models). If target and reference
    models are exchangeable, a p-value of at most a comes with probability a at most, whatever the scores' law and
    however they are tied; the smallest p-value is the resolution.

    Args:
        scores: float (records,), of the target model, higher = more likely a member.
        reference_scores: float (models, records), of models without the record.
        outside: bool (models, records), which of them were trained without the record, if not all.

    Returns:
        float64 (records,), in (0, 1].

    Raises:
        ValueError: the shapes do not fit, or a score is not a number.

    Source: Vovk et al. 2005 (conformal p-values).
    """
    if reference_scores.ndim != 2 or not len(reference_scores) or reference_scores.shape[1:] != scores.shape:
        raise ValueError(f"scores of shape {scores.shape}, reference scores of shape {reference_scores.shape}")
    if np.isnan(scores).any() or np.isnan(reference_scores).any():
        raise ValueError("some scores are not numbers")
    counted = np.ones(reference_scores.shape, dtype=bool) if outside is None else outside
    return (1 + ((reference_scores >= scores) & counted).sum(0)) / (1 + counted.sum(0))


@dataclass(frozen=True)
class Calibration:
    """Whether the false positive rate of each record is what was promised.

    Attributes:
        nominal: the promised false positive rate.
        rates: float64 (records,): share of models without the record that were said to have it; NaN where no model
            was without it.
        low: float64 (records,): lower confidence limits of the rates, which hold for all records together.
        exceeded: bool (records,): limits above the nominal rate: here the promise is broken.
        error: chance that a right attack breaks the promise for any record.
    """

    nominal: float
    rates: np.ndarray
    low: np.ndarray
    exceeded: np.ndarray
    error: float


def calibration(says: np.ndarray, outside: np.ndarray, nominal: float, error: float = 0.05) -> Calibration:
    """Hold an attack to the false positive rate that it promises for each record.

    Args:
        says: bool (models, records), True where the attack says that the model was trained on the record. Models are
            independent.
        outside: bool (models, records), True where it was not.
        nominal: the promised false positive rate, in (0, 1).
        error: see `Calibration`; each record has its share (Bonferroni).

    Raises:
        ValueError: the shapes differ, no model is without any record, or a number is out of its range.

    Source: limits by Clopper and Pearson 1934.
    """
    if says.shape != outside.shape or says.ndim != 2:
        raise ValueError(f"answers of shape {says.shape}, truth of shape {outside.shape}")
    if not (0 < nominal < 1 and 0 < error < 1):
        raise ValueError(f"nominal rate {nominal} and error {error}, expected both in (0, 1)")
    trials = outside.sum(0)
    if not trials.any():
        raise ValueError("no model is without any of the records")
    false = (says & outside).sum(0)
    rates = np.divide(false, trials, out=np.full(len(trials), np.nan), where=trials > 0)
    low = np.zeros(len(trials))
    some = false > 0
    low[some] = betaincinv(false[some], trials[some] - false[some] + 1, error / (trials > 0).sum())
    return Calibration(nominal, rates, low, low > nominal, error)


@dataclass(frozen=True)
class Stability:
    """How far lists of the most exposed records agree between seeds.

    Attributes:
        jaccard: mean over pairs of seeds of the size of the lists' intersection over that of their union; 1 = the
            same list every time.
        by_chance: what lists of random records reach on average.
        always: int64, rows of the records that are on every list, sorted.
        listed: length of a list.
    """

    jaccard: float
    by_chance: float
    always: np.ndarray
    listed: int


def stability(scores: np.ndarray, rng: np.random.Generator, listed: int = LISTED) -> Stability:
    """Compare the lists of the most exposed records that several seeds give.

    Args:
        scores: float (seeds, records), of the same records by models trained anew, higher = more exposed.
        rng: breaks ties, for each seed anew: records that no score tells apart must not agree by their order.
        listed: length of a list, less than the number of records.

    Raises:
        ValueError: fewer than two seeds, too few records, or a score is not a number.
    """
    seeds, records = scores.shape
    if seeds < 2 or not 0 < listed < records:
        raise ValueError(f"{seeds} seeds and {records} records, expected 2 and {listed + 1} at least")
    if np.isnan(scores).any():
        raise ValueError("some scores are not numbers")
    lists = [set(np.lexsort((rng.random(records), -row))[:listed].tolist()) for row in scores]
    overlaps = np.array([len(one & other) for one, other in combinations(lists, 2)])
    common = np.arange(listed + 1)
    chances = comb(listed, common) * comb(records - listed, listed - common) / comb(records, listed)
    return Stability(
        jaccard=float((overlaps / (2 * listed - overlaps)).mean()),
        by_chance=float((chances * common / (2 * listed - common)).sum()),
        always=np.array(sorted(set.intersection(*lists)), dtype=np.int64),
        listed=listed,
    )


class Exposure:
    """How high the members of several models rank among the non-members, record by record."""

    def __init__(self, listed: int) -> None:
        """Start without any model; `listed` is the length of the list of the most exposed records."""
        self.listed = listed
        self.models: list[dict[int, float]] = []
        #: Of the model with the fewest: a share of them below one of this number cannot be seen.
        self.nonmembers = 0

    def add(self, signal: Signal, scores: np.ndarray) -> None:
        """Take in one model: of each member, the share of non-members with at least its score."""
        outside = np.sort(scores[signal.is_nonmember])
        self.nonmembers = min(len(outside), self.nonmembers or len(outside))
        above = 1 - np.searchsorted(outside, scores[signal.is_member], side="left") / len(outside)
        self.models.append(dict(zip(signal.records[signal.is_member].tolist(), above.tolist(), strict=True)))

    def most(self) -> list[dict[str, Any]]:
        """Return the most exposed records: those with the fewest non-members at or above them, on average.

        Returns:
            For each `record`, `above` (mean share of non-members at or above it), and `models` that it was a member
            of. Only records that were members of more than half as many models as any other: a mean over one model
            says little.
        """
        shares = defaultdict(list)
        for model in self.models:
            for record, above in model.items():
                shares[record].append(above)
        most = max(map(len, shares.values()))
        means = {record: float(np.mean(each)) for record, each in shares.items() if 2 * len(each) > most}
        first = sorted(means, key=lambda record: (means[record], record))[: self.listed]
        return [{"record": record, "above": means[record], "models": len(shares[record])} for record in first]

    def stable(self, rng: np.random.Generator) -> dict[str, float] | None:
        """Return how far two models name the same records: mean Jaccard index over pairs, and by chance.

        Each pair is compared on the members that it shares, by lists of a tenth of them and at most `listed`; None
        where no pair shares enough.
        """
        found = []
        for one, other in combinations(self.models, 2):
            shared = sorted(set(one) & set(other))
            if listed := min(self.listed, len(shared) // 10):
                scores = -np.array([[model[record] for record in shared] for model in (one, other)])
                found.append(stability(scores, rng, listed))
        if not found:
            return None
        return {
            "jaccard": float(np.mean([each.jaccard for each in found])),
            "by_chance": float(np.mean([each.by_chance for each in found])),
            "pairs": len(found),
        }
