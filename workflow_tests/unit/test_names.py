"""Names of classes: each stands for one thing in the whole library."""

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
