"""The rules of an audit alone: answers that are given, and limits that end the command with an error."""

from __future__ import annotations

import json

import pytest
from files import Files

from dpmia.evaluation.summary import UNCERTAINTY
from dpmia.formats.rows import KEYS
from dpmia.formats.signals import load_signals
from dpmia.formats.tables import read_table
from dpmia.settings import names
from dpmia.workflow.failures import read_failure

OVER = {"metric": "auc", "value": 0.7, "low": 0.65, "high": 0.75, "limit": 0.6} | {
    "attack": "lira", "experiment": "mine", "arm": "a", "epsilon": "1",
}  # fmt: skip
LIMITS = {
    "fail_above": {"auc": 0.6}, "epsilons": None, "error": 0.05, "held": {"means": [], "not_evaluated": {}},
    "exceeded": [], "undecided": [], "verdict": "passed",
}  # fmt: skip


def check(run_script, folder, **limits):
    (folder / "audit.json").write_text(json.dumps({"limits": LIMITS | limits}))
    run_script(
        "check_audit", Files(), input=Files(html=[str(folder / "audit.html")], json=[str(folder / "audit.json")])
    )


def test_an_audit_within_its_limits_ends_well(run_script, tmp_path, capsys):
    check(run_script, tmp_path)
    assert "audit.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("limits", "exit_code", "phrases"),
    [({"exceeded": [OVER]}, 1, ["above a limit: auc 0.700 [0.650, 0.750] of lira, limit 0.6 (mine, a, epsilon 1)."]),
     ({"exceeded": [OVER] * 7, "undecided": [OVER]}, 1, ["; and 2 more."]),
     ({"undecided": [OVER]}, 1, ["not shown to be within a limit, nor above it: auc 0.700 ", "snakemake decide"]),
     ({"held": {"means": [], "not_evaluated": {"tpr_at_1pct_fpr": "too few (a)"}}, "undecided": [OVER]}, 2,
      ["for every model: tpr_at_1pct_fpr: too few (a). Add"])],
)  # fmt: skip
def test_an_audit_above_a_limit_fails_and_says_why(run_script, tmp_path, limits, exit_code, phrases):
    with pytest.raises(SystemExit) as caught:
        check(run_script, tmp_path, **limits)
    failure = read_failure("check_audit", tmp_path / "check_audit.log")
    assert caught.value.code == failure.exit_code == exit_code
    for phrase in phrases:
        assert phrase in failure.message


@pytest.mark.parametrize(
    "limits", [{"exceeded": [{}]}, {"undecided": 3}, {"held": {}}, {"held": {"means": [], "not_evaluated": 3}}]
)
def test_a_damaged_report_is_refused(run_script, tmp_path, limits):
    with pytest.raises(SystemExit):
        check(run_script, tmp_path, **limits)
    assert (
        "audit.json: it is no report of an audit" in read_failure("check_audit", tmp_path / "check_audit.log").message
    )


def test_outputs_become_signals_and_tables(run_script, tmp_path):
    rows = [f"{0.5 + i / 100:.2f},{0.5 - i / 100:.2f},no,{'yes' if i % 2 else 'no'}" for i in range(40)]
    (tmp_path / "model.csv").write_text("\n".join(["p0,p1,label,member", *rows]) + "\n")
    settings = {
        "path": str(tmp_path / "model.csv"), "label": "label", "member": "member", "epsilon": "inf",
        "classes": {"no": "p0", "yes": "p1"}, "scale": "probabilities", "references": [], "same_pool": True,
        "population": [],
    }  # fmt: skip
    outputs = {name: tmp_path / f"{name}.csv" for name in ("replicates", "summary")}
    outputs |= {name: tmp_path / f"{name}.npz" for name in ("signals", "references")}
    attacks = {"average_threshold": {"attack": names.ATTACKS["average_threshold"].spec, "options": {}}}
    run_script(
        "attack_predictions",
        Files(**outputs),
        params={"settings": settings, "attacks": attacks, "seed": 1},
        wildcards={"predictions": "mine"},
    )
    (signal,) = load_signals(outputs["signals"])
    assert signal.is_member.sum() == 20
    summary = read_table(outputs["summary"])
    assert list(summary.columns) == [*KEYS, "mean", "low", "high", "replicates", *UNCERTAINTY]
    auc = summary.query("attack == 'average_threshold' and metric == 'auc'").iloc[0]
    assert auc["mean"] == pytest.approx(0.525)  # a member of each pair of neighbours is the surer one
    assert auc["low"] < auc["mean"] < auc["high"]
