"""Do the engines keep the epsilon that they state? An auditor who sees every update attacks tiny models.

A trial is a training of eight records whose guarantee is stated, run many times with the strongest record there is
and without it (`dpmia.validation.canary`). What the auditor finds bounds epsilon from below, with a stated confidence:
a bound above the stated epsilon refutes the engine. Bounds stay below it by a fifth and more, as models are few: a
trial finds gross faults (no noise, half of it, no clipping, another relation or rate), and proves nothing.

Sources: Jagielski et al. 2020, Nasr et al. 2021 and 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd
import torch

from dpmia.common.registry import load
from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.formats.stages import GUARANTEES
from dpmia.models.mlp import MLP
from dpmia.papers.artifact import RunSummary
from dpmia.privacy.accounting import Mechanism
from dpmia.training.engines.base import Engine
from dpmia.validation.canary import CanaryTraining, Neighbours, audit_scores, canary_neighbours
from dpmia.validation.epsilon_bound import epsilon_lower_bound, mechanism_epsilon_lower_bound

#: Probability that a bound of some trial exceeds what a right engine keeps; each trial has its share (Bonferroni).
ERROR = 0.05

RECORDS, DELTA = 8, 1e-5

KEPT, REFUTED = "not refuted", "refuted"


@dataclass(frozen=True)
class Case:
    """A training whose guarantee is tried: 8 records, clip norm 1.

    Attributes:
        epsilon: as stated.
        relation: `add_remove` or `replace_one`.
        sampling: `poisson` or `shuffle`.
        batch_size: of the 8 records; of Poisson batches the mean.
        epochs: passes over them.
        hidden: widths of the hidden layers.
        delta: as stated.
    """

    epsilon: float
    relation: str = "add_remove"
    sampling: str = "poisson"
    batch_size: int = RECORDS
    epochs: int = 1
    hidden: tuple[int, ...] = ()
    delta: float = DELTA

    @property
    def recipe(self) -> Recipe:
        """How the models are trained: so slowly that the canary's gradient stays the same."""
        # No slower than float32 can distinguish from the start.
        learning_rate = 1e-3 if self.hidden else 1e-6
        return Recipe("sgd", learning_rate, self.batch_size, self.epochs, sampling=self.sampling)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is accounted for."""
        return Mechanism(
            sampler=self.sampling,
            rate=self.recipe.rate(RECORDS),
            steps=self.recipe.steps(RECORDS),
            epochs=self.epochs,
            relation=self.relation,
            delta=self.delta,
            accountant="pld",
        )

    @cached_property
    def stated(self) -> CanaryTraining:
        """The training with the noise that keeps epsilon."""
        return CanaryTraining(self.recipe, self.mechanism.noise_multiplier(self.epsilon))

    def neighbours(self) -> Neighbours:
        """Return the training sets with the canary and without it."""
        if self.hidden:
            architecture = MLP(8, self.hidden, 2)
            start, magnitude = architecture.initial_parameters(torch.Generator().manual_seed(1)), 100.0
        else:
            architecture = MLP(4, (), 2)
            start, magnitude = [torch.zeros(2, 4), torch.zeros(2)], 1000.0
        return canary_neighbours(architecture, start, RECORDS - 1, self.relation, 1.0, magnitude, seed=5)

    def bounds(
        self, engine: type[Engine], models: int, seed: int, error: float, actual: CanaryTraining | None = None
    ) -> tuple[float, float]:
        """Return two lower bounds on epsilon: that of the mechanism's family, and that without any assumption.

        Args:
            engine: to try.
            models: trained with the canary, and as many without it.
            seed: of the first model (see `audit_scores`).
            error: probability with which each bound may be wrong.
            actual: the training that is run instead of the stated one; a fault on purpose.
        """
        scores = audit_scores(engine, self.neighbours(), self.stated, models, seed, actual)
        of_mechanism = mechanism_epsilon_lower_bound(*scores, self.mechanism, self.stated.noise_multiplier, 1 - error)
        return of_mechanism.epsilon, epsilon_lower_bound(*scores, self.delta, 1 - error).epsilon


@dataclass(frozen=True)
class Trial:
    """A case that an engine is tried on, by its name in settings, with so many models of each kind."""

    engine: str
    case: Case
    models: int


_POISSON = Case(4, batch_size=4, epochs=4)
#: Opacus trains one model at a time, so it has fewer and its bounds are lower.
TRIALS = (
    Trial("stacked", Case(1), 4000),
    Trial("stacked", Case(4), 4000),
    Trial("stacked", Case(9), 4000),
    Trial("stacked", _POISSON, 2000),
    Trial("stacked", replace(_POISSON, relation="replace_one"), 2000),
    Trial("stacked", Case(4, "replace_one", "shuffle", epochs=2), 2000),
    Trial("stacked", Case(4, batch_size=4, hidden=(4,)), 1000),
    Trial("opacus", Case(9), 300),
    Trial("opacus", Case(9, batch_size=4), 300),
)


def run(engines: Mapping[str, str], seed: int) -> pd.DataFrame:
    """Try all of `TRIALS`; return the columns `dpmia.formats.stages.GUARANTEES`, a row for each.

    Args:
        engines: name -> class of the engine, as `dpmia.common.registry.load` takes it.
        seed: the user's; batches and noise of all models follow from it.
    """
    return pd.DataFrame([_row(trial, load(engines[trial.engine]), seed) for trial in TRIALS], columns=GUARANTEES)


def _row(trial: Trial, engine: type[Engine], root_seed: int) -> list[object]:
    case, error = trial.case, ERROR / (2 * len(TRIALS))
    first = derive_seed(root_seed, "canary", trial.engine, str(case)) % 2**31
    bounds = case.bounds(engine, trial.models, first, error)
    mechanism, noise = case.mechanism, case.stated.noise_multiplier
    return [
        *(trial.engine, mechanism.sampler, mechanism.relation, mechanism.rate, mechanism.steps, noise),
        *(case.delta, case.epsilon, *bounds, trial.models, REFUTED if max(bounds) > case.epsilon else KEPT),
    ]


def tabulate(tables: Mapping[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the trials of the run as they are shown; `tables` holds what `run` returned."""
    (trials,) = tables.values()
    shown = trials.assign(
        **{name: trials[name].map("{:.3g}".format) for name in ("noise_multiplier", "delta", "epsilon")},
        **{name: trials[name].map("{:.2f}".format) for name in ("epsilon_of_mechanism", "epsilon_of_rates")},
    )
    return shown.rename(
        columns={
            "sampling_rate": "sampling rate",
            "noise_multiplier": "noise multiplier",
            "epsilon": "stated epsilon",
            "epsilon_of_mechanism": "lower bound, mechanism known but for its noise",
            "epsilon_of_rates": "lower bound, from rates alone",
            "models": "models of each kind",
        }
    )
