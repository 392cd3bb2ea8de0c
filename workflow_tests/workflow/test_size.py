"""How many jobs a paper takes at its own size: Snakemake's scheduler slows down with the square of their number."""

from __future__ import annotations

import shutil

import pytest
from workspace import REPOSITORY, Workspace

from dpmia.papers.catalogue import PAPERS


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_at_its_own_size_is_2000_jobs_at_most(workspace: Workspace, paper: str):
    shutil.copy2(REPOSITORY / f"experiments/{paper}.yaml", workspace.folder / "experiments")
    assert sum(workspace.planned(paper, scale="paper").values()) <= 2000
