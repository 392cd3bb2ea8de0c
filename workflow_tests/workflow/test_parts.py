"""A file with a part of a paper makes that part."""

from __future__ import annotations

import pytest
import yaml
from workspace import REPOSITORY, Workspace

from dpmia.papers.catalogue import PAPERS

#: Experiments that are left out, by paper, and what is made of the others.
PARTS = {
    "thudi": (
        {"thudi_svhn", "thudi_svhn_budget", "thudi_cifar10_budget"},
        {"thudi_controls", *(f"thudi_fig{number}" for number in (3, 4, 5, 6, *range(11, 18)))},
    ),
    "ye": (
        {"ye_purchase", "ye_purchase_clipped", "ye_cifar100"},
        {"ye_table3", "ye_table5", "ye_fig4", "ye_roc_mnist"},
    ),
    "yeom": (
        {"yeom_cifar100", "yeom_cifar100_collusion"},
        {f"yeom_{name}" for name in ("fig2a", "fig2b", "fig2c", "fig3", "fig4a", "fig4b", "table1")},
    ),
}


@pytest.mark.parametrize("paper", ["yeom", *(pytest.param(paper, marks=pytest.mark.slow) for paper in ("thudi", "ye"))])
def test_figures_and_tables_are_made_of_those_experiments_that_are_there(workspace: Workspace, paper):
    left_out, made = PARTS[paper]
    settings = yaml.safe_load((REPOSITORY / f"experiments/{paper}.yaml").read_text(encoding="utf-8"))
    for name in left_out:
        del settings["experiments"][name]
    (workspace.folder / f"experiments/{paper}_part.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    planned = {job.removeprefix("make_") for job in workspace.planned(paper)}
    assert {artifact.name for artifact in PAPERS[paper] if artifact.tables} & planned == made
