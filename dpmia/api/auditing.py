"""A lower bound on epsilon from one training run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from dpmia.api.arrays import number, numbers, same_rows, several, truth_values
from dpmia.common.errors import ArgumentError
from dpmia.common.formatting import format_lower_bound, format_significant
from dpmia.metrics.ranking import GUESSED, guessed_right, guesses
from dpmia.privacy.lower_bounds import epsilon_from_guesses

#: Fair coins give so unequal numbers of members and non-members less often than this.
IMPLAUSIBLE = 1e-6

#: The shares divide what is left of 1: of less, nothing would be left.
MOST_CONFIDENCE = 1 - 1e-9


@dataclass(frozen=True, repr=False)
class EpsilonAudit:
    """A lower confidence bound on epsilon.

    Attributes:
        epsilon: the training has no (epsilon', delta) with an epsilon' below this one, at the given confidence.
        delta: see `epsilon`.
        confidence: see `epsilon`.
        right: number of right guesses, of the share of guesses with the largest bound.
        guesses: number of these guesses.
        records: number of records whose membership was drawn.
    """

    epsilon: float
    delta: float
    confidence: float
    right: int
    guesses: int
    records: int

    def refutes(self, epsilon: float) -> bool:
        """Return whether the audit refutes that the training has (`epsilon`, delta).

        Raises:
            ArgumentError: `epsilon` is no number.
        """
        return bool(self.epsilon > number(epsilon, "refutes, epsilon"))

    def __repr__(self) -> str:
        return (
            f"EpsilonAudit: epsilon at least {format_lower_bound(self.epsilon)} at delta "
            f"{format_significant(self.delta)}, with confidence {self.confidence:g} "
            f"({self.right} of {self.guesses} guesses right, {self.records} records)"
        )


def audit_epsilon(
    scores: ArrayLike,
    is_member: ArrayLike,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    shares: Iterable[float] = GUESSED,
) -> EpsilonAudit:
    """Return the epsilon that the scores of an attack on one model refute.

    Each record must have joined the training set by the toss of a fair coin, independently of all others
    (`split(..., kind="bernoulli", rate=0.5)`): with other members the bound is none. The guarantee is one between
    training sets with and without a record (`add_remove`). The records with the highest scores are guessed to be
    members, as many with the lowest not.

    Args:
        scores: of an attack, higher = more likely a member; they must not depend on the true membership.
        is_member: the truth.
        delta: of (epsilon, delta), in [0, 1).
        confidence: that epsilon is at least the bound.
        shares: of the records that are guessed. The largest bound counts, so each has a part of the error
            (Bonferroni): `shares=[1.0]` guesses all.

    Raises:
        ArgumentError: an argument is out of its range, or fair coins hardly ever give such numbers of members.

    Source: Steinke, Nasr and Jagielski 2023, "Privacy Auditing with One (1) Training Run".

    Examples:
        >>> import numpy as np
        >>> from dpmia import audit_epsilon
        >>> rng = np.random.default_rng(0)
        >>> is_member = rng.random(1000) < 0.5
        >>> right = rng.random(1000) < 0.9  # randomised response with epsilon = ln 9 = 2.197
        >>> audit_epsilon(np.where(right, is_member, ~is_member), is_member, shares=[1.0])
        EpsilonAudit: epsilon at least 1.821 at delta 0, with confidence 0.95 (879 of 1000 guesses right, 1000 records)
    """
    where = "audit_epsilon"
    same_rows(where, {"scores": scores, "is_member": is_member})
    ranked = numbers(scores, f"{where}, scores", ("records",), infinite=True)  # likelihood ratios may be
    truth = truth_values(is_member, f"{where}, is_member", ranked.shape)
    shares = several(shares, f"{where}, shares")
    delta, confidence = number(delta, f"{where}, delta"), number(confidence, f"{where}, confidence")
    if not shares or not all(0 < share <= 1 for share in shares):
        raise ArgumentError(
            f"{where}, shares", f"{shares} are not all above 0 and at most 1", "Give shares such as 0.1"
        )
    if not (0 <= delta < 1 and 0 < confidence <= MOST_CONFIDENCE):
        problem = (
            f"delta {delta} and confidence {confidence} are not both from 0 and below 1 (confidence: at most 1 - 1e-9)"
        )
        raise ArgumentError(where, problem, "Give a delta such as 1e-5 and a confidence such as 0.95")
    records, members = len(truth), int(truth.sum())
    if records < 2:
        raise ArgumentError(where, f"{records} records", "Give two at least; hundreds show something")
    # Probability of at most as many of the rarer kind, under fair coins.
    fewer = min(members, records - members)
    if 2 * betainc(records - fewer, fewer + 1, 0.5) < IMPLAUSIBLE:
        problem = f"{members} of {records} records are members, which fair coins hardly ever give"
        raise ArgumentError(f"{where}, is_member", problem, "Let each record join with probability 1/2")
    # Records of equal scores must come in an order that does not depend on their membership.
    order = np.random.default_rng(0).permutation(records)
    shown = guessed_right(ranked[order], truth[order], shares)
    candidates = []
    for share in shares:
        count = min(guesses(records, share), records)
        right = round(shown[f"guessed_right@{share:g}"] * count)
        level = 1 - (1 - confidence) / len(shares)
        candidates.append((epsilon_from_guesses(right, count, records, delta, level), right, count))
    epsilon, right, count = max(candidates)
    return EpsilonAudit(epsilon, delta, confidence, right, count, records)
