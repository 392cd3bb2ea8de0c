"""Files of one job in the place of another's: refused, where nothing else would tell them apart."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from dpmia.common.errors import DataError
from dpmia.datasets.table import Dataset
from dpmia.formats.rows import NO_ATTACK, write_rows
from dpmia.formats.stages import LINEAR_GENERATOR
from dpmia.formats.tables import read_table
from dpmia.splits.block import load_clusters, save_clusters

DATA = Dataset("toy", np.eye(3, dtype=np.float32), np.arange(3) % 2, ("a", "b", "c"), ("no", "yes"), {})


def moved(path, place):
    """Copy a file to another place below its own folder, and return it there."""
    there = path.parent / place
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
