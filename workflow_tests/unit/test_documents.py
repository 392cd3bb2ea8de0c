"""The pages for data owners and for those who extend the project, followed word by word."""

import inspect
import re
import shutil
import subprocess
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from claim_worlds import World, verdict
from in_process import prepare
from settings_samples import changed

import dpmia
from dpmia.common.errors import ConfigError, TrainingError
from dpmia.common.registry import load
from dpmia.formats.recipe import Recipe
from dpmia.jobs.drawing import Canaries
from dpmia.papers.humphries import artifacts as humphries
from dpmia.papers.humphries.claims import fig3
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.splits.batches import check_batches
from dpmia.splits.block import draw_block
from dpmia.splits.drawn_sizes import of_splits
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.roles.references import train_references
from dpmia.training.roles.targets import train_block
from dpmia.training.run import Run, Seeds

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"`((?:dpmia|experiments|workflow_tests)/[\w/]+\.(?:py|toml|yaml))`:\n\n```\w+\n(.*?)```", re.DOTALL)

AUDIT = "\n".join((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("audit", "limits", "predictions"))
EXTEND = (ROOT / "docs/extend.md").read_text(encoding="utf-8")


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page) if kind == language]


@pytest.fixture
def clinic(tmp_path):
    """Return a folder with a table like that of the page, and the settings of the page."""
    shutil.copy(ROOT / "examples/patients.csv", tmp_path / "clinic.csv")
    first, without_groups, worst_case, predictions = map(yaml.safe_load, blocks(AUDIT, "yaml"))
    return tmp_path, first, without_groups, worst_case, predictions


def planned(folder, settings, **config):
    (folder / "clinic.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return make_plan({"data": "real", "experiments": ["clinic.yaml"], **config}, folder)


def test_the_settings_of_the_audit_page_are_right(clinic):
    folder, first, without_groups, worst_case, predictions = clinic
    plan = planned(folder, first)
    assert list(plan.audits.values()) == [("clinic",)]
    assert list(plan.experiments["clinic"].arms) == ["island", "north", "south"]
    assert reference_jobs.groups(plan.experiments["clinic"]) == plan.experiments["clinic"].epsilons
    del first["defaults"]["dataset"]["group"]
    plan = planned(folder, first | {"defaults": first["defaults"] | without_groups})
    assert list(plan.experiments["clinic"].arms) == ["iid"]
    planted = planned(folder, first | {"defaults": first["defaults"] | worst_case}).experiments["clinic"]
    assert jobs.prepare_job(planted).canaries == Canaries(50, ["mislabelled", "outlier"])
    assert len(prepare(planted, folder)) >= planted.membership.records
    for name in ("predictions.csv", "other_1.csv", "other_2.csv"):
        (folder / name).touch()
    assert list(planned(folder, predictions).audits.values()) == [("released_model",)]


@pytest.mark.slow  # trains the models of an audit
def test_the_example_of_the_audit_page_fits_a_small_table(clinic, small_table):
    folder, first, *_ = clinic
    (folder / "clinic.csv").write_text(small_table, encoding="utf-8")
    mine = planned(folder, first).experiments["clinic"]
    assert jobs.groups(mine) == {"north": "North", "south": "South", "st_mary_s": "St. Mary's"}
    dataset = prepare(mine, folder)
    job = jobs.split_job(mine, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, 1)
    sizes = of_splits(splits, jobs.batch_job(mine).arms, len(dataset))
    assert {arm: size.training for arm, size in sizes.items()} == {"north": 37, "south": 40, "st_mary_s": 23}
    check_batches(sizes, jobs.batch_job(mine), "clinic")
    short = mine.model_copy(update={"training": mine.training.model_copy(update={"epochs": 1})})
    signals = train_block(dataset, splits, jobs.train_job(short, mine.epsilons[0], 0), 1)
    assert len(signals) == len(splits) * 3
    (group,) = reference_jobs.groups(short)
    losses = train_references(dataset, None, splits, reference_jobs.job(short, group, 0), 1)
    assert {card.epsilon for references in losses for card in references.cards} == {"1", "10", "inf"}
    with pytest.raises(ConfigError, match=r'arm st_mary_s, group "St\. Mary\'s"'):
        planned(folder, changed(first, "defaults.training.batch_size", 32))


def test_other_models_of_the_audit_page_are_right(clinic):
    folder, first, *_ = clinic
    models = [yaml.safe_load(text) for text in re.findall(r"(\{kind:\s[^}]+\})", AUDIT) if "kind: group" not in text]
    models = [model for model in models if model["kind"] not in ("iid", "bernoulli", "mlp")]
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
    limits = [
        planned(folder, first, audit=yaml.safe_load(audit)).config.audit.fail_above
        for audit in re.findall(r"'audit=(\{.*\})'", AUDIT)
    ]
    assert limits == [{"tpr_at_1pct_fpr": 0.05}, {"auc": 0.6}]


def test_the_attack_of_the_other_page_is_typed_and_passes_its_test(monkeypatch):
    named = dict(NAMED.findall(EXTEND))
    module = ModuleType("dpmia.attacks.sureness")
    exec(named["dpmia/attacks/sureness.py"], vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for function in (module.Sureness.__init__, module.Sureness.scores, module.Sureness.decisions):
        assert len(function.__annotations__) == len(inspect.signature(function).parameters)
    example = {}
    exec(named["workflow_tests/unit/attacks/test_sureness.py"], example)
    example["test_the_more_confident_half_is_predicted_member"]()


def test_the_smallest_parts_of_the_other_page_run_from_their_files(tmp_path, monkeypatch):
    page = EXTEND.partition("**In a package**")[0]
    for name, text in zip(("my_attack.py", "my_draws.py"), blocks(page, "python"), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    split = load("my_draws.py:draw")(np.zeros(50), np.random.default_rng(0), members=10, nonmembers=15)
    assert [len(part) for part in (split.members, split.nonmembers, split.population, split.validation)] == [
        10,
        15,
        25,
        0,
    ]
    assert load("my_attack.py:MyAttack")(share=0.25).decisions(None, np.arange(100.0)).sum() == 25


def test_the_network_of_the_other_page_is_trained_by_the_engine_that_the_page_names():
    example = {}
    exec(dict(NAMED.findall(EXTEND))["dpmia/models/normalised.py"], example)
    architecture, recipe = example["normalised"](5, 2, None), Recipe("adam", 0.01, 10, 2, sampling="shuffle")
    with pytest.raises(TrainingError, match=r"BatchNorm1d.*GroupNorm"):
        OpacusEngine.check(architecture, recipe, "model one")
    PlainEngine.check(architecture, recipe, "model one")
    x, y = torch.rand(40, 5), torch.arange(40) % 2
    engine = PlainEngine(architecture, recipe, [Run("one", np.arange(40), Seeds(1, 2, 3))], x, y)
    engine.advance(engine.steps)
    assert np.isfinite(engine.tally.mean_losses()).all()
    assert engine.outputs_of(0, engine.parameters()[0], x).isfinite().all()


def test_the_claim_of_the_other_page_has_its_criterion_and_falls_with_its_test_line(tmp_path):
    section = EXTEND.partition("## A claim")[2]
    row, line = blocks(section, "python")
    names = vars(fig3).copy()
    exec("\n".join(re.findall(r"`(from [^`]+)`", section)), names)
    claim = eval(row, names)
    assert f'"{claim.criterion}"' in " ".join(section.split())
    ((name, (experiment, value, arm, epsilon, attack)),) = eval(line.partition("|= ")[2], names).items()
    assert claim.id == name
    means = {(arm + iid, epsilon, attack, "advantage"): 0.1 if iid else 0.5 for iid in ("", "-iid")}
    world = World({experiment: means})
    assert verdict(claim, world, tmp_path) == "reproduced"
    assert verdict(claim, world.bent(experiment, value, arm, epsilon, attack), tmp_path) == "not reproduced"


def test_the_table_of_the_other_page_is_an_artifact():
    section = EXTEND.partition("## A figure, a table, a paper")[2].partition("## An engine")[0]
    module, row = blocks(section, "python")
    names = vars(humphries).copy()
    artifact = eval(row, names)
    assert artifact.tabulate == "dpmia.papers.humphries.strongest:tabulate"
    exec(module, names)
    columns = ["experiment", "arm", "epsilon", "attack", "metric", "oracle", "mean", "low", "high"]
    attacks = [("random", True, 0.3), ("lira", False, 0.2), ("average_threshold", False, 0.1), ("blind", False, 0.9)]
    rows = [("heart", "va", 1.0, attack, "advantage", oracle, mean, 0, 1) for attack, oracle, mean in attacks]
    table = names["tabulate"]({artifact.tables[0]: pd.DataFrame(rows, columns=columns)}, None)
    assert table.to_dict("records") == [dict(zip(table, ("heart", "va", 1.0, "lira", 0.2, 0, 1), strict=True))]


FOLLOW = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from in_process import prepare, run
from dpmia.common.registry import load
from dpmia.settings import generate, names
from dpmia.planning.plan import make_plan
from dpmia.formats.tables import read_table
generate.main()
folder = Path.cwd()
plan = make_plan({"scale": "smoke", "experiments": ["experiments/coins.yaml"]}, folder)
load(names.SYNTHETIC["coins"])("coins", folder / "raw", 1, "smoke")
coins = plan.experiments["coins"]
dataset = prepare(coins, folder / "raw")
summary = read_table(run("coins", coins, dataset, folder / "out").summary)
print(dataset.provenance.synthetic, sorted(coins.arms), sorted(set(summary["attack"])))
"""


# where each line that the page shows as text belongs, in the order of the page
TABLES = (
    ("dpmia/settings/names.py", "_ATTACKS"),
    ("dpmia/settings/names.py", "_DATASETS"),
    ("dpmia/workflow/training_work.py", "SIZES"),
    ("dpmia/settings/names.py", "_MODELS"),
    ("dpmia/settings/names.py", "CLASSIFIERS"),
)


@pytest.mark.slow  # starts a Python of its own on a copy of the library
def test_the_examples_of_the_other_page_run(tmp_path):
    shutil.copytree(ROOT / "dpmia", tmp_path / "dpmia", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("experiments", "docs"):
        (tmp_path / folder).mkdir()
    named = dict(NAMED.findall(EXTEND))
    assert len(named) == 8
    (tmp_path / "workflow_tests/unit/attacks").mkdir(parents=True)
    for file, text in named.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    sources = tmp_path / "dpmia/datasets/raw/sources.csv"
    sources.write_text(sources.read_text(encoding="utf-8") + blocks(EXTEND, "csv")[0], encoding="utf-8")
    for (module, name), line in zip(TABLES, blocks(EXTEND, "text"), strict=True):
        file = tmp_path / module
        text = file.read_text(encoding="utf-8")
        start = re.search(rf"^{name}(?:: .+)? = [({{]\n", text, re.MULTILINE).end()
        file.write_text(text[:start] + line + text[start:], encoding="utf-8")
    response = subprocess.run(
        [sys.executable, "-c", FOLLOW, str(ROOT / "workflow_tests/unit")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert response.returncode == 0, response.stderr
    reported = "True ['north', 'south'] ['average_threshold', 'model', 'sureness']"
    assert response.stdout.strip().endswith(reported), response.stdout
    assert "`sureness`" in (tmp_path / "docs/settings.md").read_text(encoding="utf-8")


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md")


@pytest.mark.parametrize("name", [str(page.relative_to(ROOT)) for pages in PAGES for page in sorted(ROOT.glob(pages))])
def test_links_between_pages_lead_somewhere(name):
    page = ROOT / name
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if link.startswith("http"):
            continue
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_paths_that_the_architecture_page_names_exist():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:dpmia|rules|workflow_tests|experiments)/[\w/.*]+)`", page):
        assert any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists(), path
    for name in re.findall(r"`(\w+\.py)`", page.partition("## Where to put a change")[0].partition("## From raw")[2]):
        assert (ROOT / "scripts" / name).is_file(), name
    for name in re.findall(r"`(dpmia(?:\.\w+){2,})`", page):
        module, _, attribute = name.rpartition(".")
        if not (ROOT / name.replace(".", "/")).is_dir() and not (ROOT / f"{name.replace('.', '/')}.py").is_file():
            assert callable(load(f"{module}:{attribute}")), name


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    released = re.findall(r"^## (\d+\.\d+\.\d+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert (dpmia.__version__, str(citation["date-released"])) == released[0]
    assert citation["version"] == dpmia.__version__
