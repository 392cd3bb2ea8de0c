"""An audit of a training program of the user's own that is not Python: from an empty folder to the page."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from workspace import REPOSITORY

#: The nearest mean of a class, by the first two features, in awk.
PROGRAM = r"""
BEGIN { FS = "," }
FNR == 1 { file++; next }
file == 1 { count[$NF]++; for (i = 1; i <= 2; i++) sum[$NF, i] += $i; next }
{
    if (FNR == 2) print "no,yes" > out
    for (k = 0; k < 2; k++) {
        far[k] = 1e-9
        for (i = 1; i <= 2; i++) far[k] += ($i - sum[k, i] / count[k]) ^ 2
    }
    printf "%.9f,%.9f\n", far[1] / (far[0] + far[1]), far[0] / (far[0] + far[1]) > out
}
"""

SETTINGS = """
paper: audit
experiments:
  mine:
    dataset: {path: own.npz}
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    training:
      engine: command
      command: awk -v epsilon={epsilon} -v out={outputs} -f near.awk {train} {query}
      format: csv
    privacy: {delta: 1.0e-5, relation: add_remove}
    epsilons: [[1, inf]]
    replicates: 3
    block: 3
    references: {count: 2, block: 2}
    attacks: {average_threshold: {}, lira_offline: {}}
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    np.savez(tmp_path / "own.npz", x=rng.normal(size=(300, 3)) + y[:, None], y=y)
    (tmp_path / "near.awk").write_text(PROGRAM)
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
def test_a_program_is_audited_and_an_edit_trains_again(folder):
    first = audit(folder)
    assert first.returncode == 0, first.stdout
    found = json.loads((folder / "results/real-smoke/audit-mine.json").read_text())
    private = [each for each in found["results"] if each["epsilon"] == "1"]
    assert {each["attack"] for each in private} == {"average_threshold", "lira_offline"}
    assert all(each["bound"] > 0 and each["ceiling"] is None for each in private)
    page = (folder / "results/real-smoke/audit-mine.html").read_text()
    assert "rogram near.awk with epsilon 1 (stated by the user)" in page
    assert "train_" not in audit(folder, "--dry-run").stdout
    (folder / "near.awk").write_text(PROGRAM.replace("1e-9", "1e-8"))
    planned = audit(folder, "--dry-run").stdout
    assert "train_block" in planned
    assert "train_references" in planned
    assert "draw_splits" not in planned
    (folder / "near.awk").write_text('BEGIN { print "no data" > "/dev/stderr"; exit 3 }')
    failed = audit(folder)
    assert failed.returncode == 2
    assert "ended with exit code 3. It printed last:\n    no data\nTo try it by hand, type in " in failed.stdout
    assert "Traceback" not in failed.stdout
