"""An audit of a training program of the user's own that is not Python: from an empty folder to the page."""

import json

import pytest
from own_folder import OwnFolder

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
def own(tmp_path):
    return OwnFolder(tmp_path, SETTINGS, near_awk=PROGRAM)


@pytest.mark.slow  # runs of their own
def test_a_program_is_audited_and_an_edit_trains_again(own):
    first = own.audit()
    assert first.returncode == 0, first.stdout
    report = json.loads(own.report("json"))
    private = [row for row in report["results"] if row["epsilon"] == "1"]
    assert {row["attack"] for row in private} == {"average_threshold", "lira_offline"}
    assert all(row["bound"] > 0 and row["ceiling"] is None for row in private)
    page = own.report("html")
    assert "rogram near.awk with epsilon 1 (stated by the user)" in page
    assert "train_" not in own.audit("--dry-run").stdout
    (own.path / "near.awk").write_text(PROGRAM.replace("1e-9", "1e-8"))
    planned = own.audit("--dry-run").stdout
    assert "train_block" in planned
    assert "train_references" in planned
    assert "draw_splits" not in planned
    (own.path / "near.awk").write_text('BEGIN { print "no data" > "/dev/stderr"; exit 3 }')
    failed = own.audit()
    assert failed.returncode == 2
    assert "ended with exit code 3. It printed last:\n    no data\nTo try it by hand, type in " in failed.stdout
    assert "Traceback" not in failed.stdout
