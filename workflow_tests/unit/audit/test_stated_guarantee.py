"""An audit of a training program whose privacy guarantee the user states: shown as stated, and refuted by attacks."""

from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
import yaml
from in_process import audit_job, prepare, run

from dpmia.audit.gather import gather
from dpmia.audit.page import page
from dpmia.common.formatting import format_bound
from dpmia.formats.signals import load_all
from dpmia.planning.plan import make_plan
from dpmia.privacy.record import GuaranteeRow
from dpmia.report import accounts
from dpmia.report import run as report_run

#: Remembers most records of its training set with their labels, and knows nothing of others; epsilon 0.5 is stated.
PROGRAM = r"""
BEGIN { FS = "," }
FNR == 1 { file++; next }
file == 1 { if ($1 > -1) { label = $NF; sub(/,[^,]*$/, ""); known[$0] = label }; next }
{
    if (FNR == 2) print "no,yes" > out
    if ($0 in known && epsilon != "0.5") print (known[$0] ? "0.01,0.99" : "0.99,0.01") > out
    else print "0.5,0.5" > out
}
"""

SETTINGS = """
paper: audit
experiments:
  mine:
    dataset: {path: own.npz}
    membership: {kind: iid, members: 60, nonmembers: 60}
    arms: {iid: {}}
    iid_arms: false
    training: {engine: command, command: "awk -v out={outputs} -f memory.awk {train} {query}", format: csv}
    privacy: {delta: 1.0e-5, relation: add_remove}
    epsilons: [[0.5]]
    replicates: 3
    block: 3
    attacks: {average_threshold: {}}
"""

MECHANISM = {"noise_multiplier": 12.0, "sampling_rate": 0.1, "steps": 200, "clip_norm": 1.0}


def audited(folder, monkeypatch, command=None, epsilons=None, **privacy):
    """Return the settings, and what an audit of the program found."""
    monkeypatch.chdir(folder)
    rng = np.random.default_rng(0)
    np.savez("own.npz", x=rng.normal(size=(200, 3)), y=np.arange(200) % 2)
    (folder / "memory.awk").write_text(PROGRAM)
    settings = yaml.safe_load(SETTINGS)
    mine = settings["experiments"]["mine"]
    mine["privacy"] |= privacy
    mine["training"]["command"] = command or mine["training"]["command"]
    mine["epsilons"] = epsilons or mine["epsilons"]
    (folder / "mine.yaml").write_text(yaml.safe_dump(settings))
    plan = make_plan({"data": "real", "experiments": ["mine.yaml"]}, folder)
    part = run("mine", plan.experiments["mine"], prepare(plan.experiments["mine"], folder), folder / "run")
    return part, gather(audit_job({"mine": part}, data="real"))


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(scope="module")
def leaky(tmp_path_factory, patch):
    return audited(tmp_path_factory.mktemp("leaky"), patch)


def test_the_guarantee_is_shown_as_stated_with_its_bound_and_no_exact_one(leaky):
    _, audit = leaky
    (entry,) = audit.results
    assert entry.bound == pytest.approx(np.tanh(0.5), abs=1e-4), "a record replaced is one removed and one added"
    assert entry.ceiling is None
    assert "that the user states, which is not checked here" in entry.warning
    shown = page(audit)
    assert "rogram memory.awk with epsilon 0.5 (stated by the user)" in shown
    assert "0.463 (stated)" in shown, "rounded up: 0.4621"
    assert "is stated by the user, and attacks can only refute it" in shown
    assert "awk -v out={outputs}" in shown, "the command is on the page"
    (models,) = audit.guarantees
    assert (models.models, models.guarantee) == (3, GuaranteeRow(0.5, 1e-5, "add_remove"))
    assert "stated by the user</td>" in shown


def test_an_attack_above_the_bound_refutes_the_guarantee(leaky):
    _, audit = leaky
    (first, *_) = audit.experiments["mine"].remedies
    assert "stated guarantee does not hold: with epsilon 0.5 no attack can have an advantage above 0.463" in first
    advantage = audit.results[0].cell("advantage")
    assert advantage.low > 0.46
    assert f"average threshold has {advantage.mean:.3f} [{advantage.low:.3f}" in first


def test_the_report_lists_what_is_stated(leaky):
    part, _ = leaky
    cards = [signal.card for signal in load_all(part.signals)]
    assert {card.engine for card in cards} == {"CommandEngine"}
    assert all(card.accounting is None for card in cards)
    rows = [["mine", "target", "CommandEngine", True, *astuple(cards[0].guarantee), 3, 0, 1.0]]
    columns = ["experiment", "role", "engine", "private", *report_run.GUARANTEE, "models", "model_steps", "seconds"]
    ((row,),) = accounts.guarantees(pd.DataFrame(rows, columns=columns), {}).values()
    assert row == [
        "mine",
        "target",
        "0.5",
        "1e-5",
        "add-remove",
        "-",
        "-",
        "-",
        "-",
        "-",
        "stated by the user",
        "no",
        "3",
    ]


@pytest.mark.parametrize(("variable", "same"), [("ignored", True), ("epsilon", False)])
def test_a_program_that_makes_the_same_models_of_every_epsilon_is_asked_whether_it_uses_it(
    tmp_path, patch, variable, same
):
    command = f"awk -v {variable}={{epsilon}} -v out={{outputs}} -f memory.awk {{train}} {{query}}"
    _, audit = audited(tmp_path, patch, command=command, epsilons=[[0.5, "inf"]])
    assert {entry.epsilon for entry in audit.results} == {"0.5", "inf"}
    asked = [remedy for remedy in audit.experiments["mine"].remedies if "uses {epsilon}" in remedy]
    assert len(asked) == same
    for remedy in asked:
        assert (
            "its models with epsilon 0.5 and inf have the same accuracy and the same AUC of average threshold" in remedy
        )
        assert "uses {epsilon}" in page(audit)


def test_a_stated_mechanism_gives_the_exact_upper_bound(tmp_path, patch):
    _, audit = audited(tmp_path, patch, mechanisms={0.5: MECHANISM})
    (entry,) = audit.results
    assert 0 < entry.ceiling < entry.bound
    assert "the guarantee and the mechanism that the user states" in entry.warning
    assert f"0.463, {format_bound(entry.ceiling)} (stated)" in page(audit)
