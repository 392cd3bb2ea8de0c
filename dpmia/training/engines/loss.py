"""What models are trained to make small, by the kind of their labels: classes, class probabilities or numbers."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy


def predicts_numbers(labels: torch.Tensor) -> bool:
    """Return whether labels are numbers to predict, one for each record."""
    return labels.is_floating_point() and labels.ndim == 1


def record_losses(outputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the loss of each record, shape (records,).

    Args:
        outputs: of a model, float32 (records, outputs).
        labels: int64 classes (records,) or float32 class probabilities (records, classes): cross-entropy in nats;
            or float32 numbers (records,): the squared error of the one output.
    """
    if predicts_numbers(labels):
        return (outputs[:, 0] - labels).square()
    return cross_entropy(outputs, labels, reduction="none")


def losses_and_gradients(outputs: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the loss of each record and its gradient at the outputs, without automatic differentiation.

    Args:
        outputs: see `record_losses`.
        labels: see `record_losses`.
    """
    if predicts_numbers(labels):
        errors = outputs - labels[:, None]
        return errors[:, 0].square(), errors.mul_(2)
    log_probabilities = torch.log_softmax(outputs, 1)
    if labels.is_floating_point():
        loss = (labels * log_probabilities).sum(1).neg_()
        return loss, log_probabilities.exp_().sub_(labels)
    label = labels[:, None]
    loss = log_probabilities.gather(1, label)[:, 0].neg_()
    gradient = log_probabilities.exp_()
    return loss, gradient.scatter_add_(1, label, torch.full_like(gradient[:, :1], -1))
