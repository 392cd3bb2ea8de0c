"""The command `dpmia`: what it writes, what it hands to Snakemake, and its messages."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from commands import PLAN, refused, run

import dpmia
from dpmia.cli import main as command
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.workflow.failures import typed_command


def test_the_help_fits_a_screen(capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(["--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) <= 24
    assert max(map(len, shown)) <= 82
    for name in ("audit", "attack", "plan", "init", "run"):
        assert any(line.split()[:1] == [name] for line in shown)


def help_of(capsys, name):
    with pytest.raises(SystemExit):
        command.main([name, "--help"])
    return " ".join(capsys.readouterr().out.split())


def test_the_help_offers_the_limits_that_a_command_takes(capsys):
    assert "to keep it: advantage, auc --overwrite" in help_of(capsys, "attack")
    of_audit = help_of(capsys, "audit")
    assert "to keep it: advantage, auc, tpr_at_1pct_fpr, tpr_at_0.1pct_fpr, advantage_excess," in of_audit


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("audit", ("(default: 1 10 inf)", "(default: 64 64)", "a short trial, which is no result (default: laptop)")),
        ("attack", ("one for each reference model", "(default: inf)")),
        ("plan", ("(default: poisson)", "(default: replace_one)", "(default: add_remove; with --sampler shuffle")),
    ],
)
def test_the_help_states_defaults(capsys, name, texts):
    printed = help_of(capsys, name)
    assert [text for text in texts if text not in printed] == []


def test_the_version(capsys):
    with pytest.raises(SystemExit):
        command.main(["--version"])
    assert capsys.readouterr().out == f"dpmia {dpmia.__version__}\n"


def test_an_audit_by_groups_is_planned_as_written(folder):
    started = run("audit", "Clinic 2.csv", "--label", "readmitted", "--positive", "yes", "--group", "hospital",
                  "--epsilon", "1", "inf", "--drop", "ward", "--limit", "auc_excess=0.7")  # fmt: skip
    assert started == [
        *("audit", "--config", "data=real", "scale=laptop", "experiments=[clinic_2.yaml]"),
        *("epsilons=null", "engine=null", "audit={fail_above: {auc_excess: 0.7}, epsilons: null}"),
    ]
    plan = make_plan({"data": "real", "scale": "smoke", "experiments": ["clinic_2.yaml"]}, folder)
    experiment = plan.experiments["clinic_2"]
    assert plan.audits == {"clinic_2": ("clinic_2",)}
    assert list(experiment.arms) == ["island", "north", "south"]
    assert experiment.epsilons == [[1.0, float("inf")]]
    assert (experiment.dataset.path, experiment.dataset.drop) == ("Clinic 2.csv", ["ward"])
    first = (folder / "clinic_2.yaml").read_text().splitlines()[0]
    assert first.startswith("# Edit and run: dpmia run audit --config data=real scale=laptop ")


def test_an_option_that_takes_several_values_may_be_given_several_times(folder):
    started = run("audit", "Clinic 2.csv", "--label", "readmitted", "--drop", "ward", "--drop", "age",
                  "--limit", "auc=0.7", "--limit", "advantage=0.1", "--limit-epsilon", "1",
                  "--epsilon", "1", "--epsilon", "3", "--hidden", "8", "--hidden", "4")  # fmt: skip
    assert started[-1] == "audit={fail_above: {auc: 0.7, advantage: 0.1}, epsilons: [1]}"
    experiment = make_plan({"data": "real", "experiments": ["clinic_2.yaml"]}, folder).experiments["clinic_2"]
    assert (experiment.dataset.drop, experiment.epsilons, experiment.model.hidden) == (
        ["ward", "age"],
        [[1, 3]],
        [8, 4],
    )


def test_an_audit_without_groups_is_planned_too(folder):
    run("audit", "Clinic 2.csv", "--label", "readmitted")
    experiment = make_plan({"data": "real", "experiments": ["clinic_2.yaml"]}, folder).experiments["clinic_2"]
    assert (list(experiment.arms), experiment.iid_arms) == (["iid"], False)
    assert experiment.epsilons == [[1.0, 10.0, float("inf")]]


@pytest.mark.parametrize("name", ["config", "plan"])
def test_settings_of_a_table_take_no_name_that_has_a_meaning(folder, name):
    shutil.move(folder / "Clinic 2.csv", folder / f"{name}.csv")
    run("audit", f"{name}.csv", "--label", "readmitted")
    assert {file.name for file in folder.iterdir()} == {f"{name}.csv", f"data_{name}.yaml"}


@pytest.mark.parametrize(
    ("table", "name"),
    [("2023", "data_2023"), ("a__b", "a_b"), ("Klinik-Ä", "klinik"), ("naïve", "na_ve"), ("患者", "data")],
)
def test_an_audit_has_the_name_of_its_data_set(folder, table, name):
    shutil.move(folder / "Clinic 2.csv", folder / f"{table}.csv")
    run("audit", f"{table}.csv", "--label", "readmitted")
    plan = make_plan({"data": "real", "experiments": [f"{name}.yaml"]}, folder)
    assert plan.experiments[name].dataset.title == name


def test_arrays_are_audited_by_a_settings_file(folder, capsys):
    shutil.move(folder / "Clinic 2.csv", folder / "clinic.NPZ")
    assert "clinic.NPZ: arrays have no columns that --label could name. Write settings" in refused(
        capsys, "audit", "clinic.NPZ", "--label", "y"
    )


def test_a_table_marked_as_synthetic_is_refused_before_anything_is_written(folder, capsys):
    (folder / SYNTHETIC_MARK).write_text("")
    shown = refused(capsys, "audit", "Clinic 2.csv", "--label", "readmitted")
    assert f"Error: Clinic 2.csv: its records are synthetic, as {SYNTHETIC_MARK} beside it says." in shown
    assert not list(folder.glob("*.yaml"))


def test_an_edited_settings_file_is_kept(folder, capsys):
    given = ("audit", "Clinic 2.csv", "--label", "readmitted")
    run(*given)
    assert run(*given, "--limit", "auc=0.9") is not None, "other limits stand in no settings file"
    file = folder / "clinic_2.yaml"
    file.write_text(file.read_text().replace("epochs: 60", "epochs: 61"))
    assert "Error: clinic_2.yaml: the file holds settings that no command wrote. " in refused(capsys, *given)
    assert "epochs: 61" in file.read_text()
    run(*given, "--overwrite")
    assert "epochs: 60" in file.read_text()


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_settings_file_is_kept(folder, capsys, make):
    make(folder / "clinic_2.yaml")
    message = "Error: clinic_2.yaml: this is no file. Move it away"
    assert message in refused(capsys, "audit", "Clinic 2.csv", "--label", "readmitted")
    assert (folder / "clinic_2.yaml").exists()


def test_settings_that_nobody_edited_are_replaced(folder, capsys):
    given = ("audit", "Clinic 2.csv", "--label", "readmitted")
    run(*given)
    run(*given, "--epochs", "7", "--limit", "auc=0.9")
    file = folder / "clinic_2.yaml"
    first, second, *_ = file.read_text().splitlines()
    assert "'audit={fail_above: {auc: 0.9}, epsilons: null}'" in first
    assert second.startswith("# Written by dpmia, which replaces this file until you edit it: sha256 ")
    assert yaml.safe_load(file.read_text())["defaults"]["training"]["epochs"] == 7
    for value in ("0.1", "0.2"):
        run("plan", "--target", "advantage", "--value", value, "--sampling-rate", "0.05", "--steps", "20")
        assert yaml.safe_load((folder / "plan.yaml").read_text())["value"] == float(value)
    file.write_text("paper: audit\n")
    assert "holds settings that no command wrote" in refused(capsys, *given), "the file of somebody else"


def test_another_table_of_the_same_name_replaces_nothing_without_a_word(folder, capsys):
    run("audit", "Clinic 2.csv", "--label", "readmitted")
    (folder / "last year").mkdir()
    shutil.copy(folder / "Clinic 2.csv", folder / "last year")
    other = ("audit", "last year/Clinic 2.csv", "--label", "readmitted")
    shown = refused(capsys, *other)
    assert "clinic_2.yaml: it has the settings of another table, Clinic 2.csv. Rename the table, run in" in shown
    assert "path: Clinic 2.csv" in (folder / "clinic_2.yaml").read_text()
    run(*other, "--overwrite")
    assert "path: last year/Clinic 2.csv" in (folder / "clinic_2.yaml").read_text()


def test_a_table_of_few_records_is_refused_with_what_they_are_too_few_for(folder, capsys):
    rows = (folder / "Clinic 2.csv").read_text().splitlines()
    (folder / "few.csv").write_text("\n".join(rows[:51]) + "\n")
    assert "few.csv: its 50 records are fewer than 64. Add records, or write settings" in refused(
        capsys, "audit", "few.csv", "--label", "readmitted"
    )
    assert "few.csv, column 'hospital': its largest group has " in refused(
        capsys, "audit", "few.csv", "--label", "readmitted", "--group", "hospital"
    )
    assert not list(folder.glob("*.yaml"))


@pytest.mark.parametrize("edited", [False, True])
def test_a_dry_run_writes_no_settings(folder, monkeypatch, capsys, edited):
    seen = []

    def called(line):
        (file,) = (Path(word[len("experiments=[") : -1]) for word in line if word.startswith("experiments="))
        seen.append((file, yaml.safe_load(file.read_text())["defaults"]["training"]["epochs"], line[-1]))
        return 3

    monkeypatch.setattr(command.subprocess, "call", called)
    given = ("audit", "Clinic 2.csv", "--label", "readmitted", "--dry-run", "--epochs", "9")
    if edited:
        (folder / "clinic_2.yaml").write_text("paper: audit\n")
        assert "no command wrote" in refused(capsys, *given)
        assert seen == []
        assert (folder / "clinic_2.yaml").read_text() == "paper: audit\n"
        return
    with pytest.raises(SystemExit) as caught:
        run(*given)
    assert caught.value.code == 3
    ((file, epochs, last),) = seen
    assert (file.name, epochs, last) == ("clinic_2.yaml", 9, "--dry-run")
    assert not file.exists()
    assert [file.name for file in folder.iterdir()] == ["Clinic 2.csv"]


def test_scale_smoke_is_a_fraction_of_an_audit(folder):
    run("audit", "Clinic 2.csv", "--label", "readmitted", "--group", "hospital", "--replicates", "6")
    plans = {scale: make_plan({"data": "real", "scale": scale, "experiments": ["clinic_2.yaml"]}, folder)
             for scale in ("smoke", "laptop")}  # fmt: skip
    smoke, laptop = (plans[scale].experiments["clinic_2"] for scale in ("smoke", "laptop"))
    assert (laptop.training.epochs, laptop.replicates, laptop.references.count) == (60, 6, 12)
    assert (smoke.training.epochs, smoke.replicates, smoke.references.count) == (2, 2, 4)
    assert smoke.epsilons == laptop.epsilons, "the same models are tried"
    run("audit", "Clinic 2.csv", "--label", "readmitted", "--epochs", "1", "--replicates", "1")
    smoke = make_plan({"data": "real", "scale": "smoke", "experiments": ["clinic_2.yaml"]}, folder)
    assert (smoke.experiments["clinic_2"].training.epochs, smoke.experiments["clinic_2"].replicates) == (1, 1)


def test_a_working_folder_has_all_settings(folder, capsys):
    run("init", "work")
    assert "dpmia run" in capsys.readouterr().out
    config = yaml.safe_load((folder / "work/config.yaml").read_text())
    assert make_plan(config, folder / "work").experiments.keys() == make_plan(config, ROOT).experiments.keys()
    for file in (folder / "work").rglob("*.yaml"):
        named = re.findall(r"\b(?:docs|dpmia|rules|scripts)/\w[\w/.]*", file.read_text())
        assert named == [], f"{file.name} names files that are not there"
    assert "Error: work: it exists and is not an empty folder. Name a new one." in refused(capsys, "init", "work")
    assert "Error: /proc/x: it cannot be made (No such file or directory)." in refused(capsys, "init", "/proc/x")
    assert "it exists" in refused(capsys, "init", "Clinic 2.csv")
    assert ": File name too long. Choose a shorter name" in refused(capsys, "init", "x" * 300)


def test_targets_and_options_go_on_to_snakemake(folder):
    given = ["humphries_fig7", "--cores", "1", "--dry-run", "--config", "scale=smoke", "--directory", "x"]
    assert run("run", *given) == given
    assert run("run", "--help") == ["--help"]
    (folder / "more.yaml").write_text("seed: 2\n")
    given = ["--configfile", "more.yaml", "--cores", "1", "--configfile=more.yaml"]
    assert run("run", *given) == given


def test_a_stopped_run_is_continued_by_the_command_that_was_typed(folder):
    run("audit", "Clinic 2.csv", "--label", "readmitted")
    assert typed_command(["audit", "--config", "data=real"]) == "dpmia audit 'Clinic 2.csv' --label readmitted"


WRONG = {
    "no command": ((), r"Error: dpmia: the following arguments are required: COMMAND. Options: dpmia --help"),
    "no label": (("audit", "Clinic 2.csv"), "Error: dpmia audit: the following arguments are required: --label."),
    "no file": (("audit", "x.csv", "--label", "y"), "Error: x.csv: there is no such file. Paths start at "),
    "no config file": (
        ("run", "izzo", "--configfile", "x.yaml", "-n"),
        "Error: x.yaml: there is no such file. Paths st",
    ),
    "nor another": (("run", "--configfiles=x.yaml"), "Error: x.yaml: there is no such file. Paths start at "),
    "plan options": (
        ("plan", "--target", "advantage", "--value", "0.1"),
        "Error: dpmia plan: --noise-multiplier, --sampling-rate, steps are left out. Leave out exactly one of",
    ),
    "column": (("audit", "Clinic 2.csv", "--label", "readmited"), "Did you mean 'readmitted'?"),
    "empty column": (
        ("audit", "Clinic 2.csv", "--label", "", "--positive", "yes"),
        "--label is '', which is none of the columns",
    ),
    "group": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--group", "hospitl"),
        "--group is 'hospitl', which is none of",
    ),
    "positive": (("audit", "Clinic 2.csv", "--label", "readmitted", "--positive", "Yes"), "Did you mean 'yes'?"),
    "epsilon": (("audit", "Clinic 2.csv", "--label", "readmitted", "--epsilon", "-1"), "Error: dpmia"),
    "epochs": (("audit", "Clinic 2.csv", "--label", "readmitted", "--epochs", "0"), "'0' is not a positive integer."),
    "widths": (("audit", "Clinic 2.csv", "--label", "readmitted", "--hidden", "9" * 30), "is not a positive integer."),
    "replicates": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--replicates", "1000000"),
        "'1000000' is not a positive integer of at most 100000.",
    ),
    "limit": (("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "aoc=1"), "--limit: 'aoc=1' is no limit."),
    "limit for no model": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.6", "--limit-epsilon", "2"),
        "--limit-epsilon: no model has epsilon 2. They have 1, 10, inf",
    ),
    "no limit for a model": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit-epsilon", "1"),
        "--limit-epsilon: there is no limit. Add one: --limit auc=0.6",
    ),
    "limit in two options": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.5", "--limit", "auc=0.6"),
        "--limit: auc has two limits. Give one.",
    ),
    "limit of a trial": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.6", "--scale", "smoke"),
        "--limit auc: fewer than 3 replicates give no limits of confidence. Give --replicates 3 or more",
    ),
    "limit of few replicates": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.6", "--replicates", "2"),
        "--limit auc: fewer than 3 replicates",
    ),
    "limit without a baseline": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc_excess=0.6"),
        "--limit auc_excess: there is no blind baseline, as members and non-members are of no groups. Limit auc",
    ),
    "wrong epsilon of a limit": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.6", "--limit-epsilon", "x"),
        "--limit-epsilon: 'x' is not a number",
    ),
    "limit twice": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--limit", "auc=0.5", "auc=0.6"),
        "--limit: auc has two limits. Give one.",
    ),
    "label to drop": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--drop", "readmitted"),
        "Error: the settings of clinic_2.yaml, clinic_2.dataset: drop cannot hold 'readmitted'",
    ),
    "small groups": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--group", "age"),
        "Error: Clinic 2.csv, column 'age': its largest group has 21 records, fewer than 40. Add records, or write",
    ),
    "columns in one word": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--group", "age,hospital"),
        "and 2 more. Name one of them.",
    ),
    "classes": (("attack", "Clinic 2.csv"), "fewer than two columns of classes; columns: hospital, age"),
    "class twice": (("attack", "Clinic 2.csv", "--classes", "a=age", "a=age"), "the class 'a' has two columns."),
    "one class": (("attack", "Clinic 2.csv", "--classes", "a=age"), "'a=age' is one class. Name two classes at least"),
    "epsilon twice": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--epsilon", "1", "1.0"),
        "--epsilon: 1 is given more than once. Name it once",
    ),
    "label as group": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--group", "readmitted"),
        "--group: 'readmitted' is the column of --label. Name another column",
    ),
    "option": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--grup", "hospital"),
        "Error: dpmia audit: unknown: --grup hospital. Did you mean '--group'? Options: dpmia audit --help",
    ),
    "option of no command": (("--versoin", "init", "x"), "Did you mean '--version'? Options: dpmia --help"),
    "target": (("plan", "--value", "1"), "Error: dpmia plan, --target: missing. Such as: --target advantage"),
    "percent": (("plan", "--value", "10%"), "--value: '10%' is not a number. Write 0.1 or 1e-5. Options: dpmia plan"),
    "epsilons with a comma": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--epsilon", "1,2"),
        "--epsilon: '1,2' is not a number. Separate values by spaces: --epsilon 1 10",
    ),
    "columns with a comma": (
        ("audit", "Clinic 2.csv", "--label", "readmitted", "--drop", "age,hospital"),
        "and 2 more. Separate them by spaces: --drop age hospital.",
    ),
    "value": (("plan", "--target", "auc", "--value", "0.2"), "dpmia plan, --value: 0.2 is not above 0.5"),
    "plan file": (("plan", "nowhere.yaml"), "Error: nowhere.yaml: there is no such file. Options alone do, too"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_have_one_message_and_write_nothing(folder, capsys, arguments, message):
    shown = refused(capsys, *arguments)
    assert message in shown
    assert shown.count("Error") == 1
    assert [file.name for file in folder.iterdir()] == ["Clinic 2.csv"]


@pytest.mark.parametrize("unread", [("audit", "Clinic 2.csv", "--label", "readmitted"), ("run", "help")])
def test_snakemake_starts_though_nobody_reads(folder, monkeypatch, unread):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert run(*unread) is not None


def test_the_hint_for_an_edited_file_keeps_scale_and_limits(folder, capsys):
    given = ("audit", "Clinic 2.csv", "--label", "readmitted", "--epochs", "9", "--limit", "auc=0.7")
    run(*given)
    file = folder / "clinic_2.yaml"
    file.write_text(file.read_text().replace("epochs: 9", "epochs: 8"))
    command = file.read_text().splitlines()[0].removeprefix("# Edit and run: ")
    assert "fail_above: {auc: 0.7}" in command
    assert f"To use it as it is: {command}." in refused(capsys, *given)
    file.write_text("# how to run: x\n")
    assert "To use it as it is: dpmia run audit --config data=real" in refused(capsys, *given)


def test_a_folder_in_the_place_of_the_settings_is_reported(folder, capsys):
    (folder / "plan.yaml").mkdir()
    message = refused(capsys, *PLAN)
    assert message == ("\nError: plan.yaml: this is no file. Move it away: the settings of the command belong there.\n")


def test_bytes_in_the_place_of_the_settings_are_somebodys(folder, capsys):
    (folder / "plan.yaml").write_bytes(b"\xff\xfe")
    assert "Error: plan.yaml: the file holds settings that no command wrote." in refused(capsys, *PLAN)
    assert (folder / "plan.yaml").read_bytes() == b"\xff\xfe"
