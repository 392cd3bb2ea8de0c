"""The experiments of the networks of Yeom et al., and their data sets as the paper writes them."""

from __future__ import annotations

HONEST = {"yeom_mnist": "MNIST", "yeom_cifar10": "CIFAR-10", "yeom_cifar100": "CIFAR-100"}
COLLUDING = {f"{name}_collusion": dataset for name, dataset in HONEST.items()}
