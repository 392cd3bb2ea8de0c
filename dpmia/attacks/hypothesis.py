"""Attacks that test whether the target's loss on a record is too small for a non-member.

Null hypothesis: the record was not in the training set. Each attack takes other losses for those of a non-member
and predicts the record a member where the target's loss is rarer among them than `alpha`, the false positive rate
aimed at. They differ in what the distribution depends on, and in what the adversary must have for it:

| attack | the losses of | depends on |
| --- | --- | --- |
| S `ShadowThreshold` | population records of the class under shadow models | class |
| P `Population` | population records under the target model | target model |
| R `Reference` | the record under models trained on population data | record |
| D `Distillation` | the record under models that learnt from the target's outputs | record and target model |
| L `LeaveOneOut` | the record under models trained like the target, without it | record and target model |

Source: Ye et al. 2022, section 3.
"""

from __future__ import annotations

import logging
import math
from abc import abstractmethod

import numpy as np

from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.estimators import ESTIMATORS, NullLosses
from dpmia.attacks.needs import MORE_ALIKE, REMEDY, check_even, check_missing, models_of, one_of, population_of, rate
from dpmia.common.errors import KnowledgeError
from dpmia.formats.losses import References
from dpmia.formats.signals import Signal

log = logging.getLogger(__name__)

#: Which of the attacker's models are used for a record: those trained without it, with it, or all.
SIDES = ("out", "in", "all")


class HypothesisTest(Attack):
    """Scores by minus the false positive rate at which a record would just be predicted a member.

    Not by 1 minus it: what is rarer than 1e-16 would all be equal.
    """

    per_record = True

    #: What is missing where records have no losses to be compared with, and what to do.
    lacking = ("population", "Give population records of every class")

    def __init__(self, alpha: float = 0.1, estimator: str = "empirical") -> None:
        """Set up the test.

        Args:
            alpha: false positive rate at which decisions are made, between 0 and 1; the scores do not depend on it.
            estimator: name of one of `dpmia.attacks.estimators.ESTIMATORS`.

        Raises:
            ValueError: an option is not allowed.
        """
        self.alpha = rate("alpha", alpha)
        self.estimator = ESTIMATORS[one_of("estimator", estimator, ESTIMATORS)]

    @abstractmethod
    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """Return the losses that stand for those of a non-member, for every query of `signal`.

        Raises:
            ValueError: the attacker lacks what the attack needs; the message names it.
        """

    def thresholds(self, signal: Signal, knowledge: Knowledge) -> np.ndarray:
        """Return the loss up to which each query is predicted a member at `alpha`; float64, shape (queries,), nats."""
        return self.estimator.threshold(self.null(signal, knowledge), self.alpha)

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`."""
        null = self.null(signal, knowledge)
        self._check(signal, null)
        return -self.estimator.alpha(null, signal.losses)

    def _check(self, signal: Signal, null: NullLosses) -> None:
        """Refuse what decides by something else than the target model's losses, and log where nothing can be decided.

        Raises:
            KnowledgeError: see `check_missing`.
        """
        what = f"have fewer than {self.estimator.fewest} losses to be compared with and are predicted non-members"
        check_missing(signal, ~self.estimator.judged(null), f"{what} by {type(self).__name__}", *self.lacking)
        rarest = self.estimator.rarest(null)[signal.is_member | signal.is_nonmember].min()
        if rarest > self.alpha:
            log.warning(
                "%s: of %d losses no rank is rarer than %.3g, and alpha is %g, so every record is predicted a "
                "non-member. Only the scores say something. For decisions, compare with %d losses, or raise alpha",
                type(self).__name__, null.counts.max(), rarest, self.alpha, math.ceil(1 / self.alpha) - 1,
            )  # fmt: skip

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores >= -self.alpha


class ShadowThreshold(HypothesisTest):
    """Attack S: one threshold for each class, from population records under shadow models.

    The adversary knows records of the population with their classes, and trains shadow models as the target was
    trained. A pair of a shadow model and a record it was trained on is left out. Nothing depends on the target model.
    Source: Ye et al. 2022, 3.1, equations 11 to 16; after Shokri et al. 2017.
    """

    uses = ("references", "population")

    def __init__(self, alpha: float = 0.1, estimator: str = "linear") -> None:
        """See `HypothesisTest`; by `linear`, records of a class are ranked by their losses without ties."""
        super().__init__(alpha, estimator)

    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """See `HypothesisTest.null`."""
        shadows, population = models_of(knowledge, "references", signal), population_of(signal)
        classes, group = np.unique(signal.labels, return_inverse=True)
        counted = ~shadows.trained_on & population
        belongs = np.broadcast_to(group, counted.shape)[counted]
        return NullLosses.gather(shadows.losses[counted], belongs, len(classes), group)


class Population(HypothesisTest):
    """Attack P: one threshold for each target model, from its losses on population records.

    The adversary knows records of the population with their classes, and trains no model at all.
    Source: Ye et al. 2022, 3.2, equations 17 to 21.
    """

    uses = ("population",)

    def __init__(self, alpha: float = 0.1, estimator: str = "linear") -> None:
        """See `HypothesisTest`; by `linear`, the ROC is exactly that of the loss."""
        super().__init__(alpha, estimator)

    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """See `HypothesisTest.null`."""
        losses = signal.losses[population_of(signal)]
        everyone = np.zeros(len(signal.records), dtype=np.int64)
        return NullLosses.gather(losses, np.zeros(len(losses), dtype=np.int64), 1, everyone)


class _PerRecord(HypothesisTest):
    """What the attacks with a threshold for each record share."""

    even_counts = True
    lacking = ("knowledge.references", MORE_ALIKE)

    def __init__(self, alpha: float = 0.1, estimator: str = "empirical", reference_models: str = "out") -> None:
        """Set up the test.

        Args:
            alpha: see `HypothesisTest`.
            estimator: see `HypothesisTest`.
            reference_models: which models are used for a record: `out`, those trained without it; `in`, those
                trained with it; `all`. A record without such a model is called a non-member.

        Raises:
            ValueError: an option is not allowed.
        """
        super().__init__(alpha, estimator)
        self.reference_models = one_of("reference_models", reference_models, SIDES)

    def _check(self, signal: Signal, null: NullLosses) -> None:
        """See `HypothesisTest._check`; besides, members and non-members must have as many losses.

        Raises:
            KnowledgeError: see `check_even`.
        """
        super()._check(signal, null)
        without = {"out": "models without the record", "in": "models with the record", "all": "models"}
        check_even(signal, null.counts, without[self.reference_models])

    def _null(self, models: References) -> NullLosses:
        out = ~models.trained_on
        return _per_record(models, {"out": out, "in": ~out, "all": np.ones_like(out)}[self.reference_models])


def _per_record(models: References, counted: np.ndarray) -> NullLosses:
    """Return for each query its losses under the models that count for it; `counted` is bool (models, queries)."""
    queries = counted.shape[1]
    return NullLosses.gather(models.losses.T[counted.T], np.nonzero(counted.T)[0], queries, np.arange(queries))


class Reference(_PerRecord):
    """Attack R: a threshold for each record, from its losses under models trained on population data.

    The adversary trains reference models as the target was trained, on draws from the population that do not hold
    the record. Nothing depends on the target model.

    With K models no rank is rarer than 1 / (K + 1): at a lower `alpha` the `empirical` estimator predicts no
    member, as the log says. `linear` and `logit_gaussian` still do, by extrapolation.

    Thudi et al. take the models that did hold the record (`reference_models="in"`): a test of the other hypothesis,
    whose `alpha` is a true positive rate. Of 20 models trained on half of the data about 10 are used, and a quantile
    at .05 from 10 values is an interpolation between the smallest value and 0 (`estimator="linear"`).

    Source: Ye et al. 2022, 3.3, equations 22 to 27; Thudi et al. 2024, figures 15 to 17.
    """

    uses = ("references",)

    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """See `HypothesisTest.null`."""
        return self._null(models_of(knowledge, "references", signal))


class Distillation(_PerRecord):
    """Attack D: a threshold for each record and target model, from models distilled from the target.

    The adversary queries the target model on population records and trains models on them with its outputs
    as soft labels: models like the target, but for what it learnt from the record itself.

    Source: Ye et al. 2022, 3.4, equations 28 to 38.
    """

    uses = ("distilled",)

    lacking = ("knowledge.distilled", "Distil more models")

    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """See `HypothesisTest.null`."""
        return self._null(models_of(knowledge, "distilled", signal))


class LeaveOneOut(HypothesisTest):
    """Attack L: a threshold for each record and target model, from models trained on all other members.

    The adversary knows the whole training set but for the record, and how the target was trained. Each record has
    models of its own: for a member, trained without it; for a non-member, on the whole training set; with seeds of
    their own. The strongest adversary of the paper, and the one that audits assume.

    Source: Ye et al. 2022, 3.5.
    """

    uses = ("leave_one_out",)

    def null(self, signal: Signal, knowledge: Knowledge) -> NullLosses:
        """See `HypothesisTest.null`.

        Raises:
            KnowledgeError: a model was trained on the record that it is to leave out.
        """
        models = models_of(knowledge, "leave_one_out", signal)
        if models.trained_on.any():
            problem = f"{models.trained_on.sum()} models were trained on the record left out"
            raise KnowledgeError("knowledge.leave_one_out", problem, REMEDY)
        return _per_record(models, np.ones_like(models.trained_on))
