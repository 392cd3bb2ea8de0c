"""Verdicts on two engines, and their tables."""

import math

import pandas as pd
import pytest

from dpmia.formats.rows import MissingRowsError
from dpmia.formats.stages import ENGINES
from dpmia.papers.artifact import Facts
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

FACTS = Facts(True, "smoke", {"heart": {}, "own": {}, "mnist": {}}, not_run={"texas": "no file"})


def test_each_experiment_has_a_row_and_so_has_what_was_not_run():
    found = tabulate(TABLES, FACTS).set_index("experiment")
    assert found["verdict"].to_dict() == {
        "heart": AGREES, "own": NOT_COMPARED, "mnist": DIFFERS, "texas": NOT_COMPARED,
    }  # fmt: skip
    assert found.loc["heart", "relative_difference"] == "4.0e-07"
    assert found["steps"].fillna("").to_dict() == {"heart": "50 of 50", "own": "", "mnist": "7 of 50", "texas": ""}
    assert found.loc["own", "models"] == 0
    assert found.loc["own", "reason"] == "trained by Opacus itself"
    assert found.loc["texas", "reason"] == "not run: no file"
    assert "| mnist" in markdown(tabulate(TABLES, FACTS), ARTIFACTS[0].caption, FACTS)


def test_each_mechanism_has_one_row_of_accountants():
    found = tabulate_accountants(TABLES, FACTS)
    assert found["experiment"].tolist() == ["heart", "own"]
    assert found["steps"].tolist()[0] == 50


@pytest.mark.parametrize("make", [tabulate, tabulate_accountants])
def test_a_table_in_the_place_of_another_is_refused(make):
    twice = TABLES | {"engines/two": TABLES["engines/one"]}
    with pytest.raises(MissingRowsError, match=r"not of this run: mnist$"):
        make(twice, FACTS)
    other = TABLES | {"engines/two": table(rows("elsewhere", AGREES, epsilon=1.0))}
    with pytest.raises(MissingRowsError, match=r"not of this run: elsewhere, mnist$"):
        make(other, FACTS)


def test_a_run_without_private_models_has_empty_tables():
    facts = Facts(True, "smoke")
    assert tabulate({}, facts).empty
    assert tabulate_accountants({}, facts).empty
