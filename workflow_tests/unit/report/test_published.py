"""A published run: a folder whose files its provenance lists, and whose pages name their commit."""

import dataclasses
import hashlib
import json

import pytest
from report_world import make_run

from dpmia.common.errors import UnnamedRunError
from dpmia.papers.bibliography import ABOUT
from dpmia.papers.catalogue import PAPERS
from dpmia.report.published import PROVENANCE, publish

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def run(tmp_path):
    about, verdicts = make_run(tmp_path)
    (about.folder / "claims.png").write_bytes(b"a picture")
    return about, verdicts, tmp_path / "published"


def test_tables_verdicts_and_one_picture_of_each_paper_are_published(run):
    about, verdicts, folder = run
    publish(about, verdicts, COMMIT, folder)
    # Figure 8 was not made, and the table of theorems rests on no data.
    names = {"README.md", "claims.csv", "claims.png", "humphries.md", "humphries_fig7.csv", "humphries_fig7.png"}
    assert {path.name for path in folder.iterdir()} == names | {"izzo.md", PROVENANCE}
    assert (folder / "humphries_fig7.csv").read_text() == (
        about.folder / "figures/humphries/humphries_fig7.csv"
    ).read_text()


def test_the_provenance_has_the_commit_the_command_and_the_digest_of_every_file(run):
    about, verdicts, folder = run
    publish(about, verdicts, COMMIT, folder)
    said = json.loads((folder / PROVENANCE).read_text())
    assert (said["commit"], said["data"], said["scale"]) == (COMMIT, "real", "laptop")
    assert said["command"] == "snakemake --cores all --config data=real"
    assert said["not_run"] == {"texas": "Texas_2006_PUDF.txt has to be downloaded by hand"}
    assert set(said["files"]) == {path.name for path in folder.iterdir()} - {PROVENANCE}
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == of for name, of in said["files"].items())


def test_pages_name_the_commit_and_count_verdicts(run):
    about, verdicts, folder = run
    publish(about, verdicts, COMMIT, folder)
    for name in ("README", "humphries", "izzo"):
        assert "Real data. Scale laptop, commit 0123456: `snakemake" in (folder / f"{name}.md").read_text()
    overview = (folder / "README.md").read_text()
    assert "| [Humphries et al. 2023](humphries.md) | 1 of 2 | 1 not run |" in overview
    assert "Not run, as data are unavailable: texas." in overview
    page = (folder / "humphries.md").read_text()
    assert "(humphries_fig7.png)" in page
    assert "4 / 50 replicates" in page
    assert "[Figure 7](humphries_fig7.csv): Students" in page
    assert "humphries_fig8" not in page.split("## Numbers")[1]


def test_synthetic_data_are_named_so_on_every_page(run):
    about, verdicts, folder = run
    publish(dataclasses.replace(about, config={**about.config, "data": "synthetic"}), verdicts, COMMIT, folder)
    for page in folder.glob("*.md"):
        assert "Synthetic data: nothing here says anything about real records" in page.read_text()


@pytest.mark.parametrize("commit", [f"{COMMIT}, with changes that are not committed", "unknown: no git checkout"])
def test_a_run_that_no_commit_names_is_refused_and_nothing_is_written(run, commit):
    about, verdicts, folder = run
    with pytest.raises(UnnamedRunError, match=f"the checkout: its commit is {commit}. Commit every change"):
        publish(about, verdicts, commit, folder)
    assert not folder.exists()


def test_the_picture_of_each_paper_is_one_of_its_figures_on_data():
    for name, paper in ABOUT.items():
        shown = {each.name: each for each in PAPERS[name]}
        assert shown[paper.picture].kind == "figure"
        assert shown[paper.picture].tables
