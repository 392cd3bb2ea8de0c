"""Data sets with a number to predict: formats, encoding, damaged files, the real files, and their stand-ins."""

import gzip
import hashlib
import importlib
import io
import os
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpmia.datasets import eyedata, iwpc, iwpc_raw, netflix
from dpmia.datasets.parsing import STAND_IN_MARK
from dpmia.datasets.regression import prepared, standardised
from dpmia.datasets.sources import raw_files
from dpmia.errors import ConfigError, DataError

MIRROR = Path(os.environ.get("DPMIA_MIRROR") or Path(__file__).parents[3] / "shared" / "data")
real = pytest.mark.skipif(not MIRROR.is_dir(), reason=f"no mirror of the real files: neither DPMIA_MIRROR nor {MIRROR}")

NAMES = ("eyedata", "iwpc", "iwpc_raw", "netflix")
FEATURES = (
    *("race=asian", "race=black", "race=white", "age", "height", "weight", "amiodarone=1", "decr=1"),
    *("cyp2c9=11", "cyp2c9=12", "cyp2c9=13", "cyp2c9=22", "cyp2c9=23", "cyp2c9=33"),
    *("vkorc1=CC", "vkorc1=CT", "vkorc1=TT"),
)


def module(name):
    return importlib.import_module(f"dpmia.datasets.{name}")


def write_stand_in(name, folder, seed=0, scale="smoke"):
    importlib.import_module(f"dpmia.datasets.stand_ins.{name}").write_files(folder, seed, scale)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """name -> folder, raw, data set of each stand-in."""
    sets = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        write_stand_in(name, folder)
        raw = module(name).read(folder)
        sets[name] = folder, raw, module(name).encode(raw)
    return sets


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """name -> raw, data set of each real file at hand."""
    folder = tmp_path_factory.mktemp("raw")
    (folder / iwpc_raw.FILE).write_bytes(gzip.decompress((MIRROR / "iwpc" / "warfarin.csv.gz").read_bytes()))
    folders = {"eyedata": MIRROR / "eyedata", "iwpc": MIRROR / "iwpc", "iwpc_raw": folder}
    raw = {name: module(name).read(folder) for name, folder in folders.items()}
    return {name: (raw[name], module(name).encode(raw[name])) for name in folders}


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
    dataset = prepared("made", frame, np.array([0.5, -1]), ("taken",), {})
    assert dataset.features == ("kind=a", "kind=b", "kind=c", "size")
    assert dataset.x.tolist() == [[0, 1, 0, 3.5], [1, 0, 0, -2]]
    assert dataset.y.dtype == np.float32
    assert dataset.classes == ()
    assert dataset.attributes["taken"].tolist() == ["1", "0"]


def test_an_unknown_attribute_is_told(made):
    with pytest.raises(ConfigError, match=r"attributes of iwpc: found 'vkorc'.*Did you mean 'vkorc1'\?"):
        iwpc.encode(made["iwpc"][1], ("vkorc",))
    with pytest.raises(ConfigError, match="attributes of netflix: found 'age'; expected none"):
        netflix.encode(made["netflix"][1], ("age",))


def test_attributes_leave_the_features(made):
    dataset = iwpc.encode(made["iwpc"][1], ("vkorc1",))
    assert dataset.features == FEATURES[:-3]
    assert set(dataset.attributes["vkorc1"]) == {"CC", "CT", "TT"}


# Stand-ins


@pytest.mark.parametrize("name", NAMES)
def test_files_are_named_and_marked_as_those_of_the_publisher(made, name):
    folder, _, dataset = made[name]
    (raw,) = raw_files(name)
    (file,) = dataset.provenance["files"]
    content = (folder / raw.file).read_bytes()
    assert file["name"] == raw.file
    assert file["sha256"] == hashlib.sha256(content).hexdigest() != raw.checksum.removeprefix("sha256:")
    assert file["bytes"] == len(content)
    assert dataset.provenance["stand_in"] is True
    assert sorted(path.name for path in folder.iterdir()) == sorted([raw.file, STAND_IN_MARK])
    if name != "netflix":
        assert file["rows"] == raw.rows


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_on_every_byte(made, name, tmp_path):
    folder, _, _ = made[name]
    write_stand_in(name, tmp_path / "same")
    write_stand_in(name, tmp_path / "other", seed=1)
    file = raw_files(name)[0].file
    assert (tmp_path / "same" / file).read_bytes() == (folder / file).read_bytes()
    assert (tmp_path / "other" / file).read_bytes() != (folder / file).read_bytes()


@pytest.mark.parametrize(
    ("name", "features"), [("eyedata", eyedata.PROBES), ("iwpc", FEATURES), ("iwpc_raw", FEATURES)]
)
def test_stand_ins_have_the_features_and_every_value_occurs(made, name, features):
    dataset = made[name][2]
    assert dataset.features == features
    assert (np.ptp(dataset.x, axis=0) > 0).all()
    assert dataset.y.mean() == pytest.approx(0, abs=1e-4)
    assert dataset.y.std() == pytest.approx(1, abs=1e-3)


def test_the_formats(made):
    lines = {name: (made[name][0] / raw_files(name)[0].file).read_bytes() for name in NAMES[:3]}
    header, first, *_ = lines["eyedata"].decode().splitlines()
    assert header.startswith('"1377","1748",')
    assert header.endswith(',"y"')
    assert '"' not in first
    assert lines["iwpc"].startswith(b"race,age,height,weight,amiodarone,decr,cyp2c9,vkorc1,dose\nw")
    assert lines["iwpc_raw"].startswith(b"\xef\xbb\xbfPharmGKB Subject ID,Gender,Race,")
    assert lines["iwpc_raw"].endswith(b"\r\n" + b"," * 65)
    assert lines["iwpc_raw"].count(b"\r\n") == lines["iwpc_raw"].count(b"\n") == 5701
    with tarfile.open(made["netflix"][0] / netflix.FILE) as archive:
        assert all(name.startswith("training_set/mv_00") for name in archive.getnames())
        content = archive.extractfile("training_set/mv_0011092.txt").read().decode()
    first, second, *_ = content.splitlines()
    assert first == "11092:"
    assert [len(field) for field in second.split(",")[1:]] == [1, 10]


def test_larger_scales_have_more_raters_and_films(made, tmp_path):
    write_stand_in("netflix", tmp_path, scale="laptop")
    larger, smaller = netflix.encode(netflix.read(tmp_path)), made["netflix"][2]
    assert larger.x.shape == (400, 1499)
    assert smaller.x.shape == (150, 299)


# The real files


@real
@pytest.mark.parametrize("name", NAMES[:3])
def test_provenance_is_the_published_one(published, name):
    (raw,) = raw_files(name)
    (file,) = published[name][1].provenance["files"]
    told = {key: file[key] for key in ("name", "sha256", "bytes", "rows")}
    sha256 = raw.checksum.removeprefix("sha256:")
    assert told == {"name": raw.file, "sha256": sha256, "bytes": raw.bytes, "rows": raw.rows}
    assert published[name][1].provenance["stand_in"] is False


@real
def test_records_and_features_of_the_real_files(published):
    eyes, patients, raw = (published[name][1] for name in NAMES[:3])
    assert (eyes.x.shape, patients.x.shape, raw.x.shape) == ((120, 200), (4819, 17), (3601, 17))
    np.testing.assert_allclose(eyes.x.std(0), 1, rtol=1e-5)
    assert eyes.y.std() == pytest.approx(1, rel=1e-5)
    # Counted in the file by its authors' column names.
    counts = dict(zip(patients.features, patients.x.sum(0).astype(int).tolist(), strict=True))
    assert [counts[f"cyp2c9={value}"] for value in ("11", "12", "13", "22", "23", "33")] == [3630, 643, 430, 41, 60, 15]
    assert [counts[f"vkorc1={value}"] for value in ("CC", "CT", "TT")] == [1435, 1756, 1628]
    assert [counts[f"race={value}"] for value in ("asian", "black", "white")] == [1462, 457, 2900]


@real
def test_the_consortiums_table_has_the_missing_values_it_is_known_for(published):
    raw = published["iwpc_raw"][0]
    assert len(raw) == 5700
    measured = raw[[iwpc_raw.HEIGHT, iwpc_raw.WEIGHT, iwpc_raw.DOSE]].notna().all(axis=1)
    assert (measured & (raw[iwpc_raw.AGE] != iwpc_raw.UNKNOWN)).sum() == 4386
    assert raw[iwpc_raw.DOSE].notna().sum() == 5528


def linear_fit(dataset):
    """Return the share of the response's variance that a linear model explains."""
    x = np.column_stack([np.ones(len(dataset)), dataset.x]).astype(float)
    residual = dataset.y - x @ np.linalg.lstsq(x, dataset.y, rcond=None)[0]
    return 1 - residual.var() / dataset.y.var()


@real
@pytest.mark.parametrize("name", ["iwpc", "iwpc_raw"])
def test_made_up_patients_are_like_real_ones(published, made, name):
    true, stand_in = published[name][1], made[name][2]
    shares = [place for place, feature in enumerate(FEATURES) if "=" in feature]
    np.testing.assert_allclose(stand_in.x[:, shares].mean(0), true.x[:, shares].mean(0), atol=0.06)
    assert linear_fit(stand_in) == pytest.approx(linear_fit(true), abs=0.06)
    for feature in ("vkorc1=TT", "cyp2c9=13", "age", "weight"):
        place = FEATURES.index(feature)
        told = [np.corrcoef(dataset.x[:, place], dataset.y)[0, 1] for dataset in (stand_in, true)]
        assert told[0] == pytest.approx(told[1], abs=0.1), feature


@real
def test_made_up_genes_go_together_as_real_ones_do(published, made):
    spectra = [np.linalg.svd(published["eyedata"][1].x, compute_uv=False) ** 2 / 120,
               np.linalg.svd(made["eyedata"][2].x, compute_uv=False) ** 2 / 120]  # fmt: skip
    assert spectra[1][:3] == pytest.approx(spectra[0][:3], rel=0.25)
    tied = [np.abs(np.corrcoef(dataset.x.T, dataset.y)[-1, :-1]).mean()
            for dataset in (published["eyedata"][1], made["eyedata"][2])]  # fmt: skip
    assert tied[1] == pytest.approx(tied[0], abs=0.1)


# Warfarin patients by hand


def patient(**values):
    """Return one parsed patient with all values, but for those given."""
    row = {
        iwpc_raw.RACE: "White", iwpc_raw.AGE: "60 - 69", iwpc_raw.HEIGHT: 170.0, iwpc_raw.WEIGHT: 70.0,
        iwpc_raw.AMIODARONE: "0", **dict.fromkeys(iwpc_raw.INDUCERS, "NA"), iwpc_raw.DOSE: 35.0,
        iwpc_raw.CYP2C9: "*1/*1", iwpc_raw.VKORC1: "A/G", iwpc_raw.VKORC1_NEAR: "NA",
    }  # fmt: skip
    return row | {getattr(iwpc_raw, name): value for name, value in values.items()}


def encoded(*rows):
    others = [patient(AGE="20 - 29", HEIGHT=150.0, WEIGHT=50.0, DOSE=10.0)]
    dataset = iwpc_raw.encode(pd.DataFrame([*rows, *others]))
    return dataset, pd.DataFrame(dataset.x, columns=dataset.features)


def test_a_site_nearby_tells_vkorc1_where_the_site_itself_was_not_read():
    dataset, x = encoded(
        patient(VKORC1="NA", VKORC1_NEAR="T/T"), patient(VKORC1="G/G", VKORC1_NEAR="T/T"), patient(VKORC1="NA")
    )
    assert len(dataset) == 3
    assert x["vkorc1=TT"].tolist() == [1, 0, 0]
    assert x["vkorc1=CC"].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "lacking",
    [{"RACE": "Unknown"}, {"AGE": "NA"}, {"HEIGHT": np.nan}, {"DOSE": np.nan}, {"CYP2C9": "*1/*5"}, {"CYP2C9": "NA"}],
)
def test_patients_with_a_value_missing_are_left_out(lacking):
    assert len(encoded(patient(**lacking), patient())[0]) == 2


def test_a_drug_that_is_not_written_down_was_not_taken():
    inducer = patient() | {iwpc_raw.INDUCERS[1]: "1"}
    _, x = encoded(patient(AMIODARONE="NA"), patient(AMIODARONE="1"), inducer)
    assert x["amiodarone=1"].tolist() == [0, 1, 0, 0]
    assert x["decr=1"].tolist() == [0, 0, 1, 0]


def test_the_dose_is_its_root():
    dataset, _ = encoded(patient(DOSE=16.0), patient(DOSE=49.0))
    roots = np.array([4, 7, np.sqrt(10)])
    np.testing.assert_allclose(dataset.y, (roots - roots.mean()) / roots.std(), rtol=1e-6)


def test_patients_without_values_are_too_few():
    with pytest.raises(DataError, match=r"warfarin.csv: found 0 patients with all values"):
        iwpc_raw.encode(pd.DataFrame([patient(AGE="NA")]))


# Raters of films by hand


def archive(folder, films, stand_in=True, prefix=""):
    """Write an archive of texts by film."""
    folder.mkdir(exist_ok=True)
    if stand_in:
        (folder / STAND_IN_MARK).write_text("made up")
    with tarfile.open(folder / netflix.FILE, "w") as tar:
        for film, text in films.items():
            member = tarfile.TarInfo(prefix + netflix.member_name(film))
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return folder


DAY = "2005-01-02"
FILMS = {
    7: f"7:\n30,1,{DAY}\n10,2,{DAY}\n",
    netflix.FILM: f"11092:\n30,5,{DAY}\n20,1,{DAY}\n10,3,{DAY}\n",
    12_000: f"12000:\n99,4,{DAY}\n20,4,{DAY}\n",
    12_001: "12001:\n",
}


@pytest.mark.parametrize("prefix", ["", "./"])
def test_features_are_the_other_films_that_a_rater_rated(tmp_path, prefix):
    dataset = netflix.encode(netflix.read(archive(tmp_path, FILMS, prefix=prefix)))
    assert dataset.features == ("film=7", "film=12000", "film=12001")
    assert dataset.x.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]  # raters 30, 20, 10
    np.testing.assert_allclose(dataset.y, np.array([2, -2, 0]) / np.std([5, 1, 3]), rtol=1e-6)
    assert dataset.provenance["files"][0]["rows"] == 3


def test_lines_may_end_as_on_windows(tmp_path):
    windows = {film: text.replace("\n", "\r\n") for film, text in FILMS.items()}
    plain = netflix.encode(netflix.read(archive(tmp_path / "a", FILMS)))
    other = netflix.encode(netflix.read(archive(tmp_path / "b", windows)))
    assert other.fingerprint == plain.fingerprint


def test_an_archive_with_films_missing_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"training_set.tar: found 4 films, with number 11092; expected 17770 films"):
        netflix.read(archive(tmp_path, FILMS, stand_in=False))
    without = {film: text for film, text in FILMS.items() if film != netflix.FILM}
    with pytest.raises(DataError, match="found 3 films, without number 11092"):
        netflix.read(archive(tmp_path, without))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"8:\n30,1,{DAY}\n", "mv_0000007.txt, row 1: found '8:'; expected '7:'"),
        ("", "mv_0000007.txt, row 1: found ''; expected '7:'"),
        (f"7:\n30,1,{DAY}\n10,6,{DAY}\n", f"row 3: found '10,6,{DAY}'; expected 'customer,rating,date'"),
        (f"7:\n30,1\n10,5,{DAY}\n", "row 2: found '30,1'"),
    ],
)
def test_damaged_texts_are_told_by_film_and_row(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        netflix.read(archive(tmp_path, FILMS | {7: text}))


def test_archives_that_are_none_or_not_there_are_told(tmp_path):
    with pytest.raises(DataError, match=r"no such file.*cannot be downloaded"):
        netflix.read(tmp_path)
    (tmp_path / netflix.FILE).write_bytes(b"nothing" * 1000)
    with pytest.raises(DataError, match=r"training_set.tar: found a damaged archive"):
        netflix.read(tmp_path)


def test_a_file_cut_off_is_told(tmp_path):
    path = archive(tmp_path, FILMS) / netflix.FILE
    path.write_bytes(path.read_bytes()[:1100])
    with pytest.raises(DataError, match=r"training_set.tar"):
        netflix.read(tmp_path)


def test_equal_numbers_cannot_be_scaled(tmp_path, made):
    same = FILMS | {netflix.FILM: f"11092:\n30,5,{DAY}\n20,5,{DAY}\n"}
    with pytest.raises(DataError, match="equal ratings of film 11092"):
        netflix.encode(netflix.read(archive(tmp_path, same)))
    with pytest.raises(DataError, match="equal numbers in column '1748'"):
        eyedata.encode(made["eyedata"][1].assign(**{"1748": 3.0}))
