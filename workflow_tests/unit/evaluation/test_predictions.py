"""Predictions only: errors name the tables of the user. What they give is tested with the audit."""

import pytest

from dpmia.attacks.lira import OfflineLira
from dpmia.common.errors import DataError, KnowledgeError
from dpmia.evaluation.predictions import read_predictions, tables
from dpmia.settings import prediction_jobs
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


def test_reference_models_that_an_attack_cannot_do_with_are_named_by_their_tables(tmp_path):
    given = read_predictions(job(tmp_path, [OTHER, OTHER.replace(",no\n", ",yes\n")], "lira_offline"))
    with pytest.raises(
        KnowledgeError, match=r"^\S*reference-0\.csv, \S*reference-1\.csv, LiRA: .* Add reference models"
    ):
        tables("mine", {"lira_offline": OfflineLira()}, given, 1)


def test_the_attacked_model_is_no_reference_model_of_its_own(tmp_path):
    with pytest.raises(
        DataError, match=r"reference-1\.csv: its outputs are those of the attacked model\. Leave it out"
    ):
        read_predictions(job(tmp_path, [OTHER, TABLE], "reference"))
