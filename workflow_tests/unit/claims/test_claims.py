"""Claims: verdicts on a run, what all claims have in common, and the verdicts as people read them."""

import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from dpmia.claims import render
from dpmia.claims.claim import Claim, Finding
from dpmia.claims.comparisons import at_least
from dpmia.claims.decisions import Condition, DecisionRule, Every, Exact, Undecidable
from dpmia.claims.judge import COLUMNS, VERDICTS, JudgedRun, counts, judge, judge_all, read_verdicts
from dpmia.claims.rows import Epsilons, MeasuredReplicates, named
from dpmia.common.errors import DataError
from dpmia.formats.rows import COLUMNS as ROWS
from dpmia.formats.rows import MissingRowsError
from dpmia.formats.tables import write_table
from dpmia.jobs.judging import JudgeJob
from dpmia.papers import drawing
from dpmia.papers.claims import claims
from dpmia.report import verdicts as picture

# Verdicts


LIMITS = "one-sided 95 % limits"


class Fixed(DecisionRule):
    """Returns one finding, whatever the tables hold."""

    def __init__(self, holds):
        super().__init__(Condition("advantage", at_least(0.5), lambda tables: []))
        self.holds = holds

    def judge(self, tables, error=None):
        if isinstance(self.holds, Exception):
            raise self.holds
        return Finding(0.7, 0.6, 0.8, self.holds, f"{len(tables)} tables", interval=LIMITS)

    def decide(self, measured, error=None):
        raise NotImplementedError


def claim(holds=True, name="toy-claim", **options):
    options = {"tables": ("replicates/toy", "sizes/toy"), "paper_value": "0.5", **options}
    return Claim(id=name, artifact="toy_fig1", statement="It is so.", rule=Fixed(holds), **options)


@pytest.fixture
def run(tmp_path):
    sizes = "experiment,arm,features,classes,members,nonmembers,population,validation,background\ntoy,a,1,2,3,3,0,0,0\n"
    rows = ",".join(ROWS) + "\ntoy,a,False,1,lira,False,auc,0,2\n"
    for name, text in (("replicates/toy", rows), ("sizes/toy", sizes)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.csv").write_text(text)
    return JudgedRun(tmp_path, synthetic=False, scale="laptop", not_run={"texas": "no file"})


@pytest.mark.parametrize(("holds", "verdict"), [(True, "reproduced"), (False, "not reproduced"), (None, "undecided")])
def test_a_finding_is_a_verdict(run, holds, verdict):
    assert judge(claim(holds), run) == (verdict, Finding(0.7, 0.6, 0.8, holds, "2 tables", interval=LIMITS))


def test_a_claim_about_data_is_never_judged_on_synthetic_data(run):
    synthetic = JudgedRun(run.folder, synthetic=True, scale="laptop")
    verdict, finding = judge(claim(), synthetic)
    assert verdict == "synthetic data"
    assert np.isnan([finding.measured, finding.low, finding.high]).all()
    assert judge(claim(about_data=False), synthetic)[0] == "reproduced"


def test_a_claim_about_data_is_not_judged_where_next_to_nothing_is_trained(run):
    verdict, finding = judge(claim(), JudgedRun(run.folder, synthetic=False, scale="smoke"))
    assert (verdict, "scale smoke" in finding.note) == ("not run", True)


def test_missing_tables_are_named_with_the_reason(run):
    verdict, finding = judge(claim(tables=("replicates/toy", "replicates/texas")), run)
    assert (verdict, finding.note) == ("not run", "without replicates/texas (no file)")
    both = claim(tables=("replicates/texas", "replicates/other", "sizes/texas"))
    assert judge(both, run)[1].note == "without replicates/texas, sizes/texas (no file), replicates/other"


def test_a_claim_about_each_data_set_is_judged_on_those_that_are_there(run):
    verdict, finding = judge(claim(tables=("replicates/toy", "replicates/texas"), some_suffice=True), run)
    assert (verdict, finding.note) == ("reproduced", "1 tables; judged without replicates/texas (no file)")
    assert judge(claim(tables=("replicates/texas",), some_suffice=True), run)[0] == "not run"


def test_rows_that_a_scale_left_out_are_named(run):
    verdict, finding = judge(claim(MissingRowsError("toy has no advantage at ε = 1000")), run)
    assert (verdict, finding.note) == ("not run", "toy has no advantage at ε = 1000 at scale laptop")


def test_rows_that_were_cut_off_are_named():
    table = pd.DataFrame({"x": [1, 2]}, index=["a", "b"])
    assert named(table, "b", "a")["x"].tolist() == [2, 1]
    with pytest.raises(MissingRowsError, match="no rows of c, d"):
        named(table, "a", "c", "d")
    with pytest.raises(MissingRowsError, match="has no rows"):
        MeasuredReplicates.read(pd.DataFrame(columns=["experiment"]))


def test_a_fault_of_a_claim_is_no_verdict(run):
    with pytest.raises(KeyError):
        judge(claim(KeyError("S 1")), run)


def test_epsilons_that_a_claim_names_and_a_run_lacks_are_named(run):
    one = claim(tables=("replicates/toy",))
    named = replace(one.conditions[0], epsilons=Epsilons(named=(0.1, 1, np.inf)))
    one.rule.conditions = (named,)
    assert judge(one, run)[1].note == "1 tables; judged without ε = 0.1, ∞ of toy"
    one.rule.conditions = (replace(named, epsilons=Epsilons(named=(1,))),)
    assert judge(one, run)[1].note == "1 tables"


def test_the_note_names_what_was_trained(run):
    trained = dict.fromkeys(("toy", "other"), "perceptron, 5 members") | {"texas": "not looked at"}
    two = claim(tables=("replicates/toy", "summary/toy", "summary/other"), some_suffice=True)
    assert judge(two, replace(run, trained=trained))[1].note.count("trained: perceptron, 5 members") == 1
    assert "trained" not in judge(two, run)[1].note


@pytest.mark.parametrize(("holds", "verdict"), [(False, "other network"), (True, "reproduced"), (None, "undecided")])
def test_other_networks_do_not_refute_what_a_paper_claims_of_its_own(run, holds, verdict):
    smaller = replace(run, other_networks={"toy": "alexnet", "texas": "vgg"})
    outcome, finding = judge(claim(holds), smaller)
    assert outcome == verdict
    said = {
        False: "not reproduced, but scale paper trains: alexnet",
        True: "with other networks; scale paper trains: alexnet",
    }
    assert said.get(holds, "") in finding.note
    assert ("alexnet" in finding.note) == (holds is not None)
    assert judge(claim(holds), replace(run, other_networks={"texas": "vgg"}))[0] != "other network"


def test_the_papers_own_networks_refute_what_others_do_too(run):
    rows = (run.folder / "replicates/toy.csv").read_text()
    (run.folder / "replicates/other.csv").write_text(rows.replace("toy", "other"))

    def judged(of_others, of_the_paper):
        means = {"replicates/toy": of_others, "replicates/other": of_the_paper}
        condition = Condition("gain", at_least(0.2), lambda tables: {name: means[name] for name in tables})
        example = Claim(
            id="x", artifact="o", statement="S.", rule=Every(condition), tables=tuple(means), some_suffice=True
        )
        return judge(example, replace(run, other_networks={"toy": "alexnet"}))

    below, above = [0.1, 0.11, 0.1], [0.3, 0.31, 0.3]
    assert judged(below, above)[0] == "other network"
    verdict, finding = judged(above, below)
    assert (verdict, "networks of scale paper alone" in finding.note) == ("not reproduced", True)
    assert judged(below, below)[0] == "not reproduced"


def test_where_the_settings_of_a_paper_are_lost_no_outcome_is_a_verdict_on_it(run):
    rule = Undecidable(
        "settings lost", Condition("gain", at_least(0.2), lambda tables: {"a": [0.1, 0.1, 0.1]}), note=""
    )
    lost = Claim(id="x", artifact="o", statement="S.", rule=rule, tables=("replicates/toy",))
    verdict, finding = judge(lost, run)
    assert (verdict, finding.measured) == ("settings lost", pytest.approx(0.1))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"tables": ("models/toy",)}, "stages"), ({"tables": ()}, "reads tables")],
)
def test_a_claim_that_cannot_be_checked_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        claim(**options)


# What people read


@pytest.fixture
def verdicts(run):
    several = {
        "toy": [claim(True), claim(False, "toy-two", ours=True), claim(None, "toy-pipe|three")],
        "other": [
            claim(name="other-one", tables=("replicates/texas",)),
            Claim(
                id="other-two",
                artifact="o",
                statement="S.",
                rule=Exact(Condition("gain", at_least(0.2), lambda tables: 0.25)),
                about_data=False,
            ),
        ],
    }
    return judge_all(several, run)


def test_verdicts_are_one_row_a_claim(verdicts):
    assert list(verdicts.columns) == COLUMNS
    assert verdicts["verdict"].tolist() == ["reproduced", "not reproduced", "undecided", "not run", "reproduced"]
    assert verdicts["measured"].tolist()[:3] == [0.7] * 3
    assert np.isnan(verdicts["measured"][3])


def test_theory_and_experiments_are_counted_apart(verdicts):
    table = counts(verdicts)
    assert list(table.columns) == list(VERDICTS)
    assert table.index.tolist() == [
        ("theory", "other"), ("theory", "all"), ("experiment", "toy"), ("experiment", "other"), ("experiment", "all")
    ]  # fmt: skip
    assert table.loc[("experiment", "toy")].tolist() == [1, 1, 1, *[0] * 6]
    assert table.loc[("experiment", "other")].tolist() == [*[0] * 7, 1, 0]
    assert table.loc[("experiment", "all")].tolist() == [1, 1, 1, *[0] * 4, 1, 0]
    assert table.loc[("theory", "all")].tolist() == [1, *[0] * 8]
    assert render.summary(verdicts) == (
        "theory: 1 reproduced; experiment: 1 reproduced, 1 not reproduced, 1 undecided, 1 not run"
    )


@pytest.mark.parametrize(
    ("tables", "about_data", "kind"),
    [
        ((), False, "theory"),
        (("studies/toy",), False, "simulation"),
        (("sizes/toy",), True, "count"),
        (("sizes/toy", "replicates/toy"), True, "experiment"),
    ],
)
def test_the_kind_of_a_claim_is_what_it_rests_on(tables, about_data, kind):
    rule = Exact(Condition("gain", at_least(0.2), lambda tables: 0.25))
    example = Claim(id="x", artifact="o", statement="S.", rule=rule, tables=tables, about_data=about_data)
    assert example.kind == kind


def test_the_page_shows_every_claim_with_criterion_number_and_interval(verdicts, run):
    page = render.markdown(verdicts, run)
    for text in (
        "advantage: at least 0.5",
        "gain: at least 0.2",
        "Real data",
        "Scale laptop",
        "0.700 [0.600, 0.800]",
        LIMITS,
        "toy-two*",
        r"toy-pipe\|three",
        "(no file)",
    ):
        assert text in page
    rows = [line for line in page.splitlines() if line.startswith(("| toy-", "| other-"))]
    assert len(rows) == len(verdicts)
    assert len({row.replace(r"\|", "").count("|") for row in rows}) == 1
    assert "nan" not in page
    assert "ynthetic data: claims about data are not judged" in render.markdown(
        verdicts, JudgedRun(run.folder, True, "smoke")
    )


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((np.nan, np.nan, np.nan), "-"),
        ((15135.0, 15135.0, 15135.0), "15135"),
        ((0.5, np.nan, np.nan), "0.500, no interval"),
        ((0.5, 0.4, 0.6), "0.500 [0.400, 0.600]"),
    ],
)
def test_numbers_are_formatted_with_their_interval(numbers, text):
    assert render.format_measured(*numbers) == text


def test_the_picture_has_a_panel_for_each_paper_a_row_for_each_figure_and_a_sign_for_each_claim(verdicts, run):
    artifacts = ["toy_fig2_reverse", "toy_table1", "toy_fig2_reverse", *verdicts["artifact"][3:]]
    figure = picture.draw(verdicts.assign(artifact=artifacts), run.source)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "toy reproduced:\n1 of 2, ours 0 of 1",
        "other reproduced:\n1 of 2",
    ]
    signs = {tuple(map(int, text.get_position())): text.get_text() for text in figure.axes[0].texts if text.get_text()}
    assert signs == {(0, 0): "✓", (1, 0): "?", (0, 1): "✗*"}
    assert [name.get_text() for name in figure.axes[0].get_yticklabels()] == ["figure 2 reverse", "table 1"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["✓ reproduced (2)", "✗ not reproduced (1)", "? undecided (1)", "– not run (1)"]
    Figure.draw_without_rendering(figure)
    colours = [to_hex(colour) for colour in figure.axes[0].collections[0].get_facecolors()]
    assert colours[:3] == [picture.STYLES[verdict][0] for verdict in ("reproduced", "undecided", "not reproduced")]
    assert plt.get_fignums() == []


def test_the_script_judges_what_is_there_and_writes_beside_it(tmp_path, monkeypatch, capsys):
    script = Path(__file__).parents[3] / "scripts/judge_claims.py"
    monkeypatch.syspath_prepend(str(script.parent))
    job = JudgeJob(tmp_path / "run", synthetic=True, scale="smoke")
    params = SimpleNamespace(run=job.plain(), name="claims")
    snakemake = SimpleNamespace(params=params, log=[str(tmp_path / "log")], rule="claims")
    runpy.run_path(str(script), init_globals={"snakemake": snakemake})
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        f"claims.{end}" for end in ("csv", "md", "pdf", "png")
    ]
    table = pd.read_csv(tmp_path / "run/claims.csv", keep_default_na=False)
    of_all = [claim for of_paper in claims().values() for claim in of_paper]
    assert table["id"].tolist() == [claim.id for claim in of_all]
    assert (table["verdict"] == "synthetic data").tolist() == [claim.about_data for claim in of_all]
    assert render.summary(table) in capsys.readouterr().out


def test_tables_that_the_settings_do_not_make_are_not_judged(run):
    both = ["replicates/toy", "sizes/toy"]
    only = replace(run, only=[str(run.folder / "sizes/toy.csv")])
    assert [set(judged_run.tables(both)) for judged_run in (run, only)] == [set(both), {"sizes/toy"}]


def test_every_verdict_has_a_look_of_its_own():
    assert set(picture.STYLES) == set(VERDICTS)
    assert (
        len({colour for colour, *_ in picture.STYLES.values()})
        == len({sign for _, sign, _ in picture.STYLES.values()})
        == len(VERDICTS)
    )


def test_names_and_titles_stay_in_their_panel_and_no_two_lines_meet(run):
    """The longest names of the real list, measured as drawn."""
    rows = judge_all(claims() | {}, JudgedRun(run.folder, True, "smoke"))
    with drawing.style():
        figure = picture.draw(rows, run.source)
        figure.draw_without_rendering()
    end = 0
    for axes in figure.axes:
        names, title = axes.get_yticklabels(), axes.title if axes.get_title() else axes._left_title
        assert end < min(text.get_window_extent().x0 for text in [*names, title])
        end = max(title.get_window_extent().x1, axes.collections[0].get_window_extent().x1)
        tops = sorted(name.get_window_extent().y0 for name in names)
        assert (np.diff(tops) > 9).all()
    assert end < figure.bbox.x1


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("verdict", "reproducd", "'reproducd' is no verdict"),
        ("kind", "hope", "'hope' is no verdict and no kind of claim"),
        ("id", "", "a claim has no paper, figure, id"),
        ("ours", "perhaps", "column 'ours': a cell is neither True nor False"),
        ("measured", "high", "it holds no verdicts"),
    ],
)
def test_a_damaged_file_of_verdicts_is_refused(verdicts, tmp_path, column, value, message):
    write_table(tmp_path / "claims.csv", verdicts)
    assert len(read_verdicts(tmp_path / "claims.csv")) == len(verdicts)
    write_table(tmp_path / "claims.csv", verdicts.astype({column: object}).assign(**{column: value}))
    with pytest.raises(DataError, match=message):
        read_verdicts(tmp_path / "claims.csv")
