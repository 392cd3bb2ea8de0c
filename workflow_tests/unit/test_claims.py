"""Claims: from numbers to verdicts, and the verdicts as people read them."""

import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpmia.claims import tell
from dpmia.claims.claim import Claim, Finding, MissingRowsError
from dpmia.claims.comparisons import (
    Cell,
    above,
    at_least,
    at_most,
    below,
    consistent_with,
    every,
    exact,
    leader,
    mean,
    near,
    no_later,
    not_above,
    not_below,
    some,
    together,
)
from dpmia.claims.judge import COLUMNS, VERDICTS, Run, counts, judge, judge_all
from dpmia.claims.rows import Replicates
from dpmia.claims.rows import tell as told
from dpmia.intervals import Interval, mean_interval
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.claims import CLAIMS, claims
from dpmia.report import verdicts as picture

ALL = [claim for of_paper in claims().values() for claim in of_paper]
REAL = Run(None, stand_in=False, scale="laptop")

# Comparisons

LOW, COVERS, HIGH = Interval(0.2, 0.1, 0.3, 4), Interval(0.5, 0.4, 0.6, 4), Interval(0.8, 0.7, 0.9, 4)


@pytest.mark.parametrize(
    ("comparison", "low", "covers", "high"),
    [
        (at_least(0.5), False, None, True),
        (above(0.5), False, None, True),
        (at_most(0.5), True, None, False),
        (below(0.5), True, None, False),
        (near(0.2, 0.15), True, False, False),
        (near(0.5, 0.05), False, None, False),
        (not_below(0.5), False, None, True),
        (not_above(0.5), True, None, False),
        (consistent_with(0.5), False, None, False),
    ],
)
def test_an_interval_on_either_side_decides_and_one_that_covers_both_does_not(comparison, low, covers, high):
    assert [comparison(interval)[0] for interval in (LOW, COVERS, HIGH)] == [low, covers, high]


@pytest.mark.parametrize(
    "comparison", [make(0.5) for make in (at_least, above, at_most, below, not_below, not_above, consistent_with)]
)
def test_one_replicate_decides_nothing(comparison):
    assert mean([0.9], comparison).holds is None
    assert "one replicate" in every([Cell("x", [0.9], comparison)]).note


@pytest.mark.parametrize(
    ("low", "high", "below", "above"),
    [
        (0.46, 0.54, True, True),
        (0.44, 0.51, None, True),
        (0.49, 0.56, True, None),
        (0.46, 0.49, False, True),
        (0.51, 0.54, True, False),
    ],
)
def test_ties_are_shown_by_narrow_intervals_only(low, high, below, above):
    interval = Interval((low + high) / 2, low, high, 4)
    both = [make(0.5)(interval)[0] for make in (not_below, not_above, consistent_with)]
    assert both[:2] == [below, above]
    assert both[2] is (False if False in both[:2] else None if None in both[:2] else True)


def test_replicates_without_a_number_are_told():
    found = every([Cell("x", [0.1, np.nan, 0.1, 0.12], at_most(0.5))])
    assert found.holds
    assert found.note == "x; 3 of 4 replicates have a number"


def test_on_the_threshold_itself_above_and_at_least_differ():
    point = Interval(0.5, 0.5, 0.5, 4)
    assert [make(0.5)(point)[0] for make in (at_least, at_most, above, below)] == [True, True, False, False]


def test_the_interval_of_one_mean_is_that_of_student():
    values = [0.1, 0.2, 0.4, 0.5]
    found, expected = mean(values, at_least(0)), mean_interval(np.array(values))
    assert (found.measured, found.low, found.high) == (expected.mean, expected.low, expected.high)


def test_several_means_have_wider_intervals_that_hold_together():
    values, other = [0.1, 0.2, 0.4, 0.5], [0.6, 0.61, 0.6, 0.61]
    found = every([Cell("wide", values, above(0)), Cell("sure", other, above(0))])
    assert found.low == pytest.approx(mean_interval(np.array(values), 0.975).low)
    assert found.note == "worst of 2: wide"


def test_together_intervals_miss_as_rarely_as_they_promise():
    """All true means are 0: a claim that ten of them are not above 0 is refuted in 5 % of all cases at most."""
    rng = np.random.default_rng(0)
    refuted = [
        every([Cell("", values, not_above(0)) for values in rng.normal(size=(10, 4))]).holds is False
        for _ in range(300)
    ]
    assert np.mean(refuted) <= 0.05  # two-sided intervals, so 2.5 % are expected


def cells(*means, spread=0.01):
    return [Cell(f"{place}", mean + spread * np.array([-1, 0, 1]), above(0)) for place, mean in enumerate(means)]


def test_every_mean_must_hold_and_the_worst_is_told():
    assert [every(cells(1, 2)).holds, every(cells(1, -2, 3)).holds, every(cells(1, 0.001)).holds] == [True, False, None]
    assert every(cells(1, 0.001, -2)).holds is False, "one that fails outweighs one that is undecided"
    assert every(cells(1, -2, 3)).measured == pytest.approx(-2)


def test_some_mean_must_hold_and_the_best_is_told():
    found = [some(cells(-1, 2)), some(cells(-1, -2)), some(cells(-1, 0.001))]
    assert [finding.holds for finding in found] == [True, False, None]
    assert found[0].note == "best of 2: 1"


def test_nothing_measured_is_no_finding():
    with pytest.raises(MissingRowsError, match="nothing"):
        every([])
    with pytest.raises(MissingRowsError, match="no number was measured for x"):
        every([Cell("x", [np.nan, np.nan], above(0))])


def curve(spread=0.01, **means):
    return {float(place.replace("_", ".")[1:]): mean + spread * np.arange(-1, 2) for place, mean in means.items()}


@pytest.mark.parametrize(
    ("means", "holds"),
    [
        ({"p0_1": 1, "p0_3": 2, "p0_5": 0}, True),
        ({"p0_1": 1, "p0_3": 2, "p0_5": 3}, False),
        ({"p0_1": 1, "p0_3": 2, "p0_5": 2.001}, None),
    ],
)
def test_the_highest_place_is_found_where_it_can_be_told(means, holds):
    rng = np.random.default_rng(1)
    noisy = {place: values + 0.001 * rng.normal(size=3) for place, values in curve(**means).items()}
    noisy = {place: rng.permutation(values) for place, values in noisy.items()}
    assert leader([(noisy, (0.1, 0.3))]).holds is holds


def test_a_tie_among_allowed_places_does_no_harm():
    rng = np.random.default_rng(2)
    places = {place: mean + 0.01 * rng.normal(size=5) for place, mean in {0.1: 2, 0.3: 2, 0.5: 1}.items()}
    assert leader([(places, (0.1, 0.3))]).holds is True
    with pytest.raises(MissingRowsError):
        leader([(places, (0.1, 0.3, 0.5))])


@pytest.mark.parametrize(
    ("first", "second", "spread", "holds"),
    [
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 2}, 0.01, True),
        ({0.1: 1, 0.3: 2}, {0.1: 1, 0.3: 2}, 0.01, True),
        ({0.1: 1, 0.3: 2}, {0.1: 2, 0.3: 1}, 0.01, False),
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 2}, 9.0, None),
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 1}, 0.01, True),  # the first is low, wherever the second is
    ],
)
def test_one_curve_is_highest_no_later_than_another_where_it_can_be_told(first, second, spread, holds):
    rng = np.random.default_rng(4)
    curves = [{place: mean + spread * rng.normal(size=5) for place, mean in one.items()} for one in (first, second)]
    assert no_later({"": tuple(curves)}).holds is holds


def test_exact_findings_have_no_chance():
    found = exact(2, True)
    assert (found.measured, found.low, found.high, found.holds, found.note) == (2, 2, 2, True, "exact")
    assert together(found, exact(1, False), found).holds is False


# Rows


@pytest.fixture
def table():
    rows = [["toy", "a", epsilon, "x", "advantage", r, epsilon + r] for epsilon in (0.1, 1.0, np.inf) for r in (1, 0)]
    return pd.DataFrame(rows, columns=["experiment", "arm", "epsilon", "attack", "metric", "replicate", "value"])


def test_rows_are_asked_for_by_meaning(table):
    rows = Replicates(table)
    assert rows("a", 1, "x").to_dict() == {0: 1.0, 1: 2.0}
    assert rows.epsilons("a", "x", least=1) == [1, np.inf]
    assert rows.chosen((0.1, 1000), "a", "x") == [0.1]
    assert rows.mean("a", (0.1, 1), "x").tolist() == pytest.approx([0.55, 1.55])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda rows: rows("a", 10, "x"), r"toy has no advantage of x, arm a, ε = 10"),
        (lambda rows: rows("b", np.inf, "x"), r"arm b, ε = ∞"),
        (lambda rows: rows.epsilons("a", "y"), r"advantage of y, arm a, ε from 0 to ∞"),
        (lambda rows: rows.chosen((3, 5), "a", "x"), r"at any of ε = 3, 5"),
    ],
)
def test_what_was_not_measured_is_named(table, ask, message):
    with pytest.raises(MissingRowsError, match=message):
        ask(Replicates(table))


def test_infinity_is_told_as_a_sign():
    assert [told(epsilon) for epsilon in (0.1, 1.0, np.inf)] == ["0.1", "1", "∞"]


# Verdicts


def claim(holds=True, name="toy-claim", **options):
    options = {"tables": ("replicates/toy", "sizes/toy"), **options}
    return Claim(name, "toy_fig1", "It is so.", "at least 0.5", lambda tables: found(holds, tables), "0.5", **options)


def found(holds, tables):
    return Finding(0.7, 0.6, 0.8, holds, f"{len(tables)} tables")


@pytest.fixture
def run(tmp_path):
    for name in ("replicates/toy", "sizes/toy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.csv").write_text("epsilon,value\n1,2\n")
    return Run(tmp_path, stand_in=False, scale="laptop", not_run={"texas": "no file"})


@pytest.mark.parametrize(("holds", "verdict"), [(True, "reproduced"), (False, "not reproduced"), (None, "undecided")])
def test_a_finding_is_a_verdict(run, holds, verdict):
    assert judge(claim(holds), run) == (verdict, Finding(0.7, 0.6, 0.8, holds, "2 tables"))


def test_a_claim_about_data_is_never_judged_on_stand_ins(run):
    made_up = Run(run.folder, stand_in=True, scale="laptop")
    verdict, finding = judge(claim(), made_up)
    assert verdict == "stand-in"
    assert np.isnan([finding.measured, finding.low, finding.high]).all()
    assert judge(claim(about_data=False), made_up)[0] == "reproduced"


def test_a_claim_about_data_is_not_judged_where_next_to_nothing_is_trained(run):
    verdict, finding = judge(claim(), Run(run.folder, stand_in=False, scale="smoke"))
    assert (verdict, "scale smoke" in finding.note) == ("not run", True)


def test_missing_tables_are_named_with_the_reason(run):
    verdict, finding = judge(claim(tables=("replicates/toy", "replicates/texas")), run)
    assert (verdict, finding.note) == ("not run", "without replicates/texas (no file)")
    both = claim(tables=("replicates/texas", "replicates/other", "sizes/texas"))
    assert judge(both, run)[1].note == "without replicates/texas, sizes/texas (no file), replicates/other"


def test_a_claim_about_each_data_set_is_judged_on_those_that_are_there(run):
    verdict, finding = judge(claim(tables=("replicates/toy", "replicates/texas"), each=True), run)
    assert (verdict, finding.note) == ("reproduced", "1 tables; judged without replicates/texas (no file)")
    assert judge(claim(tables=("replicates/texas",), each=True), run)[0] == "not run"


def test_rows_that_a_scale_left_out_are_named(run):
    def check(tables):
        raise MissingRowsError("toy has no advantage at ε = 1000")

    verdict, finding = judge(Claim("t-x", "t", "s", "c", check, tables=("replicates/toy",)), run)
    assert (verdict, finding.note) == ("not run", "toy has no advantage at ε = 1000 at scale laptop")


def test_a_verdict_says_what_was_trained(run):
    words = dict.fromkeys(("toy", "other"), "perceptron, 5 members") | {"texas": "not looked at"}
    asked = claim(tables=("replicates/toy", "summary/toy", "summary/other"), each=True)
    assert judge(asked, replace(run, trained=words))[1].note.count("trained: perceptron, 5 members") == 1
    assert "trained" not in judge(asked, run)[1].note


@pytest.mark.parametrize(
    ("options", "message"),
    [({"tables": ("models/toy",)}, "stages"), ({"tables": ()}, "reads tables")],
)
def test_a_claim_that_cannot_be_checked_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        claim(**options)


# All claims of all papers


def test_every_claim_has_an_id_of_its_own_that_begins_with_its_paper():
    assert len({claim.id for claim in ALL}) == len(ALL)
    for paper, of_paper in claims().items():
        assert all(claim.id.startswith(f"{paper}-") for claim in of_paper)


def test_every_claim_belongs_to_an_artifact_of_its_paper():
    """Claims about theorems belong to `<paper>_theory`."""
    for paper, of_paper in claims().items():
        names = {artifact.name for artifact in PAPERS[paper]} | {f"{paper}_theory"}
        assert {claim.artifact for claim in of_paper} <= names


def test_every_figure_and_table_of_a_paper_that_has_claims_is_spoken_of():
    """What is ours beside a paper (variants, limits, bounds of all papers) makes no claim."""
    spoken_of = {claim.artifact for claim in ALL}
    silent = {
        artifact.name
        for paper in CLAIMS
        for artifact in PAPERS[paper]
        if artifact.name.partition("_")[2].rstrip("0123456789abc") in ("fig", "table")
    } - spoken_of
    assert not silent


def test_tables_of_claims_are_of_experiments_that_artifacts_show_too():
    shown = {
        table.partition("/")[2] for artifacts in PAPERS.values() for artifact in artifacts for table in artifact.tables
    }
    assert {table.partition("/")[2] for claim in ALL for table in claim.tables} <= shown


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_a_claim_is_told_in_sentences_and_in_numbers(claim):
    assert claim.statement.endswith(".")
    assert claim.criterion
    assert not claim.criterion.endswith(".")


@pytest.mark.parametrize("claim", [claim for claim in ALL if claim.about_data], ids=lambda claim: claim.id)
def test_no_claim_about_data_can_be_judged_on_stand_ins(claim, tmp_path):
    assert judge(claim, Run(tmp_path, stand_in=True, scale="paper"))[0] == "stand-in"
    assert judge(claim, Run(tmp_path, stand_in=False, scale="paper"))[0] == "not run"


def test_listing_claims_loads_none_of_them():
    code = "import sys, dpmia.papers.claims; print(*(name for name in sys.modules if name.startswith('dpmia')))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(answer.stdout.split()) == ["dpmia", "dpmia.papers", "dpmia.papers.claims", "dpmia.registry"]


# What people read


@pytest.fixture
def verdicts(run):
    several = {
        "toy": [claim(True), claim(False, "toy-two", ours=True), claim(None, "toy-pipe|three")],
        "other": [
            claim(name="other-one", tables=("replicates/texas",)),
            Claim("other-two", "o", "S.", "c", lambda tables: exact(0.25, True), about_data=False),
        ],
    }
    return judge_all(several, run)


def test_verdicts_are_one_row_a_claim(verdicts):
    assert list(verdicts.columns) == COLUMNS
    assert verdicts["verdict"].tolist() == ["reproduced", "not reproduced", "undecided", "not run", "reproduced"]
    assert verdicts["measured"].tolist()[:3] == [0.7] * 3
    assert np.isnan(verdicts["measured"][3])


def test_verdicts_are_counted_by_paper(verdicts):
    table = counts(verdicts)
    assert list(table.columns) == list(VERDICTS)
    assert table.loc["toy"].tolist() == [1, 1, 1, 0, 0]
    assert table.loc["other"].tolist() == [1, 0, 0, 1, 0]
    assert tell.summary(verdicts) == "2 reproduced, 1 not reproduced, 1 undecided, 1 not run"


def test_the_page_tells_every_claim_with_number_and_interval(verdicts, run):
    page = tell.markdown(verdicts, run)
    for text in ("Real data", "Scale laptop", "0.700 [0.600, 0.800]", "toy-two*", r"toy-pipe\|three", "(no file)"):
        assert text in page
    rows = [line for line in page.splitlines() if line.startswith(("| toy-", "| other-"))]
    assert len(rows) == len(verdicts)
    assert len({row.replace(r"\|", "").count("|") for row in rows}) == 1
    assert "nan" not in page
    assert "tand-in data: claims about data are not judged" in tell.markdown(verdicts, Run(run.folder, True, "smoke"))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((np.nan, np.nan, np.nan), "-"),
        ((15135.0, 15135.0, 15135.0), "15135"),
        ((0.5, np.nan, np.nan), "0.500, no interval"),
        ((0.5, 0.4, 0.6), "0.500 [0.400, 0.600]"),
    ],
)
def test_numbers_are_told_with_what_is_known_of_them(numbers, text):
    assert tell.number(*numbers) == text


def test_the_picture_has_a_column_for_each_paper_and_a_sign_for_each_claim(verdicts, run):
    figure = picture.draw(verdicts, run)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "toy: 1 of 3 judged hold",
        "other: 1 of 1 judged hold",
    ]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["✓", "claim", "✗", "two*", "?", "pipe|three"]
    colours = [patch.get_facecolor() for patch in figure.axes[0].patches]
    assert len(set(colours)) == 3
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["✓ reproduced (2)", "✗ not reproduced (1)", "? undecided (1)", "– not run (1)"]
    Figure.draw_without_rendering(figure)


def test_the_script_judges_what_is_there_and_writes_beside_it(tmp_path, monkeypatch, capsys):
    script = Path(__file__).parents[2] / "scripts/judge_claims.py"
    monkeypatch.syspath_prepend(str(script.parent))
    about = {"stand_in": True, "scale": "smoke", "not_run": {}, "trained": {}}
    params = SimpleNamespace(folder=str(tmp_path / "run"), name="claims", **about)
    snakemake = SimpleNamespace(params=params, log=[str(tmp_path / "log")], rule="claims")
    runpy.run_path(str(script), init_globals={"snakemake": snakemake})
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        f"claims.{end}" for end in ("csv", "md", "pdf", "png")
    ]
    table = pd.read_csv(tmp_path / "run/claims.csv", keep_default_na=False)
    assert table["id"].tolist() == [claim.id for claim in ALL]
    assert (table["verdict"] == "stand-in").tolist() == [claim.about_data for claim in ALL]
    assert tell.summary(table) in capsys.readouterr().out


def test_every_verdict_has_a_look_of_its_own():
    assert set(picture.STYLES) == set(VERDICTS)
    assert (
        len({colour for colour, _ in picture.STYLES.values()})
        == len({sign for _, sign in picture.STYLES.values()})
        == 5
    )


def test_names_stay_in_their_column_and_no_two_lines_meet(run):
    """The longest names of the real list, measured as drawn."""
    rows = judge_all(claims() | {}, Run(run.folder, True, "smoke"))
    figure = picture.draw(rows, run)
    figure.draw_without_rendering()
    for axes in figure.axes:
        box = axes.get_window_extent()
        for text in axes.texts:
            assert text.get_window_extent().x1 <= box.x1 + 1, text.get_text()
        tops = sorted(text.get_window_extent().y0 for text in axes.texts if len(text.get_text()) > 1)
        assert (np.diff(tops) > 9).all()
