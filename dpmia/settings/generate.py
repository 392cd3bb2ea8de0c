"""Writes what is derived from the schema: `config.schema.json` and `docs/settings.md`.

Run `python -m dpmia.settings.generate` after an edit of settings; a test says when that was forgotten.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dpmia.common.registry import load
from dpmia.privacy.valid_combinations import VALID_ACCOUNTING
from dpmia.settings import names
from dpmia.settings.attackers import (
    AttackSettings,
    Collusion,
    LeaveOneOutSettings,
    PerRecordSettings,
    ReferenceModels,
    Shadows,
)
from dpmia.settings.config import Audit, Config, Planner
from dpmia.settings.experiment import Arm, Blind, Experiment, ExperimentEntry, ExperimentFile
from dpmia.settings.membership import ARM_KEYS, MEMBERSHIP_KEYS, Membership
from dpmia.settings.own_data import OwnData
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.predictions import Predictions
from dpmia.settings.studies import LinearGenerator, Regression
from dpmia.settings.training import ArmTraining, Model, Privacy, StatedMechanism, Training

#: The dialect of JSON schema that pydantic writes; Snakemake needs it named.
DIALECT = "https://json-schema.org/draft/2020-12/schema"

ROOT = Path(__file__).parent.parent.parent


def config_schema() -> str:
    """Return the JSON schema of `config.yaml`, which Snakemake checks against."""
    return json.dumps({"$schema": DIALECT, **Config.model_json_schema()}, indent=2) + "\n"


def settings_page() -> str:
    """Return the documentation of every key in Markdown."""
    parts = [
        "# Settings",
        "Made from `dpmia/settings/` by `python -m dpmia.settings.generate`.",
        *(_section(title, model) for title, model in SECTIONS),
        _membership(),
        _accounting(),
        _attacks(),
    ]
    return "\n\n".join(parts) + "\n"


SECTIONS = (
    ("config.yaml", Config),
    ("plan", Planner),
    ("audit", Audit),
    ("experiments/*.yaml", ExperimentFile),
    ("experiments.<name>, beside the keys of an experiment", ExperimentEntry),
    ("An experiment", Experiment),
    ("dataset, a file of your own", OwnData),
    ("membership", Membership),
    ("arms.<name>", Arm),
    ("arms.<name>.training", ArmTraining),
    ("model", Model),
    ("training", Training),
    ("privacy", Privacy),
    ("privacy.mechanisms.<epsilon>", StatedMechanism),
    ("precision_budgets", PrecisionBudgets),
    ("blind", Blind),
    ("shadows", Shadows),
    ("references", ReferenceModels),
    ("collusion", Collusion),
    ("attacks.<name>", AttackSettings),
    ("per_record", PerRecordSettings),
    ("per_record.leave_one_out", LeaveOneOutSettings),
    ("predictions.<name>", Predictions),
    ("studies.<name>, kind linear_generator", LinearGenerator),
    ("studies.<name>, kind regression", Regression),
)


def _membership() -> str:
    """Return a table of the keys of each kind of membership experiment, and of its arms."""
    rows = [
        [f"`{kind}`", *map(_listed, (*MEMBERSHIP_KEYS[kind], *ARM_KEYS[kind]))] for kind in names.MEMBERSHIP.built_in
    ]
    return _table(
        "Kinds of membership experiments",
        "Keys of `membership` and of each arm, beside those that all arms may have: `model`, `training`, `epsilons`.",
        ("kind", "needs", "may have", "each arm needs", "each arm may have"),
        rows,
    )


def _accounting() -> str:
    """Return a table of what a finite epsilon may be accounted by."""
    return _table(
        "Valid accounting",
        "What a finite epsilon may rest on (engine `command` states its own): no theorem covers other combinations.",
        ("training.sampling", "privacy.relation", "privacy.accountant"),
        [[f"`{word}`" for word in combination] for combination in VALID_ACCOUNTING],
    )


def _attacks() -> str:
    """Return a table of all kinds of attacks, with the first line of what stands in their code."""
    rows = []
    for kind, attack in names.ATTACKS.built_in.items():
        definition = load(attack.spec)
        defaults = {name: option.default for name, option in inspect.signature(definition).parameters.items()}
        options = (f"{name}: {defaults[name]}" for name in attack.options)
        summary = (inspect.getdoc(definition) or "").partition("\n\n")[0]
        fewest = str(attack.fewest or "")
        rows.append([f"`{kind}`", _listed(attack.uses), fewest, _listed(options), " ".join(summary.split())])
    columns = ("kind", "uses", "least `references.count`", "options with defaults", "what it does")
    return _table("Kinds of attacks", "Values of the key `kind` of an attack.", columns, rows)


def _listed(terms: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in sorted(terms))


def _table(title: str, sentence: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a section that is a table, with a sentence above it."""
    lines = [f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows)]
    return "\n".join([f"## {title}", "", sentence, "", *lines])


def _section(title: str, model: type[BaseModel]) -> str:
    rows = []
    schema = model.model_json_schema()
    for name, field in schema["properties"].items():
        meaning = " ".join(field.get("description", "").split()).replace("|", r"\|")  # which would end a cell
        default = "required" if name in schema.get("required", []) else f"`{json.dumps(field.get('default'))}`"
        if "$ref" in field:
            default = "see below" if name not in schema.get("required", []) else default
        rows.append((f"`{name}`", _value(field), default, meaning))
    title = re.sub(r"[\w.]*<\w+>[\w.]*|\w+/\*\.yaml", r"`\g<0>`", title)  # else Markdown takes it for HTML or emphasis
    sentence = " ".join((model.__doc__ or "").split())
    return _table(title, sentence, ("key", "value", "default", "meaning"), rows)


def _value(field: dict[str, Any], plural: str = "") -> str:
    """Return the type and range of a key in words; of the items of a list with `plural`, the ending."""
    for several in ("anyOf", "oneOf"):
        if several in field:
            return " or ".join(_value(option, plural) for option in field[several])
    if "enum" in field:
        return ", ".join(f"`{word}`" for word in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field:
        return f"mapping{plural}"
    kind = field.get("type", "any")
    if kind == "array":
        return f"list{plural} of {_value(field['items'], 's')}"
    limits = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    bounds = [f"{sign} {field[name]}" for name, sign in limits.items() if name in field]
    name = {"object": "mapping"}.get(kind, kind)
    return " ".join([name if kind in ("any", "null") else name + plural, *bounds])


def main() -> None:
    """Write both files."""
    (ROOT / "dpmia/settings/config.schema.json").write_text(config_schema(), encoding="utf-8")
    (ROOT / "docs/settings.md").write_text(settings_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
