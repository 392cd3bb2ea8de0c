"""The YAML that a command writes before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dpmia.common.errors import UserError
from dpmia.common.files import whole_file


def write_settings(path: Path, settings: Any, comment: str, overwrite: bool = False) -> None:
    """Write settings with a comment above them.

    Args:
        path: of the file.
        settings: plain data.
        comment: one line.
        overwrite: whether another content may be replaced.

    Raises:
        UserError: the file has another content, which may be the user's edit.
    """
    written = yaml.safe_dump(settings, sort_keys=False, width=110, allow_unicode=True, default_flow_style=None)
    text = f"# {comment}\n{written}"
    if path.exists() and not overwrite and path.read_text(encoding="utf-8").partition("\n")[2] != written:
        remedy = "Run the command in its first line to use it as it is, or add --overwrite to replace it"
        raise UserError(str(path), "the file exists and has other settings", remedy)
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
    print(f"Wrote {path}")
