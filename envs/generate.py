"""Writes `envs/dpmia.yaml` from `pyproject.toml` and `constraints.txt`: `make lock` runs it.

The environment holds what jobs import: all that the extra `workflow` needs, at the tested versions, but for Snakemake,
which stays outside and starts the jobs.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: A requirement: its name, and the extras of it.
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,]+)\])?")

#: What runs jobs is no part of the environment that they run in.
OUTSIDE = ("snakemake",)


def normal(name: str) -> str:
    """Return a name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def versions() -> dict[str, str]:
    """Return the tested version of each package, by normal name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    return {normal(name): version for name, _, version in (line.partition("==") for line in lines)}


def required(extra: str | None) -> list[str]:
    """Return the names of what an extra needs, or the core where None, in the order of `pyproject.toml`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: list[str] = []
    for line in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        name, extras = REQUIREMENT.match(line).groups()  # type: ignore[union-attr]
        found += [each for inner in extras.split(",") for each in required(inner)] if name == "dpmia" else [name]
    return found


def environment() -> str:
    """Return the environment for conda."""
    names = sorted({*required(None), *required("workflow")} - {*OUTSIDE}, key=normal)
    pinned = versions()
    # torch first: what the others need of it is then there.
    names.sort(key=lambda name: name != "torch")
    lines = ["# Made from pyproject.toml and constraints.txt by `make lock`.", "name: dpmia"]
    lines += ["channels: [conda-forge, nodefaults]", "dependencies:", "  - python=3.11", "  - pip", "  - pip:"]
    lines += [f"      - {name}=={pinned[normal(name)]}" for name in names]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (ROOT / "envs/dpmia.yaml").write_text(environment(), encoding="utf-8")
