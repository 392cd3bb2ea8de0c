"""An audit of a LightningModule of the user's own, with differential privacy and without, and one that is refused."""

import json

import pytest
from own_folder import OwnFolder

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
def own(tmp_path):
    return OwnFolder(tmp_path, SETTINGS, own_py=MODULE)


@pytest.mark.slow  # runs of their own
def test_a_lightning_module_is_audited_with_privacy_and_without(own):
    run = own.audit()
    assert run.returncode == 0, run.stdout
    report = json.loads(own.report("json"))
    assert {row["epsilon"] for row in report["results"]} == {"1", "inf"}
    private = [row for row in report["results"] if row["epsilon"] == "1"]
    assert all(0 < row["ceiling"] < row["bound"] < 1 for row in private)
    page = own.report("html")
    assert "own model Mine (own.py)" in page
    (own.path / "own.py").write_text(MODULE.replace("x + 0.1", "x + x.mean(0) + 0.1"))
    refused = own.audit()
    assert refused.returncode != 0
    assert "training_step: the gradient of a record changes with another record of the batch" in refused.stdout
    assert "Traceback" not in refused.stdout
