"""Verdicts on two engines, and their tables."""

import math

import pandas as pd
import pytest

from dpmia.formats.rows import MissingRowsError
from dpmia.formats.stages import ENGINES
from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown
from dpmia.validation.artifacts import ARTIFACTS
from dpmia.validation.engines_agree import (
    AGREES,
    DIFFERS,
    NOT_COMPARED,
    tabulate,
    tabulate_accountants,
    verdict,
)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([2e-7, 2e-7], AGREES),
        ([2e-7, 2e-3], AGREES),  # of one model, a weight took its first step the other way
        ([2e-3, 2e-3], DIFFERS),
        ([2e-5], DIFFERS),
        ([2e-7, 0.2], DIFFERS),
        ([2e-7, math.nan], DIFFERS),
        ([], NOT_COMPARED),
    ],
)
def test_verdicts(differences, expected):
    assert verdict(differences) == expected


def rows(experiment, word, **more):
    given = {"experiment": experiment, "verdict": word, "engine": "stacked", "steps": 50, "steps_compared": 50}
    return [{**dict.fromkeys(ENGINES), **given, **more, "model": f"m{number}"} for number in (0, 1)]


def table(*parts):
    return pd.DataFrame([row for part in parts for row in part], columns=ENGINES)


TABLES = {
    "engines/one": table(
        rows("heart", AGREES, relative_difference=4e-7, epsilon=1.0, rate=0.1, accounted_steps=50),
        rows("own", NOT_COMPARED, engine="opacus", reason="trained by Opacus itself", steps_compared=None, epsilon=2.0),
    ),
    "engines/two": table(rows("mnist", DIFFERS, relative_difference=0.3, steps_compared=7, epsilon_opacus_prv=0.98)),
}

RUN_SUMMARY = RunSummary(True, "smoke", checked=["heart", "own", "mnist"], not_run={"texas": "no file"})


def test_each_experiment_has_a_row_and_so_has_what_was_not_run():
    rows = tabulate(TABLES, RUN_SUMMARY).set_index("experiment")
    assert rows["verdict"].to_dict() == {
        "heart": AGREES, "own": NOT_COMPARED, "mnist": DIFFERS, "texas": NOT_COMPARED,
    }  # fmt: skip
    assert rows.loc["heart", "relative_difference"] == "4.0e-07"
    assert rows["steps"].fillna("").to_dict() == {"heart": "50 of 50", "own": "", "mnist": "7 of 50", "texas": ""}
    assert rows.loc["own", "models"] == 0
    assert rows.loc["own", "reason"] == "trained by Opacus itself"
    assert rows.loc["texas", "reason"] == "not run: no file"
    assert "| mnist" in markdown(tabulate(TABLES, RUN_SUMMARY), ARTIFACTS[0].caption, RUN_SUMMARY)


def test_each_mechanism_has_one_row_of_accountants():
    rows = tabulate_accountants(TABLES, RUN_SUMMARY)
    assert rows["experiment"].tolist() == ["heart", "own"]
    assert rows["steps"].tolist()[0] == 50


@pytest.mark.parametrize("make", [tabulate, tabulate_accountants])
def test_a_table_in_the_place_of_another_is_refused(make):
    twice = TABLES | {"engines/two": TABLES["engines/one"]}
    with pytest.raises(MissingRowsError, match=r"not of this run: mnist$"):
        make(twice, RUN_SUMMARY)
    other = TABLES | {"engines/two": table(rows("elsewhere", AGREES, epsilon=1.0))}
    with pytest.raises(MissingRowsError, match=r"not of this run: elsewhere, mnist$"):
        make(other, RUN_SUMMARY)


def test_a_run_without_private_models_has_empty_tables():
    run_summary = RunSummary(True, "smoke")
    assert tabulate({}, run_summary).empty
    assert tabulate_accountants({}, run_summary).empty
