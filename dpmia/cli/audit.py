"""`dpmia audit`: a table and a few options become settings, on which the target `audit` runs."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from pathlib import Path
from typing import Any

from dpmia.cli.audit_settings import (
    SEVERAL,
    AuditSettings,
    add_shared,
    audit_name,
    audit_settings,
    epsilon_of,
    table_path,
)
from dpmia.common.errors import UserError
from dpmia.common.limits import MOST_MODELS
from dpmia.common.registry import suggestion
from dpmia.datasets.own.files import Fields, fields_of, known_column
from dpmia.settings.base import LARGEST, SCALES

#: Records of a group that has an arm, at least; a batch fits into half of them.
SMALLEST, BATCH = 40, 16

#: Share of the records that are members, and non-members, where there are no groups.
SHARE = 0.25

#: What a trial at scale smoke is cut down to.
SMOKE_EPOCHS, SMOKE_REPLICATES, SMOKE_REFERENCES = 2, 2, 4

#: Models that are trained where the command names none.
EPSILONS, HIDDEN = ("1", "10", "inf"), [64, 64]


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dpmia audit`."""
    add_shared(parser, "audit", "a CSV or Parquet file with a row of column names")
    parser.add_argument("--label", required=True, help="column to predict")
    parser.add_argument("--positive", help="value of the label that is class 1; without it each value is a class")
    parser.add_argument("--group", help="column that says how records were collected: hospital, school")
    parser.add_argument("--drop", **SEVERAL, default=[], metavar="COLUMN", help="columns to exclude from the features")
    parser.add_argument(
        "--epsilon", **SEVERAL, help=f"epsilon of each model; inf is without privacy (default: {' '.join(EPSILONS)})"
    )
    parser.add_argument(
        "--hidden",
        **SEVERAL,
        type=_positive,
        metavar="N",
        help=f"widths of hidden layers (default: {' '.join(map(str, HIDDEN))})",
    )
    parser.add_argument("--epochs", type=_positive, default=60, help="passes over the training set (default: 60)")
    parser.add_argument("--replicates", type=_replicates, default=4, help="models of each kind (default: 4)")
    parser.add_argument(
        "--scale", choices=SCALES, default="laptop", help="smoke: a short trial, which is no result (default: laptop)"
    )
    parser.add_argument(
        "--limit-epsilon",
        **SEVERAL,
        default=[],
        help="epsilon of each model that --limit is for (default: all of --epsilon)",
    )


def audit(options: argparse.Namespace) -> AuditSettings:
    """Return the settings of an audit."""
    table = table_path(options.table)
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
    name = audit_name(table)
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
    epsilons = _each_once([epsilon_of(text) for text in options.epsilon or EPSILONS])
    for limited in [epsilon_of(text, "--limit-epsilon") for text in options.limit_epsilon]:
        if limited not in epsilons:
            available = ", ".join(map(str, epsilons))
            raise UserError("dpmia audit, --limit-epsilon", f"no model has epsilon {limited}", f"They have {available}")
    experiment = {"model": model, "epsilons": [epsilons]}
    settings = {"paper": "audit", "defaults": defaults, "scales": {"smoke": smoke}, "experiments": {name: experiment}}
    return audit_settings(options, name, settings)


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


def _each_once(epsilons: list[float | str]) -> list[float | str]:
    if twice := [epsilon for epsilon, count in Counter(epsilons).items() if count > 1]:
        raise UserError("dpmia audit, --epsilon", f"{twice[0]} is given more than once", "Name it once")
    return epsilons
