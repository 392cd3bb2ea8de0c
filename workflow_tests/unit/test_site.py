"""The documentation as a site: built without a warning, complete, and without anything from the network."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from browser import BROWSER, NO_BROWSER, serious_violations
from nbclient.exceptions import CellExecutionError

import dpmia
from dpmia.settings.generate import ROOT

HOOKS = runpy.run_path(str(ROOT / "docs/site/hooks.py"))


def page(source):
    """Return what a hook needs of a page."""
    return type("Page", (), {"file": type("File", (), {"src_uri": source})})


@pytest.mark.parametrize(
    ("source", "link", "shown"),
    [
        ("performance.md", "[rates](../benchmarks/README.md#old)", "rates (`benchmarks/README.md`)"),
        ("measured/README.md", "[rates](../../benchmarks/x.csv)", "rates (`benchmarks/x.csv`)"),
        ("measured/README.md", "[intervals](../intervals.md)", "[intervals](../intervals.md)"),
    ],
)
def test_links_that_lead_out_of_the_site_become_names_of_files(source, link, shown):
    assert HOOKS["OUTSIDE"].sub(lambda match: HOOKS["inside"](match, page(source)), link) == shown


def test_options_of_a_command_are_those_of_its_parser():
    assert "--label LABEL" in HOOKS["help_of"]("audit")
    assert HOOKS["help_of"](None).startswith("usage: dpmia ")
    with pytest.raises(KeyError):
        HOOKS["help_of"]("audits")


def test_a_cell_that_fails_ends_the_build():
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        HOOKS["executed"]("# One\n\n```python\n1 / 0\n```\n")


class Loaded(HTMLParser):
    """Collects what a page makes a browser load, and its pictures without a text."""

    def __init__(self):
        super().__init__()
        self.addresses, self.silent = [], 0

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.addresses.append(attributes.get("src") or "")
            self.silent += tag == "img" and not attributes.get("alt")
        elif tag == "link":
            self.addresses.append(attributes.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    response = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    output = response.stdout + response.stderr
    assert response.returncode == 0, output
    assert "WARNING" not in output, output
    return folder


@pytest.mark.slow  # runs all tutorials
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_the_network(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    for file in pages:
        parser = Loaded()
        parser.feed(file.read_text(encoding="utf-8"))
        assert parser.addresses
        assert not [address for address in parser.addresses if "//" in address], file.name
        assert not parser.silent, file.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


@pytest.mark.slow  # the same site
@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)])
@pytest.mark.parametrize("name", ["index", "settings", "reference/api", "tutorials/opacus"])
def test_pages_are_accessible(site, name, width, dark):
    file = site / f"{name}.html"
    assert not serious_violations(file.parent, file.read_text(encoding="utf-8"), width, dark)


@pytest.mark.slow  # the same site
def test_the_reference_has_every_public_name_and_every_option(site):
    reference = (site / "reference/api.html").read_text(encoding="utf-8")
    for name in dpmia.__all__:
        module = dpmia._MODULES[name]
        assert f'id="{module}.{name}"' in reference, name
    assert "<blockquote" not in reference, "an example, or a line that begins with >, was read as a quotation"
    assert reference.count('"language-pycon highlight"') >= len(dpmia.__all__), "examples are shown as code"
    assert "Smallest measurable false positive rate" in reference
    options = (site / "reference/command.html").read_text(encoding="utf-8")
    assert all(option in options for option in ("--label", "--classes", "--noise-multiplier"))


@pytest.mark.slow  # the same site
def test_tutorials_are_shown_with_their_outputs(site):
    notebooks = sorted((site / "tutorials").glob("*.ipynb"))
    assert [file.stem for file in notebooks] == ["groups", "logits", "opacus", "plan"]
    for file in notebooks:
        cells = [cell for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        outputs = [output for cell in cells for output in cell["outputs"]]
        assert all(cell["execution_count"] for cell in cells)
        assert not [output for output in outputs if output.get("name") == "stderr"], f"{file.name} prints a warning"
        pictures = sum("image/png" in output.get("data", {}) for output in outputs)
        shown = (site / f"tutorials/{file.stem}.html").read_text(encoding="utf-8")
        assert pictures >= 1
        assert shown.count(f"{file.stem}_files/") == pictures
        assert f'href="{file.name}"' in shown
