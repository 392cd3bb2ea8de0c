"""Is the target surer of the record than it is of all but a few population records like it?

Source: Bertran et al. 2023, "Scalable Membership Inference Attacks via Quantile Regression".
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.confidence import confidence
from dpmia.attacks.needs import integer, population_of, rate
from dpmia.common.errors import AttackError
from dpmia.formats.signals import Signal
from dpmia.metrics.ranking import passing_at

#: Boosting bins the features by so many values; a class number is a category, and categories are bins.
MOST_CLASSES = 255


#: One in so many population records is kept from the regression, to set the threshold by.
HELD_OUT = 4


class QuantileRegression(Attack):
    """Scores by how far the target's confidence lies above the 1 - alpha quantile predicted from record and class.

    The quantile is learnt by gradient boosting on the target's outputs on population records, none of them a
    member. Attack P with a threshold for each record, in place of one for all; no model is trained like the target.

    The adversary has population records with their classes and may query the target on them. It need not know how
    the target was trained.

    Beyond the paper: trees fit the noise of few records, and alone would call up to twice as many non-members members
    as they should. So the distance is counted from its conformal 1 - alpha quantile on a quarter of the population
    records that the trees have not seen, which moves all scores alike and keeps the false positive rate at `alpha` or
    below. One regression serves the decision, at `alpha`, and the scores: the ROC over all rates is that of the
    distance to this one quantile, where the paper fits a regression for each rate.
    """

    needs_classes = True

    uses = ("population", "features")

    def __init__(self, alpha: float = 0.1, trees: int = 50, leaves: int = 8) -> None:
        """Set up the attack.

        Args:
            alpha: false positive rate aimed at, between 0 and 1.
            trees: number of boosted trees, >= 1.
            leaves: most leaves of a tree, >= 2.

        Raises:
            ValueError: an option is not allowed.
        """
        self.alpha = rate("alpha", alpha)
        self.trees, self.leaves = integer("trees", trees, 1), integer("leaves", leaves, 2)

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`; in units of log(p / (1 - p)).

        Raises:
            ValueError: the attacker was not given the query records.
            AttackError: there are too few population records to set a threshold at `alpha`.
        """
        rows = rng.permutation(np.flatnonzero(population_of(signal)))
        held, learnt = np.split(rows, [len(rows) // HELD_OUT])
        place = len(held) + 1 - int(passing_at(self.alpha, len(held) + 1))
        if place > len(held):
            fewest = HELD_OUT * np.ceil(1 / self.alpha - 1)
            problem = f"{len(rows)} population records cannot set a threshold at alpha {self.alpha:g}; {fewest:g} can"
            raise AttackError("quantile regression", problem, "Raise membership.population, or alpha")
        if knowledge.features is None:
            raise ValueError("the attack needs the query records: knowledge.features is empty")
        if len(knowledge.features) != len(signal.records):
            raise ValueError(f"knowledge.features has {len(knowledge.features)} rows for {len(signal.records)} queries")
        phi = confidence(signal.losses)
        if np.isnan(phi[rows]).any():
            raise ValueError(f"{np.isnan(phi[rows]).sum()} losses on population records are not numbers")
        inputs = np.column_stack([knowledge.features, signal.labels])
        regression = HistGradientBoostingRegressor(
            loss="quantile",
            quantile=1 - self.alpha,
            max_iter=self.trees,
            max_leaf_nodes=self.leaves,
            categorical_features=[inputs.shape[1] - 1] if signal.labels.max() < MOST_CLASSES else None,
            early_stopping=False,  # by default it depends on the number of records, and draws some at random
        )
        above = phi - regression.fit(inputs[learnt], phi[learnt]).predict(inputs)
        return above - np.sort(above[held])[place - 1]

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores > 0
