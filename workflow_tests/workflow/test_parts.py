"""A file with a part of a paper makes that part."""

from __future__ import annotations

import shutil

import pytest
from workspace import REPOSITORY, Workspace

from dpmia.papers.catalogue import PAPERS

PARTS = {
    "thudi": {"thudi_controls", *(f"thudi_fig{number}" for number in (3, 4, 5, 6, *range(11, 18)))},
    "ye": {"ye_table3", "ye_table5", "ye_fig4", "ye_roc_mnist"},
    "yeom": {f"yeom_{name}" for name in ("fig2a", "fig2b", "fig2c", "fig3", "fig4a", "fig4b", "table1")},
}


@pytest.mark.parametrize("paper", PARTS)
def test_figures_and_tables_are_made_of_those_experiments_that_are_there(workspace: Workspace, paper):
    shutil.copy2(REPOSITORY / f"docs/measured/{paper}_real.yaml", workspace.folder / "experiments")
    planned = {job.removeprefix("make_") for job in workspace.planned(paper)}
    assert {artifact.name for artifact in PAPERS[paper] if artifact.tables} & planned == PARTS[paper]
