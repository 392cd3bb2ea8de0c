"""The pages for data owners and for those who extend the project, followed word by word."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from dpmia.settings.generate import ROOT
from dpmia.settings.resolve import make_plan

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"`((?:dpmia|experiments)/[\w/]+\.(?:py|yaml))`:\n\n```\w+\n(.*?)```", re.DOTALL)

AUDIT = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
EXTEND = (ROOT / "docs/extend.md").read_text(encoding="utf-8")


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page) if kind == language]


@pytest.fixture
def clinic(tmp_path):
    """Return a folder with a table like that of the page, and the settings of the page."""
    shutil.copy(ROOT / "examples/patients.csv", tmp_path / "clinic.csv")
    first, without_groups, predictions = map(yaml.safe_load, blocks(AUDIT, "yaml"))
    return tmp_path, first, without_groups, predictions


def planned(folder, settings, **config):
    (folder / "clinic.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return make_plan({"data": "real", "experiments": ["clinic.yaml"], **config}, folder)


def test_the_settings_of_the_audit_page_are_right(clinic):
    folder, first, without_groups, predictions = clinic
    plan = planned(folder, first)
    assert list(plan.audits.values()) == [("clinic",)]
    assert list(plan.experiments["clinic"].arms) == ["north", "south"]
    del first["defaults"]["dataset"]["group"]
    plan = planned(folder, first | {"defaults": first["defaults"] | without_groups})
    assert list(plan.experiments["clinic"].arms) == ["iid"]
    for name in ("answers.csv", "other_1.csv", "other_2.csv"):
        (folder / name).touch()
    assert list(planned(folder, predictions).audits.values()) == [("released_model",)]


def test_other_models_of_the_audit_page_are_right(clinic):
    folder, first, *_ = clinic
    models = [yaml.safe_load(text) for text in re.findall(r"(\{kind:\s[^}]+\})", AUDIT) if "kind: group" not in text]
    models = [model for model in models if model["kind"] not in ("iid", "mlp")]
    assert len(models) == 3
    for model in models:
        first["experiments"]["clinic"] = {
            "model": model,
            "training": yaml.safe_load(re.search(r"`training: (\{engine.*?\})`", AUDIT)[1]),
            "epsilons": yaml.safe_load(re.search(r"`epsilons: (\[\[inf\]\])`", AUDIT)[1]),
        }
        assert planned(folder, first).experiments["clinic"].model.kind == model["kind"]


def test_the_limits_of_the_audit_page_are_right(clinic):
    folder, first, *_ = clinic
    (audit,) = re.findall(r"'audit=(\{.*\})'", AUDIT)
    plan = planned(folder, first, audit=yaml.safe_load(audit))
    assert plan.config.audit.fail_above == {"tpr_at_1pct_fpr": 0.05}


FOLLOW = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from in_process import prepare, run
from dpmia.registry import load
from dpmia.settings import generate, names
from dpmia.settings.resolve import make_plan
from dpmia.tables import read_table
generate.main()
folder = Path.cwd()
plan = make_plan({"scale": "smoke", "experiments": ["experiments/coins.yaml"]}, folder)
load(names.STAND_INS["coins"])(folder / "raw", 1, "smoke")
coins = plan.experiments["coins"]
dataset = prepare(coins, folder / "raw")
summary = read_table(run("coins", coins, dataset, folder / "out")["summary"])
print(dataset.provenance["stand_in"], sorted(coins.arms), sorted(set(summary["attack"])))
"""


@pytest.mark.slow  # starts a Python of its own on a copy of the library
def test_the_examples_of_the_other_page_run(tmp_path):
    shutil.copytree(ROOT / "dpmia", tmp_path / "dpmia", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("experiments", "docs"):
        (tmp_path / folder).mkdir()
    named = dict(NAMED.findall(EXTEND))
    assert len(named) == 5
    for file, text in named.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    sources = tmp_path / "dpmia/datasets/sources.csv"
    sources.write_text(sources.read_text(encoding="utf-8") + blocks(EXTEND, "csv")[0], encoding="utf-8")
    lines = blocks(EXTEND, "text")
    file = tmp_path / "dpmia/settings/names.py"
    text = file.read_text(encoding="utf-8")
    for name, line in zip(("ATTACKS", "DATASETS", "STAND_INS", "MODELS", "CLASSIFIERS"), lines, strict=True):
        start = re.search(rf"^{name} = [({{]\n", text, re.MULTILINE).end()
        text = text[:start] + line + text[start:]
    file.write_text(text, encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, "-c", FOLLOW, str(ROOT / "workflow_tests/unit")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    told = "True ['north', 'south'] ['average_threshold', 'model', 'sureness']"
    assert answer.stdout.strip().endswith(told), answer.stdout
    assert "`sureness`" in (tmp_path / "docs/settings.md").read_text(encoding="utf-8")
