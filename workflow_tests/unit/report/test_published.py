"""A published paper: a folder whose files its provenance lists, and whose page names the commit."""

import dataclasses
import hashlib
import json
import os
import shutil

import pandas as pd
import pytest
from report_world import make_run, tables_of

from dpmia.claims.judge import read_verdicts
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.report.published import PROVENANCE, TABLES, publish

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def run(tmp_path):
    reported, verdicts = make_run(tmp_path)
    return reported, verdicts[verdicts["paper"] == "humphries"], tmp_path / "published/humphries"


def test_tables_verdicts_and_one_picture_of_the_paper_are_published(run):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    # Figure 8 was not made.
    names = {"README.md", "claims.csv", "humphries_fig7.csv", "humphries_fig7.png", TABLES, PROVENANCE}
    assert {path.name for path in folder.iterdir()} == names
    assert (folder / "humphries_fig7.csv").read_text() == (
        reported.folder / "figures/humphries/humphries_fig7.csv"
    ).read_text()
    pd.testing.assert_frame_equal(read_verdicts(folder / "claims.csv"), verdicts, check_dtype=False)


def test_the_tables_behind_them_can_be_put_back(run, tmp_path):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    shutil.unpack_archive(folder / TABLES, tmp_path / "again")
    assert [path.relative_to(tmp_path / "again").as_posix() for path in (tmp_path / "again").rglob("*.csv")] == [
        "replicates/student.csv"
    ]
    assert tables_of(tmp_path / "again")[0].read_bytes() == tables_of(reported.folder)[0].read_bytes()
    assert f"unpack it in `{reported.folder}`" in (folder / "README.md").read_text()


def test_equal_tables_give_equal_archives(run, tmp_path):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    os.utime(tables_of(reported.folder)[0], (0, 0))
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, tmp_path / "again")
    assert (folder / TABLES).read_bytes() == (tmp_path / "again" / TABLES).read_bytes()


def test_of_a_paper_of_theorems_there_are_verdicts_alone(run, tmp_path):
    reported, _, _ = run
    verdicts = make_run(tmp_path / "again")[1].query("paper == 'izzo'")
    publish("izzo", reported, verdicts, [], COMMIT, tmp_path / "izzo")
    assert {path.name for path in (tmp_path / "izzo").iterdir()} == {"README.md", "claims.csv", TABLES, PROVENANCE}
    page = (tmp_path / "izzo/README.md").read_text()
    assert page.startswith(
        "# Izzo et al. 2024, measured\n\nTheory and simulations, which need no data set. Scale laptop"
    )
    assert "0 of 1 claims of the paper reproduced (1 not reproduced)." in page
    assert "0 of 1 claims that we added reproduced (1 undecided); these are marked *." in page


def test_added_replicates_are_a_part_of_what_makes_the_run_again(run):
    reported, verdicts, folder = run
    looks = {"looks": [{"core_hours": 0.5, "times": {"student": 2}}]}
    publish(
        "humphries", dataclasses.replace(reported, looks=looks), verdicts, tables_of(reported.folder), COMMIT, folder
    )
    assert json.loads((folder / PROVENANCE).read_text())["looks"] == looks
    assert f"`{reported.folder}/looks.json`." in (folder / "README.md").read_text()


def test_the_provenance_has_the_commit_the_command_and_the_digest_of_every_file(run):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    said = json.loads((folder / PROVENANCE).read_text())
    assert (said["paper"], said["commit"], said["data"], said["scale"]) == ("humphries", COMMIT, "real", "laptop")
    assert said["command"] == f"snakemake --cores all {reported.folder}/published/humphries --config data=real"
    assert said["not_run"] == {"texas": "Texas_2006_PUDF.txt has to be downloaded by hand"}
    assert said["looks"] is None
    assert "looks" not in (folder / "README.md").read_text()
    assert set(said["files"]) == {path.name for path in folder.iterdir()} - {PROVENANCE}
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == of for name, of in said["files"].items())


def test_the_page_names_the_commit_and_counts_verdicts(run):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    page = (folder / "README.md").read_text()
    assert "Real data. Scale laptop, commit 0123456:\n\n    snakemake" in page
    assert "1 of 2 claims of the paper reproduced (1 not run)" in page
    assert "- Texas_2006_PUDF.txt has to be downloaded by hand" in page
    assert "(humphries_fig7.png)" in page
    assert "4 / 50 replicates" in page
    assert "[Figure 7](humphries_fig7.csv): Students" in page
    assert "humphries_fig8" not in page.split("## Numbers")[1]


def test_experiments_of_other_papers_are_not_missing(run):
    reported, verdicts, folder = run
    publish(
        "humphries",
        dataclasses.replace(reported, not_run={"ye_purchase": "no data"}),
        verdicts,
        tables_of(reported.folder),
        COMMIT,
        folder,
    )
    assert json.loads((folder / PROVENANCE).read_text())["not_run"] == {}
    assert "Not run" not in (folder / "README.md").read_text()


def test_synthetic_data_are_named_so(run):
    reported, verdicts, folder = run
    synthetic = dataclasses.replace(reported, config={**reported.config, "data": "synthetic"})
    publish("humphries", synthetic, verdicts, tables_of(reported.folder), COMMIT, folder)
    assert "Synthetic data: nothing here says anything about real records" in (folder / "README.md").read_text()


def test_the_picture_of_each_paper_is_one_of_its_figures_on_data():
    for name, paper in BIBLIOGRAPHY.items():
        shown = {artifact.name: artifact for artifact in PAPERS[name]}
        assert shown[paper.picture].kind == "figure"
        assert shown[paper.picture].tables


def test_the_page_lists_the_settings_that_deviate_from_the_paper(run, tmp_path):
    reported, verdicts, folder = run
    publish("humphries", reported, verdicts, tables_of(reported.folder), COMMIT, folder)
    page = " ".join((folder / "README.md").read_text().split())
    assert "## Deviations from scale `paper` Settings that differ" in page
    assert "| epochs | 20 | 100 | student |" in page
    assert "| ε | 1, ∞ | 0.01, 1, ∞ | student |" in page
    alike = dataclasses.replace(reported, settings=reported.paper_settings)
    publish("humphries", alike, verdicts, tables_of(reported.folder), COMMIT, tmp_path / "alike")
    assert "Deviations" not in (tmp_path / "alike/README.md").read_text()


def test_what_was_not_run_deviates_in_nothing(run):
    reported, verdicts, folder = run
    publish(
        "humphries",
        dataclasses.replace(reported, not_run={"student": "no file"}),
        verdicts,
        tables_of(reported.folder),
        COMMIT,
        folder,
    )
    assert "Deviations" not in (folder / "README.md").read_text()
