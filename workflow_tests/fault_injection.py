"""Faults at each effect of a run, one after the other: kills, a full disk, clocks that jump."""

from __future__ import annotations

import json
from pathlib import Path

INJECTED = Path(__file__).with_name("injected")


class Faults:
    """What happens to a run, and at which of its effects it has happened already.

    Each run meets a fault at the first effect at which none before it has: started again and again, it goes on where it
    was, and gets to its end when every effect has had its fault.
    """

    def __init__(self, folder: Path, root: Path, mode: str, among: str = "") -> None:
        """Plan faults.

        Args:
            folder: for notes, outside of `root`.
            root: of the run; what happens elsewhere is no effect.
            mode: `list` (nothing happens), `kill` (the whole process group), `full` (from there on the disk has no
                space, until `space`), or `clock`.
            among: pattern of the effects that count, such as `os.rename results/`.
        """
        self.folder = folder
        folder.mkdir()
        plan = {"root": f"{root.resolve()}/", "mode": mode, "among": among}
        (folder / "plan.json").write_text(json.dumps(plan))

    @property
    def environment(self) -> dict[str, str]:
        """What to add to the environment of the run."""
        return {"PYTHONPATH": str(INJECTED), "DPMIA_TEST_FAULTS": str(self.folder)}

    @property
    def met(self) -> list[str]:
        """The effects that have had their fault, in this order."""
        file = self.folder / "met"
        return file.read_text().splitlines() if file.exists() else []

    def space(self) -> None:
        """Let the disk have space again."""
        (self.folder / "full").unlink(missing_ok=True)
