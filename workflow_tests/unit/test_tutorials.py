"""Tutorials, run as programs: what their texts say of the numbers holds. Warnings are errors."""

from __future__ import annotations

import jupytext
import matplotlib.pyplot as plt
import pytest

from dpmia.settings.generate import ROOT

TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))


def cells(name):
    notebook = jupytext.read(ROOT / f"docs/tutorials/{name}.md")
    return [cell["source"] for cell in notebook.cells if cell["cell_type"] == "code"]


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a tutorial and returns its variables."""
    monkeypatch.setattr(plt, "show", lambda: None)

    def run(name):
        names = {}
        for cell in cells(name):
            exec(compile(cell, name, "exec"), names)
        return names

    yield run
    plt.close("all")


def test_tutorials_have_short_cells_and_a_picture_and_say_that_their_data_are_synthetic():
    assert {file.stem for file in TUTORIALS} == {"groups", "logits", "opacus", "plan"}
    for file in TUTORIALS:
        source = cells(file.stem)
        assert max(cell.count("\n") for cell in source) < 25, file.stem
        assert sum(".plot" in cell or "axes" in cell for cell in source) >= 1, file.stem
        text = file.read_text(encoding="utf-8")
        assert "synthetic" in text or "Nothing is trained" in text, file.stem


@pytest.mark.slow  # trains nine networks
def test_attack_your_own_logits(run):
    names = run("logits")
    plain, stronger = names["results"]["average_threshold"], names["stronger"]["lira_offline"]
    assert plain.resolution == 1 / 500
    assert plain.advantage.low > 0
    assert abs(stronger.auc.value - plain.auc.value) < 0.06
    assert stronger.tpr_at_fpr[0.01].value >= 3 * plain.tpr_at_fpr[0.01].value
    assert names["is_member"][names["worst"]].mean() >= 0.6


@pytest.mark.slow  # plans many times
def test_plan_noise_for_a_wanted_risk(run):
    names = run("plan")
    assert names["plan"].bound.tpr_at_fpr[0.01] == pytest.approx(0.02, abs=1e-4)
    noise = names["table"]["noise multiplier"].to_numpy()
    assert ((noise[:-1] / noise[1:] > 1.8) & (noise[:-1] / noise[1:] < 2.2)).all(), "half of the advantage"
    alone = names["alone"].tpr_at_fpr
    exact = names["plan"].bound.tpr([*alone])
    assert (exact <= [value + 1e-9 for value in alone.values()]).all()
    assert names["plan"].bound.advantage < 0.5 * names["alone"].advantage
    assert names["bound"].advantage <= 0.1 + 1e-6


def test_a_model_on_a_table_with_groups(run):
    aucs = run("groups")["aucs"]
    shifted, iid = aucs["members from the north"], aucs["IID arm"]
    assert shifted["attack on the model"] > iid["attack on the model"] + 0.1 > 0.6
    assert shifted["blind baseline"] > shifted["attack on the model"]
    assert abs(iid["blind baseline"] - 0.5) < 0.05


@pytest.mark.slow  # trains 26 networks, half of them privately
def test_does_dp_protect_my_opacus_model(run):
    names = run("opacus")
    plain, private, bound = (names[name] for name in ("found", "found_private", "bound"))
    for result in private.values():
        assert result.advantage.low < bound.advantage
        assert result.tpr_at_fpr[0.01].low < bound.tpr_at_fpr[0.01]
    assert plain["lira"].advantage.low > private["lira"].advantage.high
    assert private["lira"].advantage.value < 0.5 * plain["lira"].advantage.value
    epsilon = bound.epsilon(1e-5)
    audits = [
        names["audit_epsilon"](results["lira"].scores, names["is_member"], delta=1e-5) for results in (plain, private)
    ]
    assert [audit.refutes(epsilon) for audit in audits] == [True, False]
