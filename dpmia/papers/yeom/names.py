"""The experiments of the networks of Yeom et al., their arms, and their data sets as the paper writes them."""

from __future__ import annotations

import re

#: Data set -> its title, the easiest first.
DATASETS = {"mnist": "MNIST", "cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}

#: Experiment -> title of its data set.
HONEST = {f"yeom_{name}": title for name, title in DATASETS.items()}
COLLUDING = {f"{name}_collusion": dataset for name, dataset in HONEST.items()}

#: The arm of networks of size s.
ARM = re.compile(r"s(\d+)")
