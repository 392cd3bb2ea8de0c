"""Encoding against tables worked out by hand, and the prepared file."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from synthetic_files import write_synthetic

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import features, prepared
from dpmia.datasets.published import adult, compas, heart, student
from dpmia.formats.provenance import Provenance, SourceFile


def categories(values, names):
    return pd.Categorical(values, categories=names)


def toy():
    return pd.DataFrame(
        {
            "number": [10.0, np.nan, 30.0, 20.0],
            "pair": categories(["no", "yes", None, "no"], ["no", "yes"]),
            "many": categories(["c", None, "a", "c"], ["a", "b", "c"]),
            "constant": [7.0, 7.0, 7.0, 7.0],
        }
    )


# Worked out by hand: the mean of 10, 30, 20 is 20; the modes are `no` and `c`; 10..30 becomes 0..1.
TOY = [
    [0.0, 0, 0, 0, 1, 0],
    [0.5, 1, 0, 0, 1, 0],
    [1.0, 0, 1, 0, 0, 0],
    [0.5, 0, 0, 0, 1, 0],
]


PROVENANCE = Provenance([SourceFile("toy.csv", "ab" * 32, 10, 4)])


def test_four_rows_by_hand():
    x, names = features(toy())
    assert names == ("number", "pair=yes", "many=a", "many=b", "many=c", "constant")
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, np.array(TOY, dtype=np.float32))


def test_attributes_leave_the_features_and_keep_their_words():
    made = prepared("toy", toy(), np.array([0, 1, 0, 1]), ("a", "b"), ("many", "number"), PROVENANCE)
    assert made.features == ("pair=yes", "constant")
    assert made.attributes["many"].tolist() == ["c", "?", "a", "c"]
    assert made.attributes["number"].tolist() == ["10", "?", "30", "20"]
    assert all(values.dtype.kind == "U" for values in made.attributes.values())
    assert made.y.dtype == np.int64
    assert made.provenance == PROVENANCE


def test_the_first_of_equal_modes_fills():
    x, _ = features(pd.DataFrame({"pair": categories(["yes", "no", None], ["no", "yes"])}))
    assert x[:, 0].tolist() == [1, 0, 0]


def test_columns_without_any_value_become_zeros():
    frame = pd.DataFrame({"number": [np.nan, np.nan], "many": categories([None, None], ["a", "b", "c"])})
    x, _ = features(frame)
    assert not x.any()


@pytest.mark.parametrize("module", [adult, compas, heart, student])
def test_an_unknown_attribute_is_reported_with_the_nearest(module, frames):
    with pytest.raises(ConfigError, match=r"attributes of \w+: 'sez' is not one of .*sex.* Did you mean 'sex'\?"):
        module.encode(frames[module], ("sez",))


@pytest.mark.parametrize(
    ("module", "label"), [(adult, "income"), (compas, "two_year_recid"), (heart, "num"), (student, "G3")]
)
def test_a_label_is_no_attribute(module, label, frames):
    with pytest.raises(ConfigError, match=f"{label!r}"):
        module.encode(frames[module], (label,))


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """All synthetic records."""
    read = {}
    for module in (adult, compas, heart, student):
        folder = tmp_path_factory.mktemp("raw")
        write_synthetic(module.__name__.rpartition(".")[2], folder)
        read[module] = module.read(folder)
    return read


def test_hospitals_are_filled_one_by_one(frames):
    table = frames[heart].copy()
    table["chol"] = np.where(table["hospital"] == "va", 100.0, 400.0)
    table.loc[table["hospital"].isin(["va", "cleveland"]) & (table.index % 2 == 0), "chol"] = np.nan
    made = heart.encode(table)
    column = made.x[:, made.features.index("chol")]
    hospital = made.attributes["hospital"]
    assert set(column[hospital == "va"]) == {0.0}
    assert set(column[hospital == "cleveland"]) == {1.0}


def test_hospital_means_are_rounded_to_one_decimal(frames):
    table = frames[heart].copy()
    table["age"] = 50.0
    # Two of 123 patients are 0 and 100, one is missing: the mean of the rest is 50; with 101 it is 50.008.
    swiss = table.index[table["hospital"] == "switzerland"]
    table.loc[swiss[:3], "age"] = [0.0, 101.0, np.nan]
    made = heart.encode(table)
    filled = made.x[swiss[2], made.features.index("age")]
    assert filled == np.float32(50.0 / 101.0)


def test_what_a_hospital_never_measured_is_filled_over_all(frames):
    table = frames[heart].copy()
    table["ca"] = 3.0
    table.loc[table.index[0], "ca"] = 0.0
    table.loc[table["hospital"] == "va", "ca"] = np.nan
    made = heart.encode(table)
    va = made.attributes["hospital"] == "va"
    others_mean = (3 * (len(table) - 1 - va.sum())) / (len(table) - va.sum())
    np.testing.assert_allclose(made.x[va, made.features.index("ca")], others_mean / 3, rtol=1e-6)


def test_compas_keeps_what_the_filter_keeps(frames):
    table = frames[compas].iloc[:5].copy()
    table["days_b_screening_arrest"] = [30.0, -31.0, np.nan, -30.0, 0.0]
    table["is_recid"] = [1.0, 1.0, 1.0, 0.0, -1.0]
    table["c_charge_degree"] = categories(["F", "F", "F", "M", "M"], ["F", "M", "O"])
    assert compas.usable(table).tolist() == [True, False, False, True, False]
    made = compas.encode(table)
    assert made.x[:, made.features.index("c_charge_degree=M")].tolist() == [0, 1]
    table["c_charge_degree"] = categories(["O"] * 5, ["F", "M", "O"])
    with pytest.raises(DataError, match="no record passes the filter"):
        compas.encode(table)


def test_a_pupil_passes_from_ten_on(frames):
    table = frames[student].iloc[:3].copy()
    table["G3"] = [9.0, 10.0, 20.0]
    assert student.encode(table).y.tolist() == [0, 1, 1]


def test_every_degree_but_zero_is_disease(frames):
    table = frames[heart].iloc[:5].copy()
    table["num"] = categories(["0", "1", "2", "3", "4"], ["0", "1", "2", "3", "4"])
    assert heart.encode(table).y.tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("module", [adult, compas, heart, student])
def test_encoding_leaves_the_table_alone(module, frames):
    frame = frames[module].iloc[:1000]
    before = frame.copy()
    module.encode(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_save_and_load(tmp_path, frames):
    made = student.encode(frames[student], ("sex",))
    made.save(tmp_path / "student.npz")
    loaded = Dataset.load(tmp_path / "student.npz")
    assert loaded.fingerprint == made.fingerprint
    assert (loaded.name, loaded.features, loaded.classes) == (made.name, made.features, made.classes)
    assert loaded.provenance == made.provenance
    assert loaded.provenance.synthetic is True
    for name in ("sex", "school"):
        np.testing.assert_array_equal(loaded.attributes[name], made.attributes[name])
        assert loaded.attributes[name].dtype == made.attributes[name].dtype


def test_prepared_data_with_other_records_are_refused(tmp_path, frames):
    path = tmp_path / "student.npz"
    student.encode(frames[student]).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **(arrays | {"x": arrays["x"] + np.float32(1)}))
    with pytest.raises(DataError, match=r"student\.npz: its records are not those that were prepared\. Delete it"):
        Dataset.load(path)
    header = json.loads(str(arrays["header"]))
    del header["fingerprint"], header["digest"]
    np.savez(path, **(arrays | {"header": np.array(json.dumps(header))}))
    assert len(Dataset.load(path)) == len(arrays["x"]), "files of earlier versions have none"


def test_the_fingerprint_follows_records_and_nothing_else(frames):
    made = student.encode(frames[student])
    names = replace(made, name="other", provenance=PROVENANCE, features=tuple(f"f{i}" for i in range(made.x.shape[1])))
    assert names.fingerprint == made.fingerprint
    x, y, school = made.x.copy(), made.y.copy(), made.attributes["school"].copy()
    x[3, 5] += np.float32(1e-6)
    y[0] = 1 - y[0]
    school[0] = "MS"
    changed = [replace(made, x=x), replace(made, y=y), replace(made, attributes={"school": school})]
    assert len({made.fingerprint, *(other.fingerprint for other in changed)}) == 4
