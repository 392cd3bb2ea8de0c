"""What every attack provides, and what is measured of it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from dpmia import metrics
from dpmia.signals import MEMBER, NONMEMBER, Signal


class Attack(ABC):
    """Scores records by how likely they were members, and decides."""

    #: Whether the decision rule knows who is a member. An oracle is an upper limit and no attack.
    oracle: bool = False

    @abstractmethod
    def scores(self, signal: Signal, rng: np.random.Generator) -> np.ndarray:
        """Return one score for each query of `signal`, higher = more likely a member; float64, shape (queries,)."""

    @abstractmethod
    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """Return True where the attack says "member"; bool, shape (queries,)."""


def measure(attack: Attack, signal: Signal, rng: np.random.Generator) -> dict[str, float]:
    """Attack one model and return every metric by name.

    Raises:
        ValueError: a score is not a number, or members or non-members are missing.
    """
    asked = signal.of(MEMBER, NONMEMBER)
    scores = attack.scores(asked, rng)
    if np.isnan(scores).any():
        raise ValueError(f"{np.isnan(scores).sum()} scores of {type(attack).__name__} are not numbers")
    truth = asked.is_member
    return {**metrics.advantage(attack.decisions(asked, scores), truth), **metrics.ranking(scores, truth)}
