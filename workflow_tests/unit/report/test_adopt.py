"""Evidence of the repository: README, recorded verdicts and published files are of one run."""

import json
from pathlib import Path

import pytest
from report_world import make_run

from dpmia.common.errors import DataError, UserError
from dpmia.formats.tables import write_table
from dpmia.report import recorded
from dpmia.report.adopt import BEGIN, END, adopt, sentences, with_verdicts
from dpmia.report.published import PROVENANCE, digests, publish

COMMIT = "0123456789abcdef0123456789abcdef01234567"
README = f"# dpmia\n\n{BEGIN}\nold\n{END}\n\n## Run it\n"


@pytest.fixture
def published(tmp_path):
    about, verdicts = make_run(tmp_path / "run")
    (about.folder / "claims.png").write_bytes(b"a picture")
    write_table(about.folder / "claims.csv", verdicts)
    publish(about, verdicts, COMMIT, tmp_path / "published")
    return tmp_path / "published"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "dpmia/report").mkdir(parents=True)
    (folder / "docs/measured/laptop").mkdir(parents=True)
    (folder / "docs/measured/laptop/of_an_earlier_run.csv").touch()
    (folder / "README.md").write_text(README)
    return folder


def test_a_run_takes_the_place_of_the_last_one(published, repository):
    folder = adopt(published, repository)
    assert folder == repository / "docs/measured/laptop"
    assert digests(folder) == digests(published)
    assert (repository / "dpmia/report/claims-real.csv").read_bytes() == (published / "claims.csv").read_bytes()
    run = recorded.Recorded.from_plain(json.loads((repository / "dpmia/report/claims-real.json").read_text()))
    assert (run.scale, run.commit) == ("laptop", "0123456")
    text = (repository / "README.md").read_text()
    assert text == with_verdicts(README, sentences(run, published / "claims.csv"))
    assert f"{BEGIN}\nOn real data (scale laptop, commit 0123456, " in text
    assert "claims about data reproduced" in text
    assert "old" not in text


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [(lambda said: said | {"data": "synthetic"}, UserError, "synthetic data is no evidence"),
     (lambda said: said | {"files": {}}, DataError, "files were changed after they were published"),
     (lambda said: said | {"scale": "../../x"}, DataError, "'../../x' is no word"),
     (lambda said: said | {"date": "\ud800"}, DataError, "not what `snakemake publish` wrote"),
     (lambda said: said | {"commit": 3}, DataError, "not what `snakemake publish` wrote"),
     (lambda said: [said], DataError, "not what `snakemake publish` wrote")],
)  # fmt: skip
def test_what_is_no_evidence_is_refused_and_nothing_is_written(published, repository, spoil, error, words):
    said = json.loads((published / PROVENANCE).read_text())
    (published / PROVENANCE).write_text(json.dumps(spoil(said)))
    with pytest.raises(error, match=words):
        adopt(published, repository)
    assert (repository / "README.md").read_text() == README
    assert (repository / "docs/measured/laptop/of_an_earlier_run.csv").exists()


def test_a_readme_without_the_lines_for_verdicts_is_refused(published, repository):
    (repository / "README.md").write_text("# dpmia\n")
    with pytest.raises(DataError, match=r"README\.md: the lines .* are missing"):
        adopt(published, repository)
    assert (repository / "docs/measured/laptop/of_an_earlier_run.csv").exists()


def test_the_readme_has_the_verdicts_that_the_repository_records():
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    said = sentences(recorded.LATEST, recorded.VERDICTS).partition(" [Each claim")[0]
    assert f"{BEGIN}\n{said}" in readme
