"""Claims about Table II: what each experiment is made of."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import exactly, near_percent
from dpmia.claims.decisions import Condition, Exact
from dpmia.claims.rows import named
from dpmia.papers.humphries.table2 import COLUMNS, PRINTED

#: Where the public files give other numbers than the paper prints, and why: (experiment, column) -> number, reason.
EXCEPTIONS = {
    ("adult_cluster", "population"): (15_135, "k-means leaves three records more in the smaller cluster"),
    ("census_adult", "features"): (99, "as in the test part of the census alone"),
    ("census_adult", "population"): (18_259, "as in the test part of the census alone"),
}

#: Records of the smaller cluster of Adult: what table II leaves to the attacker there, and as many as members.
SMALLER_CLUSTER = 15_132


def _differences(tables: Tables) -> tuple[list[str], list[str]]:
    """Return which numbers differ from the paper's: those without and those with a known reason."""
    sizes = pd.concat(tables.values()).set_index(["experiment", "arm"])
    unexplained, explained = [], []
    for (experiment, arm), (_, _, *printed) in PRINTED.items():
        if (experiment, arm) not in sizes.index:
            continue
        for column, value in zip(COLUMNS[2:], printed, strict=True):
            ours = int(sizes.loc[(experiment, arm), column])
            if value is None or ours == value:
                continue
            difference = f"{experiment} {column} {ours} for {value}"
            expected, reason = EXCEPTIONS.get((experiment, column), (None, ""))
            if ours == expected:
                explained.append(f"{difference} ({reason})")
            else:
                unexplained.append(difference)
    return unexplained, explained


def _note(tables: Tables, finding: Finding) -> str:
    unexplained, explained = _differences(tables)
    return "; ".join(["numbers that differ without a reason: " + (", ".join(unexplained) or "none"), *explained])


def _smaller_cluster(tables: Tables) -> int:
    """Return the size of the smaller cluster of Adult, from what it left to the attacker."""
    sizes = named(tables["sizes/adult_cluster"].set_index("arm"), "cluster").iloc[0]
    # The population: what this cluster has left of its members, and of the other as many records as non-members.
    return int(sizes["population"] + sizes["members"] - sizes["nonmembers"])


CLAIMS = (
    claim(
        "humphries-table2-sizes",
        "Features, classes and numbers of records of the experiments that were run are those of Table II.",
        Condition(
            f"numbers that differ from Table II, {len(EXCEPTIONS)} aside that the public files explain "
            "(named in the note)",
            exactly(0),
            lambda tables: len(_differences(tables)[0]),
        ),
        artifact="humphries_table2",
        paper_value="Table II",
        tables=tuple(f"sizes/{name}" for name in dict.fromkeys(name for name, _ in PRINTED)),
        some_suffice=True,
        rule=Exact,
        note=_note,
    ),
    claim(
        "humphries-adult-cluster-sizes",
        "The smaller cluster that k-means within each class finds in Adult is as large as table II implies.",
        Condition("records in the smaller cluster", near_percent(SMALLER_CLUSTER, 2), _smaller_cluster),
        artifact="humphries_table2",
        expected=f"{SMALLER_CLUSTER} (inferred from table II)",
        tables=("sizes/adult_cluster",),
        rule=Exact,
    ),
)
