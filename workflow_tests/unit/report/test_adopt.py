"""Evidence of the repository: README, recorded verdicts, their picture and published files are of the same runs."""

import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from report_world import make_run, tables_of

from dpmia.claims.judge import read_verdicts
from dpmia.common.errors import DataError, UserError
from dpmia.formats.tables import write_table
from dpmia.papers.claims import claims
from dpmia.report import recorded
from dpmia.report.adopt import (
    BEGIN,
    END,
    PICTURE,
    SHOWN,
    adopt,
    digest_of,
    main,
    overview,
    sentences,
    with_verdicts,
)
from dpmia.report.published import CLAIMS, PROVENANCE, SHORT, digests, publish
from dpmia.report.recorded import Recorded

ROOT = Path(__file__).parents[3]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
EARLIER = Recorded("night", "fedcba9", "2026-01-31")
PAGES = {
    "README.md": f"# dpmia\n\n{BEGIN}\nold\n{END}\n\n## Run it\n",
    "docs/measured/README.md": f"# Measured\n\n{BEGIN}\nold\n{END}\n",
}


@pytest.fixture
def published(tmp_path):
    reported, verdicts = make_run(tmp_path / "run")
    for paper in ("humphries", "izzo"):
        of_paper, folder = verdicts[verdicts["paper"] == paper], tmp_path / "published" / paper
        publish(paper, reported, of_paper, tables_of(reported.folder), COMMIT, folder)
        # Snakemake leaves this in every folder that a job makes.
        (tmp_path / "published" / paper / ".snakemake_timestamp").touch()
    return tmp_path / "published/humphries"


@pytest.fixture
def repository(tmp_path):
    """A repository with verdicts on two papers of an earlier run."""
    folder = tmp_path / "repository"
    (folder / "dpmia/report").mkdir(parents=True)
    (folder / "docs/measured/humphries").mkdir(parents=True)
    (folder / "docs/measured/humphries/of_an_earlier_run.csv").touch()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    _, verdicts = make_run(tmp_path / "earlier")
    write_table(folder / "dpmia/report/claims-real.csv", verdicts.assign(verdict="undecided"))
    runs = {paper: EARLIER.plain() for paper in ("humphries", "izzo")}
    (folder / "dpmia/report/claims-real.json").write_text(json.dumps(runs))
    return folder


def recorded_in(repository):
    """Return the verdicts and the runs that a repository records."""
    package = repository / "dpmia/report"
    return read_verdicts(package / "claims-real.csv"), recorded.runs(package / "claims-real.json")


def test_a_paper_takes_the_place_of_its_last_run_and_others_stay(published, repository):
    (folder,) = adopt([published], repository)
    assert folder == repository / "docs/measured/humphries"
    assert digests(folder) == digests(published)
    assert not (folder / ".snakemake_timestamp").exists()
    judged, runs = recorded_in(repository)
    assert runs["izzo"] == EARLIER
    assert (runs["humphries"].scale, runs["humphries"].commit) == ("laptop", COMMIT[:SHORT])
    assert judged["verdict"].tolist() == ["reproduced", "not run", "undecided", "undecided"]


def test_readme_overview_and_picture_are_made_anew(published, repository):
    adopt([published], repository)
    judged, runs = recorded_in(repository)
    readme, pages = ((repository / name).read_text() for name in PAGES)
    assert readme == with_verdicts("README.md", PAGES["README.md"], sentences(runs, judged))
    assert "On real data (scale laptop and night): " in readme
    assert "1 of 2 claims of the papers about data reproduced (1 not run)" in readme
    assert (
        "| [Humphries et al. 2023](humphries/README.md) | 1 of 2 | 1 not run | - |  | experiment 1 of 1 | laptop "
        "| 0123456 |" in pages
    )
    # Of an earlier run there is no page here.
    counts = "0 of 1 | 1 undecided | 0 of 1 | 1 undecided | theory 0 of 2"
    assert f"| Izzo et al. 2024 | {counts} | night | fedcba9 | 2026-01-31 |" in pages
    assert "old" not in readme + pages
    with Image.open(repository / PICTURE) as picture:
        assert picture.info[SHOWN] == digest_of(repository)


def test_all_papers_of_one_run_have_one_source(published, repository):
    assert [folder.name for folder in adopt(sorted(published.parent.iterdir()), repository)] == ["humphries", "izzo"]
    judged, runs = recorded_in(repository)
    assert runs["humphries"] == runs["izzo"]
    assert f"On real data ({runs['izzo'].source}): " in (repository / "README.md").read_text()
    assert judged["verdict"].tolist() == ["reproduced", "not run", "undecided", "not reproduced"]


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [(lambda said: said | {"data": "synthetic"}, UserError, "synthetic data is no evidence"),
     (lambda said: said | {"files": {}}, DataError, "files were changed after they were published"),
     (lambda said: said | {"paper": "../../x"}, DataError, "not what `snakemake publish` wrote"),
     (lambda said: said | {"scale": "a scale"}, DataError, "'a scale' is no word"),
     (lambda said: said | {"date": "\ud800"}, DataError, "not what `snakemake publish` wrote"),
     (lambda said: said | {"commit": 3}, DataError, "not what `snakemake publish` wrote"),
     (lambda said: [said], DataError, "not what `snakemake publish` wrote")],
)  # fmt: skip
def test_what_is_no_evidence_is_refused_and_nothing_is_written(published, repository, spoil, error, message):
    said = json.loads((published / PROVENANCE).read_text())
    (published / PROVENANCE).write_text(json.dumps(spoil(said)))
    with pytest.raises(error, match=message):
        adopt([published.parent / "izzo", published], repository)
    assert (repository / "README.md").read_text() == PAGES["README.md"]
    assert (repository / "docs/measured/humphries/of_an_earlier_run.csv").exists()
    assert not (repository / "docs/measured/izzo").exists()


def test_a_pipe_or_a_folder_in_the_place_of_a_table_is_refused(published, repository):
    table = published / "claims.csv"
    for replace in (os.mkfifo, os.mkdir):
        table.unlink()
        replace(table)
        with pytest.raises(DataError, match="files were changed after they were published"):
            adopt([published], repository)


def test_a_page_of_the_repository_that_is_no_text_is_named(published, repository):
    (repository / "README.md").write_bytes(b"\x8b\xff")
    with pytest.raises(DataError, match=r"^README\.md, row 1: byte 0x8B is not UTF-8 text"):
        adopt([published], repository)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_the_lines_for_verdicts_is_refused(published, repository, name):
    (repository / name).write_text("# dpmia\n")
    with pytest.raises(DataError, match=rf"{name}: the lines .* are missing"):
        adopt([published], repository)
    assert (repository / "docs/measured/humphries/of_an_earlier_run.csv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"humphries": {"scale": "night"}}', "not what `dpmia.report.adopt` writes"),
     ('{"izzo": {"scale": "night", "commit": "\\ud800", "date": "2026-01-01"}}', "is no word"),
     ('{"izzo": {"scale": "night", "commit": "a", "date": "today"}}', "not what `dpmia.report.adopt` writes"),
     ('{"humphries": {"scale": "night", "commit": "a", "date": "2026-01-01"}}', "run the verdicts on izzo are of"),
     ('{"nobody": {"scale": "night", "commit": "a", "date": "2026-01-01"}}', "there is no paper 'nobody'")],
)  # fmt: skip
def test_damaged_records_are_refused(published, repository, text, message):
    (repository / "dpmia/report/claims-real.json").write_text(text)
    with pytest.raises(DataError, match=message):
        adopt([published], repository)
    assert (repository / "docs/measured/humphries/of_an_earlier_run.csv").exists()


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "absent")])
    assert re.search(r"absent/provenance\.json: .*\. Name a folder", capsys.readouterr().err)


# What the repository itself records.


@pytest.fixture(scope="module")
def evidence():
    return read_verdicts(recorded.VERDICTS), recorded.runs()


def test_the_pages_have_the_verdicts_that_the_repository_records(evidence):
    judged, runs = evidence
    assert f"{BEGIN}\n{sentences(runs, judged)}\n{END}" in (ROOT / "README.md").read_text(encoding="utf-8")
    there = {path.parent.name for path in (ROOT / "docs/measured").glob("*/README.md")}
    page = (ROOT / "docs/measured/README.md").read_text(encoding="utf-8")
    assert f"{BEGIN}\n{overview(runs, judged, there)}\n{END}" in page


def test_the_picture_shows_the_verdicts_that_the_repository_records():
    with Image.open(ROOT / PICTURE) as picture:
        assert picture.info[SHOWN] == digest_of(ROOT)


def test_each_published_paper_is_whole_and_its_verdicts_are_those_recorded(evidence):
    judged, runs = evidence
    for path in (ROOT / "docs/measured").glob(f"*/{PROVENANCE}"):
        said = json.loads(path.read_text(encoding="utf-8"))
        assert said["files"] == digests(path.parent)
        assert runs[said["paper"]] == Recorded(said["scale"], said["commit"][:SHORT], said["date"])
        of_paper = judged[judged["paper"] == said["paper"]].reset_index(drop=True)
        pd.testing.assert_frame_equal(of_paper, read_verdicts(path.parent / CLAIMS))


def test_most_claims_of_today_have_a_recorded_verdict(evidence):
    judged, runs = evidence
    assert set(judged["paper"]) == set(runs) == set(claims())
    assert len(set(judged["id"]) & {claim.id for of_paper in claims().values() for claim in of_paper}) > 100


def test_a_paper_is_taken_once_and_not_from_the_repository_itself(published, repository):
    with pytest.raises(UserError, match="humphries is of the same paper"):
        adopt([published, published], repository)
    assert [path.name for path in (repository / "docs/measured/humphries").iterdir()] == ["of_an_earlier_run.csv"]
    (folder,) = adopt([published], repository)
    with pytest.raises(UserError, match="it is in the repository already"):
        adopt([folder], repository)
    assert (folder / CLAIMS).exists()
