"""Attackers' models that the users of one cache share: of which experiments, and trained with which libraries."""

from __future__ import annotations

import json
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dpmia.common.errors import PlaceError, UserError
from dpmia.common.files import whole_file
from dpmia.common.reading.source import made
from dpmia.planning import jobs
from dpmia.settings import names
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData

#: The variable that names the folder of the cache.
VARIABLE = "SNAKEMAKE_OUTPUT_CACHE"

#: Libraries whose versions change the numbers of a training. Snakemake's key of a file does not have them.
LIBRARIES = ("dp-accounting", "numpy", "opacus", "pandas", "pytorch-lightning", "scikit-learn", "scipy", "torch")

#: Their versions, in the folder of the cache.
VERSIONS = "dpmia-libraries.json"


def is_published(experiment: Experiment) -> bool:
    """Return whether data, models and membership of an experiment are all of this library, and none is a user's."""
    if isinstance(experiment.dataset, OwnData) or experiment.training.engine == names.COMMAND:
        return False
    parts = [names.MEMBERSHIP[experiment.membership.kind], *(model.build for model in jobs.models(experiment).values())]
    return all(part.startswith("dpmia.") for part in parts)


def check_cache(folder: Path) -> None:
    """Refuse a cache that other versions of libraries have filled; note the versions here in a new one.

    Raises:
        PlaceError: there is no such folder, or it is read-only.
        UserError: the versions are others.
    """
    if not folder.is_dir():
        raise PlaceError(f"{VARIABLE}={folder}", "there is no such folder", "Create it, writable for all of its users")
    if not os.access(folder, os.W_OK):
        # Snakemake looks only after a job, which then fails.
        raise PlaceError(f"{VARIABLE}={folder}", "it cannot be written to", "Change its permissions, or name another")
    file = folder / VERSIONS
    here = {library: _version(library) for library in LIBRARIES}
    if not file.exists():
        with whole_file(file) as part:
            part.write_text(json.dumps(here, indent=1) + "\n", encoding="utf-8")
        file.chmod(0o644)
    noted = made(file).json()
    if not isinstance(noted, dict):
        raise made(file).error("it holds no versions of libraries")
    if others := [f"{library} {noted.get(library)}, here {here[library]}" for library in here
                  if noted.get(library) != here[library]]:  # fmt: skip
        problem = f"its models were trained with other versions ({'; '.join(others)})"
        raise UserError(f"{VARIABLE}={folder}", problem, "Name another folder, or install those versions")


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
