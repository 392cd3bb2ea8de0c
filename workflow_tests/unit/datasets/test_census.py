"""KDD census beside Adult: words, years, copies; the synthetic data; and the real files where a mirror is at hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from real_files import MIRROR, NO_MIRROR
from synthetic_files import write_synthetic

from dpmia.common.errors import DataError
from dpmia.datasets.published import adult, census_adult
from dpmia.datasets.raw.fetch import fetch
from dpmia.datasets.raw.sources import required_files
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.splits.draws import group

FILES = ["census-income.test", "adult.data", "adult.test"]

#: A person as the census tells of her, by the positions of the columns that are read.
PERSON = {
    0: "38", 1: "Private", 4: "High school graduate", 7: "Divorced", 9: "Sales", 10: "White", 12: "Female", 16: "0",
    17: "0", 34: "United-States", 40: "94", 41: "- 50000.",
}  # fmt: skip
#: The same person in Adult's words.
SAME = "38, Private, 1, HS-grad, 9, Divorced, Sales, Unmarried, White, Female, 0, 0, 40, United-States, <=50K"


def census_row(**changes):
    """Return one line of the census, with `_4="Children"` at position 4."""
    fields = dict.fromkeys(range(42), "0") | PERSON
    fields |= {int(position[1:]): value for position, value in changes.items()}
    return ", ".join(fields[position] for position in range(42)) + "\n"


def raw(folder, census, adults=(SAME,), name="census-income.test"):
    """Write raw files of a few records."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(census))
    (folder / "adult.data").write_text("".join(f"{line}\n" for line in adults))
    (folder / "adult.test").write_text(f"|1x3\n{SAME.replace('38', '39', 1)}.\n")
    return folder


def test_adults_words_are_all_there_and_five_values_are_the_census_own():
    assert tuple(census_adult.WORDS) == tuple(name for name in census_adult.COMMON if "age" != name[:3] != "cap")
    own = {
        (name, word)
        for name, translation in census_adult.WORDS.items()
        for word in translation.values()
        if word not in adult.KINDS[name].values
    }
    assert own == {
        ("workclass", "Not-in-universe"),
        ("occupation", "Not-in-universe"),
        ("education", "Children"),
        ("native-country", "Panama"),
        ("native-country", "Unknown"),
    }
    for name, translation in census_adult.WORDS.items():
        assert set(adult.KINDS[name].values) <= set(translation.values()), name
        assert len(set(translation.values())) == len(translation), name


def test_a_person_of_the_census_is_described_in_adults_terms(tmp_path):
    line = census_row(
        _0="61", _1="Self-employed-not incorporated", _4="Masters degree(MA MS MEng MEd MSW MBA)",
        _7="Married-A F spouse present", _9="Handlers equip cleaners etc ", _10="Other", _12="Male", _16="7298",
        _17="1902", _34="South Korea", _41="50000+.",
    )  # fmt: skip
    person = census_adult.read(raw(tmp_path, [line])).iloc[0]
    assert person[["age", "capital-gain", "capital-loss"]].tolist() == [61, 7298, 1902]
    assert person[["workclass", "education", "marital-status"]].tolist() == [
        "Self-emp-not-inc",
        "Masters",
        "Married-AF-spouse",
    ]
    assert person[["occupation", "race", "sex"]].tolist() == ["Handlers-cleaners", "Other", "Male"]
    assert person[["native-country", "income", "source"]].tolist() == ["South", ">50K", "census"]


def test_only_people_surveyed_in_1994_are_encoded(tmp_path):
    frame = census_adult.read(raw(tmp_path, [census_row(_0=str(age), _40=str(94 + age % 2)) for age in range(20, 30)]))
    assert frame["year"].tolist() == ["94", "95"] * 5 + ["94"] * 2
    dataset = census_adult.encode(frame)
    assert dataset.attributes["source"].tolist() == ["census"] * 5 + ["adult"] * 2
    assert dataset.provenance.records == {
        "census": {"of 1994": 5, "without duplicates": 5},
        "adult": {"of 1994": 2, "without duplicates": 2},
    }


def test_one_of_records_that_are_alike_stays_whatever_their_source(tmp_path):
    elsewhere = SAME.replace("Unmarried", "Wife").replace(" 1, HS-grad", " 2, HS-grad").replace(" 40,", " 50,")
    rich = SAME.replace("<=50K", ">50K")
    frame = census_adult.read(raw(tmp_path, [census_row(), census_row(), census_row(_0="40")], [SAME, elsewhere, rich]))
    dataset = census_adult.encode(frame)
    # Ages 38, poor: one of four; 38, rich; 39 in Adult's second file; 40 in the census.
    ages = np.rint(38 + 2 * dataset.x[:, dataset.features.index("age")]).astype(int)
    assert sorted(zip(ages.tolist(), dataset.y.tolist(), strict=True)) == [(38, 0), (38, 1), (39, 0), (40, 0)]


def test_missing_values_are_filled_within_adult_before_copies_are_sought(tmp_path):
    untold = SAME.replace("Private", "?").replace("Sales", "?")
    nobody = [census_row(_0=str(age), _1="Not in universe", _9="Not in universe") for age in range(50, 60)]
    dataset = census_adult.encode(census_adult.read(raw(tmp_path, nobody, [SAME, untold])))
    assert dataset.provenance.records["adult"] == {"of 1994": 3, "without duplicates": 2}
    assert np.count_nonzero(dataset.attributes["source"] == "adult") == 2


def test_the_copy_that_stays_is_a_random_one():
    frame = pd.DataFrame({"value": [0, 1, 0, 2, 0], "copy": range(5)})
    stays = [census_adult.distinct(frame, ["value"], seed) for seed in range(300)]
    for kept in stays:
        assert kept["copy"].is_monotonic_increasing
        assert sorted(kept["value"]) == [0, 1, 2]
    chosen = [kept.loc[kept["value"] == 0, "copy"].item() for kept in stays]
    # Four standard deviations of a share of one third in 300 draws are .109.
    assert np.bincount(chosen, minlength=5) / 300 == pytest.approx([1 / 3, 0, 1 / 3, 0, 1 / 3], abs=0.109)
    assert stays[7].equals(census_adult.distinct(frame, ["value"], 7))


def test_the_source_is_no_feature_and_other_attributes_are_welcome(tmp_path):
    frame = census_adult.read(raw(tmp_path, [census_row(), census_row(_12="Male")]))
    dataset = census_adult.encode(frame, ("sex",))
    assert set(dataset.attributes) == {"source", "sex"}
    assert not any(name.startswith(("source", "sex", "year", "income")) for name in dataset.features)


@pytest.mark.parametrize(
    "parts", [("census-income.data",), ("census-income.test",), ("census-income.data", "census-income.test")]
)
def test_either_part_of_the_census_will_do_and_both_are_counted(tmp_path, parts):
    for number, name in enumerate(parts):
        raw(tmp_path, [census_row(_0=str(20 + number)), census_row(_0=str(30 + number))], name=name)
    provenance = census_adult.encode(census_adult.read(tmp_path)).provenance
    assert [(file.name, file.rows) for file in provenance.files] == [
        *((name, 2) for name in parts),
        ("adult.data", 1),
        ("adult.test", 1),
    ]
    assert provenance.records["census"] == {"of 1994": 2 * len(parts), "without duplicates": 2 * len(parts)}
    assert provenance.synthetic is False


def test_a_census_without_any_part_is_reported(tmp_path):
    raw(tmp_path, [census_row()])
    (tmp_path / "census-income.test").unlink()
    with pytest.raises(DataError, match=r"census-income\.test: the file does not exist"):
        census_adult.read(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (census_row(_4="Childen"), r"census-income\.test, row 2, column 'education': 'Childen'.*Did you mean 'Chi"),
        (census_row(_40="96"), r"row 2, column 'year': '96' is not one of '94', '95'"),
        (census_row(_41="<=50K"), r"row 2, column 'income': '<=50K' is not one of '- 50000\.', '50000\+\.'"),
        (census_row(_0="?"), r"row 2, column 'age': '\?' is not a number"),
        ("1, 2, 3\n", r"row 2: 3 fields instead of 42"),
    ],
)
def test_damage_is_reported(tmp_path, line, message):
    with pytest.raises(DataError, match=message):
        census_adult.read(raw(tmp_path, [census_row(), line]))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder, table and data set of the synthetic files."""
    folder = tmp_path_factory.mktemp("made")
    write_synthetic("census_adult", folder)
    frame = census_adult.read(folder)
    return folder, frame, census_adult.encode(frame)


@pytest.mark.slow
def test_the_synthetic_data_have_the_real_files_and_rows(made):
    folder, frame, dataset = made
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, SYNTHETIC_MARK])
    rows = {file.file: file.rows for file in required_files("census_adult")}
    assert {file.name: file.rows for file in dataset.provenance.files} == rows
    assert list(rows) == FILES
    assert dataset.provenance.synthetic is True
    assert (frame["year"][frame["source"] == "census"] == "94").sum() == 49_816


def test_every_value_of_every_feature_occurs_in_the_synthetic_data(made):
    dataset = made[2]
    assert dataset.x.shape[1] == 99
    assert dataset.x.min(axis=0).tolist() == [0.0] * 99
    assert dataset.x.max(axis=0).tolist() == [1.0] * 99


def test_the_synthetic_data_give_the_numbers_of_table_ii(made):
    split = draw(made[2])
    assert (len(split.members), len(split.nonmembers), len(split.population)) == (10_000, 10_000, 20_000)


def test_some_values_mark_the_census(made):
    dataset = made[2]
    census = dataset.attributes["source"] == "census"
    for name, least in (
        ("workclass=Not-in-universe", 0.3),
        ("education=Children", 0.04),
        ("native-country=Unknown", 0),
    ):
        marked = dataset.x[:, dataset.features.index(name)] == 1
        assert marked[census].mean() > least
        assert not marked[~census].any()
    assert dataset.y[~census].mean() > 2 * dataset.y[census].mean()


def test_a_seed_decides_on_every_byte(made, tmp_path):
    for name, seed in (("same", 0), ("other", 1)):
        write_synthetic("census_adult", tmp_path / name, seed, "laptop")
    one, same, other = ((folder / FILES[0]).read_bytes() for folder in (made[0], tmp_path / "same", tmp_path / "other"))
    assert one == same != other


def test_the_synthetic_people_of_adult_are_those_of_adults_own_files(made, tmp_path):
    write_synthetic("adult", tmp_path)
    for name in FILES[1:]:
        assert (tmp_path / name).read_bytes() == (made[0] / name).read_bytes()


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Table and data set of the real files."""
    if not MIRROR.is_dir():
        pytest.skip(NO_MIRROR)
    folder = tmp_path_factory.mktemp("real")
    for file in required_files("census_adult"):
        fetch([replace(file, urls=())], folder, MIRROR)
    frame = census_adult.read(folder)
    return frame, census_adult.encode(frame)


def test_the_real_test_part_has_its_published_numbers(real):
    frame, dataset = real
    census = frame[frame["source"] == "census"]
    # The publisher's counts of rows, years and classes.
    assert census["year"].value_counts().to_dict() == {"94": 49_816, "95": 49_946}
    assert census["income"].value_counts().to_dict() == {"<=50K": 93_576, ">50K": 6_186}
    assert dataset.provenance.records["census"]["of 1994"] == 49_816
    assert dataset.provenance.records["adult"]["of 1994"] == 48_842
    assert len(dataset.features) == 99
    assert np.ptp(dataset.x, axis=0).min() == 1, "a value that never occurs"


def test_no_two_real_records_are_alike(real):
    dataset = real[1]
    whole = pd.DataFrame(np.column_stack([dataset.x, dataset.y]))
    assert not whole.duplicated().any()
    frame = real[0][real[0]["year"] == "94"]
    counts = dataset.provenance.records
    assert len(dataset) == sum(count["without duplicates"] for count in counts.values()) < len(frame)


def test_the_real_test_part_leaves_18_259_records_to_the_attacker(real):
    split = draw(real[1])
    assert (len(split.members), len(split.nonmembers), len(split.population)) == (10_000, 10_000, 18_259)


def test_the_synthetic_data_have_the_real_marginals(made, real):
    tables = [table[(table["source"] == "census") & (table["year"] == "94")] for table in (real[0], made[1])]
    for name in (*census_adult.WORDS, "income"):
        there, here = (table[name].value_counts(normalize=True) for table in tables)
        assert (there - here).abs().max() < 0.02, name
    for name in ("age", "capital-gain", "capital-loss"):
        there, here = (table[name] for table in tables)
        assert here.mean() == pytest.approx(there.mean(), abs=0.05 * there.std()), name


def draw(dataset):
    """Return the split of the paper's experiment: members from the census, non-members from Adult."""
    groups, rng = dataset.attributes["source"], np.random.default_rng(0)
    return group(groups, rng, group="census", members=10_000, nonmembers=10_000)
