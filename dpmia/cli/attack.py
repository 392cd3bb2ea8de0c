"""`dpmia attack`: tables of predictions and a few options become settings, on which the target `audit` runs."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dpmia.attacks.needs import are_uneven, lacking_models
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
from dpmia.datasets.own.files import fields_of, known_column, shortened
from dpmia.evaluation.predictions import memberships
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION
from dpmia.settings import names

#: Prefix of the columns of predictions that name their class.
PREFIX = "p_"


def add_attack(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dpmia attack`."""
    add_shared(
        parser, "attack", "predictions: a row for each record, with its label, membership and a column for each class"
    )
    parser.add_argument("--label", default="label", help="column of the true class (default: label)")
    parser.add_argument("--member", default="member", help="column with yes, no or population (default: member)")
    parser.add_argument(
        "--classes", **SEVERAL, metavar="CLASS=COLUMN", help="columns of the classes; those named p_<class> if left out"
    )
    parser.add_argument("--logits", action="store_true", help="the columns hold logits, not probabilities")
    parser.add_argument(
        "--references",
        **SEVERAL,
        default=[],
        metavar="FILE",
        help="tables of the same rows, one for each reference model",
    )
    parser.add_argument(
        "--epsilon", default="inf", help="epsilon of the model, if known; for the report only (default: inf)"
    )
    parser.add_argument(
        "--same-pool", action="store_true", help="members and non-members were drawn from one pool at random"
    )
    parser.set_defaults(scale="laptop", limit_epsilon=[])  # predictions are of one model, the same at every scale


def attack(options: argparse.Namespace) -> AuditSettings:
    """Return the settings of attacks on predictions."""
    table = table_path(options.table)
    name = audit_name(table)
    references = [table_path(file) for file in options.references]
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
        "epsilon": epsilon_of(options.epsilon),
        "attacks": {kind: {} for kind in _attacks(table, references, options.member)},
    }
    return audit_settings(options, name, {"paper": "audit", "predictions": {name: predictions}})


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
        if kind.by_default
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
