"""Texas discharges: the choice of operations, missing codes and numbers, damaged files, and the synthetic file."""

import operator
from collections import Counter

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.published import texas
from dpmia.datasets.synthetic import texas as synthetic
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.splits.draws import group

HEADER = "\t".join(texas.HEADER)
#: Operation -> records: 0500 is the most frequent, 0599 and 0600 are equally rare, and 0601 is rarer still.
COUNTS = {f"{code:04d}": 101 - (code - 500) for code in range(500, 599)} | {"0599": 2, "0600": 2, "0601": 1, "": 7}


def row(**fields):
    """Return one record; columns are empty where not given."""
    return "\t".join(str(fields.get(name, "")) for name in texas.HEADER)


def raw(folder, rows, end="\r\n", header=HEADER):
    (folder / texas.FILE).write_bytes(end.join([header, *rows, ""]).encode("latin-1"))
    return folder


def operations():
    """Return records with the operations of `COUNTS`, the rare ones first."""
    return [
        row(PRINC_SURG_PROC_CODE=code, PUBLIC_HEALTH_REGION="03", SEX_CODE="F")
        for code, count in reversed(COUNTS.items())
        for _ in range(count)
    ]


def test_the_header_is_that_of_the_publisher():
    assert len(texas.HEADER) == len(set(texas.HEADER)) == 255
    # From the publisher's manual: some positions, counted from 1.
    places = {1: "DISCHARGE_QTR", 21: "PUBLIC_HEALTH_REGION", 61: "TOTAL_CHARGES", 93: "PRINC_SURG_PROC_CODE"}
    places |= {167: "OTH_ICD9_CODE_24", 178: "CONDITION_CODE_1", 222: "VALUE_CODE_1", 255: "RECORD_ID"}
    assert {place: texas.HEADER[place - 1] for place in places} == places
    # The paper reads 68: these, and the hospital's name, which it drops.
    read = {*texas.CODES, *texas.NUMBERS, texas.REGION, texas.LABEL}
    assert len(read) == 67
    assert read < set(texas.HEADER) - {"PROVIDER_NAME"}


def test_classes_are_ranks_and_rarer_operations_are_left_out(tmp_path):
    dataset = texas.encode(texas.read(raw(tmp_path, operations())))
    assert dataset.classes == tuple(f"{code:04d}" for code in range(500, 600)), "the lower of two equal codes"
    assert np.bincount(dataset.y).tolist() == [COUNTS[code] for code in dataset.classes]
    assert dataset.provenance.records == {"all": sum(COUNTS.values()), "of the classes": len(dataset)}


def test_too_few_operations_are_reported(tmp_path):
    rows = [line for line in operations() if "\t0500\t" not in line and "\t06" not in line]
    with pytest.raises(DataError, match=r"'PRINC_SURG_PROC_CODE': 99 operations"):
        texas.encode(texas.read(raw(tmp_path, rows)))


def test_missing_codes_are_a_value_and_missing_numbers_are_zero(tmp_path):
    codes = {"PRINC_SURG_PROC_CODE": "0500", "PUBLIC_HEALTH_REGION": "11", "SEX_CODE": "M", "RACE": "4"}
    rows = [
        *operations(),
        row(**codes, PAT_AGE="05", PRINC_SURG_PROC_DAY="-2", LENGTH_OF_STAY=8, PHARM_AMOUNT="12.50"),
        row(PRINC_SURG_PROC_CODE="0500", RACE="NA", PAT_AGE="10"),
    ]
    dataset = texas.encode(texas.read(raw(tmp_path, rows)), ("RACE",))
    x = dict(zip(dataset.features, dataset.x[-2:].T.tolist(), strict=True))
    assert {name: values for name, values in x.items() if "SEX" in name} == {
        "SEX_CODE=F": [0, 0],
        "SEX_CODE=M": [1, 0],
        "SEX_CODE=NA": [0, 1],
    }
    assert x["PAT_AGE"] == [0.5, 1]
    assert x["PRINC_SURG_PROC_DAY"] == [0, 1], "0 where missing, which is more than -2"
    assert x["LENGTH_OF_STAY"] == x["PHARM_AMOUNT"] == [1, 0]
    assert dataset.attributes["region"][-3:].tolist() == ["03", "11", "NA"]
    assert dataset.attributes["RACE"][-2:].tolist() == ["4", "NA"]
    assert not any(name.startswith(("region", "PUBLIC", "RACE", "PRINC_SURG_PROC_CODE")) for name in x)


def test_codes_are_texts_and_not_numbers(tmp_path):
    rows = [*operations(), row(PRINC_SURG_PROC_CODE="0500", TYPE_OF_BILL="0111", PAT_STATUS="1")]
    rows += [row(PRINC_SURG_PROC_CODE="0500", TYPE_OF_BILL="111", PAT_STATUS="01")]
    dataset = texas.encode(texas.read(raw(tmp_path, rows)))
    assert {name for name in dataset.features if name.startswith(("TYPE_OF_BILL", "PAT_STATUS"))} == {
        "TYPE_OF_BILL=0111",
        "TYPE_OF_BILL=111",
        "TYPE_OF_BILL=NA",
        "PAT_STATUS=01",
        "PAT_STATUS=1",
        "PAT_STATUS=NA",
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_and_line_ends_do_not_matter(tmp_path, end):
    rows = [*operations(), row(PRINC_SURG_PROC_CODE="0500", PROVIDER_NAME='Niño "Jesús" Hospital', PAT_AGE=7)]
    frame = texas.read(raw(tmp_path, [*rows, ""], end))
    assert len(frame) == frame.attrs["provenance"].files[0].rows == len(rows)
    assert frame["PAT_AGE"].iloc[-1] == 7


def test_an_unknown_attribute_is_reported(tmp_path):
    frame = texas.read(raw(tmp_path, operations()))
    with pytest.raises(ConfigError, match=r"attributes of texas: 'RACES'.*Did you mean 'RACE'\?"):
        texas.encode(frame, ("RACES",))


@pytest.mark.parametrize(
    ("header", "bad", "message"),
    [
        (
            HEADER.replace("SEX_CODE", "SEX"),
            row(),
            r"row 1, column 14: the column name 'SEX' should be 'SEX_CODE'",
        ),
        (HEADER.replace("\t", ","), row(), r"row 1, column 1: the column name 'DISCHARGE_QTR,THCIC_ID,"),
        (HEADER.removesuffix("\tRECORD_ID"), row(), r"row 1: 254 column names instead of 255"),
        (HEADER, row() + "\t", r"row 3: 256 fields instead of 255, separated by tabs"),
        (HEADER, "2006Q1\t100", r"row 3: 2 fields instead of 255"),
        (HEADER, "\0" * 2**17, r"PUDF_base1q2006_tab\.txt, row 3: it is longer than 65536 bytes"),
        (HEADER, row(LAB_AMOUNT="1,5"), r"row 3, column 'LAB_AMOUNT': '1,5' is not a number \(or nothing"),
        (HEADER, row(PAT_AGE="inf"), r"row 3, column 'PAT_AGE': 'inf' is not a number"),
        (HEADER, row(PAT_AGE="nan"), r"row 3, column 'PAT_AGE': 'nan' is not a number"),
        (HEADER, row(OR_AMOUNT="1e999"), r"row 3, column 'OR_AMOUNT': '1e999' is not a number"),
    ],
)
def test_damage_is_reported(tmp_path, header, bad, message):
    with pytest.raises(DataError, match=message):
        texas.read(raw(tmp_path, [row(PAT_AGE="3"), bad], header=header))


def test_an_absent_file_and_one_without_records_are_reported(tmp_path):
    with pytest.raises(DataError, match=r"PUDF_base1q2006_tab\.txt: the file does not exist"):
        texas.read(tmp_path)
    with pytest.raises(DataError, match="the file has no records"):
        texas.read(raw(tmp_path, []))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder, table and data set of the synthetic file."""
    folder = tmp_path_factory.mktemp("made")
    synthetic.write_files("texas", folder, 0, "smoke")
    frame = texas.read(folder)
    return folder, frame, texas.encode(frame)


def test_every_feature_of_the_paper_occurs_in_the_synthetic_file(made):
    folder, frame, dataset = made
    assert sorted(path.name for path in folder.iterdir()) == sorted([texas.FILE, SYNTHETIC_MARK])
    assert dataset.provenance.synthetic is True
    assert dataset.provenance.files[0].rows == len(frame) > len(dataset)
    assert (len(dataset.features), len(dataset.classes)) == (269, 100)
    assert np.ptp(dataset.x, axis=0).min() == 1
    for region in ("03", "06"):
        assert len(set(dataset.y[dataset.attributes["region"] == region])) == 100


def test_the_synthetic_file_gives_the_numbers_of_table_ii(made):
    groups = made[2].attributes["region"]
    split = group(groups, np.random.default_rng(0), group="03", members=10_000, nonmembers=10_000)
    assert (len(split.members), len(split.nonmembers), len(split.population)) == (10_000, 10_000, 20_000)


def test_the_synthetic_file_read_in_another_way_gives_the_same_classes_and_features(made):
    folder, _, dataset = made
    places = {name: texas.HEADER.index(name) for name in (texas.LABEL, "LAB_AMOUNT", *texas.CODES)}
    lines = (folder / texas.FILE).read_text().splitlines()[1:]
    records = list(map(operator.itemgetter(*places.values()), (line.split("\t") for line in lines)))
    counts = Counter(operation for operation, *_ in records if operation)
    classes = sorted(counts, key=lambda code: (-counts[code], code))[:100]
    ranks = {code: rank for rank, code in enumerate(classes)}
    assert list(dataset.classes) == classes
    operations, charges, *codes = zip(*(record for record in records if record[0] in ranks), strict=True)
    assert dataset.y.tolist() == [ranks[operation] for operation in operations]
    values = [len(set(column)) for column in codes]
    assert len(texas.NUMBERS) + sum(count if count > 2 else count - 1 for count in values) == 269
    dollars = np.array(charges, dtype=float)
    np.testing.assert_allclose(dataset.x[:, dataset.features.index("LAB_AMOUNT")], dollars / dollars.max(), atol=1e-6)


def test_regions_differ_and_operations_show(made):
    dataset = made[2]
    inside = dataset.attributes["region"] == "03"
    codes = [i for i, name in enumerate(dataset.features) if "=" in name]
    apart = np.abs(dataset.x[inside][:, codes].mean(0) - dataset.x[~inside][:, codes].mean(0)).max()
    mixed = np.random.default_rng(0).permutation(inside)
    chance = np.abs(dataset.x[mixed][:, codes].mean(0) - dataset.x[~mixed][:, codes].mean(0)).max()
    # Four standard deviations of a difference between shares of 20 500 records each are at most .02.
    assert chance < 0.02 < 0.04 < apart < 0.3
    half = len(dataset) // 2
    guess = (
        GaussianNB(var_smoothing=0.01).fit(dataset.x[:half], dataset.y[:half]).predict(dataset.x[half : half + 1000])
    )
    assert np.mean(guess == dataset.y[half : half + 1000]) > 0.1, "ten times as often right as by chance"


def test_a_seed_decides_on_every_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "SMALL", (2_000, 2_000))
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        synthetic.write_files("texas", tmp_path / name, seed, "laptop")
    one, same, other = ((tmp_path / name / texas.FILE).read_bytes() for name in ("one", "same", "other"))
    assert one == same != other


@pytest.mark.slow  # about 20 seconds, 200 MB of disk
def test_the_paper_scale_has_the_published_number_of_records(tmp_path):
    synthetic.write_files("texas", tmp_path, 0, "paper")
    dataset = texas.encode(texas.read(tmp_path))
    assert dataset.x.shape == (350_280, 269)
    assert (dataset.attributes["region"] == "03").sum() == 95_000
