"""Where the workflow is: in the checkout, or in the installed package."""

from __future__ import annotations

from pathlib import Path

from dpmia.common.errors import UserError

LIBRARY = Path(__file__).parent.parent


def workflow_root() -> Path:
    """Return the folder with the Snakefile, the rules, the scripts and the experiments.

    Raises:
        UserError: the package was installed without them.
    """
    for folder in (LIBRARY.parent, LIBRARY / "_workflow"):
        if (folder / "Snakefile").is_file() and (folder / "rules").is_dir():
            return folder
    raise UserError(str(LIBRARY), "the workflow is missing beside the library", "Install dpmia again")
