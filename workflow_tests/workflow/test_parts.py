"""A file with a part of a paper makes that part."""

from __future__ import annotations

import shutil

from workspace import REPOSITORY, Workspace


def test_tables_of_single_configurations_are_made_of_those_that_are_there(workspace: Workspace):
    shutil.copy2(REPOSITORY / "docs/measured/ye_real.yaml", workspace.folder / "experiments")
    made = {job for job in workspace.planned("ye") if job.startswith("make_ye")}
    assert made == {"make_ye_table3", "make_ye_table5", "make_ye_fig4"}
