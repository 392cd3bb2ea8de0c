"""Published evidence: of the tables in the repository this checkout makes the published numbers and verdicts."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest
from workspace import REPOSITORY, Workspace

from dpmia.claims.judge import read_verdicts
from dpmia.papers.catalogue import PAPERS
from dpmia.report.published import CLAIMS, PROVENANCE, TABLES

MEASURED = REPOSITORY / "docs/measured"
#: Artifact -> figures or tables, the folder of its files in a run.
FOLDER = {artifact.name: f"{artifact.kind}s" for artifacts in PAPERS.values() for artifact in artifacts}
WITH_TABLES = [paper for paper in PAPERS if (MEASURED / paper / TABLES).exists()]


@pytest.mark.slow
@pytest.mark.parametrize("paper", WITH_TABLES)
def test_the_published_tables_give_the_published_numbers_and_verdicts(tmp_path, paper):
    workspace = Workspace(tmp_path / "dpmia")
    shutil.rmtree(workspace.folder / "experiments")
    for part in ("experiments", "examples"):
        shutil.copytree(REPOSITORY / part, workspace.folder / part)
    source = MEASURED / paper
    said = json.loads((source / PROVENANCE).read_text())
    run = workspace.folder / f"results/{said['data']}-{said['scale']}"
    shutil.unpack_archive(source / TABLES, run)
    if said["looks"]:
        (run / "looks.json").write_text(json.dumps(said["looks"]))
    names = {path.stem: path for path in source.glob("*.csv") if path.name != CLAIMS}
    made = {name: f"results/{run.name}/{FOLDER[name]}/{paper}/{name}.csv" for name in names}
    options = dict(option.split("=", 1) for option in said["command"].partition(" --config ")[2].split())

    response = workspace.snakemake(*made.values(), "claims", **options)
    assert response.returncode == 0, response.stdout

    for name, path in names.items():
        assert (workspace.folder / made[name]).read_text() == path.read_text(), name
    judged = read_verdicts(run / "claims-so-far.csv").query("paper == @paper").reset_index(drop=True)
    pd.testing.assert_frame_equal(judged, read_verdicts(source / CLAIMS), check_dtype=False)
