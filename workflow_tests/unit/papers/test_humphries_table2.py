"""Table II of Humphries et al.: our sizes beside the printed ones."""

import pandas as pd

from dpmia.papers.artifact import RunSummary
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.humphries import table2
from dpmia.papers.tables import markdown

(TABLE_2,) = (artifact for artifact in PAPERS["humphries"] if artifact.name == "humphries_table2")


def sizes(experiment, population=7):
    """Return the table of sizes that an experiment has by the paper."""
    rows = []
    for (name, arm), (_, _, *printed) in table2.PRINTED.items():
        for suffix in ("", "-iid") if name == experiment else ():
            rows.append([name, arm + suffix, *printed[:4], printed[4] or population, 0])
    return pd.DataFrame(rows, columns=["experiment", "arm", *table2.COLUMNS[2:], "validation"])


def tidy():
    return table2.tabulate({name: sizes(name.split("/")[1]) for name in TABLE_2.tables}, RunSummary(True, "laptop"))


def test_table_2_sets_our_sizes_beside_the_printed_ones():
    table = tidy().set_index("experiment")
    assert len(table) == len(table2.PRINTED) == 11
    # Humphries et al. 2023, table II.
    printed = {
        "adult cluster": [104, 2, 10_000, 10_000, 15_132],
        "compas cluster": [15, 2, 2_000, 2_000, pd.NA],
        "adult education": [87, 2, 10_000, 10_000, 10_772],
        "adult gender": [103, 2, 10_000, 10_000, 11_192],
        "heart Cleveland": [22, 2, 303, 617, pd.NA],
        "heart Hungary": [22, 2, 294, 626, pd.NA],
        "heart Switzerland": [22, 2, 123, 797, pd.NA],
        "heart VA Long Beach": [22, 2, 200, 720, pd.NA],
        "students Gabriel Pereira": [42, 2, 423, 226, pd.NA],
        "texas region 3": [269, 100, 10_000, 10_000, 20_000],
        "census and adult": [100, 2, 10_000, 10_000, 20_000],
    }
    assert list(table.index) == list(printed)
    for name, numbers in printed.items():
        row = table.loc[name]
        assert row[[f"paper_{column}" for column in table2.COLUMNS[2:]]].tolist() == numbers
        ours = [*numbers[:4], 7 if numbers[4] is pd.NA else numbers[4]]
        assert row[table2.COLUMNS[2:]].tolist() == ours


def test_table_2_shows_our_sizes_where_they_differ():
    tables = {table: sizes(table.split("/")[1]) for table in TABLE_2.tables}
    tables["sizes/adult_cluster"]["population"] = 15_135
    table = table2.tabulate(tables, RunSummary(True, "laptop")).set_index("experiment")
    assert table.loc["adult cluster", ["population", "paper_population"]].tolist() == [15_135, 15_132]


def test_table_2_in_markdown_says_synthetic_and_shows_dashes():
    for synthetic in (True, False):
        text = markdown(tidy(), TABLE_2.caption, RunSummary(synthetic, "laptop"))
        assert text.startswith(TABLE_2.caption)
        assert ("Synthetic data" in text) == synthetic
        assert "| heart Cleveland" in text
        (row,) = (line for line in text.splitlines() if "compas cluster" in line)
        assert row.strip("| ").split()[-2:] == ["|", "-"]
