"""`dpmia init`: a working folder of one's own."""

from __future__ import annotations

import argparse
import shlex
import shutil
from pathlib import Path

from dpmia.common.errors import UserError
from dpmia.workflow.root import workflow_root

#: What a working folder starts with.
PARTS = ("config.yaml", "experiments", "examples/patients.csv", "examples/SYNTHETIC.txt")


def init(options: argparse.Namespace) -> None:
    """Make a working folder with the settings of the workflow, all of them to edit.

    Raises:
        UserError: the folder is a file, holds something, or cannot be made.
    """
    folder, root = Path(options.folder), workflow_root()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(str(folder), "it exists and is not an empty folder", "Name a new one")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(str(folder), f"it cannot be made ({error.strerror})", "Name another one") from None
    for part in PARTS:
        source, target = root / part, folder / part
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)
    print(f"Wrote {folder / 'config.yaml'} and {folder / 'experiments'}. Next:")
    print(
        f"  cd {shlex.quote(str(folder))}\n  dpmia run --config scale=smoke     # every figure, at the smallest scale"
    )
