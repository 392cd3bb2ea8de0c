"""What was made once serves other users and other machines."""

from __future__ import annotations

import pytest
from own_folder import write_records
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


REFERENCES = "results/synthetic-smoke/references/student/1_inf/block-0.npz"
SCORES = "results/synthetic-smoke/metrics/student/lira_offline/block-0.csv"
OWN = """
paper: audit
experiments:
  mine:
    dataset: {path: own.npz}
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    training: {batch_size: 10, epochs: 2}
    epsilons: [[inf]]
    replicates: 1
    block: 1
    references: {count: 2, block: 2}
    attacks: {lira_offline: {}}
"""


def with_references(file):
    changes = {"attacks": {"lira_offline": {}}, "references": {"count": 2, "block": 2}}
    file["experiments"]["student"] |= changes
    file["experiments"]["student"]["training"] |= {"epochs": 2}


@pytest.mark.slow  # runs of Snakemake, two of which train
def test_reference_models_of_published_data_are_shared_and_nothing_else_is(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(cache))
    one, other = (Workspace(tmp_path / name / "dpmia") for name in ("one", "other"))
    for workspace in (one, other):
        workspace.change_experiments(with_references)

    def planned(*arguments, target=REFERENCES, **config):
        return other.snakemake(target, "--cache", "--dry-run", *arguments, **config).stdout

    trained = one.snakemake(SCORES, "--cache")
    assert trained.returncode == 0, trained.stdout
    assert f"Moving output file {REFERENCES} to cache" in trained.stdout
    assert (one.folder / REFERENCES).stat().st_mode & 0o777 == 0o666, "for all who can enter the folder"
    files = {file.name for file in cache.iterdir()}

    # Another seed, setting or code is another key.
    taken, made = f"{REFERENCES} will be obtained from", f"{REFERENCES} will be written to"
    assert taken in planned()
    assert made in planned(seed=2)
    settings, code = "experiments/humphries.yaml", "dpmia/training/engines/stacked.py"
    for file, old, new in (
        (settings, "learning_rate: ", "learning_rate: 1"),
        (code, "import torch\n", "import torch\n\nADDED = 1\n"),
    ):
        before = (other.folder / file).read_text()
        (other.folder / file).write_text(before.replace(old, new, 1))
        assert before != (other.folder / file).read_text()
        assert made in planned(), file
        (other.folder / file).write_text(before)

    fetched = other.snakemake(SCORES, "--cache")
    assert fetched.returncode == 0, fetched.stdout
    assert f"Symlinking output file {REFERENCES} from cache" in fetched.stdout
    assert "to cache" not in fetched.stdout
    assert (one.folder / SCORES).read_bytes() == (other.folder / SCORES).read_bytes()
    assert other.planned(SCORES) == {}, "without --cache, too"

    # Beside data of the user's own, nothing is stored or taken.
    write_records(other.folder / "own.npz")
    (other.folder / "mine.yaml").write_text(OWN)
    own = {"data": "real", "experiments": "[mine.yaml]"}
    target = "results/real-smoke/audits/mine/references/mine/inf/block-0.npz"
    run = planned(target=target, **own)
    assert "Training reference models for mine" in run
    assert "between-workflow cache" not in run
    for rule in ("prepare_dataset", "train_references"):
        refused = other.snakemake(target, "--cache", rule, "--dry-run", **own)
        assert refused.returncode == 2
        assert f"--cache {rule}: what {rule} makes in this run stays out of a cache" in refused.stdout
    assert {file.name for file in cache.iterdir()} == files

    # Without a folder, or with that of other versions, it is refused before training.
    (cache / "dpmia-libraries.json").write_text("{}")
    refused = other.snakemake(REFERENCES, "--cache", "--forceall")
    assert "its models were trained with other versions" in refused.stdout
    monkeypatch.delenv("SNAKEMAKE_OUTPUT_CACHE")
    assert "--cache: SNAKEMAKE_OUTPUT_CACHE is not set" in other.snakemake(REFERENCES, "--cache", "-n").stdout


@pytest.mark.slow  # copies a whole run
def test_a_run_that_was_moved_goes_on_where_it_was(grown):
    assert grown.planned(TARGET) == {}
    (grown.folder / TARGET).unlink()
    assert grown.planned(TARGET) == {"summarise_experiment": 1}
