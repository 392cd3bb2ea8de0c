"""The shadow-model attack: a classifier trained on the outputs of shadow models for members and non-members."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch

from dpmia.attacks.attack_models import Task, train_classifiers
from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.needs import REMEDY, integer, number
from dpmia.common.errors import KnowledgeError
from dpmia.common.optional import needed
from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.models.mlp import MLP

log = logging.getLogger(__name__)

#: What a record scores whose class has no attack model.
UNDECIDED = 0.5


@dataclass(frozen=True)
class AttackModels:
    """The trained attack models of one set of shadow models.

    Attributes:
        architecture: of all of them: class probabilities in, non-member and member out.
        parameters: by class, weights and biases in one flat tensor; a class without an attack model is left out.
    """

    architecture: MLP
    parameters: dict[int, torch.Tensor]

    def probability(self, signal: Signal) -> np.ndarray:
        """Return the probability that each query was a member; float64, shape (queries,)."""
        scores = np.full(len(signal.records), UNDECIDED)
        module = self.architecture.module()
        inputs = probabilities(signal)
        for label, parameters in self.parameters.items():
            torch.nn.utils.vector_to_parameters(parameters, module.parameters())
            mine = signal.labels == label
            with torch.inference_mode():
                probability = torch.softmax(module(torch.from_numpy(inputs[mine])).double(), 1)
            scores[mine] = probability[:, 1].numpy()
        return scores


class ShadowModels(Attack):
    """Scores by the output of the class's attack model on the target's class probabilities.

    The shadow models' outputs on their own members and non-members, as probability vectors, are the training set
    of the attack models, one for each class: perceptrons with two hidden layers that separate members from non-members.
    Features and labels are aligned. In the published code they fall out of step wherever the records of a shadow
    model are no multiple of its batch.

    The adversary knows how the target was trained and has data like the target's, whose records it knows to be no
    members; from it come the shadow models. Of the target it sees the probabilities of all classes.

    A class without members or without non-members among the shadow models' queries has no attack model: its records
    score 0.5 and are called non-members.

    Attack models are trained once for each object `knowledge.shadows`: target models that are given the same object
    share them. Several such objects are trained together by `prepare`, which is some times faster than one by one.
    The seeds come from what the shadow models mean, so nothing depends on which target comes first.

    Source: Shokri et al. 2017, V; settings of Humphries et al. 2023 and its code.
    """

    uses = ("shadows",)

    def __init__(
        self,
        hidden: Sequence[int] = (64, 64),
        epochs: int = 100,
        batch_size: int = 100,
        learning_rate: float = 0.01,
        l2: float = 1e-6,
    ) -> None:
        """Set up the attack.

        Args:
            hidden: widths of the hidden layers of the attack models.
            epochs: passes over the shadow models' outputs of one class; the last, incomplete batch of each is left
                out.
            batch_size: a class with fewer outputs is trained in whole batches of all of them.
            learning_rate: of Adam.
            l2: coefficient c of the penalty c * |w|^2 / 2.

        Raises:
            ValueError: an option is not allowed.
        """
        self.hidden = tuple(integer("hidden", width, 1) for width in hidden)
        epochs, batch_size = integer("epochs", epochs, 1), integer("batch_size", batch_size, 1)
        learning_rate = number("learning_rate", learning_rate, 0)
        if not learning_rate:
            raise ValueError("learning_rate is 0, and nothing would be learnt")
        self.recipe = Recipe("adam", learning_rate, batch_size, epochs, sampling="shuffle", l2=number("l2", l2, 0))
        # By the identity of the shadow models, which are held here so that it stays theirs.
        self._fitted: dict[int, tuple[Sequence[Signal], AttackModels]] = {}

    def prepare(self, knowledge: Sequence[Knowledge]) -> None:
        """Train the attack models of several sets of shadow models together; see `Attack.prepare`."""
        self._train([item.shadows for item in knowledge])

    def fit(self, shadows: Sequence[Signal]) -> AttackModels:
        """Return the attack models of one set of shadow models, and train them if that was not done before.

        Args:
            shadows: outputs of shadow models on their members and non-members.

        Raises:
            ValueError: there are no shadow models, their classes differ, or an output is not a number.
        """
        self._train([shadows])
        return self._fitted[id(shadows)][1]

    def scores(self, signal: Signal, knowledge: Knowledge, rng: np.random.Generator) -> np.ndarray:
        """See `Attack.scores`; the probability of "member"."""
        models = self.fit(knowledge.shadows)
        if models.architecture.inputs != signal.logits.shape[1]:
            raise ValueError(
                f"shadow models with {models.architecture.inputs} classes, target with {signal.logits.shape[1]}"
            )
        return models.probability(signal)

    def decisions(self, signal: Signal, scores: np.ndarray) -> np.ndarray:
        """See `Attack.decisions`."""
        return scores > UNDECIDED

    def _train(self, sets: Sequence[Sequence[Signal]]) -> None:
        """Train what is not yet trained, sets with one number of classes together."""
        new = {id(shadows): shadows for shadows in sets if id(shadows) not in self._fitted}
        for classes, together in groupby(sorted(new.values(), key=_classes), key=_classes):
            self._train_together(classes, list(together))

    def _train_together(self, classes: int, sets: list[Sequence[Signal]]) -> None:
        architecture = MLP(classes, self.hidden, 2)
        inputs, is_member, whose = [], [], []
        tasks: list[Task] = []
        rows = 0
        for place, shadows in enumerate(sets):
            outputs = [shadow.of(MEMBER, NONMEMBER) for shadow in shadows]
            inputs += [probabilities(signal) for signal in outputs]
            is_member += [signal.is_member for signal in outputs]
            mine = _tasks(outputs, classes, rows)
            tasks += mine.values()
            whose += [(place, label) for label in mine]
            rows += sum(len(signal.records) for signal in outputs)
        x, y = np.concatenate(inputs), np.concatenate(is_member).astype(np.int64)
        if np.isnan(x).any():
            raise ValueError(f"knowledge.shadows: {np.isnan(x).any(1).sum()} outputs are not numbers")
        trained = train_classifiers(architecture, self.recipe, tasks, torch.from_numpy(x), torch.from_numpy(y))
        for place, shadows in enumerate(sets):
            parameters = {label: model for (owner, label), model in zip(whose, trained, strict=True) if owner == place}
            self._fitted[id(shadows)] = shadows, AttackModels(architecture, parameters)


def _classes(shadows: Sequence[Signal]) -> int:
    """Return the number of classes of shadow models."""
    if not len(shadows):
        raise KnowledgeError("knowledge.shadows", "the attack needs shadow models, and there are none", REMEDY)
    counts = {shadow.logits.shape[1] for shadow in shadows}
    if len(counts) != 1:
        raise ValueError(f"knowledge.shadows: models with different numbers of classes, {sorted(counts)}")
    return counts.pop()


def _tasks(outputs: Sequence[Signal], classes: int, first: int) -> dict[int, Task]:
    """Return by class what one set of shadow models gives to learn from, as rows that count from `first`."""
    labels = np.concatenate([signal.labels for signal in outputs])
    is_member = np.concatenate([signal.is_member for signal in outputs])
    # From the shadow models alone, whichever target is attacked with them.
    root_seed = needed(outputs[0].card.seed)
    meaning = ["attack model", [signal.card.meaning for signal in outputs]]
    tasks, missing = {}, []
    for label in range(classes):
        rows = np.flatnonzero(labels == label)
        if 0 < is_member[rows].sum() < len(rows):
            tasks[label] = Task(f"attack model of class {label}", first + rows, derive_seed(root_seed, *meaning, label))
        else:
            missing.append(label)
    if missing:
        log.warning("%d of %d classes have no members or no non-members among the queries of the shadow models, so no "
                    "attack model: %s", len(missing), classes, ", ".join(map(str, missing)))  # fmt: skip
    return tasks


def probabilities(signal: Signal) -> np.ndarray:
    """Return the softmax of a model's logits, float32, shape (queries, classes)."""
    return torch.softmax(torch.from_numpy(signal.logits).double(), 1).float().numpy()
