"""All claims of all papers: their ids, artifacts, tables, criteria and statements."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from claim_worlds import with_comparison

from dpmia.claims.comparisons import above, spelled
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.claims import CLAIMS, claims

ALL = [claim for of_paper in claims().values() for claim in of_paper]


def test_every_paper_has_claims():
    assert {*CLAIMS} == {*PAPERS} == {*BIBLIOGRAPHY}


def test_every_claim_has_an_id_of_its_own_that_begins_with_its_paper():
    assert len({claim.id for claim in ALL}) == len(ALL)
    for paper, of_paper in claims().items():
        assert all(claim.id.startswith(f"{paper}-") for claim in of_paper)


def test_every_claim_belongs_to_an_artifact_of_its_paper():
    """Claims about theorems belong to `<paper>_theory`."""
    for paper, of_paper in claims().items():
        names = {artifact.name for artifact in PAPERS[paper]} | {f"{paper}_theory"}
        assert {claim.artifact for claim in of_paper} <= names


def test_every_figure_and_table_of_a_paper_that_has_claims_has_a_claim():
    """What is ours beside a paper (variants, limits, bounds of all papers) makes no claim."""
    claimed = {claim.artifact for claim in ALL}
    silent = {
        artifact.name
        for paper in CLAIMS
        for artifact in PAPERS[paper]
        if artifact.name.partition("_")[2].rstrip("0123456789abc") in ("fig", "table")
    } - claimed
    assert not silent


def test_tables_of_claims_are_of_experiments_that_artifacts_show_too():
    shown = {
        table.partition("/")[2] for artifacts in PAPERS.values() for artifact in artifacts for table in artifact.tables
    }
    assert {table.partition("/")[2] for claim in ALL for table in claim.tables} <= shown


def test_every_id_is_written_out_in_the_code_of_its_paper():
    """So that a search for it finds the claim and what judges it."""
    for paper, of_paper in claims().items():
        folder = Path(sys.modules[CLAIMS[paper].partition(":")[0]].__file__).parent
        code = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
        assert {claim.id: code.count(f'"{claim.id}"') for claim in of_paper} == dict.fromkeys(
            (claim.id for claim in of_paper), 1
        )


@pytest.mark.parametrize("paper", CLAIMS)
def test_every_criterion_names_the_numbers_that_are_compared(paper):
    """As they stand, not as a part of others."""
    for claim in claims()[paper]:
        named = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", claim.criterion)
        compared = [spelled(number) for condition in claim.conditions for number in condition.comparison.numbers]
        assert compared, claim.id
        assert {*compared} <= {*named}, claim.id


@pytest.mark.parametrize("paper", CLAIMS)
def test_another_comparison_is_another_criterion(paper):
    for claim in claims()[paper]:
        for place in range(len(claim.conditions)):
            other = with_comparison(claim, place, above(123456.5))
            assert "above 123456.5" in other.criterion
            assert "123456.5" not in claim.criterion


def test_no_number_stands_as_printed_and_as_computed():
    computed = {claim.id for claim in ALL if claim.expected}
    assert {"yeom-thm3-values", "yeom-unknown-limit", "thudi-fig7-capacity", "izzo-prop9-construction"} <= computed
    assert not computed & {claim.id for claim in ALL if claim.paper_value}


def test_statements_are_sentences_and_no_two_say_the_same_of_an_artifact():
    assert all(claim.statement.endswith(".") for claim in ALL)
    assert len({(claim.artifact, claim.statement) for claim in ALL}) == len(ALL)


def test_listing_claims_loads_none_of_them():
    code = "import sys, dpmia.papers.claims; print(*(name for name in sys.modules if name.startswith('dpmia')))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    beyond = ("dpmia.claims", "dpmia.papers.")
    assert [name for name in answer.stdout.split() if name.startswith(beyond)] == ["dpmia.papers.claims"]


def test_conditions_that_name_epsilons_say_which():
    conditions = [condition for claim in ALL if claim.about_data for condition in claim.conditions]
    listed = [
        condition
        for condition in conditions
        if re.search(r"epsilons? [\d.]+, [\d.]+|epsilon [\d.]+ and", condition.quantity)
    ]
    assert listed
    assert [str(condition) for condition in listed if str(condition.epsilons) not in condition.quantity] == []
