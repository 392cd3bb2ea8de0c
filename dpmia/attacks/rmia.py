"""RMIA: how many population records the record dominates, each measured by what is usual for it.

The likelihood ratio of a record x and a population record z, given the target model, is

    LR(x, z) = (p(x | target) / p(x)) / (p(z | target) / p(z)),

p(. | model) the probability of the true class, p(.) its mean over models. The score of x is the share of z with
LR(x, z) >= gamma.

For one target model, gamma moves ties and the decision but not the order of the scores: they all follow
p(x | target) / p(x). With gamma = 1 a non-member that is to all models what the population is scores uniformly, so
that "score >= 1 - alpha" has a false positive rate of alpha, up to 1 / (number of population records). Equal ratios
count for "member": with outputs of which many are equal, as those of full-grown trees, the rate is higher, up to 1.
Online, records queried are in training sets where population records are not: their p(.) is larger, and the rate below
alpha.

Plain softmax probabilities; the paper's variants (Taylor softmax, margin, temperature, augmentations) are left out.

A record without a model on one side gets, online, its mean on the other side, times the geometric mean of the ratio of
the two sides over all records, and 1 at most; offline, the mean of that side over all records. The log reports the
share of such records, and the attack is refused where members and non-members have very unequal shares of them
(`dpmia.attacks.needs.check_missing`).
A population record in training sets of reference models is averaged over all models online, and over those without it
offline.

Source: Zarifzadeh, Liu and Shokri 2024, "Low-Cost High-Power Membership Inference Attacks".
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy.special import logsumexp

from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.needs import check_side, models_of, number, population_of, rate
from dpmia.common.errors import KnowledgeError
from dpmia.formats.losses import References
from dpmia.formats.signals import Signal

_MORE_MODELS = "Train more reference models"


class _Rmia(Attack):
    uses = ("references", "population")

    def __init__(self, gamma: float, alpha: float) -> None:
        self.gamma = number("gamma", gamma, 1)
        self.alpha = rate("alpha", alpha)

    @abstractmethod
    def _usual(self, models: References, signal: Signal, population: np.ndarray) -> np.ndarray:
        """Return log p(.) of each query; NaN for a population record that no model can speak of."""

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`; between 0 and 1."""
        population = population_of(signal)
        usual = self._usual(models_of(knowledge, "references", signal), signal, population)
        ratio = -signal.losses - usual
        compared = np.sort(ratio[population & ~np.isnan(usual)])
        if not len(compared):
            raise KnowledgeError(
                "knowledge.references", "every model was trained on every population record", _MORE_MODELS
            )
        dominated = np.searchsorted(compared, ratio - np.log(self.gamma), side="right") / len(compared)
        return np.where(np.isnan(ratio), np.nan, dominated)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores >= 1 - self.alpha


class OnlineRmia(_Rmia):
    """RMIA with p(x) = (mean over models trained with x + mean over models trained without x) / 2.

    The adversary knows how the target was trained, has records of the population, and trains models on the very
    query records, anew for new records.
    """

    both_sides = True

    def __init__(self, gamma: float = 1.0, alpha: float = 0.1) -> None:
        """Set up the attack.

        Args:
            gamma: how much likelier x must be than z, >= 1; the authors' tool takes 1.
            alpha: predicts "member" where x dominates at least 1 - alpha of the population records.

        Raises:
            ValueError: an option is not allowed.
        """
        super().__init__(gamma, alpha)

    def _usual(self, models: References, signal: Signal, population: np.ndarray) -> np.ndarray:
        inside, outside = (_mean_or_pooled(models, signal, population, side) for side in (True, False))
        trained, left_out = models.trained_on.any(axis=0), ~models.trained_on.all(axis=0)
        both = trained & left_out & ~population
        gap = (inside - outside)[both].mean() if both.any() else 0.0
        filled = np.minimum(outside + gap, 0), np.minimum(inside - gap, 0)  # logarithms of probabilities
        inside, outside = np.where(trained, inside, filled[0]), np.where(left_out, outside, filled[1])
        everywhere = _log_mean(models.losses, np.ones_like(models.trained_on))
        return np.where(population, everywhere, np.logaddexp(inside, outside) - np.log(2))


class OfflineRmia(_Rmia):
    """RMIA with p(x) = ((1 + a) m + (1 - a)) / 2, m the mean over models trained without x.

    It takes the mean over models trained with x for 1 - a (1 - m). The adversary knows how the target was trained and
    has records of the population to train models on, not necessarily the query records.
    """

    def __init__(self, gamma: float = 1.0, alpha: float = 0.1, offline_a: float = 0.3) -> None:
        """Set up the attack.

        Args:
            gamma: see `OnlineRmia`.
            alpha: see `OnlineRmia`.
            offline_a: between 0 (models are sure of all their members) and 1 (training on a record changes nothing);
                .3 is the default of the authors' tool. To be tuned on the attacker's own models.

        Raises:
            ValueError: an option is not allowed.
        """
        super().__init__(gamma, alpha)
        self.offline_a = number("offline_a", offline_a, 0, 1)

    def _usual(self, models: References, signal: Signal, population: np.ndarray) -> np.ndarray:
        alone = _log_mean(models.losses, ~models.trained_on)
        outside = np.where(population, alone, _mean_or_pooled(models, signal, population, False))
        with np.errstate(divide="ignore", invalid="ignore"):  # log(0) at a = 1; NaN stays NaN
            return np.logaddexp(np.log1p(self.offline_a) + outside, np.log1p(-self.offline_a)) - np.log(2)


def _mean_or_pooled(models: References, signal: Signal, population: np.ndarray, inside: bool) -> np.ndarray:
    """Return the log mean probability of each query on one side, the mean of that side where there is no model."""
    counted = models.trained_on == inside
    evaluated = counted & ~population
    if not evaluated.any():
        word = "on" if inside else "without"
        raise KnowledgeError(
            "knowledge.references", f"no model was trained {word} any of the query records", _MORE_MODELS
        )
    without = ~counted.any(axis=0)
    check_side(signal, without, inside)
    return np.where(
        without,
        _log_mean(models.losses[evaluated][:, None], np.ones((evaluated.sum(), 1), bool)),
        _log_mean(models.losses, counted),
    )


def _log_mean(losses: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the logarithm of the mean probability over the models that count; NaN where none does."""
    models = counted.sum(axis=0)
    total = logsumexp(np.where(counted, -losses, -np.inf), axis=0)
    return np.where(models > 0, total - np.log(np.maximum(models, 1)), np.nan)
