"""Classifiers of scikit-learn, fitted by their own methods: no steps, no clipping, no noise (epsilon = infinity)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from dpmia.common.errors import TrainingError
from dpmia.common.probabilities import problem_of, wrong_row
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.base import Engine

#: Probabilities closer to 0 or 1 are taken for this far from it: forests predict 0 and 1, and losses stay finite.
CLOSEST = 1e-6


class ScikitLearnEngine(Engine):
    """One classifier, without privacy."""

    def _build(self) -> None:
        """Make the classifier that the architecture describes (see `dpmia.models.classifiers`); see `Engine._build`."""
        if len(self.runs) != 1:
            raise ValueError(f"this engine fits one model at a time, got {len(self.runs)}")
        self.run = self.runs[0]
        if self.run.private or self.run.soft_labels is not None:
            raise ValueError(f"{self.run.name}: classifiers of scikit-learn take no noise and no soft labels")
        self.steps = 1
        self.classifier = self.architecture.make(self.run.seeds.weights % 2**32)

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse all but classifiers; see `Engine.check`."""
        if not hasattr(architecture, "make"):
            problem = f"{type(architecture).__name__} cannot be combined with engine 'scikit_learn'"
            raise TrainingError(where, problem, "Use a classifier of scikit-learn")

    def advance(self, steps: int) -> None:
        """Fit the classifier: its one step."""
        rows = torch.from_numpy(self.run.records)
        with self._one_class_refused(), threadpool_limits(1):
            self.classifier.fit(self.x[rows].numpy(), self.y[rows].numpy())
        self.done = 1

    @contextmanager
    def _one_class_refused(self) -> Iterator[None]:
        """Turn what a classifier raises that takes no training set of a single class into an error that says so."""
        try:
            yield
        except ValueError as error:
            if len(torch.unique(self.y[torch.from_numpy(self.run.records)])) > 1:
                raise
            problem = f"its training set has records of one class only ({error})"
            raise TrainingError(f"model {self.run.name}", problem, "Draw more members") from error

    def outputs_of(self, number: int, parameters: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Return the logarithms of the probabilities; see `Engine.outputs_of`.

        A class that the training set lacks is as unlikely as can be.

        Raises:
            TrainingError: the classifier returned other numbers than probabilities.
        """
        probabilities = np.zeros((len(x), self.architecture.outputs))
        with self._one_class_refused(), threadpool_limits(1):
            predicted = np.asarray(self.classifier.predict_proba(x.numpy()))
        if predicted.dtype.kind in "SU":  # NumPy would read numbers in them
            problem = "its predict_proba returns text"
            raise TrainingError(f"model {self.run.name}", problem, "Return one probability for each class")
        with self._one_class_refused():  # some return two columns all the same
            probabilities[:, self.classifier.classes_] = predicted
        if (wrong := wrong_row(probabilities)) is not None:
            where = f"model {self.run.name}, row {wrong} (from 0) of its predict_proba"
            raise TrainingError(where, problem_of(probabilities[wrong]), "Return one probability for each class")
        return torch.from_numpy(np.log(np.clip(probabilities, CLOSEST, 1 - CLOSEST)).astype(np.float32))

    def parameters(self) -> list[torch.Tensor]:
        """Return an empty tensor: what was learnt is no row of numbers."""
        return [torch.empty(0)]
