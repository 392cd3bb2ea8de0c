"""Table II: what each experiment is made of, beside what the paper prints."""

from __future__ import annotations

import pandas as pd

from dpmia.papers.artifact import RunSummary

COLUMNS = ["section", "experiment", "features", "classes", "members", "nonmembers", "population"]

#: (experiment, arm) -> section, name, and the paper's numbers; None where it prints a dash.
PRINTED = {
    ("adult_cluster", "cluster"): ("IV-B", "adult cluster", 104, 2, 10000, 10000, 15132),
    ("compas_cluster", "cluster"): ("IV-B", "compas cluster", 15, 2, 2000, 2000, None),
    ("adult_education", "p0"): ("IV-C", "adult education", 87, 2, 10000, 10000, 10772),
    ("adult_gender", "p0"): ("IV-C", "adult gender", 103, 2, 10000, 10000, 11192),
    ("heart", "cleveland"): ("IV-D", "heart Cleveland", 22, 2, 303, 617, None),
    ("heart", "hungary"): ("IV-D", "heart Hungary", 22, 2, 294, 626, None),
    ("heart", "switzerland"): ("IV-D", "heart Switzerland", 22, 2, 123, 797, None),
    ("heart", "va"): ("IV-D", "heart VA Long Beach", 22, 2, 200, 720, None),
    ("student", "gabriel_pereira"): ("IV-D", "students Gabriel Pereira", 42, 2, 423, 226, None),
    ("texas", "region_3"): ("IV-D", "texas region 3", 269, 100, 10000, 10000, 20000),
    ("census_adult", "census"): ("IV-D", "census and adult", 100, 2, 10000, 10000, 20000),
}


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each experiment of the paper: ours and, in columns `paper_...`, what is printed there.

    The population is what the paper calls shadow data; it prints a dash where fewer than 3000 records are left. Where
    arms differ in it, the paper prints that of p = 0.
    """
    sizes = pd.concat(tables.values()).set_index(["experiment", "arm"])
    rows = []
    there = [key for key in PRINTED if key in sizes.index]
    for experiment, arm in there:
        section, name, *printed = PRINTED[experiment, arm]
        ours = sizes.loc[(experiment, arm)]
        row: dict[str, str | int | None] = {"section": section, "experiment": name}
        for column, value in zip(COLUMNS[2:], printed, strict=True):
            row[column] = int(ours[column])
            row[f"paper_{column}"] = value
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.astype({column: "Int64" for column in table.columns if column not in COLUMNS[:2]})
