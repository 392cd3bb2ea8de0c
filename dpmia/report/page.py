"""The frame of all pages: one self-contained HTML file for screens, phones, paper and screen readers.

A page is a template of the folder `templates` that extends `page.html` and takes its pieces from `parts.html`: figure
cards, tables, verdicts, notices. It needs no network: styles, script, pictures and downloads are in it.
"""

from __future__ import annotations

import base64
import gzip
import io
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from PIL import Image

from dpmia.common.formatting import MISSING, format_percent, format_size
from dpmia.common.reading.source import made

TEMPLATES = Path(__file__).with_name("templates")

#: A file that takes more bytes in the page is named and not embedded, so that the page opens at once.
LARGEST_DOWNLOAD = 200_000

#: Endings of files that stand beside the page and not inside of it: it holds the same pictures, and stays small.
BESIDE = (".pdf", ".svg")

#: A file that gzip shrinks to less than this share stands in the page compressed; the page's script unpacks it.
WORTH_PACKING = 0.7

_LABELS = {".md": "Markdown"}

#: Colours that a picture keeps: charts have few.
COLOURS = 128

#: Pixels of the screen for one pixel of a picture: 125 for an inch of a figure, sharp on fine screens too.
SCALE = 0.625


@dataclass(frozen=True)
class Picture:
    """A picture inside a page.

    Attributes:
        uri: the picture itself, as a data URI.
        alt: text for those who do not see it.
        width: in pixels of the screen.
        height: the same.
    """

    uri: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True)
class Download:
    """A file that a reader can save.

    Attributes:
        label: what the reader clicks on: `CSV`, `PDF`.
        name: the file's name.
        size: as text.
        uri: the file itself, as a data URI; empty for a file that stands beside the page.
        path: where the file stands beside the page.
        packed: whether the data URI holds the file compressed by gzip.
    """

    label: str
    name: str
    size: str
    uri: str
    path: str
    packed: bool


@dataclass(frozen=True)
class Section:
    """An entry of the table of contents.

    Attributes:
        id: of the element that it leads to.
        title: its words.
        parts: entries below it.
    """

    id: str
    title: str
    parts: Sequence[Section] = ()


def render(template: str, *, title: str, sections: Sequence[Section], **content: Any) -> str:
    """Return a whole page.

    Args:
        template: its name in `templates`, for instance `report.html`.
        title: of the page: its head, its first heading and its tab.
        sections: the table of contents.
        content: what the template takes besides: `subtitle`, `mark` (a warning that goes with the title, such as
            synthetic data), and whatever its own blocks name. A name that is missing is an error.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["missing"] = MISSING
    environment.filters["percent"] = format_percent
    return environment.get_template(template).render(title=title, sections=sections, **content)


def picture(path: Path | str, alt: str) -> Picture:
    """Return a PNG as a picture of a page, with as few bytes as keep every line and letter sharp.

    Args:
        path: of the PNG.
        alt: text for those who do not see it.
    """
    with made(path).faults("not readable as a picture"), Image.open(path) as full:
        width, height = full.size
        few = full.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).convert("RGB")
    buffer = io.BytesIO()
    few.save(buffer, "WEBP", lossless=True, quality=75, method=4)
    return Picture(_uri(buffer.getvalue(), "image/webp"), alt, round(width * SCALE), round(height * SCALE))


def download(path: Path | str, beside: Path | str) -> Download:
    """Return a file as a download, inside the page unless it is large or one of `BESIDE`.

    Args:
        path: of the file.
        beside: folder of the page, in or below which the file stands.
    """
    path = Path(path)
    content = path.read_bytes()
    small = gzip.compress(content, mtime=0)
    packed = len(small) < WORTH_PACKING * len(content)
    kind = "application/gzip" if packed else mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    held = small if packed else content
    uri = "" if path.suffix in BESIDE or len(held) > LARGEST_DOWNLOAD else _uri(held, kind)
    label = _LABELS.get(path.suffix, path.suffix[1:].upper())
    return Download(label, path.name, format_size(len(content)), uri, str(path.relative_to(beside)), packed)


def _uri(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
