"""Target models of one block: all arms, some replicates, some epsilons; trained, and asked about their records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dpmia.datasets.table import Dataset
from dpmia.registry import load
from dpmia.settings.epsilon import spell_epsilon
from dpmia.settings.seeds import derive_seed
from dpmia.signals import MEMBER, NONMEMBER, VALIDATION, Signal
from dpmia.splits.split import Split
from dpmia.training.accounting import Mechanism
from dpmia.training.lightning import fit
from dpmia.training.recipe import Recipe, Run, Seeds

ROLE = "target"

#: Records asked about in one forward pass: bounds memory, costs nothing.
ASKED_AT_ONCE = 8192


@dataclass(frozen=True)
class Target:
    """A target model before training: its run, its split, and what will be said about it."""

    run: Run
    split: Split
    about: dict[str, Any]


def train_block(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Path | None = None,
    progress: bool = False,
) -> list[Signal]:
    """Train every (arm, replicate, epsilon) of a block and return what an attacker sees of each model.

    Args:
        dataset: prepared data.
        splits: by (arm, replicate).
        job: as `dpmia.settings.jobs.train_job` describes it.
        root_seed: the user's seed.
        checkpoints: folder for checkpoints of long trainings; None for none.
        progress: show progress bars.

    Raises:
        TrainingError: the batch is larger than a training set, the promise cannot be kept, or a loss is not finite.
    """
    recipe = Recipe(**job["recipe"])
    architecture = load(job["model"])(
        inputs=len(dataset.features), outputs=len(dataset.classes), hidden=tuple(job["shape"]["hidden"])
    )
    x, y = torch.from_numpy(dataset.x), torch.from_numpy(dataset.y)
    targets = list(_targets(dataset, splits, job, recipe, root_seed))

    signals: dict[str, Signal] = {}
    for engine_type, group in _groups(targets, job["engines"], recipe):
        width = engine_type.width(architecture, recipe)
        for start in range(0, len(group), width):
            together = group[start : start + width]
            engine = engine_type(architecture, recipe, [target.run for target in together], x, y)
            fit(engine, checkpoints and checkpoints / together[0].run.name, progress)
            for target, parameters in zip(together, engine.parameters(), strict=True):
                signals[target.run.name] = _ask(architecture, parameters, target, dataset)
    return [signals[target.run.name] for target in targets]


def _targets(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    recipe: Recipe,
    root_seed: int,
) -> Iterator[Target]:
    noise: dict[tuple[int, float], float] = {}
    for arm_name, arm in job["arms"].items():
        for epsilon in job["epsilons"]:
            for replicate in job["replicates"]:
                split = splits[arm_name, replicate]
                size = len(split.members)
                sigma = accounting = None
                if not math.isinf(epsilon):
                    mechanism = Mechanism(
                        sampler=recipe.sampling,
                        rate=recipe.rate(size),
                        steps=recipe.steps(size),
                        epochs=recipe.epochs,
                        **job["privacy"],
                    )
                    if (size, epsilon) not in noise:
                        noise[size, epsilon] = mechanism.noise_multiplier(epsilon)
                    sigma = noise[size, epsilon]
                    accounting = mechanism.record(epsilon, sigma, recipe.clip_norm)
                spelled = spell_epsilon(epsilon)
                meaning = [dataset.fingerprint, arm, replicate, spelled, ROLE]
                seeds = Seeds(*(derive_seed(root_seed, stream, *meaning) for stream in ("weights", "batches", "noise")))
                run = Run(f"{arm_name}/epsilon {spelled}/replicate {replicate}", split.members, seeds, sigma)
                about = {
                    "arm": arm_name,
                    "iid": arm["iid"],
                    "epsilon": spelled,
                    "replicate": replicate,
                    "role": ROLE,
                    "accounting": accounting,
                    "model": {"kind": job["model"].partition(":")[2], **job["shape"]},
                    "engine": job["engines"]["plain" if sigma is None else "private"].partition(":")[2],
                    "recipe": dict(job["recipe"]),
                    "steps": recipe.steps(size),
                    "seed": root_seed,
                    "meaning": meaning,
                }
                yield Target(run, split, about)


def _groups(targets: list[Target], engines: Mapping[str, str], recipe: Recipe) -> Iterator[tuple[Any, list[Target]]]:
    """Yield what can be trained together: one engine, one number of steps."""

    def kind(target: Target) -> tuple[bool, int]:
        return target.run.private, recipe.steps(len(target.run.records))

    for (private, _), group in groupby(sorted(targets, key=kind), key=kind):
        yield load(engines["private" if private else "plain"]), list(group)


def _ask(architecture: Any, parameters: torch.Tensor, target: Target, dataset: Dataset) -> Signal:
    """Return the trained model's logits on its members, non-members and validation records."""
    module = architecture.module()
    torch.nn.utils.vector_to_parameters(parameters, module.parameters())
    split = target.split
    parts = ((MEMBER, split.members), (NONMEMBER, split.nonmembers), (VALIDATION, split.validation))
    records = np.concatenate([rows for _, rows in parts])
    with torch.inference_mode():
        chunks = torch.from_numpy(dataset.x[records]).split(ASKED_AT_ONCE)
        logits = torch.cat([module(chunk) for chunk in chunks]).numpy()
    return Signal(
        about=target.about,
        records=records,
        labels=dataset.y[records],
        part=np.concatenate([np.full(len(rows), part, dtype=np.uint8) for part, rows in parts]),
        logits=logits,
    )
