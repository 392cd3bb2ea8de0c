"""The pages on a user's own model and own training program, followed word by word."""

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
import yaml
from in_process import prepare
from settings_samples import changed
from sklearn.datasets import load_digits

from dpmia.common.command_line import fill, split_command
from dpmia.common.errors import TrainingError
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.models.building import build
from dpmia.planning import jobs
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.settings.own_program import PLACEHOLDERS
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.private_lightning import PrivateLightningEngine

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
TRAINING = (ROOT / "docs/own_training.md").read_text(encoding="utf-8")
MODEL = (ROOT / "docs/own_model.md").read_text(encoding="utf-8")


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page) if kind == language]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder in which the page is followed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def with_program(folder):
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "train.py").write_text(blocks(TRAINING, "python")[0], encoding="utf-8")
    (folder / "train.R").write_text(blocks(TRAINING, "r")[0], encoding="utf-8")
    return folder


def planned(folder, name, settings):
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return make_plan({"experiments": [f"{name}.yaml"]}, folder).experiments[name]


def test_the_settings_of_the_program_are_right(with_program):
    first, mechanism, other = map(yaml.safe_load, blocks(TRAINING, "yaml"))
    mine = planned(with_program, "mine", first)
    assert list(jobs.models(mine)["iid"].shape["files"]) == ["train.py"]
    runs = 4 * 2 + mine.references.count * 2
    assert f"{runs} times in all" in TRAINING.replace("\n", " ")
    with_mechanism = planned(with_program, "mine", changed(first, "experiments.mine.privacy", mechanism["privacy"]))
    privacy = with_mechanism.noise_calibration
    assert privacy.accounting(1.0, jobs.recipes(mine)["iid"], 200).noise_multiplier == 5.5
    experiment = {key: value for key, value in first["experiments"]["mine"].items() if key != "privacy"} | other
    assert list(
        jobs.models(planned(with_program, "mine", {"paper": "audit", "experiments": {"mine": experiment}}))[
            "iid"
        ].shape["files"]
    ) == ["train.R"]


def test_the_page_describes_every_placeholder():
    for name in PLACEHOLDERS:
        assert f"`{{{name}}}`" in TRAINING


@pytest.fixture
def exchanged(with_program):
    """Return numbers for the placeholders, for records of the example."""
    settings = planned(with_program, "mine", yaml.safe_load(blocks(TRAINING, "yaml")[0]))
    dataset = prepare(settings, with_program / "examples")
    x, y = dataset.inputs(), dataset.y
    np.savez("train.npz", x=x[:100], y=y[:100])
    np.savez("query.npz", x=x[:150])
    names = [f"x{number}" for number in range(x.shape[1])]
    for file, columns, header in (
        ("train.csv", np.column_stack([x, y])[:100], [*names, "y"]),
        ("query.csv", x[:150], names),
    ):
        np.savetxt(file, columns, "%.9g", ",", header=",".join(header), comments="")
    return {"seed": "3", "delta": "1e-5", "classes": "2"}


def run(command, values, form):
    files = {"train": f"train.{form}", "query": f"query.{form}", "outputs": f"outputs.{form}"}
    arguments = fill(split_command(command), values | files)
    program = sys.executable if arguments[0] == "python" else arguments[0]
    subprocess.run([program, "-W", "ignore", *arguments[1:]] if program != arguments[0] else arguments, check=True)


@pytest.mark.slow  # imports Opacus, in a process of its own
@pytest.mark.parametrize("epsilon", ["1", "inf"])
def test_the_python_program_writes_probabilities(exchanged, epsilon):
    first = yaml.safe_load(blocks(TRAINING, "yaml")[0])
    run(first["experiments"]["mine"]["training"]["command"], exchanged | {"epsilon": epsilon}, "npz")
    with np.load("outputs.npz") as archive:
        outputs = archive["outputs"]
    assert outputs.shape == (150, 2)
    np.testing.assert_allclose(outputs.sum(axis=1), 1, atol=1e-5)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed; tests of the engine run awk instead")
def test_the_r_program_writes_probabilities(exchanged):
    run(yaml.safe_load(blocks(TRAINING, "yaml")[2])["training"]["command"], exchanged, "csv")
    outputs = np.loadtxt("outputs.csv", delimiter=",", skiprows=1)
    assert outputs.shape == (150, 2)
    np.testing.assert_allclose(outputs.sum(axis=1), 1, atol=1e-5)


@pytest.fixture
def with_network(folder):
    images, *models = blocks(MODEL, "python")
    exec(images, {})
    (folder / "cnn.py").write_text("\n\n".join(models), encoding="utf-8")
    return folder


def test_the_network_of_the_page_is_trained_by_opacus_on_the_images_of_the_page(with_network):
    settings, *others = map(yaml.safe_load, blocks(MODEL, "yaml"))
    mine = planned(with_network, "digits", settings)
    dataset = prepare(mine, with_network)
    assert dataset.image == (1, 8, 8)
    np.testing.assert_allclose(dataset.inputs()[0], load_digits().data[0] / 16)
    (model,) = jobs.models(mine).values()
    architecture = build(model, len(dataset.features), len(dataset.classes), dataset.image)
    OpacusEngine.check(architecture, jobs.recipes(mine)["iid"].of(True), "model one")
    for other in others:
        experiment = settings["experiments"]["digits"] | other
        mine = planned(with_network, "digits", {"paper": "audit", "experiments": {"digits": experiment}})
        (model,) = jobs.models(mine).values()
        build(model, len(dataset.features), len(dataset.classes), dataset.image)
        assert mine.training.engine in ("lightning", "scikit_learn")


def test_the_error_of_the_page_is_the_one_that_is_printed(with_network):
    code = (with_network / "cnn.py").read_text(encoding="utf-8").replace("8 * width, outputs", "4 * width, outputs")
    (with_network / "wrong.py").write_text(code, encoding="utf-8")
    _, shown = blocks(MODEL, "text")
    with pytest.raises(Exception, match="mat1 and mat2") as failed:
        build(Architecture("wrong.py:CNN", {"width": 16}), 64, 10, (1, 8, 8))
    line, shape = (re.search(pattern, shown)[1] for pattern in (r"line (\d+)", r"\((2, 1, 8, 8)\)"))
    assert f"line {line}, records of shape ({shape}): RuntimeError: mat1 and mat2" in str(failed.value)


def test_the_module_of_the_page_is_trained_privately_and_one_that_mixes_records_is_refused(with_network):
    code = (with_network / "cnn.py").read_text(encoding="utf-8")
    (with_network / "mixing.py").write_text(code.replace("(self(shifted)", "(self(shifted - shifted.mean(0))"))
    x, y = (torch.from_numpy(values) for values in (load_digits().data.astype(np.float32) / 16, load_digits().target))
    recipe, where = Recipe("its own", 0.1, 40, 20), "model iid/epsilon 1/replicate 0"
    for file in ("cnn.py", "mixing.py"):
        architecture = build(Architecture(f"{file}:Augmented", {}), 64, 10, (1, 8, 8))
        PrivateLightningEngine.check(architecture, recipe, where)
        if file == "cnn.py":
            PrivateLightningEngine.try_out(architecture, recipe, where, x, y)
    with pytest.raises(TrainingError) as refused:
        PrivateLightningEngine.try_out(architecture, recipe, where, x, y)
    assert blocks(MODEL, "text")[0] == f"Error in train_block: {refused.value}\n"
