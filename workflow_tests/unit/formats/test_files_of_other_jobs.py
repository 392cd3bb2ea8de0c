"""Files of one job in the place of another's: refused, where nothing else would tell them apart."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from dpmia.common.errors import DataError
from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import Losses, load_cards, load_losses, save_losses
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import NO_ATTACK, write_rows
from dpmia.formats.signals import load_signals, save_signals
from dpmia.formats.stages import LINEAR_GENERATOR
from dpmia.formats.tables import read_parts, read_table
from dpmia.splits.block import load_clusters, save_clusters

DATA = Dataset("toy", np.eye(3, dtype=np.float32), np.arange(3) % 2, ("a", "b", "c"), ("no", "yes"), {})


def moved(path, place):
    """Copy a file to another place below its own folder, and return it there."""
    there = (path.parent / place).resolve()
    there.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(path, there))


def test_prepared_data_of_another_data_set(tmp_path):
    path = tmp_path / "prepared/adult.npz"
    DATA.save(path)
    assert Dataset.load(path).fingerprint == DATA.fingerprint
    with pytest.raises(DataError, match=r"heart\.npz: it holds the records of adult\."):
        Dataset.load(moved(path, "heart.npz"))
    assert Dataset.load(moved(path, "../anywhere.npz")).fingerprint == DATA.fingerprint


def test_clusters_of_another_clustering(tmp_path):
    path, clusters = tmp_path / "clusters/adult-2-farthest-0-10.npz", np.array(["0", "1", "0"])
    save_clusters(path, clusters)
    assert load_clusters([str(path)], DATA).tolist() == clusters.tolist()
    with pytest.raises(DataError, match=r"nearest-0-10\.npz: it holds the clusters of adult-2-farthest-0-10\."):
        load_clusters([str(moved(path, "adult-2-nearest-0-10.npz"))], DATA)
    assert load_clusters([], DATA) is None


def test_the_table_of_another_study(tmp_path):
    with pytest.raises(DataError, match=r"yeom_eyedata\.csv: its rows are about the experiment yeom_iwpc\."):
        read_table(whole_study(tmp_path, "yeom_iwpc", "yeom_eyedata"))
    assert len(read_table(whole_study(tmp_path, "yeom_iwpc", "yeom_iwpc"))) == 1


def whole_study(folder, name, place):
    """Write the table of a study to a place, and return its path."""
    path = folder / f"studies/{place}.csv"
    texts = dict.fromkeys(("method", "calibration", "radius"), "toy")
    write_rows(
        path, [[name, *(texts.get(column, 1) for column in LINEAR_GENERATOR)]], ["experiment", *LINEAR_GENERATOR]
    )
    return path


@pytest.mark.parametrize(
    ("place", "attack", "message"),
    [
        ("metrics/heart/rmia/block-0.csv", "lira", "about 'lira', not 'rmia'"),
        ("accuracy/heart/block-0.csv", "lira", f"about 'lira', not '{NO_ATTACK}'"),
        ("blind/heart/block-0.csv", NO_ATTACK, f"about '{NO_ATTACK}', not 'blind' or 'blind_with_loss'"),
    ],
)
def test_the_table_of_another_attack(tmp_path, place, attack, message):
    columns = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric", "replicate", "value"]
    write_rows(tmp_path / place, [["heart", "va", False, 1.0, attack, False, "auc", 0, 0.5]], columns)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / place)


#: Losses of one reference model: each file below holds the same, so its place alone tells it from the others.
LOSSES = Losses([ModelCard("va", False, "inf", "reference", [1])], np.arange(1), np.zeros((1, 1), "f4"), np.eye(1) > 0)


@pytest.mark.parametrize(
    ("place", "other", "holds"),
    [
        ("references/heart/inf/block-0.npz", "block-1.npz", "heart/inf/block-0"),
        ("references/heart/inf/block-0.npz", "../1/block-0.npz", "heart/inf/block-0"),
        ("references/heart/inf/block-0.npz", "../../student/inf/block-0.npz", "heart/inf/block-0"),
        ("distilled/heart/inf/targets-0/block-0.npz", "../targets-1/block-0.npz", "heart/inf/targets-0/block-0"),
        ("leave_one_out/heart/va/target-0/block-0.npz", "block-1.npz", "heart/va/target-0/block-0"),
    ],
)
@pytest.mark.parametrize("load", [load_cards, load_losses])
def test_models_of_the_attacker_of_another_job(tmp_path, place, other, holds, load):
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    save_losses(path, [LOSSES], Provenance())
    assert len(load(path)) == 1
    with pytest.raises(DataError, match=rf"\.npz: it holds the models of {holds}\."):
        load(moved(path, other))


def test_shadow_models_of_another_experiment(tmp_path):
    path = tmp_path / "shadows/heart/block-0.npz"
    path.parent.mkdir(parents=True)
    save_signals(path, [], Provenance())
    with pytest.raises(DataError, match=r"it holds the models of heart/block-0\."):
        list(load_signals(moved(path, "../student/block-0.npz")))


def test_models_in_a_cache_belong_to_every_run_that_links_to_them(tmp_path):
    made, other = (tmp_path / f"references/{name}/inf/block-0.npz" for name in ("heart", "mine"))
    for path in (made, other):
        path.parent.mkdir(parents=True)
    save_losses(made, [LOSSES], Provenance())
    other.symlink_to(made)
    with pytest.raises(
        DataError, match=r"mine/inf/block-0\.npz: it holds the models of heart/inf/block-0\. It is a link"
    ):
        load_losses(other)
    other.unlink()
    other.symlink_to(made.rename(tmp_path / "5d41402a.npz"))
    assert len(load_losses(other)) == 1


COLUMNS = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric", "replicate", "value"]


def block(folder, number, replicates):
    """Write the table of one block of an attack, and return its path."""
    path = folder / f"metrics/heart/lira/block-{number}.csv"
    rows = [
        ["heart", "va", False, epsilon, "lira", False, "auc", i, 0.5] for epsilon in ("1", "inf") for i in replicates
    ]
    write_rows(path, rows, COLUMNS)
    return path


def test_the_table_of_one_block_in_the_place_of_another(tmp_path):
    files = [block(tmp_path, number, (2 * number, 2 * number + 1)) for number in range(3)]
    assert len(read_parts(files)) == 12
    shutil.copy(files[2], files[0])
    with pytest.raises(
        DataError, match=r"block-2\.csv: it holds a row that .*block-0\.csv holds, too\. Delete both and"
    ):
        read_parts(files)
