"""Tables in Markdown."""

import numpy as np
import pandas as pd

from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown

TABLE = pd.DataFrame(
    {
        "name": ["heart", "student"],
        "size": pd.array([303, pd.NA], dtype="Int64"),
        "share": [0.25, np.nan],
        "code": ["007", ""],
    }
)


def lines(synthetic=False, table=TABLE, **fields):
    return markdown(table, "All sizes.", RunSummary(synthetic, "smoke", **fields)).splitlines()


def cells(line):
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_caption_source_and_scale_stand_above_the_table():
    assert lines()[0] == "All sizes."
    assert lines()[2] == "Real data. Scale smoke."
    reported = "**Synthetic data**: no number here says anything about real records. Scale smoke."
    assert lines(synthetic=True)[2] == reported
    assert lines(without_data=True)[2] == "No data needed. Scale smoke."


def test_every_row_is_there_with_dashes_where_nothing_is():
    head, rule, first, second = lines()[4:]
    assert cells(head) == ["name", "size", "share", "code"]
    assert set(rule) <= set("|:-")
    assert cells(first) == ["heart", "303", "0.25", "007"]
    assert cells(second)[1:3] == ["-", "-"]


def test_numbers_are_not_rewritten():
    table = pd.DataFrame({"n": [10000, 1], "text": ["1e3", "1.50"]})
    rows = [cells(line) for line in lines(table=table)[6:]]
    assert rows == [["10000", "1e3"], ["1", "1.50"]]


def test_the_file_ends_with_its_last_line():
    text = markdown(TABLE, "All sizes.", RunSummary(False, "smoke"))
    assert text.endswith("|\n")
    assert not text.endswith("\n\n")
