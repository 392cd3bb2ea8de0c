"""From settings of predictions to the jobs that read and attack them."""

from __future__ import annotations

from dpmia.common.epsilon import spell_epsilon
from dpmia.jobs.attacking import AttackSpec, PredictionsJob
from dpmia.settings import names
from dpmia.settings.predictions import Predictions


def attacks(predictions: Predictions) -> dict[str, AttackSpec]:
    """Return which attacks to run on a model known by its predictions only, and with which options."""
    return {
        name: AttackSpec(names.ATTACKS[attack.kind].spec, attack.options)
        for name, attack in predictions.attacks.items()
    }


def read_job(predictions: Predictions) -> PredictionsJob:
    """Return how tables of predictions are read."""
    population = [
        name for name, attack in predictions.attacks.items() if "population" in names.ATTACKS[attack.kind].uses
    ]
    given = predictions.model_dump(exclude={"attacks", "epsilon", "same_pool"})
    same_pool = predictions.same_pool is True  # not known is handled as not
    return PredictionsJob(
        **given, same_pool=same_pool, epsilon=spell_epsilon(predictions.epsilon), population=population
    )


def files(predictions: Predictions) -> list[str]:
    """Return the tables of a model known by its predictions only."""
    return [predictions.path, *predictions.references]
