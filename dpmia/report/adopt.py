"""Take a published run on real data into the repository: `python -m dpmia.report.adopt results/real-night/published`.

Its folder becomes `docs/measured/<scale>`, its verdicts those that reports on synthetic data show, and what the README
says about them is written anew.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from datetime import date
from pathlib import Path

from dpmia.claims.judge import read_verdicts
from dpmia.common.errors import DataError, UserError
from dpmia.common.files import whole_file
from dpmia.common.reading.source import made
from dpmia.report import answer
from dpmia.report.published import PROVENANCE, digests
from dpmia.report.recorded import RUN, VERDICTS, Recorded

#: The lines of the README between which the verdicts stand.
BEGIN, END = "<!-- verdicts: written by dpmia.report.adopt -->", "<!-- end of verdicts -->"

#: Characters of a commit that documents show.
SHORT = 7


def adopt(published: Path, repository: Path) -> Path:
    """Take a published run into a repository; return its folder there.

    Raises:
        UserError: it is on synthetic data, or its files are not those that were published; nothing is written.
    """
    source = made(published / PROVENANCE)
    with source.faults("it is not what `snakemake publish` wrote"):
        provenance = source.json()
        if provenance["data"] != "real":
            raise UserError(str(published), "a run on synthetic data is no evidence", "Publish one with data=real")
        if digests(published) != provenance["files"]:
            changed = "files were changed after they were published"
            raise DataError(str(published), changed, "Delete it and publish again")
        recorded = Recorded(_name(provenance["scale"]), _name(provenance["commit"])[:SHORT], _date(provenance["date"]))
    readme, verdicts = repository / "README.md", published / "claims.csv"
    text = with_verdicts(readme.read_text(encoding="utf-8"), sentences(recorded, verdicts))
    folder = repository / "docs/measured" / recorded.scale
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(published, folder)
    shutil.copy(verdicts, repository / "dpmia/report" / VERDICTS.name)
    for path, content in (
        (repository / "dpmia/report" / RUN.name, json.dumps(recorded.plain(), indent=1) + "\n"),
        (readme, text),
    ):
        with whole_file(path) as part:
            part.write_text(content, encoding="utf-8")
    return folder


def sentences(recorded: Recorded, verdicts: Path) -> str:
    """Return what the README says about a run."""
    found = " ".join(answer.sentences(read_verdicts(verdicts)))
    pages = f"[Each claim, figure and table](docs/measured/{recorded.scale}/README.md)."
    return f"On real data ({recorded.source}): {found} {pages}"


def with_verdicts(readme: str, text: str) -> str:
    """Return a README with another text between `BEGIN` and `END`."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        problem = f"the lines {BEGIN} and {END} are missing"
        raise DataError("README.md", problem, "Add them where the verdicts are to stand")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def _date(text: object) -> str:
    return date.fromisoformat(str(text)).isoformat()


def _name(word: object) -> str:
    """Return a word of letters and digits, which can name a folder."""
    if not isinstance(word, str) or not word.isalnum():
        raise ValueError(f"{word!r} is no word")
    return word


def main(arguments: list[str] | None = None) -> None:
    """Take a run into the repository that this file belongs to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("published", type=Path, help="the folder `published` of a run")
    try:
        print(adopt(parser.parse_args(arguments).published, Path(__file__).parents[2]))
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
