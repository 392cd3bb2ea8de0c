"""Shadow models: what an attacker trains on its own records to learn what models output on their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.jobs.training import ShadowJob
from dpmia.splits.split import Split
from dpmia.splits.training_sets import shadow_size
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.model_spec import ModelSpec, specify
from dpmia.training.train_models import train_models

ROLE = "shadow"


def train_shadows(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: ShadowJob,
    root_seed: int,
    checkpoints: Checkpoints | None = None,
) -> list[Signal]:
    """Train the shadow models of every (arm, replicate) of a block, without privacy, and evaluate each on its records.

    The population is cut in two halves. Of m models, each draws floor(2 half / m) records without replacement from
    the first half to be trained on, and as many from the second that it never sees.

    Source: Shokri et al. 2017, V-C; sizes as in Humphries et al. 2023, IV-A.

    Args:
        dataset: prepared data.
        splits: by (arm, replicate).
        job: see `ShadowJob`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.

    Raises:
        TrainingError: the batch is larger than a training set, or a loss is not finite.
    """
    shadows = list(_shadows(dataset, splits, job, root_seed))
    signals = {}
    for trained in train_models(dataset, shadows, job.engines, checkpoints):
        shadow, logits = trained.spec, trained.outputs.logits
        inside = len(shadow.run.records)
        part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), [inside, len(shadow.queries) - inside])
        signals[shadow.run.name] = Signal(shadow.card, shadow.queries, dataset.y[shadow.queries], part, logits)
    return [signals[shadow.run.name] for shadow in shadows]


def _shadows(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    job: ShadowJob,
    root_seed: int,
) -> Iterator[ModelSpec]:
    for arm_name, arm in job.arms.items():
        for replicate in job.replicates:
            for number, (inside, outside) in enumerate(
                draws(
                    splits[arm_name, replicate].population,
                    job.count,
                    derive_seed(root_seed, "halves", dataset.fingerprint, arm.meaning(), replicate),
                )
            ):
                card = ModelCard(
                    arm=arm_name,
                    iid=arm.iid,
                    epsilon="inf",
                    role=ROLE,
                    meaning=[dataset.fingerprint, arm.meaning(), replicate, "inf", ROLE, number],
                    replicate=replicate,
                    number=number,
                )
                yield specify(
                    f"{arm_name}/replicate {replicate}/shadow {number}",
                    card,
                    inside,
                    np.concatenate([inside, outside]),
                    recipe=job.recipes[arm_name],
                    model=job.models[arm_name],
                    engines=job.engines,
                    root_seed=root_seed,
                )


def draws(population: np.ndarray, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the records that each shadow model is trained on, and those it is evaluated on as non-members.

    Args:
        population: rows the attacker may use.
        count: number of shadow models, at least 2.
        seed: of the halves and of all draws.

    Returns:
        `count` pairs of int64 arrays of floor(2 * half / count) rows each; the halves are disjoint.
    """
    rng = np.random.default_rng(seed)
    half = len(population) // 2
    order = rng.permutation(population)
    sides = order[:half], order[half : 2 * half]
    size = shadow_size(len(population), count)
    pairs = []
    for _ in range(count):
        members, others = (np.sort(rng.choice(side, size, replace=False)) for side in sides)
        pairs.append((members, others))
    return pairs
