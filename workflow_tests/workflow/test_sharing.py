"""What was made once serves other users and other machines."""

from __future__ import annotations

import pytest
from workspace import Workspace

TARGET = "results/synthetic-smoke/summary/student.csv"
PREPARED = "resources/synthetic-smoke/prepared/student.npz"


@pytest.mark.slow  # three runs of Snakemake
def test_prepared_data_are_taken_from_a_cache_that_users_share(tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path / "cache"))
    one, other = (Workspace(tmp_path / name / "dpmia") for name in ("one", "other"))
    kept, taken = (workspace.snakemake(PREPARED, "--cache") for workspace in (one, other))
    assert kept.returncode == taken.returncode == 0, kept.stdout + taken.stdout
    assert f"Moving output file {PREPARED} to cache" in kept.stdout
    assert "to cache" not in taken.stdout
    assert f"Symlinking output file {PREPARED} from cache" in taken.stdout
    assert (one.folder / PREPARED).read_bytes() == (other.folder / PREPARED).read_bytes()
    # What another seed makes is something else.
    assert f"Moving output file {PREPARED} to cache" in other.snakemake(PREPARED, "--cache", seed=2).stdout


def test_a_run_that_was_moved_goes_on_where_it_was(grown):
    assert grown.planned(TARGET) == {}
    (grown.folder / TARGET).unlink()
    assert grown.planned(TARGET) == {"summarise_experiment": 1}
