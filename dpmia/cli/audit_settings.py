"""What `dpmia audit` and `dpmia attack` share: the settings of an audit, its name, its limits."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dpmia.common.epsilon import parse_epsilon
from dpmia.common.errors import UserError
from dpmia.common.files import is_file
from dpmia.formats.provenance import SYNTHETIC_MARK, marked_synthetic
from dpmia.metrics.intervals import FEWEST
from dpmia.metrics.ranking import LOW_RATES
from dpmia.settings.base import Scale
from dpmia.settings.config import LIMITED
from dpmia.settings.own_data import name_of_file

#: An option that takes several values, which may also be given by naming it several times.
SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend"}

#: Names of settings files that are no audit's.
TAKEN = ("config", "plan")

#: Metrics that limits of a command may be for: of one model there is no blind baseline, and no interval of a TPR.
LIMITED_BY = {
    "audit": LIMITED,
    "attack": tuple(metric for metric in LIMITED if not metric.endswith("_excess") and metric not in LOW_RATES),
}


@dataclass(frozen=True)
class AuditSettings:
    """Settings that a command line stands for, and how to run them.

    Attributes:
        file: where the settings belong, in the working folder.
        settings: plain data.
        scale: to run them at.
        limits: the key `audit` of the config; empty without any limit.
    """

    file: Path
    settings: dict[str, Any]
    scale: Scale
    limits: dict[str, Any]

    def config(self, file: Path) -> dict[str, Any]:
        """Return the config of the run, with the settings in a file.

        Its models are those of the options, whatever `config.yaml` says of models: those keys are null.
        """
        config = {"data": "real", "scale": self.scale, "experiments": [str(file)], "epsilons": None, "engine": None}
        return config | ({"audit": self.limits} if self.limits else {})

    def run(self, file: Path) -> list[str]:
        """Return what Snakemake is to run, with the settings in a file."""
        config = self.config(file)
        return ["audit", "--config", *(f"{key}={_in_one_line(value)}" for key, value in config.items())]


def add_shared(parser: argparse.ArgumentParser, command: str, table: str) -> None:
    """Add the options of both commands.

    Args:
        parser: of the command.
        command: `audit` or `attack`.
        table: what the table is, for the help.
    """
    parser.add_argument("table", metavar="TABLE", help=table)
    parser.add_argument(
        "--limit",
        **SEVERAL,
        default=[],
        metavar="METRIC=VALUE",
        help=f"exit with 1 unless attacks are shown to keep it: {', '.join(LIMITED_BY[command])}",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a settings file that was edited")
    parser.add_argument("--dry-run", action="store_true", help="print what would run, and write no settings")


def audit_settings(options: argparse.Namespace, name: str, settings: dict[str, Any]) -> AuditSettings:
    """Return the settings of an audit with the limits that options name.

    Raises:
        UserError: a limit is wrong, or the report could not evaluate it.
    """
    given = [_limit(text, options.command) for text in options.limit]
    if twice := [metric for metric, count in Counter(metric for metric, _ in given).items() if count > 1]:
        raise UserError("dpmia, --limit", f"{twice[0]} has two limits", "Give one")
    _refuse_unevaluated(options, [metric for metric, _ in given])
    if options.limit_epsilon and not given:
        raise UserError("dpmia audit, --limit-epsilon", "there is no limit", "Add one: --limit auc=0.6")
    only = [epsilon_of(text, "--limit-epsilon") for text in options.limit_epsilon]
    limits = {"fail_above": dict(given), "epsilons": only or None} if given else {}
    return AuditSettings(Path(f"{name}.yaml"), settings, options.scale, limits)


def table_path(path: str) -> Path:
    """Return the path of a table as settings name it: from the working folder where it lies below.

    Raises:
        UserError: it is no file, or one with synthetic records.
    """
    file = Path(path)
    if file.is_dir():
        raise UserError(path, "a folder, not a table", "Name the file")
    if not is_file(file):
        raise UserError(path, "there is no such file", f"Paths start at {Path.cwd()}")
    if marked_synthetic(file.parent):
        remedy = "If they are real, remove that file; if not, write settings for it: docs/audit.md, step 2"
        raise UserError(path, f"its records are synthetic, as {SYNTHETIC_MARK} beside it says", remedy)
    whole = file.absolute()
    return whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole


def audit_name(table: Path) -> str:
    """Return the name of the audit of a table: that of the data set.

    It names the file of its settings, too, which must be none that dpmia reads or writes under that name.
    """
    name = name_of_file(str(table))
    return f"data_{name}" if name in TAKEN else name


def epsilon_of(text: str, option: str = "--epsilon") -> float | str:
    """Return the epsilon of an option as settings hold it.

    Raises:
        UserError: it is none.
    """
    try:
        epsilon = parse_epsilon(text)
    except ValueError as error:
        remedy = f"Separate values by spaces: {option} 1 10" if "," in text else ""
        raise UserError(f"dpmia, {option}", str(error), remedy) from error
    return "inf" if epsilon == float("inf") else int(epsilon) if epsilon.is_integer() else epsilon


def _in_one_line(value: Any) -> str:
    """Return a value as Snakemake's `--config` takes it: YAML in one line."""
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf).removesuffix("...\n").strip()


def _limit(text: str, command: str) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if metric not in LIMITED or not 0 <= number <= 1:
        remedy = f"Write METRIC=VALUE with a value from 0 to 1 and one of {', '.join(LIMITED_BY[command])}"
        raise UserError("dpmia, --limit", f"{text!r} is no limit", remedy)
    return metric, number


def _refuse_unevaluated(options: argparse.Namespace, metrics: Sequence[str]) -> None:
    """Refuse limits that the report could not evaluate, before anything is trained."""
    trained = options.command == "audit"
    for metric in metrics:
        where = f"dpmia {options.command}, --limit {metric}"
        if metric.endswith("_excess") and not (trained and options.group):
            problem = "there is no blind baseline, as members and non-members are of no groups"
            raise UserError(where, problem, f"Limit {metric.removesuffix('_excess')}")
        if not trained and metric in LOW_RATES:
            raise UserError(where, "a TPR of one model has no limits of confidence here", "Limit auc or advantage")
        if trained and (options.scale == "smoke" or options.replicates < FEWEST):
            remedy = f"Give --replicates {FEWEST} or more, and no --scale smoke"
            raise UserError(where, f"fewer than {FEWEST} replicates give no limits of confidence", remedy)
