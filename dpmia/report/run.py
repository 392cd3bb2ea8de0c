"""What a run made and what it took, read from its files: models and their privacy guarantees, data, costs, versions."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from dpmia.common.reading.arrays import header_of
from dpmia.common.reading.source import made
from dpmia.datasets.raw.sources import all_raw_files
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.privacy.record import GuaranteeRow
from dpmia.workflow.costs import spent_by
from dpmia.workflow.homes import TRAINED_BY, split_home

#: Installed packages whose version is reported.
PACKAGES = (
    *("dpmia", "torch", "opacus", "pytorch-lightning", "dp-accounting", "numpy", "scipy", "pandas"),
    *("scikit-learn", "matplotlib", "snakemake"),
)

#: The fields of a privacy guarantee, as stored beside each model.
GUARANTEE = tuple(field.name for field in fields(GuaranteeRow))


def model_table(folder: Path, logs: Path, files: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Return one row for each group of models of one experiment, role and privacy guarantee.

    Args:
        folder: of the run.
        logs: of the run's jobs.
        files: experiment -> files of models, those that are not there are left out.

    Returns:
        Columns experiment, role, engine, private, the fields of `GUARANTEE` (missing without privacy), models,
        model_steps, seconds (CPU time of the jobs, shared among the models of a file by their steps, or by their number
        where none takes steps; NaN where a log does not state it).
    """
    rows = []
    for experiment, paths in files.items():
        for path in map(Path, paths):
            if path.is_file():
                rows += _models(experiment, folder, logs, path)
    columns = ["experiment", "role", "engine", "private", *GUARANTEE]
    table = pd.DataFrame(rows, columns=[*columns, "models", "model_steps", "seconds"])
    sums = {"models": "sum", "model_steps": "sum", "seconds": lambda spent: spent.sum(skipna=False)}
    return table.groupby(columns, dropna=False, sort=False).agg(sums).reset_index()


def _models(experiment: str, folder: Path, logs: Path, path: Path) -> list[list[Any]]:
    """Return the groups of models of one file, each as a row."""
    models = header_of(path)["models"]
    models = [model for entry in models for model in (entry if isinstance(entry, list) else [entry])]
    home, below = split_home(path.relative_to(folder).with_suffix(".log"))
    stage, *rest = below.parts
    spent = spent_by(logs / home / TRAINED_BY[stage] / Path(*rest))
    seconds = spent.startup + spent.work if spent else float("nan")
    steps: Counter[tuple[Any, ...]] = Counter()
    count: Counter[tuple[Any, ...]] = Counter()
    for card in map(ModelCard.from_plain, models):
        guarantee = card.guarantee
        values = astuple(guarantee) if guarantee else (None,) * len(GUARANTEE)
        key = (card.role, card.engine, guarantee is not None, *values)
        steps[key] += card.steps or 0
        count[key] += 1
    shares = steps if any(steps.values()) else count
    whole = sum(shares.values())
    return [[experiment, *key, count[key], steps[key], seconds * shares[key] / whole] for key in steps]


def data_table(prepared: Mapping[str, str]) -> pd.DataFrame:
    """Return the raw files behind prepared data sets.

    Args:
        prepared: path of a prepared data set -> name of the data set; those that are not there are left out.

    Returns:
        Columns dataset, file, rows, bytes, sha256 (of what was read, uncompressed), verified (whether that is the
        checksum of the published file; None where none is known, or the file is synthetic), licence, homepage.
    """
    published = {(raw.dataset, raw.file): raw for raw in all_raw_files()}
    rows: dict[tuple[str, str], list[Any]] = {}
    for path, dataset in prepared.items():
        if not Path(path).is_file():
            continue
        with made(path).faults("its provenance is damaged", ", header"):
            origin = Provenance.from_plain(header_of(path)["provenance"])
            for file in origin.files:
                raw = published.get((dataset, file.name))
                algorithm, _, digest = (raw.checksum if raw else "").partition(":")
                verified = None if origin.synthetic or not digest else file.checksum(algorithm) == digest
                terms = [raw.licence, raw.homepage] if raw else ["", ""]
                rows[dataset, file.name] = [file.rows, file.bytes, file.sha256, verified, *terms]
    columns = ["dataset", "file", "rows", "bytes", "sha256", "verified", "licence", "homepage"]
    return pd.DataFrame([[*key, *values] for key, values in sorted(rows.items())], columns=columns)


def versions() -> dict[str, str]:
    """Return the versions of Python and of what the numbers rest on, and what the machine is."""
    versions = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed as a package"
    return versions | {"machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"}
