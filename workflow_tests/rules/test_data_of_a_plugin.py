"""A data set of another package, whose code may fail or return anything: its file is named, and nothing is written."""

import pytest
from files import Files

from dpmia.workflow.failures import read_failure

MODULE = """
import numpy as np
from dpmia.datasets.dataset import Dataset
from dpmia.formats.provenance import Provenance


def read(folder):
    return {read}


def encode(raw):
    provenance = Provenance(synthetic=True)
    return {encode}


def write_synthetic(dataset, folder, seed, scale):
    {write}
"""

TOY = 'Dataset("toy", np.zeros(({rows}, 1), "f4"), np.array([0, 1]), ("a",), ("no", "yes"), {{}}, {provenance})'

WHOLE = TOY.format(rows=2, provenance="provenance")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes the module of a data set and returns its name."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(number, read="None", encode=WHOLE, write="pass"):
        text = MODULE.format(read=read, encode=encode, write=write)
        (tmp_path / f"toys_{number}.py").write_text(text, encoding="utf-8")
        return f"toys_{number}"

    return write


@pytest.mark.parametrize(
    ("number", "how", "message"),
    [
        (1, {"read": "{}['x']"}, r"toys_1.py, line 8, data set: KeyError: 'x'"),
        (2, {"encode": "{}['x']"}, r"toys_2.py, line 13, data set: KeyError: 'x'"),
        (3, {"encode": "None"}, r"toys_3.py, data set: AttributeError"),
        (
            4,
            {"encode": TOY.format(rows=3, provenance="provenance")},
            r"line 13, data set: ValueError: toy: x has shape",
        ),
        (
            5,
            {"encode": TOY.format(rows=2, provenance="{}")},
            r"data set: TypeError: toy: provenance is of type dict, not",
        ),
    ],
)
def test_what_fails_is_named_with_its_file(run_script, module, tmp_path, number, how, message):
    with pytest.raises(SystemExit):
        run_script(
            "prepare_dataset",
            Files(str(tmp_path / "toy.npz")),
            input=Files(str(tmp_path / "raw/toy.csv")),
            params={"job": {"module": module(number, **how), "options": {}}},
        )
    assert message in read_failure("prepare_dataset", tmp_path / "prepare_dataset.log").message
    assert not (tmp_path / "toy.npz").exists()


def test_synthetic_data_that_cannot_be_written_are_named_with_their_file(run_script, module, tmp_path):
    params = {"writer": f"{module(6, write='1 / 0')}:write_synthetic", "dataset": "toy", "seed": 0, "scale": "smoke"}
    with pytest.raises(SystemExit):
        run_script("make_synthetic", Files(marker=str(tmp_path / "SYNTHETIC.txt")), params=params)
    message = read_failure("make_synthetic", tmp_path / "make_synthetic.log").message
    assert "toys_6.py, line 17, write_synthetic: ZeroDivisionError" in message
