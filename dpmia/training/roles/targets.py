"""Target models of one block: all arms, some replicates, some epsilons; trained, and evaluated on their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, VALIDATION, Signal
from dpmia.jobs.training import TrainJob
from dpmia.privacy.calibration import spent
from dpmia.splits.split import Split
from dpmia.splits.training_sets import expected_size
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.collusion import Marks, draw_keys, with_marks
from dpmia.training.model_spec import ModelSpec, specify
from dpmia.training.train_models import train_models

ROLE = "target"


def train_block(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: TrainJob,
    root_seed: int,
    checkpoints: Checkpoints | None = None,
) -> list[Signal]:
    """Train every (arm, replicate, epsilon) of a block and return what an attacker sees of each model.

    Args:
        dataset: prepared data.
        splits: by (arm, replicate).
        job: see `TrainJob`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.

    Raises:
        TrainingError: the batch is larger than a training set, no noise suffices, or a loss is not finite.
    """
    marked, marks = _marks(dataset, splits, job, root_seed)
    targets = list(_targets(dataset, splits, marks, job, root_seed))
    signals = {}
    for trained in train_models(marked, targets, job.engines, checkpoints, spent):
        target, outputs = trained.spec, trained.outputs
        parts = _parts(splits[target.card.split], job.population)
        membership = np.concatenate([np.full(len(rows), number, dtype=np.uint8) for number, rows in parts.items()])
        own = slice(len(membership))  # the other queries are marks
        right = outputs.logits.argmax(axis=1) == marked.y[target.queries]
        signals[target.run.name] = Signal(
            card=target.card,
            records=target.queries[own],
            labels=dataset.y[target.queries[own]],
            membership=membership,
            logits=outputs.logits[own],
            parameters=outputs.parameters if job.parameters else None,
            buffers=outputs.buffers if job.parameters and len(outputs.buffers) else None,
            marks=right[len(membership) :].reshape(-1, len(membership)).T if marks else None,
            accuracy_by_epoch=outputs.accuracy_by_epoch,
            curve=trained.curve,
        )
    return [signals[target.run.name] for target in targets]


def _parts(split: Split, population: bool) -> dict[int, np.ndarray]:
    """Return the query records of a target model, by their membership."""
    parts = {MEMBER: split.members, NONMEMBER: split.nonmembers, VALIDATION: split.validation}
    return parts | ({POPULATION: split.population} if population else {})


def _marks(
    dataset: Dataset, splits: Mapping[tuple[str, int], Split], job: TrainJob, root_seed: int
) -> tuple[Dataset, dict[int, Marks]]:
    """Return the data set with marks below it, and where those of each replicate stand; an honest trainer has none.

    Each replicate has keys of its own, which all of its arms share.
    """
    marks: dict[int, Marks] = {}
    marked = dataset
    if job.collusion is None:
        return marked, marks
    for replicate in job.replicates:
        keys = draw_keys(derive_seed(root_seed, "keys", dataset.fingerprint, replicate), job.collusion.keys)
        drawn = [splits[arm, replicate] for arm in job.arms]
        records = [rows for split in drawn for rows in (split.training, *_parts(split, job.population).values())]
        marked, marks[replicate] = with_marks(marked, np.concatenate(records), keys, job.collusion.function)
    return marked, marks


def _targets(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    marks: Mapping[int, Marks],
    job: TrainJob,
    root_seed: int,
) -> Iterator[ModelSpec]:
    for arm_name, arm in job.arms.items():
        recipe = job.recipes[arm_name]
        expected = None if marks else expected_size(arm, len(dataset))  # marks are records, too
        for epsilon, replicate in product(job.epsilons[arm_name], job.replicates):
            split = splits[arm_name, replicate]
            training = split.training
            queries = np.concatenate(list(_parts(split, job.population).values()))
            if marks:
                training, queries = (marks[replicate].below(records) for records in (training, queries))
            spelled = spell_epsilon(epsilon)
            card = ModelCard(
                arm=arm_name,
                iid=arm.iid,
                epsilon=spelled,
                role=ROLE,
                meaning=[dataset.fingerprint, arm.meaning(), replicate, spelled, ROLE],
                replicate=replicate,
                accounting=job.privacy.accounting(epsilon, recipe, len(training) if expected is None else expected),
                stated=job.privacy.stated(epsilon),
                compares=job.compares,
                rate=arm.joins_at,
                collusion=job.collusion.plain() if job.collusion else None,
            )
            yield specify(
                f"{arm_name}/epsilon {spelled}/replicate {replicate}",
                card,
                training,
                queries,
                recipe=job.recipes[arm_name],
                model=job.models[arm_name],
                engines=job.engines,
                root_seed=root_seed,
                expected=expected,
                validation=split.validation if job.by_epoch and len(split.validation) else None,
            )
