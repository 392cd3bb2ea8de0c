"""Tables that jobs have made and something has damaged since: one message with the name of the file."""

import pytest

from dpmia.common.errors import DataError
from dpmia.formats.rows import EFFECTS, KEYS, MEASURED, write_rows
from dpmia.formats.stages import LAYOUTS, Kind
from dpmia.formats.tables import read_table

#: Layouts whose rows have keys, but for those of metrics.
UNIQUE = [(stage, layout) for stage, layouts in LAYOUTS.items() for layout in layouts if layout.keys]


def row(replicate, value, **changes):
    cells = dict.fromkeys(MEASURED, 0.5) | {
        **{"experiment": "heart", "arm": "va", "iid": False, "epsilon": 1.0, "attack": "lira", "oracle": False},
        **{"metric": "auc", "replicate": replicate, "value": value, "records": 30, **changes},
    }
    return [cells[name] for name in MEASURED]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "metrics.csv"
    write_rows(path, [row(0, 0.75), row(1, None), row(2, 0.25, records=None)])
    return path


def test_a_whole_table_is_read(table):
    frame = read_table(table, MEASURED)
    assert frame["value"].tolist()[::2] == [0.75, 0.25]
    assert frame["value"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("va,False,1.0,lira,False,auc,2", "va,False,1.0,lira", "row 4: 2[0-9] fields instead of 30"),
        ("heart,va,False,1.0,lira,False,auc,2", "\n", "row 4: 0 fields instead of 30|row 5"),
        ("0.75", "0.7é", "column 'value', line 2: a cell holds no number"),
        ("0.75", "1e308", "column 'value', line 2: a cell holds no number"),
        ("0.75,30", "0.75,1e999", "column 'records', line 2: a cell holds no number of records"),
        ("auc,1", "auc,", "column 'replicate', line 3: a cell holds no number of"),
        ("auc,1", "auc,1.5", "column 'replicate', line 3: a cell holds no number of"),
        ("False,auc,2", "?,auc,2", "column 'oracle', line 4: a cell holds no True or False"),
        ("lira,False,auc,2", ",False,auc,2", "column 'attack', line 4: a cell is empty"),
        (
            "False,1.0,lira,False,auc,1",
            "False,1.0.0,lira,False,auc,1",
            "column 'epsilon', line 3: a cell holds no epsilon",
        ),
        (",records,", ",recrods,", "the column 'records' is missing"),
        (",effect_3,", ",effect_2,", "its columns have no names, or two have the same"),
        (",effect_3,", ",,", "its columns have no names, or two have the same"),
        ("heart", '"heart', "the row is damaged"),
    ],
)
def test_a_damaged_table_is_named(table, old, new, message):
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError, match=f"(?s)metrics.csv.*({message})"):
        read_table(table, MEASURED)


def test_names_that_look_like_numbers_stay_texts(tmp_path):
    rows = [row(0, 0.75, arm="1", experiment=".5"), row(1, 0.5, arm="01", experiment=".5")]
    write_rows(tmp_path / "metrics.csv", rows)
    frame = read_table(tmp_path / "metrics.csv")
    assert frame["arm"].tolist() == ["1", "01"]
    assert frame["experiment"].tolist() == [".5", ".5"]


def test_rows_of_different_experiments_are_refused(tmp_path):
    write_rows(tmp_path / "metrics.csv", [row(0, 0.75), row(1, 0.5, experiment="hearts")])
    with pytest.raises(DataError, match=r"rows are about different experiments, heart and hearts"):
        read_table(tmp_path / "metrics.csv")


def test_a_table_of_another_experiment_is_refused(tmp_path):
    (tmp_path / "replicates").mkdir()
    write_rows(tmp_path / "replicates/student.csv", [row(0, 0.75)])
    with pytest.raises(DataError, match=r"student\.csv: its rows are about the experiment heart\."):
        read_table(tmp_path / "replicates/student.csv")


@pytest.mark.parametrize("count", [-5, 2.5, 1e300, "", True])
def test_what_is_no_number_of_records_is_refused(tmp_path, count):
    (tmp_path / "sizes").mkdir()
    names = "features,classes,members,nonmembers,population,validation,background"
    (tmp_path / "sizes/heart.csv").write_text(f"experiment,arm,{names}\nheart,a,1,2,{count},3,0,0,0\n")
    with pytest.raises(DataError, match="column 'members', line 2: a cell holds no number of records"):
        read_table(tmp_path / "sizes/heart.csv")


def test_truth_values_are_no_numbers(table):
    name = EFFECTS[10]
    read_table(table).assign(**{name: True}).to_csv(table, index=False)
    with pytest.raises(DataError, match=f"column '{name}', line 2: a cell holds no finite number"):
        read_table(table)


@pytest.mark.parametrize("left", [1, 2, 3, 40])
def test_a_table_that_is_cut_off_is_named(table, left):
    table.write_bytes(table.read_bytes()[:-left])
    with pytest.raises(DataError, match=r"metrics\.csv.*(cut off|fields instead of)"):
        read_table(table)


def test_an_empty_table_is_named(table):
    table.write_text("")
    with pytest.raises(DataError, match=r"metrics\.csv"):
        read_table(table)


@pytest.mark.parametrize("stage", ["summary", "replicates"])
def test_the_columns_of_a_stage_must_be_there(tmp_path, stage):
    path = tmp_path / stage / "heart.csv"
    write_rows(path, [["heart", 1]], ["experiment", "epsilon"])
    with pytest.raises(DataError, match=r"heart\.csv: the column 'arm' is missing"):
        read_table(path)


@pytest.mark.parametrize(
    ("stage", "text"),
    [
        (
            "sizes",
            "experiment,arm,features,classes,members,nonmembers,population,validation,background\na,b,x,2,3,3,3,0,0\n",
        ),
        (
            "sizes",
            "experiment,arm,features,classes,members,nonmembers,population,validation,background\na,b,,2,3,3,3,0,0\n",
        ),
        ("sizes", "experiment,arm\na,b\n"),
    ],
)
def test_a_table_of_sizes_holds_numbers(tmp_path, stage, text):
    path = tmp_path / stage / "made.csv"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(DataError, match=r"made\.csv.* column 'features'(, line 2: a cell| is missing)"):
        read_table(path)


def written(path, rows, columns):
    """Write a table of a stage, and return what reading it gives."""
    path.parent.mkdir(exist_ok=True)
    write_rows(path, rows, columns)
    return read_table(path)


@pytest.mark.parametrize(("stage", "layout"), UNIQUE, ids=[stage for stage, _ in UNIQUE])
def test_columns_of_a_stage(tmp_path, stage, layout):
    def cells(key, **changes):
        whole = {name: {Kind.TEXT: "toy", Kind.TRUTH: True}.get(layout.kind(name), 1) for name in layout.columns}
        return list((whole | {layout.keys[-1]: key} | changes).values())

    path = tmp_path / stage / "toy.csv"
    keys = {Kind.TEXT: ["a", "b"], Kind.TRUTH: [True, False]}.get(layout.kind(layout.keys[-1]), [1, 2])
    whole = [cells(key) for key in keys]
    assert written(path, whole, layout.columns).columns.tolist() == list(layout.columns)
    with pytest.raises(DataError, match=r"toy\.csv, line 4: two rows are about the same"):
        written(path, [*whole, whole[1]], layout.columns)
    for name in [name for name in layout.columns if layout.kind(name) is not Kind.TEXT]:
        with pytest.raises(DataError, match=f"column '{name}', line 3: a cell holds no "):
            written(path, [cells(keys[0]), cells(keys[1], **{name: "x"})], layout.columns)
    for place, name in enumerate(layout.columns):
        fewer = [row[:place] + row[place + 1 :] for row in whole]
        with pytest.raises(DataError, match=rf"toy\.csv: the column '{name}' is missing"):
            written(path, fewer, [*layout.columns[:place], *layout.columns[place + 1 :]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"records": -1}, "column 'records', line 3: a cell holds no number of records, or nothing"),
        (dict.fromkeys(EFFECTS, float("inf")), "column 'effect_0', line 3: a cell holds no finite number"),
    ],
)
def test_rows_of_metrics_that_cannot_be(tmp_path, changes, message):
    write_rows(tmp_path / "metrics.csv", [row(0, 0.75), row(1, 0.5, **changes)])
    with pytest.raises(DataError, match=f"metrics.csv.*({message})"):
        read_table(tmp_path / "metrics.csv")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("0.5,0.6,0.4,4,0.1,3", "an interval ends before it begins"),
        ("0.5,0.4,0.6,-1,0.1,3", "a cell holds no number of records, models or replicates"),
        ("0.5,0.4,0.6,,0.1,3", "a cell holds no number of records, models or replicates"),
        ("0.5,0.4,0.6,4,-0.1,3", "a cell holds no standard error"),
        ("0.5,0.4,0.6,4,0.1,0", "an error has no degrees of freedom"),
    ],
)
def test_rows_of_a_summary_that_cannot_be(tmp_path, cells, message):
    path = tmp_path / "summary/heart.csv"
    path.parent.mkdir()
    row = "heart,va,False,1.0,lira,False,auc"
    path.write_text(
        f"{','.join(KEYS)},mean,low,high,replicates,error,degrees\n{row},0.5,0.4,0.6,4,0.1,3\n{row}2,{cells}\n"
    )
    with pytest.raises(DataError, match=rf"heart\.csv(, column '\w+')?, line 3: {message}"):
        read_table(path)


@pytest.mark.parametrize("stage", ["accuracy", "blind"])
def test_a_table_of_a_job_of_another_experiment_is_refused(tmp_path, stage):
    path = tmp_path / stage / "student/block-0.csv"
    path.parent.mkdir(parents=True)
    write_rows(path, [row(0, 0.75)])
    with pytest.raises(DataError, match=r"block-0\.csv: its rows are about the experiment heart\."):
        read_table(path)


def test_a_table_of_an_attack_on_another_experiment_is_refused(tmp_path):
    path = tmp_path / "metrics/student/lira/block-0.csv"
    path.parent.mkdir(parents=True)
    write_rows(path, [row(0, 0.75)])
    with pytest.raises(DataError, match=r"block-0\.csv: its rows are about the experiment heart\."):
        read_table(path)


def test_the_same_row_twice_in_replicates_is_named(tmp_path):
    path = tmp_path / "replicates" / "heart.csv"
    write_rows(path, [row(0, 0.75), row(1, 0.5), row(0, 0.25)])
    with pytest.raises(DataError, match=r"heart\.csv, line 4: two rows are about the same"):
        read_table(path)


def test_replicates_of_a_summary_are_numbers(tmp_path):
    (tmp_path / "summary").mkdir()
    path = tmp_path / "summary/heart.csv"
    path.write_text(f"{','.join(KEYS)},mean,low,high,replicates\nheart,va,False,1.0,lira,False,auc,0.5,,,4x\n")
    with pytest.raises(
        DataError,
        match=r"heart\.csv, column 'replicates', line 2: a cell holds no number of",
    ):
        read_table(path)


def test_effects_of_some_groups_of_records_are_too_few(table):
    table.write_text(table.read_text().replace("effect_17", "effect_71"))
    with pytest.raises(DataError, match="the column 'effect_17' is missing"):
        read_table(table)


def test_null_losses_may_repeat_and_are_numbers(tmp_path):
    (layout,) = LAYOUTS["nulls"]
    cells = ["toy" if name in layout.texts else 0.5 for name in layout.columns]
    assert len(written(tmp_path / "nulls/toy.csv", [cells, cells], layout.columns)) == 2
    with pytest.raises(DataError, match=r"toy\.csv, column 'null_loss', line 3: a cell holds no number"):
        written(tmp_path / "nulls/toy.csv", [cells, [*cells[:-1], "0.5x"]], layout.columns)
