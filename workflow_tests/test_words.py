"""User-visible text uses the terms of the field: one word for each idea, and no private phrases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

#: Pattern of a phrase that user-visible text avoids -> what to write instead.
INSTEAD = {
    r"\b(tell|tells|told|telling)\b": "print, report, name, describe, separate",
    r"\b(ask(s|ed)? (about|for)|never asks|asks? the model|(is|was|are|were) asked)\b": "query, evaluate on",
    r"\bthe (\w+'s )?answers\b|\bit answers\b|\banswer(s|ed) (of|about)\b": "outputs, predictions; membership labels",
    r"\bpromise[sd]?\b": "privacy guarantee, bound",
    r"\breckon(s|ed|ing)?\b": "compute; accountant",
    r"\b(cannot|can) be had\b|\bat hand\b|\bnot to be had\b": "unavailable, skipped; available",
    r"\bof another kind\b|\bdiffer in kind\b": "distribution shift",
    r"\baccus(e|es|ed|ation|ations)\b|\b[Ss]ay(s|ing)? \"member\"|\bcall(s|ed|ing)? (everybody|nobody|anybody)\b": (
        'predict "member"'
    ),
    r"\blook(s|ed|ing)? at\b": "evaluate, read, show",
    r"\bin words\b": "format, describe",
    r"\bword by word\b": "run, follow",
    r"\bfound .{1,60}; expected\b": "<where>: <what is wrong>. <what to do>.",
    r"\b[Ss]tand-ins?\b|\b[Mm]ade[- ]up\b|\b[Ee]mbedded\b": "synthetic data",
    r"\bgot by hand\b": "downloaded by hand",
}


def _strings(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module that are neither docstrings nor parts of error messages."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    hidden = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
    hidden |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


def _docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module and of its public classes, their attributes and functions."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if getattr(node, "name", "").startswith("_"):
            continue
        for child in getattr(node, "body", []):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                yield child.lineno, " ".join(str(child.value.value).split())
            elif isinstance(child, ast.ClassDef | ast.FunctionDef):
                nodes.append(child)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(file.read_text(encoding="utf-8").splitlines(), 1)


def _paragraphs(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a page or template, so that a phrase across two lines is found."""
    line = 1
    for paragraph in file.read_text(encoding="utf-8").split("\n\n"):
        yield line, " ".join(paragraph.split())
        line += paragraph.count("\n") + 2


def _newest_changes(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of the newest section of the changelog."""
    newest = file.read_text(encoding="utf-8").split("\n## ")[1]
    yield from enumerate(newest.splitlines(), 3)


#: Where users read, relative to the repository -> the function that yields the text of a file.
TEXTS = {
    "README.md": _paragraphs,
    "CHANGELOG.md": _newest_changes,
    "docs/*.md": _paragraphs,
    "docs/tutorials/*.md": _paragraphs,
    "docs/reference/*.md": _paragraphs,
    "results/README.md": _paragraphs,
    "config.yaml": _lines,
    "experiments/*.yaml": _lines,
    "rules/*.smk": _lines,
    "rules/report/*.rst": _paragraphs,
    "dpmia/report/templates/*.html": _paragraphs,
    "dpmia/papers/**/*.py": _strings,
    "dpmia/report/*.py": _strings,
    "dpmia/audit/*.py": _strings,
    "dpmia/claims/*.py": _strings,
    "dpmia/workflow/*.py": _strings,
}

#: Where developers read.
DOCSTRINGS = ("dpmia/**/*.py", "scripts/*.py")


def phrases(text: str) -> Iterator[str]:
    """Yield each phrase to avoid in a text, with what to write instead. Names, in backticks, are no prose."""
    prose = re.sub(r"`[^`]*`", "", text)
    for pattern, instead in INSTEAD.items():
        for match in re.finditer(pattern, prose):
            yield f"{match[0]!r}: write {instead}"


@pytest.mark.parametrize(
    ("files", "texts"),
    [*TEXTS.items(), *((files, _docstrings) for files in DOCSTRINGS)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_text_uses_the_terms_of_the_field(files, texts):
    paths = sorted(REPOSITORY.glob(files))
    assert paths, "the pattern matches files"
    wrong = [
        f"{file.relative_to(REPOSITORY)}:{line}: {phrase}"
        for file in paths
        for line, text in texts(file)
        for phrase in phrases(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "how well members are told from others by someone who never asks the model",
        "What cannot be had is left out",
        "what each model was promised, and by whose reckoning",
        "found 3; expected 4",
        'Says "member" where the loss is small',
    ],
)
def test_private_phrases_are_recognised(text):
    assert list(phrases(text))


def test_terms_of_the_field_pass():
    assert not list(phrases("Query the model, evaluate its outputs on members, and report the privacy guarantee."))
