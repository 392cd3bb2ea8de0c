"""Table I: the attack with one threshold beside the attack with shadow models of Shokri et al., as printed there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd

from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import networks

#: Our choice: the paper sets s to the size that Shokri et al. used, and does not say which.
SIZE = 32
#: (quantity, data set) -> the paper's attack, and the attack of Shokri et al.
PRINTED = {
    ("attack cost", ""): ("one query", "hundreds of shadow models"),
    ("knowledge", ""): ("mean training loss", "how to train shadow models"),
    ("precision", "MNIST"): ("0.505", "0.517"),
    ("precision", "CIFAR-10"): ("0.694", "0.72-0.74"),
    ("precision", "CIFAR-100"): ("0.874", "> 0.99"),
    ("recall", "MNIST"): ("> 0.99", "> 0.99"),
    ("recall", "CIFAR-10"): ("> 0.99", "> 0.99"),
    ("recall", "CIFAR-100"): ("> 0.99", "> 0.99"),
}


def size_of(trained: Collection[int]) -> int:
    """Return the size of the network that stands in the table: `SIZE`, or the largest that was trained."""
    return SIZE if SIZE in trained else int(max(trained))


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each printed number: ours with its interval and size s, the paper's, and Shokri et al.'s.

    Where no network of size 32 was trained, the largest one that was stands for it.
    """
    rows = networks.by_size(tables)
    rows = rows[~rows["colluding"] & (rows["attack"] == "average_threshold")]
    groups = {key: group.set_index("s") for key, group in rows.groupby(["metric", "dataset"])}
    lines = []
    for (quantity, dataset), (yeom, shokri) in PRINTED.items():
        ours = groups.get((quantity, dataset))
        line: dict[str, Any] = {"quantity": quantity, "data set": dataset or None}
        if ours is not None:
            size = size_of(ours.index)
            line |= {"s": size, **ours.loc[size, ["mean", "low", "high"]].astype(float).round(3)}
            line |= {"replicates": int(ours.loc[size, "replicates"]), "interval": ours.loc[size, "interval"]}
        lines.append(line | {"paper": yeom, "shokri": shokri})
    columns = ["quantity", "data set", "s", "mean", "low", "high", "replicates", "interval", "paper", "shokri"]
    return pd.DataFrame(lines).reindex(columns=columns).astype({"s": "Int64", "replicates": "Int64"})
