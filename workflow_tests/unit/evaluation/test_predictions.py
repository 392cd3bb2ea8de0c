"""Predictions only: nothing is written where a table is wrong. What they give is tested with the audit."""

import pytest

from dpmia.common.errors import DataError
from dpmia.evaluation.predictions import import_predictions
from dpmia.settings import prediction_jobs
from dpmia.settings.predictions import Predictions

TABLE = "z0,z1,label,member\n0.5,0.5,no,yes\n0.25,0.75,yes,no\n"


def test_wrong_reference_models_leave_no_signals(tmp_path):
    (tmp_path / "model.csv").write_text(TABLE)
    (tmp_path / "reference.csv").write_text(TABLE.replace("0.5", "nine", 1))
    given = Predictions(
        path=str(tmp_path / "model.csv"),
        classes={"no": "z0", "yes": "z1"},
        scale="probabilities",
        references=[str(tmp_path / "reference.csv")],
        attacks={"reference": {}},
    )
    with pytest.raises(DataError, match=r"reference\.csv.*'nine'"):
        import_predictions(prediction_jobs.read_job(given), tmp_path / "signals.npz", tmp_path / "references.npz")
    assert not list(tmp_path.glob("*.npz"))
