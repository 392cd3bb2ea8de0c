"""Messages of errors that a user can mend: `<where>: <what is wrong>. <what to do>.`"""

import ast

import pytest
from settings_samples import ROOT

from dpmia.common import errors

KINDS = {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.UserError)
}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("a.yaml, one.epochs", "-1 is not a positive integer"), "a.yaml, one.epochs: -1 is not a positive integer."),
        (("a.csv", "the file is empty", "Copy it again"), "a.csv: the file is empty. Copy it again."),
        (("a.csv", "the file is empty.", "Copy it again."), "a.csv: the file is empty. Copy it again."),
        (
            ("dataset", "'adlt' is unknown", "Did you mean 'adult'?"),
            "dataset: 'adlt' is unknown. Did you mean 'adult'?",
        ),
        (("dataset", "'adlt' is unknown", ""), "dataset: 'adlt' is unknown."),
        (("", "there is no such file"), "'': there is no such file."),
        (("  ", "there is no such file"), "'  ': there is no such file."),
    ],
)
def test_a_message_is_a_place_a_problem_and_a_remedy(parts, message):
    assert str(errors.ConfigError(*parts)) == message


def test_no_message_is_composed_of_what_was_found_and_what_was_expected():
    calls = [
        (file, call)
        for file in [*ROOT.glob("dpmia/**/*.py"), *ROOT.glob("scripts/*.py")]
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KINDS
    ]
    assert len(calls) > 100
    for file, call in calls:
        texts = [
            part.value for part in ast.walk(call) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        for banned in ("found ", "expected", "told", "cannot be had", "promise", "asked about", "fit together"):
            assert not any(banned in text for text in texts), f"{file}:{call.lineno}"


def test_an_error_keeps_its_parts_and_takes_a_place_around_its_own():
    error = errors.DataError("table.csv, row 3", "no number", "Write one")
    outer = error.within("mine.yaml, clinic")
    assert type(outer) is errors.DataError
    assert str(outer) == "mine.yaml, clinic, table.csv, row 3: no number. Write one."
    assert (error.where, error.problem, error.remedy) == ("table.csv, row 3", "no number", "Write one")
    same = errors.ConfigError.of(error)
    assert (type(same), str(same)) == (errors.ConfigError, str(error))
