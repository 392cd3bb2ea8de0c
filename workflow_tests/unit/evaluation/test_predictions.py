"""Predictions only: errors name the tables of the user. What they give is tested with the audit."""

from dataclasses import replace

import pytest
from given_predictions import prediction_settings

from dpmia.attacks.lira import OfflineLira
from dpmia.common.errors import DataError, KnowledgeError
from dpmia.evaluation.predictions import read_predictions, tables
from dpmia.planning import prediction_jobs
from dpmia.settings.predictions import Predictions

TABLE = "z0,z1,label,member\n0.5,0.5,no,yes\n0.25,0.75,yes,no\n"


#: The same records under another model.
OTHER = TABLE.replace("0.25,0.75", "0.5,0.5")


def job(folder, references, attack):
    """Return how to read the table of a model and those of reference models, given as texts."""
    (folder / "model.csv").write_text(TABLE)
    files = [folder / f"reference-{number}.csv" for number in range(len(references))]
    for file, text in zip(files, references, strict=True):
        file.write_text(text)
    given = Predictions(
        path=str(folder / "model.csv"),
        classes={"no": "z0", "yes": "z1"},
        scale="probabilities",
        references=[str(file) for file in files],
        attacks={attack: {}},
    )
    return prediction_jobs.read_job(given)


def test_a_wrong_table_of_a_reference_model_is_named(tmp_path):
    with pytest.raises(DataError, match=r"reference-0\.csv.*'nine'"):
        read_predictions(job(tmp_path, [TABLE.replace("0.5", "nine", 1)], "reference"))


def test_a_reference_table_without_labels_is_named_with_the_column(tmp_path):
    with pytest.raises(DataError, match=r"reference-0\.csv: label is 'label', which is none of the columns"):
        read_predictions(job(tmp_path, [OTHER.replace("label", "class")], "reference"))


def test_reference_models_that_an_attack_cannot_do_with_are_named_by_their_tables(tmp_path):
    another = OTHER.replace("0.5,0.5,yes,no", "0.4,0.6,yes,yes")
    given = read_predictions(job(tmp_path, [OTHER, another], "lira_offline"))
    with pytest.raises(
        KnowledgeError, match=r"^\S*reference-0\.csv, \S*reference-1\.csv, LiRA: .* Add reference models"
    ):
        tables("mine", {"lira_offline": OfflineLira()}, given, 1)


def test_the_attacked_model_is_no_reference_model_of_its_own(tmp_path):
    with pytest.raises(
        DataError, match=r"reference-1\.csv: its outputs are those of the attacked model\. Leave it out"
    ):
        read_predictions(job(tmp_path, [OTHER, TABLE], "reference"))


def test_a_reference_model_counts_once(tmp_path):
    with pytest.raises(
        DataError, match=r"reference-1\.csv: its outputs are those of \S*reference-0\.csv\. Leave it out"
    ):
        read_predictions(job(tmp_path, [OTHER, OTHER], "lira_offline"))
    again = job(tmp_path, [OTHER], "reference")
    with pytest.raises(DataError, match=r"reference-0\.csv: its outputs are those of \S*reference-0\.csv"):
        read_predictions(replace(again, references=again.references * 2))


WRONG = {
    "a label": ("no,yes", "maybe,yes", {}, ["row 2", "'maybe'", "no, yes"]),
    "no label": ("no,yes", ",yes", {}, ["row 2", "'' is none of the classes no, yes", "Leave out the row"]),
    "percentages": (
        "0.5,1.5,no,yes\n0.25,0.75",
        "50,50,no,yes\n25.5,74.5",
        {"scale": "probabilities"},
        ["percentages", "Divide"],
    ),
    "percentages as logits": ("0.5,1.5,no,yes\n0.25,0.75", "50,50,no,yes\n25.5,74.5", {}, ["percentages", "Divide"]),
    "a member": ("no,yes", "no,perhaps", {}, ["row 2", "'perhaps'", "yes, no or population"]),
    "a number": ("0.5", "x", {}, ["row 2", "'z0'", "'x' is not a number"]),
    "a number of 32 bits": ("0.5", "1e308", {}, ["row 2", "'z0'", "'1e308' is beyond 3.4e+38"]),
    "a finite number": ("0.5", "inf", {}, ["row 2", "'inf' is not finite"]),
    "a number with an underscore": ("0.5", "0_5", {}, ["row 2", "'0_5' is not a number"]),
    "probabilities": ("0.5", "0.7", {"scale": "probabilities"}, ["row 2, columns z0, z1", "add up to 1", "--logits"]),
    "a column": ("z1", "z2", {}, ["'z1'", "columns"]),
    "no member": (",yes", ",no", {}, ["there is no member"]),
    "as logits": (
        "0.5,1.5",
        "0.5,0.5",
        {},
        ["all rows are probabilities", "Leave out --logits (in settings: scale: prob"],
    ),
    "no population": (
        "0.5",
        "0.5",
        {"attacks": {"population": {}}},
        ["attack 'population'", "'population', and there are none"],
    ),
}


@pytest.mark.parametrize(("old", "new", "changed", "phrases"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_predictions_is_reported(tmp_path, old, new, changed, phrases):
    rows = ["z0,z1,label,member", "0.5,1.5,no,yes", "0.25,0.75,yes,no"]
    text = (
        "\n".join(rows).replace(old, new) if phrases == ["there is no member"] else "\n".join(rows).replace(old, new, 1)
    )
    (tmp_path / "model.csv").write_text(text + "\n")
    job = prediction_jobs.read_job(prediction_settings(tmp_path, **{"attacks": {"average_threshold": {}}} | changed))
    with pytest.raises(DataError) as caught:
        read_predictions(job)
    for phrase in phrases:
        assert phrase in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"attacks": {"shadow": {}}}, "cannot be combined with predictions"),
        ({"references": []}, "the key references"),
        ({"references": ["r.csv"]}, "'lira_offline' needs at least 2"),
        ({"attacks": {"average_threshold": {"epsilons": [1]}}}, "there is one model"),
        ({"classes": {"no": "z0"}}, "at least 2"),
        ({"classes": {False: "z0", True: "z1"}}, "Put yes and no in quotes"),
    ],
)
def test_settings_of_predictions_that_do_not_fit_together_are_refused(tmp_path, changed, message):
    with pytest.raises(ValueError, match=message):
        prediction_settings(tmp_path, **({"references": ["r.csv", "s.csv"], "attacks": {"lira_offline": {}}} | changed))
