"""`dpmia attack`: the attacks for which tables of predictions suffice, and its messages."""

import pytest
import yaml
from commands import refused, run

from dpmia.planning.plan import make_plan


def write_predictions(file, *members):
    """Write a table of predictions of three records, the membership of each as given."""
    rows = [f"no,{member},0.9,0.1" for member in members]
    file.write_text("\n".join(["label,member,p_no,p_yes", *rows]) + "\n")


@pytest.mark.parametrize(
    ("models", "more"),
    [
        ([("no", "no", "no")], ["reference"]),
        ([("no", "no", "no")] * 2, ["lira_offline", "reference"]),
        ([("no", "yes", "yes")] * 2, []),
        ([("no", "no", "yes"), ("yes", "no", "no"), ("no", "yes", "no")], ["lira_offline", "reference"]),
        ([("yes", "no", "no"), ("no", "yes", "no")], ["reference"]),
        ([("yes", "no", "no"), ("no", "yes", "no")] * 2, ["lira", "lira_offline", "reference"]),
    ],
)
def test_predictions_have_the_attacks_for_which_reference_models_suffice(folder, models, more):
    write_predictions(folder / "out.csv", "yes", "no", "no")
    files = [f"reference_{number}.csv" for number in range(len(models))]
    for file, members in zip(files, models, strict=True):
        write_predictions(folder / file, *members)
    run("attack", "out.csv", "--references", *files)
    settings = yaml.safe_load((folder / "out.yaml").read_text())["predictions"]["out"]
    assert list(settings["attacks"]) == ["average_threshold", *more]


def test_an_attack_that_needs_even_numbers_of_models_is_left_out_where_they_differ(folder):
    write_predictions(folder / "out.csv", *["yes"] * 20, *["no"] * 20)
    for number in range(4):
        of_nonmembers = ["yes" if row % 2 == number % 2 else "no" for row in range(20)]
        write_predictions(folder / f"reference_{number}.csv", *["no"] * 20, *of_nonmembers)
    run("attack", "out.csv", "--references", *[f"reference_{number}.csv" for number in range(4)])
    settings = yaml.safe_load((folder / "out.yaml").read_text())["predictions"]["out"]
    assert list(settings["attacks"]) == ["average_threshold", "lira_offline"]


def test_limits_of_predictions_are_for_what_has_an_interval(folder, capsys):
    write_predictions(folder / "out.csv", "yes", "no", "no")
    shown = refused(capsys, "attack", "out.csv", "--limit", "tpr_at_1pct_fpr=0.1")
    assert "--limit tpr_at_1pct_fpr: a TPR of one model has no limits of confidence here. Limit auc or" in shown
    assert not (folder / "out.yaml").exists()


def test_limits_are_taken_as_they_are_typed(folder):
    write_predictions(folder / "out.csv", "yes", "no", "no")
    run("attack", "out.csv", "--limit", "auc=0.5999996")
    assert "auc: 0.5999996" in (folder / "out.yaml").read_text().splitlines()[0]


def test_reference_models_of_other_rows_are_refused(folder, capsys):
    write_predictions(folder / "out.csv", "yes", "no", "no")
    write_predictions(folder / "reference.csv", "yes", "no")
    shown = refused(capsys, "attack", "out.csv", "--references", "reference.csv")
    assert "Error: reference.csv: it has 2 rows, and out.csv has 3. Save the same rows in the same order." in shown
    assert not (folder / "out.yaml").exists()


def test_columns_of_predictions_are_checked_before_anything_is_written(folder, capsys):
    write_predictions(folder / "out.csv", "yes", "no", "no")
    assert "--label is 'lable', which is none of the columns" in refused(
        capsys, "attack", "out.csv", "--label", "lable"
    )
    shown = refused(capsys, "attack", "out.csv", "--classes", "no=p_no", "yes=p_yse")
    assert "--classes is 'p_yse', which is none of the columns" in shown
    shown = refused(capsys, "attack", "out.csv", "--member", "trained")
    assert "--member is 'trained', which is none of the columns" in shown
    assert "Name it by --member." in shown
    assert not (folder / "out.yaml").exists()


def test_a_class_without_records_is_named_with_its_column(folder, capsys):
    (folder / "out.csv").write_text(
        "label,member,p_no,p_yes,p_value\nno,yes,0.9,0.1,0\nyes,yes,0.9,0.1,0\nno,no,0.9,0.1,0\n"
    )
    run("attack", "out.csv")
    shown = capsys.readouterr().err
    assert shown == (
        "Note: out.csv: no record has the label value. If p_value is no class, name all classes by --classes\n"
    )


def test_predictions_are_planned_with_the_classes_of_the_columns(folder):
    for name in ("out.csv", "one.csv", "two.csv"):
        write_predictions(folder / name, "yes", "no", "population")
    started = run("attack", "out.csv", "--references", "one.csv", "two.csv", "--epsilon", "2")
    assert started[0] == "audit"
    plan = make_plan({"data": "real", "experiments": ["out.yaml"]}, folder)
    predictions = plan.predictions["out"]
    assert predictions.classes == {"no": "p_no", "yes": "p_yes"}
    assert predictions.references == ["one.csv", "two.csv"]
    assert list(predictions.attacks) == ["average_threshold", "population"], "no reference model lacks the member"
    run("attack", "out.csv", "--classes", "no=p_no", "yes=p_yes", "--logits")
    assert yaml.safe_load((folder / "out.yaml").read_text())["predictions"]["out"]["scale"] == "logits"
    assert predictions.same_pool is None, "nobody said how members were drawn"
    run("attack", "out.csv", "--same-pool")
    plan = make_plan({"data": "real", "experiments": ["out.yaml"]}, folder)
    assert plan.predictions["out"].same_pool is True
