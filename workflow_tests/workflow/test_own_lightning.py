"""An audit of a LightningModule of the user's own, with differential privacy and without, and one that is refused."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from workspace import REPOSITORY

MODULE = """
import pytorch_lightning as pl
import torch
from torch.nn.functional import cross_entropy


class Mine(pl.LightningModule):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(inputs, 16), torch.nn.ReLU(), torch.nn.Linear(16, outputs))

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        x, y = batch
        self.log("loss", 0.0)
        return cross_entropy(self(x + 0.1 * torch.randn_like(x)), y)

    def configure_optimizers(self):
        optimiser = torch.optim.Adam(self.parameters(), 0.05)
        return [optimiser], [torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=10)]
"""

SETTINGS = """
paper: audit
experiments:
  mine:
    dataset: {path: own.npz}
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    model: {kind: "own.py:Mine"}
    training: {engine: lightning, batch_size: 10, epochs: 10}
    epsilons: [[1, inf]]
    replicates: 3
    block: 3
    attacks: {average_threshold: {}}
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    np.savez(tmp_path / "own.npz", x=rng.normal(size=(300, 3)) + y[:, None], y=y)
    (tmp_path / "own.py").write_text(MODULE)
    (tmp_path / "mine.yaml").write_text(SETTINGS)
    return tmp_path


def audit(folder, *options):
    command = [sys.executable, "-c", "from dpmia.cli.main import main; main()", "run", "audit", "--cores", "2"]
    return subprocess.run(
        [*command, *options, "--config", "data=real", "scale=smoke", "experiments=[mine.yaml]"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SLURM_CONF": os.devnull, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )


@pytest.mark.slow  # runs of their own
def test_a_lightning_module_is_audited_with_privacy_and_without(folder):
    run = audit(folder)
    assert run.returncode == 0, run.stdout
    found = json.loads((folder / "results/real-smoke/audit-mine.json").read_text())
    assert {each["epsilon"] for each in found["results"]} == {"1", "inf"}
    private = [each for each in found["results"] if each["epsilon"] == "1"]
    assert all(0 < each["ceiling"] < each["bound"] < 1 for each in private)
    page = (folder / "results/real-smoke/audit-mine.html").read_text()
    assert "own model Mine (own.py)" in page
    (folder / "own.py").write_text(MODULE.replace("x + 0.1", "x + x.mean(0) + 0.1"))
    refused = audit(folder)
    assert refused.returncode != 0
    assert "training_step: the gradient of a record changes with another record of the batch" in refused.stdout
    assert "Traceback" not in refused.stdout
