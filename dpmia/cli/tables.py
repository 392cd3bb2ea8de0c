"""`dpmia audit` and `dpmia attack`: a table and a few options become settings, on which the target `audit` runs."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dpmia.attacks.needs import are_uneven, lacking_models
from dpmia.common.epsilon import parse_epsilon
from dpmia.common.errors import UserError
from dpmia.common.files import is_file
from dpmia.common.limits import MOST_MODELS
from dpmia.common.registry import suggestion
from dpmia.datasets.own.files import Fields, fields_of, known_column, shortened
from dpmia.evaluation.predictions import memberships
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION
from dpmia.metrics.intervals import FEWEST
from dpmia.metrics.ranking import LOW_RATES
from dpmia.planning.descriptions import NO_AUDIT
from dpmia.settings import names
from dpmia.settings.base import LARGEST, SCALES, Scale
from dpmia.settings.config import LIMITED

#: Records of a group that has an arm, at least; a batch fits into half of them.
SMALLEST, BATCH = 40, 16

#: Share of the records that are members, and non-members, where there are no groups.
SHARE = 0.25

#: What a trial at scale smoke is cut down to.
SMOKE_EPOCHS, SMOKE_REPLICATES, SMOKE_REFERENCES = 2, 2, 4

#: Models that are trained where the command names none.
EPSILONS, HIDDEN = ("1", "10", "inf"), [64, 64]

#: An option that takes several values, which may also be given by naming it several times.
SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend"}

#: Names of settings files that are no audit's.
TAKEN = ("config", "plan")

#: Prefix of the columns of predictions that name their class.
PREFIX = "p_"


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


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dpmia audit`."""
    _add_shared(parser, "a CSV or Parquet file with a row of column names")
    parser.add_argument("--label", required=True, help="column to predict")
    parser.add_argument("--positive", help="value of the label that is class 1; without it each value is a class")
    parser.add_argument("--group", help="column that says how records were collected: hospital, school")
    parser.add_argument("--drop", **SEVERAL, default=[], metavar="COLUMN", help="columns that are no features")
    parser.add_argument("--epsilon", **SEVERAL, help=f"of the models (default: {' '.join(EPSILONS)})")
    parser.add_argument("--hidden", **SEVERAL, type=_positive, metavar="N", help="widths of hidden layers")
    parser.add_argument("--epochs", type=_positive, default=60, help="passes over the training set (default: 60)")
    parser.add_argument("--replicates", type=_replicates, default=4, help="models of each kind (default: 4)")
    parser.add_argument("--scale", choices=SCALES, default="laptop", help="smoke: a short trial, which is no result")
    parser.add_argument(
        "--limit-epsilon", **SEVERAL, default=[], help="of the models that --limit is for (default: all of --epsilon)"
    )


def add_attack(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dpmia attack`."""
    _add_shared(parser, "predictions: a row for each record, with its label, membership and a column for each class")
    parser.add_argument("--label", default="label", help="column of the true class (default: label)")
    parser.add_argument("--member", default="member", help="column with yes, no or population (default: member)")
    parser.add_argument(
        "--classes", **SEVERAL, metavar="CLASS=COLUMN", help="columns of the classes; those named p_<class> if left out"
    )
    parser.add_argument("--logits", action="store_true", help="the columns hold logits, not probabilities")
    parser.add_argument("--references", **SEVERAL, default=[], metavar="FILE", help="the same of reference models")
    parser.add_argument("--epsilon", default="inf", help="of the model, if known; for the report only")
    parser.add_argument(
        "--same-pool", action="store_true", help="members and non-members were drawn from one pool at random"
    )
    parser.set_defaults(scale="laptop", limit_epsilon=[])  # predictions are of one model, the same at every scale


def audit(options: argparse.Namespace) -> AuditSettings:
    """Return the settings of an audit."""
    table = _table(options.table)
    if table.suffix.lower() == ".npz":
        remedy = "Write settings for it: docs/audit.md, step 2"
        raise UserError(str(table), "arrays have no columns that --label could name", remedy)
    fields = fields_of(table)
    for key, columns in (("label", [options.label]), ("group", [options.group]), ("drop", options.drop)):
        for column in columns:
            if column is not None:
                known_column(fields, column, f"--{key}")
    if options.positive is not None and options.positive not in (values := set(fields.columns[options.label])):
        problem = f"no row has the value {options.positive!r} of --positive"
        shown = f"Values: {', '.join(sorted(values)[:10])}"
        raise UserError(f"{table}, column {options.label!r}", problem, suggestion(options.positive, values) or shown)
    if options.group and options.group == options.label:
        raise UserError("dpmia audit, --group", f"{options.group!r} is the column of --label", "Name another column")
    _refuse_few(table, fields, options.group)
    name = _name(table)
    dataset: dict[str, Any] = {"path": str(table), "label": options.label}
    dataset |= {key: value for key in ("positive", "group", "drop") if (value := getattr(options, key))}
    members: dict[str, Any] = {
        "membership": {"kind": "iid", "members": SHARE, "nonmembers": SHARE, "population": 0.5, "most": 1000},
        "arms": {"iid": {}},
        "iid_arms": False,
    }
    if options.group:
        sizes = {"members": 0.5, "nonmembers": 0.5, "most": 1000, "smallest": SMALLEST}
        members = {"membership": {"kind": "group", **sizes}, "arms": "each group", "blind": {}}
    defaults = {
        "dataset": dataset,
        **members,
        "training": {"batch_size": BATCH, "epochs": options.epochs},
        "references": {"count": 12, "block": 12},
        "attacks": {"average_threshold": {}, "lira_offline": {}},
        "replicates": options.replicates,
        "block": options.replicates,
    }
    replicates = min(options.replicates, SMOKE_REPLICATES)
    smoke = {
        "training": {"epochs": min(options.epochs, SMOKE_EPOCHS)},
        "references": {"count": SMOKE_REFERENCES, "block": SMOKE_REFERENCES},
        "replicates": replicates,
        "block": replicates,
    }
    model = {"kind": "mlp", "hidden": options.hidden or HIDDEN}
    epsilons = _each_once([_epsilon(text) for text in options.epsilon or EPSILONS])
    for limited in [_epsilon(text, "--limit-epsilon") for text in options.limit_epsilon]:
        if limited not in epsilons:
            available = ", ".join(map(str, epsilons))
            raise UserError("dpmia audit, --limit-epsilon", f"no model has epsilon {limited}", f"They have {available}")
    experiment = {"model": model, "epsilons": [epsilons]}
    settings = {"paper": "audit", "defaults": defaults, "scales": {"smoke": smoke}, "experiments": {name: experiment}}
    return _settings(options, name, settings)


def attack(options: argparse.Namespace) -> AuditSettings:
    """Return the settings of attacks on predictions."""
    table = _table(options.table)
    name = _name(table)
    references = [_table(file) for file in options.references]
    classes = _classes(options.classes, table)
    fields = fields_of(table)
    named = {options.label: "--label", options.member: "--member", **dict.fromkeys(classes.values(), "--classes")}
    for column, option in named.items():
        known_column(fields, column, option)
    if none := [name for name in classes if name not in set(fields.columns[options.label])]:
        taken = shortened([classes[name] for name in none])
        note = f"no record has the label {shortened(none)}. If {taken} is no class, name all classes by --classes"
        print(f"Note: {table}: {note}", file=sys.stderr)
    predictions = {
        "path": str(table),
        "label": options.label,
        "member": options.member,
        "classes": classes,
        "scale": "logits" if options.logits else "probabilities",
        "references": [str(file) for file in references],
        **({"same_pool": True} if options.same_pool else {}),
        "epsilon": _epsilon(options.epsilon),
        "attacks": {kind: {} for kind in _attacks(table, references, options.member)},
    }
    return _settings(options, name, {"paper": "audit", "predictions": {name: predictions}})


def _attacks(table: Path, references: Sequence[Path], column: str) -> list[str]:
    """Return the attacks for which a model's outputs, population records and reference models suffice."""
    part, trained_on = memberships(table, references, column)
    is_member, is_nonmember = part == MEMBER, part == NONMEMBER
    if not (is_member.any() and is_nonmember.any()):
        return ["average_threshold"]  # the table is refused when it is read
    given = {"population"} if (part == POPULATION).any() else set()
    given |= {"references"} if references else set()
    without = (~trained_on).sum(axis=0)
    uneven = are_uneven(without[is_member], without[is_nonmember])
    return [
        name
        for name, kind in names.ATTACKS.built_in.items()
        if name not in NO_AUDIT
        and given >= {*kind.uses}
        and len(references) >= kind.fewest
        and not (
            "references" in kind.uses
            and (
                lacking_models(trained_on, is_member, is_nonmember, kind.each_side, kind.both_sides)
                or (kind.even_counts and uneven)
            )
        )
    ]


def _add_shared(parser: argparse.ArgumentParser, table: str) -> None:
    parser.add_argument("table", metavar="TABLE", help=table)
    parser.add_argument(
        "--limit",
        **SEVERAL,
        default=[],
        metavar="METRIC=VALUE",
        help=f"exit with 1 unless attacks are shown to keep it: {', '.join(LIMITED)}",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a settings file that was edited")
    parser.add_argument("--dry-run", action="store_true", help="print what would run, and write no settings")


def _settings(options: argparse.Namespace, name: str, settings: dict[str, Any]) -> AuditSettings:
    given = [_limit(text) for text in options.limit]
    if twice := [metric for metric, count in Counter(metric for metric, _ in given).items() if count > 1]:
        raise UserError("dpmia, --limit", f"{twice[0]} has two limits", "Give one")
    _refuse_unevaluated(options, [metric for metric, _ in given])
    if options.limit_epsilon and not given:
        raise UserError("dpmia audit, --limit-epsilon", "there is no limit", "Add one: --limit auc=0.6")
    only = [_epsilon(text, "--limit-epsilon") for text in options.limit_epsilon]
    limits = {"fail_above": dict(given), "epsilons": only or None} if given else {}
    return AuditSettings(Path(f"{name}.yaml"), settings, options.scale, limits)


def _in_one_line(value: Any) -> str:
    """Return a value as Snakemake's `--config` takes it: YAML in one line."""
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf).removesuffix("...\n").strip()


def _refuse_few(table: Path, fields: Fields, group: str | None) -> None:
    """Refuse a table that gives no batch of `BATCH` members."""
    remedy = "Add records, or write settings with smaller batches: docs/audit.md, step 2"
    if group is None:
        least = math.ceil(BATCH / SHARE)
        if len(fields.rows) < least:
            raise UserError(str(table), f"its {len(fields.rows)} records are fewer than {least}", remedy)
    elif (largest := Counter(fields.columns[group]).most_common(1)[0][1]) < SMALLEST:
        problem = f"its largest group has {largest} records, fewer than {SMALLEST}"
        raise UserError(f"{table}, column {group!r}", problem, remedy)


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


def _table(path: str) -> Path:
    """Return the path of a table as settings name it: from the working folder where it lies below."""
    file = Path(path)
    if file.is_dir():
        raise UserError(path, "a folder, not a table", "Name the file")
    if not is_file(file):
        raise UserError(path, "there is no such file", f"Paths start at {Path.cwd()}")
    if file.with_name(SYNTHETIC_MARK).exists():
        remedy = "If they are real, remove that file; if not, write settings for it: docs/audit.md, step 2"
        raise UserError(path, f"its records are synthetic, as {SYNTHETIC_MARK} beside it says", remedy)
    whole = file.absolute()
    return whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole


def _name(table: Path) -> str:
    """Return the name of an experiment for a table: lower-case letters, digits and underscores.

    It names the file of its settings, too, which must be none that dpmia reads or writes under that name.
    """
    stem = re.sub(r"\W+", "_", table.name.partition(".")[0].lower()).strip("_")
    stem = re.sub(r"[^a-z0-9_]", "", stem)
    return stem if re.match(r"[a-z]", stem) and stem not in TAKEN else f"table_{stem}".rstrip("_")


def _positive(text: str, most: int = LARGEST) -> int:
    """Return a positive integer, so that settings which would be refused are not written."""
    number = int(text) if text.isdecimal() and len(text) < len(str(LARGEST)) else 0
    if not 1 <= number <= most:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a positive integer{f' of at most {most}' * (most < LARGEST)}"
        )
    return number


def _replicates(text: str) -> int:
    return _positive(text, MOST_MODELS)


def _epsilon(text: str, option: str = "--epsilon") -> float | str:
    try:
        epsilon = parse_epsilon(text)
    except ValueError as error:
        remedy = f"Separate values by spaces: {option} 1 10" if "," in text else ""
        raise UserError(f"dpmia, {option}", str(error), remedy) from error
    return "inf" if epsilon == float("inf") else int(epsilon) if epsilon.is_integer() else epsilon


def _each_once(epsilons: list[float | str]) -> list[float | str]:
    if twice := [epsilon for epsilon, count in Counter(epsilons).items() if count > 1]:
        raise UserError("dpmia audit, --epsilon", f"{twice[0]} is given more than once", "Name it once")
    return epsilons


def _limit(text: str) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if metric not in LIMITED or not 0 <= number <= 1:
        remedy = f"Write METRIC=VALUE with a value from 0 to 1 and one of {', '.join(LIMITED)}"
        raise UserError("dpmia, --limit", f"{text!r} is no limit", remedy)
    return metric, number


def _classes(given: list[str] | None, table: Path) -> dict[str, str]:
    """Return the column of each class."""
    if given:
        pairs = [text.partition("=") for text in given]
        if wrong := [text for text, (_, sign, column) in zip(given, pairs, strict=True) if not sign or not column]:
            raise UserError("dpmia attack, --classes", f"{wrong[0]!r} has no column", "Write CLASS=COLUMN")
        if twice := [name for name, count in Counter(name for name, _, _ in pairs).items() if count > 1]:
            raise UserError("dpmia attack, --classes", f"the class {twice[0]!r} has two columns", "Name it once")
        if len(pairs) < 2:
            raise UserError("dpmia attack, --classes", f"{given[0]!r} is one class", "Name two classes at least")
        return {name: column for name, _, column in pairs}
    columns = list(fields_of(table).columns)
    classes = {column.removeprefix(PREFIX): column for column in columns if column.startswith(PREFIX)}
    if len(classes) < 2:
        problem = f"fewer than two columns of classes; columns: {', '.join(columns)}"
        remedy = f"Name them {PREFIX}<class>, or name each by --classes CLASS=COLUMN"
        if classes:
            (column,) = classes.values()
            remedy += f". Of two classes with probabilities, add a column of 1 - {column}"
        raise UserError(str(table), problem, remedy)
    return classes
