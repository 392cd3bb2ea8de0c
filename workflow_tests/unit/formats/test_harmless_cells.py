"""Cells of tables: no text of a user is run by a spreadsheet, and no number is changed."""

import ast
import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpmia.formats.rows import harmless, write_rows
from dpmia.formats.tables import read_table, write_table

RUN = (
    "=1+1",
    '=HYPERLINK("x")',
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "-x",
    "-1/2",
    "-1 [cmd]",
    "-1 [2, 3]+A1",
)
LEFT = (
    "",
    "a=1",
    "-1",
    "-0.5 to 0.5",
    "+1e-05",
    "-inf",
    "+3 %",
    "1",
    "-1.5, -0.2",
    "-0.1 [-0.3, 0.1]",
    "-0.1 [-3e-05, 0.1] / 0.2 ± 0.01",
    "é",
    "student-iid",
    "'=1",
)


@pytest.mark.parametrize("text", RUN)
def test_formulas_are_quoted(text):
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("value", [*LEFT, -1, -0.5, None, True])
def test_all_else_stays(value):
    assert harmless(value) is value


def test_both_writers_quote(tmp_path):
    write_rows(tmp_path / "rows.csv", [["=1+1", -1.5, None], ["b", float("nan"), "-2"]], ["a", "b", "c"])
    write_table(tmp_path / "table.csv", pd.DataFrame({"a": ["=1+1", "b"], "b": [-1.5, np.nan], "c": [None, "-2"]}))
    for name in ("rows.csv", "table.csv"):
        with (tmp_path / name).open(newline="") as lines:
            assert list(csv.reader(lines)) == [["a", "b", "c"], ["'=1+1", "-1.5", ""], ["b", "", "-2"]]


def test_a_table_without_formulas_is_written_as_pandas_writes_it(tmp_path):
    table = pd.DataFrame(
        {
            "text": ["a", "-1 to 2"],
            "whole": pd.array([1, pd.NA], dtype="Int64"),
            "mixed": np.array([1, 2.5], dtype=object),
            "flag": [True, False],
            "epsilon": [0.1, np.inf],
            "kind": pd.Categorical(["x", "y"]),
        }
    )
    write_table(tmp_path / "a.csv", table)
    assert (tmp_path / "a.csv").read_text() == table.to_csv(index=False)
    assert read_table(tmp_path / "a.csv")["text"].tolist() == ["a", "-1 to 2"]


def test_tables_are_written_in_one_place():
    root = Path(__file__).parents[3]
    writers = [
        file.relative_to(root).as_posix()
        for folder in ("dpmia", "scripts")
        for file in (root / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "to_csv"
    ]
    assert writers == ["dpmia/formats/tables.py"]
