"""Losses and their gradients by hand against automatic differentiation."""

import pytest
import torch

from dpmia.training.engines.loss import losses_and_gradients, record_losses

GENERATOR = torch.Generator().manual_seed(0)
LABELS = {
    "classes": (4, torch.randint(0, 4, (7,), generator=GENERATOR)),
    "probabilities": (4, torch.rand(7, 4, generator=GENERATOR).softmax(1)),
    "numbers": (1, torch.randn(7, generator=GENERATOR)),
}


@pytest.mark.parametrize(("width", "labels"), LABELS.values(), ids=LABELS)
def test_gradients_are_those_of_the_losses(width, labels):
    outputs = (3 * torch.randn(7, width, generator=GENERATOR)).requires_grad_()
    expected = record_losses(outputs, labels)
    (gradients,) = torch.autograd.grad(expected.sum(), outputs)
    losses, computed = losses_and_gradients(outputs.detach().clone(), labels)
    torch.testing.assert_close(losses, expected.detach())
    torch.testing.assert_close(computed, gradients)


def test_each_kind_of_label_has_its_loss():
    outputs = torch.tensor([[0.0, 2.0]])
    class_one = record_losses(outputs, torch.tensor([1]))
    assert class_one.item() == pytest.approx(torch.log1p(torch.exp(torch.tensor(-2.0))).item())
    # As sure of either class: the mean of both losses, which differ by the difference of the logits.
    assert record_losses(outputs, torch.tensor([[0.5, 0.5]])).item() == pytest.approx(class_one.item() + 1)
    assert record_losses(torch.tensor([[3.0]]), torch.tensor([5.0])).item() == 4
