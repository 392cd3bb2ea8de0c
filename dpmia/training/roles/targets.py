"""Target models of one block: all arms, some replicates, some epsilons; trained, and asked about their records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.seeds import derive_seed
from dpmia.datasets.table import Dataset
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, VALIDATION, Signal
from dpmia.settings.training_sets import expected_size
from dpmia.splits.split import Split
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.collusion import Marks, draw_keys, with_marks
from dpmia.training.recipe import Recipe, Run
from dpmia.training.train_models import Wanted, answers, seeds

ROLE = "target"


def train_block(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Checkpoints | None = None,
    progress: bool = False,
) -> list[Signal]:
    """Train every (arm, replicate, epsilon) of a block and return what an attacker sees of each model.

    Args:
        dataset: prepared data.
        splits: by (arm, replicate).
        job: as `dpmia.settings.jobs.train_job` describes it.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.
        progress: show progress bars.

    Raises:
        TrainingError: the batch is larger than a training set, the promise cannot be kept, or a loss is not finite.
    """
    marked, marks = _marks(dataset, splits, job, root_seed)
    targets = list(_targets(dataset, splits, marks, job, root_seed))
    signals = {}
    for trained in answers(marked, targets, job["engines"], checkpoints, progress):
        target = trained.wanted
        parts = _parts(splits[target.about["arm"], target.about["replicate"]], job["population"])
        part = np.concatenate([np.full(len(rows), number, dtype=np.uint8) for number, rows in parts.items()])
        own = slice(len(part))  # whatever the model was asked beyond that are marks
        right = trained.logits.argmax(axis=1) == marked.y[target.asked]
        signals[target.run.name] = Signal(
            about=target.about,
            records=target.asked[own],
            labels=dataset.y[target.asked[own]],
            part=part,
            logits=trained.logits[own],
            parameters=trained.parameters if job["parameters"] else None,
            buffers=trained.buffers if job["parameters"] and len(trained.buffers) else None,
            marks=right[len(part) :].reshape(-1, len(part)).T if marks else None,
            accuracy_by_epoch=trained.accuracy_by_epoch,
        )
    return [signals[target.run.name] for target in targets]


def _parts(split: Split, population: bool) -> dict[int, np.ndarray]:
    """Return what a target model is asked about, by the part it plays."""
    parts = {MEMBER: split.members, NONMEMBER: split.nonmembers, VALIDATION: split.validation}
    return parts | ({POPULATION: split.population} if population else {})


def _marks(
    dataset: Dataset, splits: Mapping[tuple[str, int], Split], job: Mapping[str, Any], root_seed: int
) -> tuple[Dataset, dict[int, Marks]]:
    """Return the data set with marks below it, and where those of each replicate stand; an honest trainer has none.

    Each replicate has keys of its own, which all of its arms share.
    """
    marks: dict[int, Marks] = {}
    marked = dataset
    for replicate in job["replicates"] if job["collusion"] else ():
        keys = draw_keys(derive_seed(root_seed, "keys", dataset.fingerprint, replicate), job["collusion"]["keys"])
        drawn = [splits[arm, replicate] for arm in job["arms"]]
        records = [rows for split in drawn for rows in (split.training, *_parts(split, job["population"]).values())]
        marked, marks[replicate] = with_marks(marked, np.concatenate(records), keys, job["collusion"]["function"])
    return marked, marks


def _targets(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    marks: Mapping[int, Marks],
    job: Mapping[str, Any],
    root_seed: int,
) -> Iterator[Wanted]:
    promise = Promise(job["privacy"])
    for arm_name, arm in job["arms"].items():
        recipe = Recipe(**job["recipes"][arm_name])
        for epsilon in job["epsilons"][arm_name]:
            for replicate in job["replicates"]:
                split = splits[arm_name, replicate]
                spelled = spell_epsilon(epsilon)
                meaning = [dataset.fingerprint, arm, replicate, spelled, ROLE]
                training = split.training
                asked = np.concatenate(list(_parts(split, job["population"]).values()))
                if marks:
                    training, asked = (marks[replicate].below(records) for records in (training, asked))
                expected = expected_size(arm)
                sigma, accounting = promise.kept(epsilon, recipe, len(training) if expected is None else expected)
                run = Run(
                    f"{arm_name}/epsilon {spelled}/replicate {replicate}",
                    training,
                    seeds(root_seed, meaning),
                    sigma,
                    expected=expected,
                )
                about = {
                    "arm": arm_name,
                    "iid": arm["iid"],
                    "epsilon": spelled,
                    "replicate": replicate,
                    "role": ROLE,
                    "accounting": accounting,
                    "compares": job["compares"],
                    "rate": arm["draw"].get("rate"),
                    "model": job["models"][arm_name],
                    "engine": job["engines"]["plain" if sigma is None else "private"].partition(":")[2],
                    "recipe": dict(job["recipes"][arm_name]),
                    "steps": recipe.steps(run.size),
                    "collusion": job["collusion"],
                    "seed": root_seed,
                    "meaning": meaning,
                }
                validation = split.validation if job["by_epoch"] and len(split.validation) else None
                yield Wanted(run, recipe, job["models"][arm_name], asked, about, validation)


class Promise:
    """The noise that keeps (epsilon, delta); found once for each way to sample batches."""

    def __init__(self, privacy: Mapping[str, Any]) -> None:
        """Promise what `privacy` holds: relation, delta and accountant."""
        self.privacy = privacy
        self._found: dict[tuple[Any, ...], tuple[float, dict[str, Any]]] = {}

    def kept(self, epsilon: float, recipe: Recipe, records: int) -> tuple[float | None, dict[str, Any] | None]:
        """Return noise multiplier and accounting of a recipe for a training set of `records`; None without privacy.

        Raises:
            TrainingError: no noise keeps the promise.
        """
        if math.isinf(epsilon):
            return None, None
        sampled: dict[str, Any] = {
            "sampler": recipe.sampling,
            "rate": recipe.rate(records),
            "steps": recipe.steps(records),
            "epochs": recipe.epochs,
        }
        known = (epsilon, recipe.clip_norm, *sampled.values())
        if known not in self._found:
            # Here, because it takes longer to import than many a model without privacy takes to train.
            from dpmia.privacy.accounting import Mechanism

            mechanism = Mechanism(**sampled, **self.privacy)
            sigma = mechanism.noise_multiplier(epsilon)
            self._found[known] = sigma, mechanism.record(epsilon, sigma, recipe.clip_norm)
        return self._found[known]
