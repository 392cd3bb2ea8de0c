"""Names: each class has its own, and each says what it stands for."""

import ast
from collections import Counter

from dpmia.settings.generate import ROOT


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for file in (ROOT / "dpmia").rglob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []


#: They say nothing of what they stand for.
EMPTY_NAMES = {"found", "known", "each", "about", "words", "points", "told", "tell", "answers"}


def _named(node):
    """Return the names that a node gives: to variables, parameters, functions and classes."""
    match node:
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.arg():
            return [node.arg]
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.MatchAs(name=str()):
            return [node.name]
    return []


def test_names_say_what_they_stand_for():
    files = [
        *(ROOT / "dpmia").rglob("*.py"),
        *(ROOT / "scripts").glob("*.py"),
        *(ROOT / "workflow_tests").rglob("*.py"),
    ]
    assert len(files) > 500
    empty = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in _named(node)
        if name in EMPTY_NAMES
    }
    assert sorted(empty) == []
