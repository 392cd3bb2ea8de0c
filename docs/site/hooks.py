"""What MkDocs does to the pages in `docs/`, so that they read well on a code host, too.

- A tutorial is Markdown that Jupytext reads as a notebook. The site shows what its cells print and draw.
- A block that shows `$ dpmia audit --help` is followed by what that prints.
- A link that leads out of `docs/` becomes the name of that file.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import tempfile
from typing import Any

import jupytext
import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbclient import NotebookClient
from nbconvert import MarkdownExporter
from traitlets.config import Config

#: A link to a file above `docs/`: its text, its path.
OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[\w./-]+)(?:#[\w-]*)?\)")

#: A command whose help a block shows.
HELP = re.compile(r"(?<=^```text\n)\$ dpmia(?: (\w+))? --help$", re.MULTILINE)

#: Seconds that a cell may take.
LONGEST = 300


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page as the site shows it."""
    if "jupytext" in page.meta:
        return notebook_page(markdown, page, config, files)
    markdown = HELP.sub(lambda found: f"{found[0]}\n{help_of(found[1])}", markdown)
    return OUTSIDE.sub(lambda found: inside(found, page), markdown)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Return a page whose search has a name for screen readers."""
    return output.replace(' role="dialog"', ' role="dialog" aria-label="Search"', 1)


def inside(found: re.Match[str], page: Page) -> str:
    """Return a link as it is, or, where it leads out of the site, its text and the name of the file."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), found[2]))
    return f"{found[1]} (`{target.removeprefix('../')}`)" if target.startswith("../") else found[0]


def help_of(command: str | None) -> str:
    """Return what `dpmia COMMAND --help` prints, 84 signs wide."""
    from dpmia.cli.main import parser

    found = parser()
    if command:
        (commands,) = (each for each in found._actions if isinstance(each, argparse._SubParsersAction))
        found = commands.choices[command]
    form = found.formatter_class
    found.formatter_class = lambda prog: form(prog, width=84)  # type: ignore[assignment,return-value]
    return found.format_help().rstrip()


def notebook_page(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a tutorial with what its cells print and draw, and add its notebook and pictures to the site.

    Raises:
        CellExecutionError: a cell fails, which ends the build.
    """
    notebook = executed(markdown)
    name = posixpath.splitext(posixpath.basename(page.file.src_uri))[0]
    folder = posixpath.dirname(page.file.src_uri)
    body, resources = MarkdownExporter().from_notebook_node(
        notebook, {"unique_key": name, "output_files_dir": f"{name}_files"}
    )
    made: dict[str, Any] = {f"{name}.ipynb": nbformat.writes(notebook), **resources["outputs"]}
    for file, content in made.items():
        files.append(File.generated(config, posixpath.join(folder, file), content=content))
    title, _, rest = body.strip().partition("\n")
    rest = pictures(rest.replace('<table border="1" class="dataframe">', "<table>"))  # data frames like other tables
    return f"{title}\n\n[Download this page as a notebook]({name}.ipynb), with outputs.\n{rest}"


def executed(markdown: str) -> nbformat.NotebookNode:
    """Return a tutorial as a notebook, with the outputs of its cells."""
    notebook = jupytext.reads(markdown, fmt="md")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    with tempfile.TemporaryDirectory() as folder:
        # Sockets in the file system: cells and outputs cannot be read from the network.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/kernel"}})
        NotebookClient(notebook, timeout=LONGEST, kernel_name="python3", config=config).execute()
    return notebook


def pictures(markdown: str) -> str:
    """Return a page whose pictures have a text for those who cannot see them: the heading above each."""
    heading, lines = "", []
    for line in markdown.split("\n"):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        lines.append(line.replace("![png]", f"![Figure: {heading}]"))
    return "\n".join(lines)
