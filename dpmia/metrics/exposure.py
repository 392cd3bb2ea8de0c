"""Single records: which are the most exposed, is a list of them stable, and is the nominal rate kept for each?

A list of the records with the highest scores says something about records only if other seeds give the same list. An
attack that claims a false positive rate for each record can be held to it wherever the target model and the
reference models are exchangeable: trained alike, the record in none of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import comb  # scipy.stats takes half a second to import

from dpmia.common.plain import PlainData
from dpmia.formats.signals import Signal
from dpmia.metrics.low_rates import log_comb
from dpmia.metrics.ranking import passing_at

#: How long a list of the most exposed records is.
LISTED = 20

#: A list is stable if it goes at least this share of the way from agreement by chance to full agreement.
STABLE = 0.5


def is_stable(jaccard: float, by_chance: float) -> bool:
    """Return whether lists of the most exposed records agree so far that they say something about the records.

    Args:
        jaccard: mean Jaccard index of pairs of lists.
        by_chance: what lists of random records reach on average.
    """
    return jaccard - by_chance >= STABLE * (1 - by_chance)


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
    """Whether the false positive rate of each record is what the attack claims.

    Attributes:
        rates: float64 (records,): share of the target models without the record that the attack predicts to have it;
            NaN where there is none, or where too few reference models show the nominal rate.
        p_values: float64 (records,): probability of as many false positives if the models are exchangeable.
        smallest: float64 (records,): the smallest p-value that the numbers of models allow; 1 where `rates` is NaN.
        testable: bool (records,): whether the smallest p-value could be significant.
        exceeded: bool (records,): whether the p-value is significant: the claim fails for this record.
    """

    rates: np.ndarray
    p_values: np.ndarray
    smallest: np.ndarray
    testable: np.ndarray
    exceeded: np.ndarray


def calibration(
    decisions: np.ndarray, outside: np.ndarray, references: np.ndarray, nominal: float, error: float = 0.05
) -> Calibration:
    """Test the false positive rate that an attack claims for each record by conformal p-values.

    All target models are compared with the same reference models, so their false positives are dependent: one
    reference score that is low by chance makes all of them more frequent. The test counts this in.

    Exchangeable, for each record: the scores of the n reference and m target models that were trained without it, given
    how many models were trained without each record. Nothing is assumed of the scores' law, nor of the dependence
    between records or between models.

    Let g be the largest integer with g / (n + 1) <= `nominal`. A target model is a false positive if fewer than g
    reference scores are at least as high as its own: if it lies above the g-th highest reference score. Which of the
    n + m ranks belong to target models is uniform over the (n + m choose m) sets (ties count for the reference models,
    so they make false positives rarer). Hence j of m are false positives with probability
    (j + g - 1 choose j) (m - j + n - g choose m - j) / (n + m choose m), a beta-binomial law with m trials and
    parameters g and n - g + 1, where independent models would have a binomial one. The p-value of a record is its upper
    tail; the smallest that n and m allow is that of m false positives.

    Over the records, Tarone's correction: each testable one is held to `error` / k, k the smallest integer such that at
    most k records have a smallest p-value of at most `error` / k. As in Bonferroni's, dependence does not matter;
    records that could never be significant do not count.

    Args:
        decisions: bool (models, records), True where the conformal p-value of a target model (`p_values`) is at most
            `nominal`.
        outside: bool (models, records), True where the target model was not trained on the record, and evaluated on it.
        references: int (records,), how many reference models were trained without the record.
        nominal: the claimed false positive rate, in (0, 1).
        error: see `Calibration`.

    Raises:
        ValueError: the shapes differ, no model is without any record, or a number is out of its range.

    Sources: Gumbel and von Schelling 1950 (law of the number of exceedances); Vovk 2012 (the error rate of a conformal
    predictor given its calibration set follows a beta law); Tarone 1990.
    """
    if decisions.shape != outside.shape or decisions.ndim != 2 or references.shape != decisions.shape[1:]:
        raise ValueError(
            f"decisions of shape {decisions.shape}, truth of shape {outside.shape}, references of shape "
            f"{references.shape}"
        )
    if not (0 < nominal < 1 and 0 < error < 1):
        raise ValueError(f"nominal rate {nominal} and error {error}, expected both in (0, 1)")
    targets = outside.sum(0)
    if not targets.any():
        raise ValueError("no model is without any of the records")
    rank = passing_at(nominal, references + 1)  # as `p_values` divides
    judged = (targets > 0) & (rank > 0)
    false = (decisions & outside).sum(0)
    rates = np.divide(false, targets, out=np.full(len(targets), np.nan), where=judged)
    observed, smallest = np.ones((2, len(targets)))
    models = targets[judged], references[judged], rank[judged]
    observed[judged], smallest[judged] = (_exceedance_tail(count[judged], *models) for count in (false, targets))
    level = _tarone_level(smallest, error)
    return Calibration(rates, observed, smallest, smallest <= level, observed <= level)


def _exceedance_tail(least: np.ndarray, targets: np.ndarray, references: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return the probability that at least `least` target scores lie above the `rank`-th highest reference score.

    All arguments are (records,), see `calibration`.
    """
    above = np.arange(targets.max(initial=0) + 1)[:, None]
    below = np.maximum(targets - above, 0)
    logarithms = (
        log_comb(above + rank - 1, above)
        + log_comb(below + references - rank, below)
        - log_comb(references + targets, targets)
    )
    tail = np.where((least <= above) & (above <= targets), np.exp(logarithms), 0).sum(0)
    return np.minimum(tail, 1.0)


def _tarone_level(smallest: np.ndarray, error: float) -> float:
    """Return the significance level of each record, from the smallest p-values that the records can have."""
    counts = np.arange(1, len(smallest) + 1)
    able = np.searchsorted(np.sort(smallest), error / counts, side="right")
    return float(error / counts[(able <= counts).argmax()])


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
        rng: breaks ties, for each seed anew: records with equal scores must not agree by their order.
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
        #: For each model: member -> (share of non-members with at least its score, its score).
        self.models: list[dict[int, tuple[float, float]]] = []
        #: Of the model with the fewest: a share of them below one of this number cannot be seen.
        self.nonmembers = 0

    def add(self, signal: Signal, scores: np.ndarray) -> None:
        """Add one model.

        Args:
            signal: the target model's outputs on members and non-members.
            scores: float (queries,), higher = more likely a member.
        """
        outside = np.sort(scores[signal.is_nonmember])
        self.nonmembers = min(len(outside), self.nonmembers or len(outside))
        inside = scores[signal.is_member]
        above = (len(outside) - np.searchsorted(outside, inside, side="left")) / len(outside)
        pairs = zip(above.tolist(), inside.tolist(), strict=True)
        self.models.append(dict(zip(signal.records[signal.is_member].tolist(), pairs, strict=True)))

    def most(self) -> MostExposed:
        """Return the most exposed records: those with the fewest non-members at or above them, on average.

        Records that share this mean are ranked by their mean score. Only records that were members of more than half
        as many models as any other count: a mean over one model says little.
        """
        values = defaultdict(list)
        for model in self.models:
            for record, pair in model.items():
                values[record].append(pair)
        most = max(map(len, values.values()))
        means = {record: np.mean(pairs, axis=0) for record, pairs in values.items() if 2 * len(pairs) > most}
        records = np.array(sorted(means))
        above, score = np.array([means[record] for record in records]).T
        order = np.lexsort((records, -score, above))
        # Rounded, as the order in which means are summed may differ in the last digit.
        keys = np.round(np.stack([above, score], axis=1)[order], 12)
        rank = 1 + np.array([int((keys == key).all(axis=1).argmax()) for key in keys[: self.listed]])
        last = keys[min(self.listed, len(keys)) - 1]
        return MostExposed(
            [
                ExposedRecord(
                    rank=int(place),
                    record=int(records[row]),
                    above=float(above[row]),
                    score=float(score[row]),
                    models=len(values[int(records[row])]),
                )
                for place, row in zip(rank, order, strict=False)
            ],
            tied=int((keys == last).all(axis=1)[self.listed :].sum()),
            unseen=int((above * self.nonmembers < 1 - 1e-9).sum()),  # of a mean of shares, so rounded
        )

    def agreement(self, rng: np.random.Generator) -> Agreement | None:
        """Return how far pairs of models name the same records; None where no pair shares enough members.

        Each pair is compared on the members that it shares, by lists of a tenth of them and at most `listed`.

        Args:
            rng: breaks ties, see `stability`.
        """
        agreements = []
        for one, other in combinations(self.models, 2):
            shared = sorted(set(one) & set(other))
            if listed := min(self.listed, len(shared) // 10):
                # Ranked as `most` ranks: first by the share of non-members, then by the score.
                pairs = [np.array([model[record] for record in shared]) for model in (one, other)]
                places = [_dense_rank(-above, score) for above, score in (pair.T for pair in pairs)]
                agreements.append(stability(np.array(places, dtype=float), rng, listed))
        if not agreements:
            return None
        jaccard = float(np.mean([agreement.jaccard for agreement in agreements]))
        by_chance = float(np.mean([agreement.by_chance for agreement in agreements]))
        return Agreement(jaccard, by_chance, len(agreements), is_stable(jaccard, by_chance))


@dataclass(frozen=True)
class Agreement(PlainData):
    """How far lists of the most exposed records agree between pairs of models.

    Attributes:
        jaccard: mean over pairs, see `Stability`.
        by_chance: mean over pairs, see `Stability`.
        pairs: number.
        stable: see `is_stable`.
    """

    jaccard: float
    by_chance: float
    pairs: int
    stable: bool


@dataclass(frozen=True)
class ExposedRecord:
    """One of the most exposed records.

    Attributes:
        rank: from 1; records that share `above` and `score` share one.
        record: row of the data set.
        above: mean share of non-members at or above it.
        score: mean over models.
        models: number of models that it was a member of.
    """

    rank: int
    record: int
    above: float
    score: float
    models: int


@dataclass(frozen=True)
class MostExposed:
    """The most exposed records of some models.

    Attributes:
        records: in the order of their ranks.
        tied: how many records are not listed though they equal the last one listed.
        unseen: how many records lie above so many non-members that their share cannot be distinguished from zero.
    """

    records: list[ExposedRecord]
    tied: int
    unseen: int


def _dense_rank(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the rank of each pair in lexicographic order, equal pairs alike; higher = larger."""
    _, rank = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    return rank.reshape(-1)
