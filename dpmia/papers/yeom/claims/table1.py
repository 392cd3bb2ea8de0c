"""Claims about table I: one threshold on the loss of networks."""

from __future__ import annotations

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, near, spelled
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.papers.yeom.claims.sizes import HONEST, NETWORKS, for_each, of_networks, of_size, sizes
from dpmia.papers.yeom.table1 import PRINTED, SIZE, size_of

PRECISION = {name: float(PRINTED["precision", title][0]) for name, title in NETWORKS.items()}


def _precision(tables: Tables, name: str, value: float) -> Cells:
    run = of_networks(tables, (f"replicates/yeom_{name}",))
    return {
        f"precision, expected {value:g}, {name}, s = {size_of(sizes(rows))}": of_size(
            rows, size_of(sizes(rows)), "average_threshold", "precision"
        )
        for rows in run.values()
    }


def _recall(tables: Tables) -> Cells:
    return {
        f"recall, {name}, s = {size_of(sizes(rows))}": of_size(
            rows, size_of(sizes(rows)), "average_threshold", "recall"
        )
        for name, rows in of_networks(tables, HONEST).items()
    }


CLAIMS = (
    Claim(
        id="yeom-table1-precision",
        artifact="yeom_table1",
        statement="One threshold finds nearly all members of networks, with a precision that follows overfitting.",
        paper_value=", ".join(map(spelled, PRECISION.values())),
        tables=HONEST,
        each=True,
        rule=Every(
            *for_each(
                f"precision on {{}} at size {SIZE} or the largest trained",
                lambda value: near(value, 0.05),
                PRECISION,
                _precision,
            ),
            Condition("recall on each of them at that size", above(0.9), _recall),
        ),
    ),
)
