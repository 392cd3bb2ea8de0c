"""`dpmia plan`: what it prints and writes, and its messages."""

import os
import sys

import yaml
from commands import PLAN, refused, run

from dpmia.cli import main as command


def test_a_plan_is_printed_written_and_read_again(folder, capsys):
    run("plan", "--target", "advantage", "--value", "0.3", "--noise-multiplier", "20", "--sampler", "full")
    shown = capsys.readouterr().out
    assert "NoisePlan: advantage of at most 0.3, solved for steps" in shown
    assert yaml.safe_load((folder / "plan.yaml").read_text())["noise_multiplier"] == 20
    run("plan", "plan.yaml")
    assert capsys.readouterr().out == shown.removesuffix("Wrote plan.yaml\n")
    (folder / "plan.yaml").write_text("target: epsilon\nvalue: 1\ndelta: 1e-5\nsteps: 1\nsampler: full\n")
    run("plan", "plan.yaml", "--value", "2")
    assert "epsilon of at most 2" in capsys.readouterr().out


def test_keys_of_a_plan_file_are_checked(folder, capsys):
    (folder / "plan.yaml").write_text("target: advantage\nvlue: 1\n")
    assert "Error: plan.yaml, vlue: unknown key. Did you mean 'value'?" in refused(capsys, "plan", "plan.yaml")
    (folder / "plan.yaml").write_text("steps: many\n")
    assert "Error: plan.yaml, steps: 'many' is not an integer." in refused(capsys, "plan", "plan.yaml")
    (folder / "plan.yaml").write_text("steps: .inf\n")
    assert "Error: plan.yaml, steps: inf is not an integer." in refused(capsys, "plan", "plan.yaml")
    (folder / "plan.yaml").write_text("steps: 1.5\n")
    assert "Error: plan.yaml, steps: 1.5 is not an integer." in refused(capsys, "plan", "plan.yaml")
    assert "--steps: '1e-2' is not an integer. Write 1000" in refused(capsys, "plan", "--steps", "1e-2")


def test_steps_may_be_written_as_powers_of_ten(folder, capsys):
    written = "target: advantage\nvalue: 0.3\nsampling_rate: 0.05\nsteps: "
    printed = []
    for steps in ("100", "1e2"):
        (folder / "plan.yaml").write_text(written + steps)
        command.main(["plan", "plan.yaml"])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_a_plan_that_nobody_reads_ends_calmly(folder, monkeypatch, capsys):
    unread, writer = os.pipe()
    os.close(unread)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        command.main(PLAN)
        monkeypatch.undo()
    assert capsys.readouterr().err == ""
