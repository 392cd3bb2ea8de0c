"""Which experiments' models users may share, and with which versions of libraries."""

import json
import os

import pytest
from settings_samples import HEART, IID, experiment

from dpmia.common.errors import DataError, PlaceError, UserError
from dpmia.workflow.sharing import LIBRARIES, VERSIONS, check_cache, is_published

OWN = IID | {
    "dataset": {"path": "own.npz"},
    "training": {"engine": "opacus", "batch_size": 8},
    "model": {"kind": "mlp", "hidden": [3]},
}


def test_experiments_of_published_data_and_built_in_parts_are_published():
    assert is_published(experiment(HEART))
    assert is_published(experiment(IID))


@pytest.mark.parametrize(
    "changes",
    [
        OWN,
        IID | {"model": {"kind": "own.py:Module"}, "training": {"engine": "opacus", "batch_size": 8}},
        IID
        | {"arms": {"any": {"model": {"kind": "own.py:Module"}}}, "training": {"engine": "opacus", "batch_size": 8}},
        IID | {"training": {"engine": "command", "command": "awk {train} {query} {outputs}"}, "epsilons": [["inf"]]},
        IID | {"membership": {"kind": "own.py:draw"}, "iid_arms": False},
    ],
    ids=["data", "model", "model of an arm", "program", "membership"],
)
def test_nothing_of_a_users_own_is_published(changes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("def Module():\n    pass\n\ndef draw():\n    pass\n")
    given = experiment(changes)
    assert not is_published(given)


def test_a_cache_is_of_the_versions_that_filled_it(tmp_path):
    check_cache(tmp_path)
    noted = json.loads((tmp_path / VERSIONS).read_text())
    assert set(noted) == set(LIBRARIES)
    assert all(noted.values())
    assert (tmp_path / VERSIONS).stat().st_mode & 0o777 == 0o644
    check_cache(tmp_path)
    here = noted["torch"]
    for damaged in ("{", "[]", "\x00"):
        (tmp_path / VERSIONS).write_text(damaged)
        with pytest.raises(DataError, match=VERSIONS):
            check_cache(tmp_path)
    (tmp_path / VERSIONS).write_text(json.dumps(noted | {"torch": "1.0"}))
    with pytest.raises(UserError, match="Name another folder") as refused:
        check_cache(tmp_path)
    assert f"SNAKEMAKE_OUTPUT_CACHE={tmp_path}: its models" in str(refused.value)
    assert f"other versions (torch 1.0, here {here})" in str(refused.value)


def test_a_cache_without_a_folder_is_refused_before_anything_is_trained(tmp_path):
    with pytest.raises(PlaceError, match="there is no such folder"):
        check_cache(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_cache_that_cannot_be_written_to_is_refused_before_anything_is_trained(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK))
    with pytest.raises(PlaceError, match="it cannot be written to"):
        check_cache(tmp_path)
    assert not [*tmp_path.iterdir()]
