"""Synthetic data: the real files' counts and formats, and the differences between groups that experiments look for."""

import csv
import hashlib
import importlib
import tomllib

import numpy as np
import pytest
from sklearn.cluster import KMeans
from synthetic_files import write_synthetic

from dpmia.common.errors import ConfigError
from dpmia.datasets.raw.sources import raw_files
from dpmia.datasets.synthetic.__main__ import main
from dpmia.datasets.synthetic.draws import complete, evenly, from_quantiles, pick
from dpmia.datasets.synthetic.sampler import Records, lines
from dpmia.formats.provenance import SYNTHETIC_MARK, SourceFile
from dpmia.settings.generate import ROOT
from dpmia.settings.names import DATASETS, SYNTHETIC
from dpmia.splits.draws import bias

FEATURES = {"adult": 104, "compas": 15, "heart": 22, "student": 42}
#: Humphries et al., table II: records of each group.
GROUPS = {
    "heart": ("hospital", {"cleveland": 303, "hungarian": 294, "switzerland": 123, "va": 200}),
    "student": ("school", {"GP": 423, "MS": 226}),
}


#: The first data sets; the others have tests of their own.
TABLES = ("adult", "compas", "heart", "student")


def module(name):
    return importlib.import_module(DATASETS[name])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder, table and data set of every synthetic data set."""
    sets = {}
    for name in TABLES:
        folder = tmp_path_factory.mktemp(name)
        write_synthetic(name, folder)
        frame = module(name).read(folder)
        sets[name] = folder, frame, module(name).encode(frame)
    return sets


@pytest.mark.parametrize("name", TABLES)
def test_files_and_rows_are_those_of_the_real_data(made, name):
    folder, frame, dataset = made[name]
    reported = {file.name: file for file in dataset.provenance.files}
    assert list(reported) == [raw.file for raw in raw_files(name)]
    for raw in raw_files(name):
        content = (folder / raw.file).read_bytes()
        expected = SourceFile(raw.file, hashlib.sha256(content).hexdigest(), len(content), raw.rows)
        assert reported[raw.file] == expected
        assert raw.checksum != f"sha256:{expected.sha256}"
    assert len(frame) == sum(raw.rows for raw in raw_files(name))
    assert sorted(path.name for path in folder.iterdir()) == sorted([*reported, SYNTHETIC_MARK])
    assert dataset.provenance.synthetic is True
    assert "a random generator drew every record" in (folder / SYNTHETIC_MARK).read_text()


@pytest.mark.parametrize(("name", "features"), FEATURES.items())
def test_every_value_of_every_feature_occurs(made, name, features):
    _, _, dataset = made[name]
    assert dataset.x.shape[1] == features
    assert dataset.x.min(axis=0).tolist() == [0.0] * features
    assert dataset.x.max(axis=0).tolist() == [1.0] * features


def test_exactly_the_real_number_of_compas_records_passes_the_filter(made):
    assert len(made["compas"][2]) == 6172


@pytest.mark.parametrize("name", GROUPS)
def test_groups_have_their_sizes_and_both_classes(made, name):
    _, _, dataset = made[name]
    attribute, sizes = GROUPS[name]
    values = dataset.attributes[attribute]
    assert dict(zip(*np.unique(values, return_counts=True), strict=True)) == sizes
    for group in sizes:
        assert set(dataset.y[values == group]) == {0, 1}


@pytest.mark.parametrize(("name", "seed", "least"), [("adult", 0, 10_000), ("compas", 2, 2_000)])
def test_clusters_are_large_enough_for_the_experiment(made, name, seed, least):
    _, _, dataset = made[name]
    sizes = [
        np.bincount(KMeans(2, n_init=10, random_state=seed).fit(dataset.x[dataset.y == label]).labels_)
        for label in (0, 1)
    ]
    straight, crossed = sizes[0] + sizes[1], sizes[0] + sizes[1][::-1]
    assert max(straight.min(), crossed.min()) >= least


@pytest.mark.parametrize("name", TABLES)
def test_a_seed_decides_on_every_byte(made, name, tmp_path):
    folder, _, _ = made[name]
    write_synthetic(name, tmp_path / "same")
    write_synthetic(name, tmp_path / "other", 1)
    for raw in raw_files(name):
        assert (tmp_path / "same" / raw.file).read_bytes() == (folder / raw.file).read_bytes()
        assert (tmp_path / "other" / raw.file).read_bytes() != (folder / raw.file).read_bytes()


#: Records of Adult that are graduates: more than some college.
GRADUATE = ["Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_adult_has_as_many_men_and_graduates_as_the_real_one_whatever_the_seed(made, tmp_path, seed):
    write_synthetic("adult", tmp_path, seed)
    frame = module("adult").read(tmp_path)
    assert (frame["sex"] == "Male").sum() == 32_650
    assert frame["education"].isin(GRADUATE).sum() == 15_772


@pytest.mark.parametrize(
    ("attribute", "group", "population"),
    [("sex", {"Male"}, 11_192), ("education", GRADUATE, 10_772)],
)
def test_bias_draws_on_adult_give_the_shadow_data_of_table_two(made, attribute, group, population):
    # Humphries et al. 2023, table II: where p = 0, of men or of people with little education.
    _, frame, _ = made["adult"]
    dataset = module("adult").encode(frame, (attribute,))
    groups = np.where(np.isin(dataset.attributes[attribute], list(group)), "a", "b")
    without = "a" if attribute == "sex" else "b"
    sizes = {"members": 10_000, "nonmembers": 10_000, "validation": 2500}
    split = bias(groups, np.random.default_rng(0), group=without, share=0, **sizes)
    assert len(split.population) == population
    assert not (groups[split.members] == without).any()


def test_the_format_of_adult(made):
    folder, _, _ = made["adult"]
    train, test = ((folder / name).read_text() for name in ("adult.data", "adult.test"))
    assert train.endswith("50K\n\n")
    assert test.startswith("|1x3 Cross validator\n")
    assert test.endswith("50K.\n\n")
    assert all(line.count(", ") == 14 for line in train.splitlines()[:-1])


def test_the_format_of_compas(made):
    folder, _, _ = made["compas"]
    content = (folder / "compas-scores-two-years.csv").read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") == 7215
    rows = list(csv.reader(content.decode().splitlines()))
    assert len(rows[0]) == 53
    for twice in ("priors_count", "decile_score"):
        first, second = (i for i, name in enumerate(rows[0]) if name == twice)
        assert [row[first] for row in rows] == [row[second] for row in rows]
    assert rows[17][1] == "person 17"
    assert any('"' in line for line in content.decode().splitlines())


def test_the_formats_of_hearts(made):
    folder, _, _ = made["heart"]
    texts = {path.name: path.read_text() for path in folder.glob("*.data")}
    assert all(
        field == "?" or "." in field for field in texts["processed.cleveland.data"].splitlines()[0].split(",")[:13]
    )
    assert ",.5," in texts["processed.switzerland.data"]
    assert ",0.5," not in texts["processed.switzerland.data"]
    assert ",0.5," in texts["processed.va.data"]
    assert all(",?," in text for text in texts.values())


def test_the_format_of_students(made):
    folder, _, _ = made["student"]
    header, first, *_ = (folder / "student-por.csv").read_text().splitlines()
    assert '"' not in header
    fields = first.split(";")
    assert fields[0] == '"GP"'
    assert fields[-3].startswith('"')
    assert fields[-2].startswith('"')
    assert fields[-1].isdecimal()


def test_hospitals_differ(made):
    _, frame, dataset = made["heart"]
    hospital = dataset.attributes["hospital"]
    ill = {name: dataset.y[hospital == name].mean() for name in GROUPS["heart"][1]}
    assert ill["hungarian"] < ill["cleveland"] < ill["va"] < ill["switzerland"]
    missing = frame["ca"].isna().groupby(hospital).mean()
    assert missing["cleveland"] < 0.05
    assert missing.drop("cleveland").min() > 0.9
    assert (frame["chol"][hospital == "switzerland"] == 0).all()


def test_schools_differ(made):
    _, frame, _ = made["student"]
    by_school = frame.groupby("school", observed=True)
    assert by_school["G3"].mean()["GP"] - by_school["G3"].mean()["MS"] > 1
    rural = (frame["address"] == "R").groupby(frame["school"], observed=True).mean()
    assert rural["MS"] - rural["GP"] > 0.2


def test_is_recid_nearly_gives_the_label_away(made):
    _, _, dataset = made["compas"]
    again = dataset.x[:, dataset.features.index("is_recid")] == 1
    assert again[dataset.y == 1].all()
    assert 0 < again[dataset.y == 0].mean() < 0.1


#: All kinds of columns, as a TOML file describes them.
COLUMNS = """
town = { values = ["a", "b, c"], counts = [400, 600] }
region = { of = "town", groups = { north = ["a"], south = ["b, c"] } }
sex = { given = "town", values = ["F", "M"], percent = { a = [100, 0], "b, c" = [25, 75] } }
rare = { values = ["often", "never"], percent = [1, 0], complete = true }
coin = { values = ["heads", "tails"], percent = [50, 50], independent = true }
size = { levels = [0, 0.5, 1], quantiles = [0, 10, 20], instead.coin.tails = nan }
weight = { given = "sex", mean = { F = 60, M = 80 }, effects = { size = { F = 1, M = 2 }, town.a = 5 } }
tall = { values = ["no", "yes"], counts = [900, 100], rank = "weight" }
order = { given = "town", rank = "weight", levels = [0, 1], quantiles = { a = [0, 1], "b, c" = [1, 2] }, format = "g" }
stays = { distribution = "poisson", mean = 3, within = [1, 4], step = 2 }
tenths = { mean = 0.51, decimals = 1, format = "g", leading_zero = false }
note = { constant = "x" }
years = { mean = 41.9, whole_years = true }
"""


def file_of(text, rows=1000, **more):
    return {"name": "made.csv", "rows": rows, "column": tomllib.loads(text), **more}


def test_a_table_describes_every_kind_of_column():
    # Without missing sizes, from which weights follow.
    file = file_of(COLUMNS.replace(", instead.coin.tails = nan", ""))
    records = Records(file, np.random.default_rng(0))
    a, female = records["town"] == "a", records["sex"] == "F"
    assert a.tolist() == (records["region"] == "north").tolist() == [True] * 400 + [False] * 600
    assert female[a].all()
    assert female[~a].sum() == 150, "evenly drawn, so exactly a quarter"
    assert (records["rare"] == "never").sum() == 1
    assert 440 < (records["coin"] == "heads").sum() < 560, "four standard deviations of an independent draw"
    assert np.median(records["size"]) == pytest.approx(10, abs=0.3)
    expected = np.where(female, 60 + records["size"], 80 + 2 * records["size"]) + 5 * a
    np.testing.assert_allclose(records["weight"], expected)
    tall = records["tall"] == "yes"
    assert tall.sum() == 100
    assert records["weight"][tall].min() >= records["weight"][~tall].max()
    assert (np.diff(records["order"][np.lexsort((records["weight"], ~a))]) > 0).all()
    assert set(records["stays"]) == {1, 2, 4}
    assert set(records["years"]) == {41}


def test_a_file_is_written_as_its_publisher_does():
    file = file_of(
        COLUMNS, header=True, missing="?", columns=["town", "size", "tenths", "note", "years"], quoted=["note"]
    )
    header, *rows = lines(file, records := Records(file, np.random.default_rng(0)))
    assert header == "town,size,tenths,note,years"
    tails = records["coin"] == "tails"
    assert np.isnan(records["size"][tails]).all()
    fields = list(csv.reader(rows))
    assert [row[1] == "?" for row in fields] == tails.tolist()
    assert all(row[1].isdecimal() for row, missing in zip(fields, tails, strict=True) if not missing)
    assert {tuple(row[2:]) for row in fields} == {(".5", "x", "41")}
    assert rows[0].endswith(',.5,"x",41')
    assert rows[-1].startswith('"b, c",')


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ('a = { values = ["x", "y"], percents = [1, 2] }', "'a': unknown key 'percents'.*Did you mean 'percent'"),
        ('a = { values = ["x", "y"], percent = [1] }', r"percent is \[1\], not 2 numbers"),
        ('a = { values = ["x", "y"] }', r"percent is nothing, not 2 numbers"),
        ('a = { values = ["x", "y"], counts = [1, 2] }', r"counts \[1, 2\] are not 2 numbers that add up to 4"),
        (
            'town = { constant = "x" }\nb = { given = "twon", mean = 1 }',
            "'b': 'twon'.*Did you mean 'town'",
        ),
        ('a = { constant = "x" }\nb = { given = "a", mean.y = 1 }', "'b': mean for 'x' is nothing, not a number"),
        ('a = { mean = "x" }', "'a': mean is 'x', not a number"),
        ('a = { mean = 1, distribution = "nomal" }', "'a': distribution 'nomal'.*Did you mean 'normal'"),
    ],
)
def test_mistakes_in_a_table_are_reported_by_column(columns, message):
    with pytest.raises(ConfigError, match=f"synthetic made.csv, column .*{message}"):
        Records(file_of(columns, rows=4), np.random.default_rng(0))


def test_one_command_writes_the_files_of_a_data_set(tmp_path, capsys):
    main(["mnist", str(tmp_path / "here"), "--seed", "3", "--scale", "smoke"])
    write_synthetic("mnist", tmp_path / "there", 3)
    for file in (tmp_path / "there").iterdir():
        assert (tmp_path / "here" / file.name).read_bytes() == file.read_bytes()
    with pytest.raises(SystemExit):
        main(["minst", str(tmp_path)])
    assert "invalid choice: 'minst'" in capsys.readouterr().err
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"file/below: Not a directory\. Move away what stands there"):
        main(["heart", str(tmp_path / "file/below"), "--scale", "smoke"])


def test_every_data_set_has_a_table_or_code():
    folder = ROOT / "dpmia/datasets/synthetic"
    assert all((folder / f"{name}.toml").is_file() or (folder / f"{name}.py").is_file() for name in SYNTHETIC)


def test_draws_follow_their_tables():
    rng = np.random.default_rng(0)
    rows = np.repeat([0, 1], 20_000)
    drawn = pick(rng, [[1, 3, 0], [0, 1, 1]], rows)
    # Four standard deviations of a share of 20 000 draws are at most .015.
    assert np.bincount(drawn[rows == 0], minlength=3) / 20_000 == pytest.approx([0.25, 0.75, 0], abs=0.015)
    assert np.bincount(drawn[rows == 1], minlength=3) / 20_000 == pytest.approx([0, 0.5, 0.5], abs=0.015)
    numbers = from_quantiles((0, 0.5, 1), ((0, 10, 20), (5, 5, 9)), rows, evenly(rng, rows))
    assert np.median(numbers[rows == 0]) == pytest.approx(10, abs=0.3)
    assert np.mean(numbers[rows == 1] == 5) == pytest.approx(0.5, abs=0.015)


def test_absent_categories_are_given_to_records_that_can_spare_theirs():
    codes = complete(np.random.default_rng(0), np.array([0, 0, 0, 2]), 4)
    assert sorted(codes.tolist()) == [0, 1, 2, 3]


def test_a_seed_below_zero_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["adult", str(tmp_path / "raw"), "--seed", "-1"])
    assert "argument --seed: -1 is less than 0" in capsys.readouterr().err
    assert not (tmp_path / "raw").exists()
