"""A second opinion on trained models: some of an experiment, trained again by the fast engine and by Opacus.

All three trainings have the same initial weights, batches and noise. Importing this module imports Opacus.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dpmia.attacks.base import Knowledge
from dpmia.attacks.threshold import AverageThreshold
from dpmia.common.errors import DataError
from dpmia.common.optional import needed
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.formats.stages import ENGINES
from dpmia.metrics.ranking import advantage
from dpmia.privacy.opacus_accountants import not_covered, opacus_epsilons
from dpmia.privacy.record import Accounting
from dpmia.splits.split import Split
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.model_spec import seeds
from dpmia.training.run import Run
from dpmia.training.train_models import architecture_for
from dpmia.validation.engines_agree import NOT_COMPARED, TOLERANCE, verdict

log = logging.getLogger(__name__)

#: What a step costs beside its multiplications (parameters times expected batch size), in these: about 3 ms.
STEP_WORK = 15e6
#: Of trainings that are too long to be repeated, the first steps are: a share of the work, but some steps at least.
FIRST_SHARE, FEWEST_STEPS = 0.25, 10

SECOND = "opacus"


def compare(
    experiment: str,
    engine: str,
    models: Mapping[str, Architecture],
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    signals: Iterable[Signal],
    work: float,
) -> list[list[Any]]:
    """Train some private target models of an experiment again, and compare the engines.

    Args:
        experiment: name of the experiment.
        engine: name of the engine that trained the models.
        models: architecture by arm.
        dataset: prepared data.
        splits: by (arm, replicate), of one block.
        signals: of the target models of that block.
        work: see `EngineCheck`.

    Returns:
        Rows as `dpmia.formats.stages.ENGINES` say, one for each model.

    Raises:
        DataError: the signals are of no private model of the experiment.
    """
    chosen = _chosen(signals)
    unknown = [signal for signal in chosen if signal.card.arm not in models or signal.card.split not in splits]
    if unknown or not chosen:
        problem = f"there is no {_name(unknown[0])} in it" if unknown else "no model has an accounting"
        remedy = "Delete its signals and start again: what makes them runs once more"
        raise DataError(f"signals of experiment {experiment}", problem, remedy)
    fast = load(engine)
    if issubclass(fast, OpacusEngine):
        rows = [_card_columns(signal) | {"reason": "trained by Opacus itself"} for signal in chosen]
    else:
        rows = _compared(fast, models, dataset, splits, chosen, work)
    shared = {"experiment": experiment, "verdict": verdict(row["difference"] for row in rows if "difference" in row)}
    return [[(row | shared).get(column) for column in ENGINES] for row in rows]


def _chosen(signals: Iterable[Signal]) -> list[Signal]:
    """Return the first and the last private model of the first arm: of several epsilons, the first and the last."""
    private = [signal for signal in signals if signal.card.accounting is not None]
    arm = [signal for signal in private if signal.card.arm == private[0].card.arm]
    return arm[:1] + arm[1:][-1:]


def _compared(
    fast: Any,
    models: Mapping[str, Architecture],
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    chosen: Sequence[Signal],
    work: float,
) -> list[dict[str, Any]]:
    """Return the columns of each model; the fast engine trains as many together as it does in the experiment."""
    recipe = needed(chosen[0].card.recipe)
    architecture = architecture_for(dataset, models[chosen[0].card.arm])
    x, y = torch.from_numpy(dataset.inputs()), torch.from_numpy(dataset.y)
    width = fast.width(architecture, recipe)
    rows = []
    for first in range(0, len(chosen), width):
        together = chosen[first : first + width]
        runs = [_run(signal, splits[signal.card.split], recipe) for signal in together]
        engine = fast(architecture, recipe, runs, x, y)
        starts = engine.parameters()
        steps = _steps(engine.steps, STEP_WORK + len(starts[0]) * recipe.batch_size, work)
        engine.advance(steps)
        for number, (signal, start) in enumerate(zip(together, starts, strict=True)):
            rows.append(_comparison(signal, engine, number, start, steps))
    return rows


def _comparison(signal: Signal, engine: Any, number: int, start: torch.Tensor, steps: int) -> dict[str, Any]:
    """Train a model by Opacus, and return the columns of its comparison with the one that the fast engine trained.

    Args:
        signal: of the target model of the experiment.
        engine: the fast one, after the steps.
        number: of the model among those that it trained together.
        start: parameters before the first step.
        steps: to be taken.
    """
    opacus = OpacusEngine(engine.architecture, engine.recipe, [engine.runs[number]], engine.x, engine.y)
    opacus.advance(steps)
    parameters, second = engine.parameters()[number], opacus.parameters()[0]
    difference = (parameters - second).abs().double().numpy()
    change = float((second - start).abs().max())
    outputs = signal.of(MEMBER, NONMEMBER)
    queries = engine.x[torch.from_numpy(outputs.records)]
    if steps < engine.steps:
        outputs = replace(outputs, logits=engine.outputs_of(number, parameters, queries).numpy())
    second_outputs = replace(outputs, logits=opacus.outputs_of(0, second, queries).numpy())
    losses = np.abs(outputs.losses - second_outputs.losses)
    most = {
        "relative_difference_of_99_percent": float(np.quantile(difference, 0.99)) / change,
        "loss_difference_of_99_percent": float(np.quantile(losses, 0.99)),
    }
    row = _card_columns(signal) | {
        "second_engine": f"{SECOND} ({opacus.grad_sample_mode})",
        "parameters": len(second),
        "steps_compared": steps,
        "parameter_difference": float(difference.max()),
        "relative_difference": float(difference.max()) / change,
        "loss_difference": float(losses.max()),
        **most,
        "tolerance": TOLERANCE,
        "difference": max(most.values()),
    }
    if steps == engine.steps:
        row["advantage_difference"] = abs(_advantage(outputs) - _advantage(second_outputs))
    largest = row["relative_difference"]
    log.info("%s: %d of %d steps, largest relative difference %.1e", row["model"], steps, engine.steps, largest)
    return row


def _steps(steps: int, step_work: float, work: float) -> int:
    """Return how many of the steps are repeated: all where the work allows it, else the first."""
    if steps * step_work <= work:
        return steps
    return min(steps, max(FEWEST_STEPS, int(FIRST_SHARE * work // step_work)))


def _run(signal: Signal, split: Split, recipe: Recipe) -> Run:
    """Return the run of a target model, from what is stored beside the model."""
    card = signal.card
    accounting = needed(card.accounting)
    own = seeds(needed(card.seed), card.meaning)
    expected = round(recipe.batch_size / accounting.rate)
    return Run(_name(signal), split.training, own, accounting.noise_multiplier, expected=expected)


def _name(signal: Signal) -> str:
    return f"{signal.card.arm}/epsilon {signal.card.epsilon}/replicate {signal.card.replicate}"


def _advantage(signal: Signal) -> float:
    """Return the advantage of the loss-threshold attack."""
    attack = AverageThreshold()
    scores = attack.scores(signal, Knowledge(), np.random.default_rng(0))
    return advantage(attack.decisions(signal, scores), signal.is_member)["advantage"]


def _card_columns(signal: Signal) -> dict[str, Any]:
    """Return what is known of a model before it is compared, its accounting by several accountants included."""
    card = signal.card
    accounting: Accounting = needed(card.accounting)
    reason = not_covered(accounting)
    rdp, prv = (None, None) if reason else opacus_epsilons(accounting)
    return {
        "model": _name(signal),
        "engine": needed(card.engine).removesuffix("Engine").lower(),
        "steps": card.steps,
        "verdict": NOT_COMPARED,
        "sampler": accounting.sampler,
        "relation": accounting.relation,
        "rate": accounting.rate,
        "noise_multiplier": accounting.noise_multiplier,
        "accounted_steps": accounting.steps,
        "delta": accounting.delta,
        "accountant": accounting.accountant,
        "epsilon": accounting.epsilon,
        "epsilon_opacus_rdp": rdp,
        "epsilon_opacus_prv": prv,
        "accounting_reason": reason or None,
    }
