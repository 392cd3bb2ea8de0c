"""Data sets with a number to predict: formats, encoding, damaged files, the real files, and synthetic ones."""

import hashlib
import importlib

import numpy as np
import pandas as pd
import pytest
from real_files import MIRROR, needs_real_files
from synthetic_files import write_synthetic

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.published import eyedata, iwpc
from dpmia.datasets.published.regression import prepared, standardised
from dpmia.datasets.raw.sources import raw_files
from dpmia.formats.provenance import SYNTHETIC_MARK, Provenance

NAMES = ("eyedata", "iwpc")
FEATURES = (
    *("race=asian", "race=black", "race=white", "age", "height", "weight", "amiodarone=1", "decr=1"),
    *("cyp2c9=11", "cyp2c9=12", "cyp2c9=13", "cyp2c9=22", "cyp2c9=23", "cyp2c9=33"),
    *("vkorc1=CC", "vkorc1=CT", "vkorc1=TT"),
)


def module(name):
    return importlib.import_module(f"dpmia.datasets.published.{name}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """name -> folder, raw, data set of synthetic files."""
    sets = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        write_synthetic(name, folder)
        raw = module(name).read(folder)
        sets[name] = folder, raw, module(name).encode(raw)
    return sets


@pytest.fixture(scope="module")
def published():
    """name -> raw, data set of each real file available."""
    raw = {name: module(name).read(MIRROR / name) for name in NAMES}
    return {name: (raw[name], module(name).encode(raw[name])) for name in NAMES}


# Encoding


def test_standard_scores_have_mean_0_and_variance_1():
    values = np.random.default_rng(0).gamma(2, size=(50, 3)) * [1, 10, 100]
    scores = standardised(values)
    np.testing.assert_allclose(scores.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(scores.var(0), 1)


def test_numbers_keep_their_scale_and_categories_become_columns():
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(["b", "a"], ["a", "b", "c"]),
            "size": [3.5, -2.0],
            "taken": pd.Categorical(["1", "0"], ["0", "1"]),
        }
    )
    dataset = prepared("made", frame, np.array([0.5, -1]), ("taken",), Provenance())
    assert dataset.features == ("kind=a", "kind=b", "kind=c", "size")
    assert dataset.x.tolist() == [[0, 1, 0, 3.5], [1, 0, 0, -2]]
    assert dataset.y.dtype == np.float32
    assert dataset.classes == ()
    assert dataset.attributes["taken"].tolist() == ["1", "0"]


def test_an_unknown_attribute_is_reported(made):
    with pytest.raises(ConfigError, match=r"attributes of iwpc: 'vkorc'.*Did you mean 'vkorc1'\?"):
        iwpc.encode(made["iwpc"][1], ("vkorc",))


def test_attributes_leave_the_features(made):
    dataset = iwpc.encode(made["iwpc"][1], ("vkorc1",))
    assert dataset.features == FEATURES[:-3]
    assert set(dataset.attributes["vkorc1"]) == {"CC", "CT", "TT"}


# Synthetic files


@pytest.mark.parametrize("name", NAMES)
def test_files_are_named_and_marked_as_those_of_the_publisher(made, name):
    folder, _, dataset = made[name]
    (raw,) = raw_files(name)
    (file,) = dataset.provenance.files
    content = (folder / raw.file).read_bytes()
    assert file.name == raw.file
    assert file.sha256 == hashlib.sha256(content).hexdigest() != raw.checksum.removeprefix("sha256:")
    assert file.bytes == len(content)
    assert dataset.provenance.synthetic is True
    assert sorted(path.name for path in folder.iterdir()) == sorted([raw.file, SYNTHETIC_MARK])
    assert file.rows == raw.rows


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_on_every_byte(made, name, tmp_path):
    folder, _, _ = made[name]
    write_synthetic(name, tmp_path / "same")
    write_synthetic(name, tmp_path / "other", seed=1)
    file = raw_files(name)[0].file
    assert (tmp_path / "same" / file).read_bytes() == (folder / file).read_bytes()
    assert (tmp_path / "other" / file).read_bytes() != (folder / file).read_bytes()


@pytest.mark.parametrize(("name", "features"), [("eyedata", eyedata.PROBES), ("iwpc", FEATURES)])
def test_synthetic_data_have_the_features_and_every_value_occurs(made, name, features):
    dataset = made[name][2]
    assert dataset.features == features
    assert (np.ptp(dataset.x, axis=0) > 0).all()
    assert dataset.y.mean() == pytest.approx(0, abs=1e-4)
    assert dataset.y.std() == pytest.approx(1, abs=1e-3)


def test_the_formats(made):
    lines = {name: (made[name][0] / raw_files(name)[0].file).read_bytes() for name in NAMES}
    header, first, *_ = lines["eyedata"].decode().splitlines()
    assert header.startswith('"1377","1748",')
    assert header.endswith(',"y"')
    assert '"' not in first
    assert lines["iwpc"].startswith(b"race,age,height,weight,amiodarone,decr,cyp2c9,vkorc1,dose\nw")


# The real files


@needs_real_files
@pytest.mark.parametrize("name", NAMES)
def test_provenance_is_the_published_one(published, name):
    (raw,) = raw_files(name)
    (file,) = published[name][1].provenance.files
    reported = {key: getattr(file, key) for key in ("name", "sha256", "bytes", "rows")}
    sha256 = raw.checksum.removeprefix("sha256:")
    assert reported == {"name": raw.file, "sha256": sha256, "bytes": raw.bytes, "rows": raw.rows}
    assert published[name][1].provenance.synthetic is False


@needs_real_files
def test_records_and_features_of_the_real_files(published):
    eyes, patients = (published[name][1] for name in NAMES)
    assert (eyes.x.shape, patients.x.shape) == ((120, 200), (4819, 17))
    np.testing.assert_allclose(eyes.x.std(0), 1, rtol=1e-5)
    assert eyes.y.std() == pytest.approx(1, rel=1e-5)
    # Counted in the file by its authors' column names.
    counts = dict(zip(patients.features, patients.x.sum(0).astype(int).tolist(), strict=True))
    assert [counts[f"cyp2c9={value}"] for value in ("11", "12", "13", "22", "23", "33")] == [3630, 643, 430, 41, 60, 15]
    assert [counts[f"vkorc1={value}"] for value in ("CC", "CT", "TT")] == [1435, 1756, 1628]
    assert [counts[f"race={value}"] for value in ("asian", "black", "white")] == [1462, 457, 2900]


def linear_fit(dataset):
    """Return the share of the response's variance that a linear model explains."""
    x = np.column_stack([np.ones(len(dataset)), dataset.x]).astype(float)
    residual = dataset.y - x @ np.linalg.lstsq(x, dataset.y, rcond=None)[0]
    return 1 - residual.var() / dataset.y.var()


@needs_real_files
def test_synthetic_patients_are_like_real_ones(published, made):
    true, synthetic = published["iwpc"][1], made["iwpc"][2]
    shares = [place for place, feature in enumerate(FEATURES) if "=" in feature]
    np.testing.assert_allclose(synthetic.x[:, shares].mean(0), true.x[:, shares].mean(0), atol=0.06)
    assert linear_fit(synthetic) == pytest.approx(linear_fit(true), abs=0.06)
    for feature in ("vkorc1=TT", "cyp2c9=13", "age", "weight"):
        place = FEATURES.index(feature)
        reported = [np.corrcoef(dataset.x[:, place], dataset.y)[0, 1] for dataset in (synthetic, true)]
        assert reported[0] == pytest.approx(reported[1], abs=0.1), feature


@needs_real_files
def test_synthetic_genes_go_together_as_real_ones_do(published, made):
    spectra = [np.linalg.svd(published["eyedata"][1].x, compute_uv=False) ** 2 / 120,
               np.linalg.svd(made["eyedata"][2].x, compute_uv=False) ** 2 / 120]  # fmt: skip
    assert spectra[1][:3] == pytest.approx(spectra[0][:3], rel=0.25)
    tied = [np.abs(np.corrcoef(dataset.x.T, dataset.y)[-1, :-1]).mean()
            for dataset in (published["eyedata"][1], made["eyedata"][2])]  # fmt: skip
    assert tied[1] == pytest.approx(tied[0], abs=0.1)


def test_equal_numbers_cannot_be_scaled(made):
    with pytest.raises(DataError, match="'1748' is constant"):
        eyedata.encode(made["eyedata"][1].assign(**{"1748": 3.0}))
