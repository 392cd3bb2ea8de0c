"""Claims about figure 4: an attacker who colludes with the trainer of networks."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import at_least, at_most, below, near, spelled
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.claims.rows import Replicates
from dpmia.papers.yeom.claims.sizes import COLLUDING, HONEST, for_each, of_networks, of_size, sizes

#: Size from which on the attacker is nearly always right, and by data set the advantage it has at least.
PLATEAU, ADVANTAGE = 16, {"mnist": 0.9, "cifar10": 0.9, "cifar100": 0.95}
#: The largest generalisation error in the paper's figure; the size from which on it stays at its last value.
LARGEST_ERROR, LARGE = {"mnist": 0.05, "cifar10": 0.52, "cifar100": 0.82}, 32
#: How much accuracy on new records collusion costs at most.
COST = {"mnist": 0.03, "cifar10": 0.08, "cifar100": 0.06}


def _colluding(tables: Tables, name: str) -> list[Replicates]:
    """Return the metrics of colluding networks on a data set, none where it was not run."""
    return [*of_networks(tables, (f"replicates/yeom_{name}_collusion",)).values()]


def _advantages(tables: Tables, name: str, least: float) -> Cells:
    return {
        f"{name}, s = {size}, at least {least:g}": of_size(rows, size, "collusion")
        for rows in _colluding(tables, name)
        for size in sizes(rows, PLATEAU)
    }


def _error(rows: Replicates, size: int) -> pd.Series:
    """Return the generalisation error: accuracy on members minus accuracy on new records."""
    return of_size(rows, size, metric="accuracy_members") - of_size(rows, size, metric="accuracy_nonmembers")


def _largest_error(tables: Tables, name: str, value: float) -> Cells:
    return {
        f"{name}, largest, expected {value:g}": max(
            (_error(rows, size) for size in sizes(rows)), key=lambda error: error.mean()
        )
        for rows in _colluding(tables, name)
    }


def _errors_of_large(tables: Tables, name: str) -> Cells:
    return {
        f"{name}, s = {size}": _error(rows, size) for rows in _colluding(tables, name) for size in sizes(rows, LARGE)
    }


def _cost(tables: Tables, name: str, most: float) -> Cells:
    """Return how much accuracy on new records collusion costs, mean over the sizes that both have."""
    honest, colluding = of_networks(tables, HONEST), of_networks(tables, COLLUDING)
    if name not in honest or name not in colluding:
        return {}
    both = [size for size in sizes(honest[name]) if size in sizes(colluding[name])]
    costs = [
        of_size(honest[name], size, metric="accuracy_nonmembers")
        - of_size(colluding[name], size, metric="accuracy_nonmembers")
        for size in both
    ]
    return {f"{name}, at most {most:g}": pd.concat(costs, axis=1).mean(axis=1)}


CLAIMS = (
    Claim(
        id="yeom-fig4a-advantage",
        artifact="yeom_fig4a",
        statement="An attacker who colludes with the trainer is nearly always right on networks from size 16 up.",
        paper_value="0.9, 0.9, 0.98",
        tables=COLLUDING,
        each=True,
        rule=Every(
            *for_each(
                f"advantage of collusion on {{}} at every size from {PLATEAU} up", at_least, ADVANTAGE, _advantages
            )
        ),
    ),
    Claim(
        id="yeom-fig4b-gen-error",
        artifact="yeom_fig4b",
        statement="Under collusion networks generalise as the paper shows: well on MNIST, badly on CIFAR.",
        paper_value=", ".join(map(spelled, LARGEST_ERROR.values())),
        tables=COLLUDING,
        each=True,
        rule=Every(
            *for_each(
                "generalisation error on {} at the size where it is largest",
                lambda value: near(value, 0.08),
                LARGEST_ERROR,
                _largest_error,
            ),
            Condition(
                f"generalisation error on MNIST at every size from {LARGE} up",
                below(0.02),
                lambda tables: _errors_of_large(tables, "mnist"),
            ),
            Condition(
                f"generalisation error on CIFAR-10 at every size from {LARGE} up",
                at_least(0.46),
                lambda tables: _errors_of_large(tables, "cifar10"),
            ),
        ),
    ),
    Claim(
        id="yeom-fig4b-acc-cost",
        artifact="yeom_fig4b",
        statement="Collusion costs little accuracy on new records.",
        paper_value="0.014, 0.047, 0.031",
        tables=(*HONEST, *COLLUDING),
        each=True,
        rule=Every(
            *for_each("accuracy on new records of {} that collusion costs, mean over sizes", at_most, COST, _cost)
        ),
    ),
)
