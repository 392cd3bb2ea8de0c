"""What every attack provides, and what is measured of it."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from dpmia.common.errors import AttackError
from dpmia.common.plugins import errors_of_file, spec_of
from dpmia.formats.losses import References
from dpmia.formats.signals import Signal
from dpmia.metrics.precision import measured_precision, precision_references
from dpmia.metrics.ranking import advantage, guessed_right, ranking
from dpmia.metrics.shared_records import group_effects

#: Probability to join the training set at which guesses of membership are counted.
FAIR = 0.5

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Knowledge:
    """What the attacker has beside the outputs of the target model.

    Attributes:
        shadows: outputs of shadow models on their own members and non-members.
        references: of models trained on other draws of the same data.
        distilled: of models trained on other draws with the target model's outputs as soft labels.
        leave_one_out: of models trained as the target was, each query left out of the training set of its own models.
        features: shape (queries, features): the query records, as the target model took them.
    """

    shadows: Sequence[Signal] = ()
    references: References | None = None
    distilled: References | None = None
    leave_one_out: References | None = None
    features: np.ndarray | None = None


class Attack(ABC):
    """Scores records by how likely they were members, and decides."""

    #: Whether the decision rule knows who is a member. An oracle is an upper limit and no attack.
    oracle: bool = False

    #: What the attacker needs beside the target's outputs: fields of `Knowledge`, or `population` for population
    #: records among the queries.
    uses: tuple[str, ...] = ()

    #: Whether it needs reference models that were trained on a record as well as some that were not.
    both_sides: bool = False

    #: How many reference models it needs for a record, on each side that it uses: two where it takes their variance.
    each_side: int = 1

    #: Whether it sets a threshold for the loss of each record, so that there are results per record: a subclass of
    #: `dpmia.attacks.hypothesis.HypothesisTest`.
    per_record: bool = False

    #: Whether members and non-members need as many models without the record: it compares each record with its own.
    even_counts: bool = False

    #: Whether it reads the outputs for several classes: losses alone are not enough.
    needs_classes: bool = False

    def prepare(self, knowledge: Sequence[Knowledge]) -> None:  # noqa: B027 (optional, not forgotten)
        """Do once what serves several target models. An attack that learns nothing has nothing to do.

        Args:
            knowledge: what the attacker has for each of them; calling this is never needed, it only saves time.
        """

    @abstractmethod
    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """Return one score for each query of `signal`, higher = more likely a member; float64, shape (queries,)."""

    @abstractmethod
    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """Return True where the attack predicts "member"; bool, shape (queries,)."""


def errors_of(attack: Attack, method: str) -> AbstractContextManager[None]:
    """Report an error of a method of an attack that is not of this library as its own."""
    return errors_of_file(spec_of(type(attack)), f"attack {type(attack).__name__}, {method}()", every=True)


def checked_scores(attack: Attack, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
    """Return `attack.scores`.

    Raises:
        AttackError: they are no array of one number for each query.
    """
    with errors_of(attack, "scores"):
        scores = attack.scores(signal, knowledge, rng)
    _check(attack, "scores", scores, len(signal.records), np.floating, "floats")
    return scores


def checked_decisions(attack: Attack, signal: Signal, scores: np.ndarray) -> np.ndarray:
    """Return `attack.decisions`.

    Raises:
        AttackError: they are no array of one truth value for each query.
    """
    with errors_of(attack, "decisions"):
        decisions = attack.decisions(signal, scores)
    _check(attack, "decisions", decisions, len(signal.records), np.bool_, "bools")
    return decisions


def _check(attack: Attack, method: str, result: object, queries: int, kind: type, kind_name: str) -> None:
    where = f"attack {type(attack).__name__}, {method}()"
    valid = f"a numpy array of {kind_name} of shape ({queries},), one for each query"
    if not isinstance(result, np.ndarray):
        raise AttackError(where, f"returned a value of type {type(result).__name__}", f"Return {valid}")
    if result.shape != (queries,) or not np.issubdtype(result.dtype, kind):
        problem = f"returned an array of {result.dtype} of shape {result.shape}"
        raise AttackError(where, problem, f"Return {valid}")


@dataclass(frozen=True)
class Outcome:
    """Scores and decisions of an attack on the members and non-members of one model.

    Attributes:
        records: their row numbers.
        is_member: the truth.
        scores: NaN where the attack has none.
        decisions: False there.
        details: whether metrics include those of `dpmia.metrics.precision`.
        fair: whether each record joined by the toss of a fair coin, so that metrics include guesses.
    """

    records: np.ndarray
    is_member: np.ndarray
    scores: np.ndarray
    decisions: np.ndarray
    details: bool
    fair: bool

    @property
    def fewest(self) -> int:
        """The number of members or of non-members, whichever is smaller."""
        return int(min(self.is_member.sum(), (~self.is_member).sum()))

    def metrics(self) -> dict[str, float]:
        """Return every metric by name."""
        metrics = self._measured(np.ones(len(self.records), dtype=bool))
        return metrics | (precision_references(self.is_member) if self.details else {})

    def effects(self) -> dict[str, list[float]]:
        """Return by how much each group of records raises each metric that is measured on them."""
        # Metrics rank the records again without each group: fast where they come by score.
        order = np.argsort(self.scores, kind="stable")
        parts = self.records[order], self.is_member[order], self.scores[order], self.decisions[order]
        ranked = Outcome(*parts, self.details, self.fair)
        return group_effects(ranked._measured, ranked.records)

    def _measured(self, kept: np.ndarray) -> dict[str, float]:
        truth, scores, decisions = self.is_member[kept], self.scores[kept], self.decisions[kept]
        of = int((~self.is_member).sum())
        ranked = np.where(np.isnan(scores), -np.inf, scores)
        metrics = {**advantage(decisions, truth), **ranking(ranked, truth, of)}
        if self.fair:
            by_record = np.argsort(self.records[kept])
            metrics |= guessed_right(ranked[by_record], truth[by_record])
        return metrics | (measured_precision(scores, decisions, truth, of) if self.details else {})


def outcome(
    attack: Attack, signal: Signal, knowledge: Knowledge, rng: np.random.Generator, details: bool = False
) -> Outcome:
    """Attack one model.

    Only members and non-members count; what else the signal holds is there for the attack to use. Where each record
    joined by the toss of a fair coin, guesses are counted, too: they bound epsilon from below
    (`dpmia.privacy.lower_bounds`).

    Args:
        attack: the attack.
        signal: the target model's outputs.
        knowledge: what the attacker has beside them.
        rng: source of randomness for attacks that draw at random.
        details: also measure what `dpmia.metrics.precision` does. Then scores may be missing (NaN); such records are
            ranked last and predicted non-members.

    Raises:
        AttackError: a score is not a number and `details` is false.
    """
    evaluated = signal.is_member | signal.is_nonmember
    # Copies: an attack may change its arrays.
    records, is_member = signal.records[evaluated], signal.is_member[evaluated]
    given = checked_scores(attack, signal, knowledge, rng)
    scores = given[evaluated]
    silent = np.isnan(scores)
    if silent.any() and not details:
        where = f"attack {type(attack).__name__}, scores()"
        raise AttackError(where, f"{silent.sum()} of {len(silent)} are NaN", "Return a number for each query")
    if silent.any():
        log.warning("%d of %d scores are not numbers; their records count as non-members", silent.sum(), len(silent))
    decisions = checked_decisions(attack, signal, given)[evaluated] & ~silent
    fair = signal.card.rate == FAIR
    return Outcome(records, is_member, scores, decisions, details, fair)
