"""Claims about Table II: what each experiment is made of."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import exactly, listed_numbers, near_percent
from dpmia.claims.decisions import Condition, Exact
from dpmia.papers.humphries.table2 import COLUMNS, PRINTED

#: Where the public files give other numbers than the paper prints, and why: (experiment, column) -> number, reason.
EXCEPTIONS = {
    ("adult_cluster", "population"): (15_135, "k-means leaves three records more in the smaller cluster"),
    ("census_adult", "features"): (99, "as in the test part of the census alone"),
    ("census_adult", "population"): (18_259, "as in the test part of the census alone"),
}

#: Records of the smaller and of the larger cluster of Adult.
CLUSTERS = (15_132, 33_710)


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
    sizes = tables["sizes/adult_cluster"].set_index("arm").loc["cluster"]
    # Half of the shadow records come from either cluster: what the smaller has left, and as many as members.
    return int(sizes["population"] + sizes["members"] - sizes["nonmembers"])


CLAIMS = (
    claim(
        "humphries-table2-sizes",
        "Features, classes and numbers of records of every experiment are those of Table II.",
        Condition(
            f"numbers that differ from Table II, {len(EXCEPTIONS)} aside that the public files explain "
            "(named in the note)",
            exactly(0),
            lambda tables: len(_differences(tables)[0]),
        ),
        artifact="humphries_table2",
        paper_value="Table II",
        tables=tuple(f"sizes/{name}" for name in dict.fromkeys(name for name, _ in PRINTED)),
        each=True,
        rule=Exact,
        note=_note,
    ),
    claim(
        "humphries-adult-cluster-sizes",
        "k-means within each class cuts Adult into groups of 15 132 and 33 710 records.",
        Condition("records in the smaller cluster", near_percent(CLUSTERS[0], 2), _smaller_cluster),
        Condition(
            "records in the larger cluster",
            near_percent(CLUSTERS[1], 2),
            lambda tables: sum(CLUSTERS) - _smaller_cluster(tables),
        ),
        artifact="humphries_table2",
        paper_value=listed_numbers(CLUSTERS),
        tables=("sizes/adult_cluster",),
        rule=Exact,
        note="the smaller one is counted; the other one has all other records, {1:.0f}",
    ),
)
