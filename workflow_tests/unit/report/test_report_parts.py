"""The parts of the report: tables, pictures, downloads, names, deviations."""

import base64
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from report_world import Page, make_run, signal

from dpmia.claims.judge import read_verdicts
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import save_signals
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.report import page, run, table, titles
from dpmia.report.deviations import deviations
from dpmia.report.report import report
from dpmia.validation.artifacts import ARTIFACTS


def test_models_are_grouped_by_their_privacy_guarantee(tmp_path):
    reported, _ = make_run(tmp_path)
    table = run.model_table(reported.folder, reported.logs, reported.models)
    assert table["private"].tolist() == [True, False]
    assert table["models"].tolist() == [2, 1]
    assert table["model_steps"].tolist() == [80, 40]
    assert table["seconds"].tolist() == pytest.approx([4, 2])


def test_models_that_take_no_steps_share_the_time_by_their_number(tmp_path):
    reported, _ = make_run(tmp_path)
    forest = replace(signal("inf").card, steps=0)
    file = reported.folder / "signals/student/1_inf/block-0.npz"
    save_signals(file, [replace(signal("inf"), card=forest)] * 3, Provenance())
    table = run.model_table(reported.folder, reported.logs, {"student": [str(file)]})
    assert table[["models", "model_steps", "seconds"]].to_numpy().tolist() == [[3, 0, 6]]


def test_models_of_a_users_file_have_their_time_and_belong_to_no_paper(tmp_path):
    reported, verdicts = make_run(tmp_path)
    for kept in (reported.folder / "signals", reported.logs / "train_block"):
        moved = kept.parent / "own/mine" / kept.name
        moved.parent.mkdir(parents=True, exist_ok=True)
        kept.rename(moved)
    models = {"student": [str(reported.folder / "own/mine/signals/student/1_inf/block-0.npz")]}
    table = run.model_table(reported.folder, reported.logs, models)
    assert table["seconds"].tolist() == pytest.approx([4, 2])
    text = Page(report(replace(reported, models=models, own=["student"]), verdicts, "")).text
    assert "Own experiments" in text
    assert "Own experiments" not in Page(report(replace(reported, models=models), verdicts, "")).text


def test_time_that_was_not_measured_is_not_guessed(tmp_path):
    reported, _ = make_run(tmp_path)
    (reported.logs / "train_block/student/1_inf/block-0.log").unlink()
    assert run.model_table(reported.folder, reported.logs, reported.models)["seconds"].isna().all()


def test_a_file_of_the_published_checksum_is_reported_as_such(tmp_path, monkeypatch):
    reported, _ = make_run(tmp_path)
    raw = next(raw for raw in run.all_raw_files() if raw.file == "student-por.csv")
    monkeypatch.setattr(run, "all_raw_files", lambda: (replace(raw, checksum=f"sha256:{'ab' * 32}"),))
    assert run.data_table(reported.prepared)["verified"].tolist() == [True]


def test_a_picture_of_few_colours_keeps_them_all(tmp_path):
    pixels = np.zeros((40, 40, 3), dtype=np.uint8)
    pixels[:20] = (0, 114, 178)
    pixels[20:, :20] = (255, 255, 255)
    Image.fromarray(pixels).save(tmp_path / "chart.png")
    shown = page.picture(tmp_path / "chart.png", "a chart")
    with Image.open(io.BytesIO(base64.b64decode(shown.uri.partition(",")[2]))) as opened:
        np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), pixels)


def test_a_large_file_is_named_and_not_embedded(tmp_path):
    noise = np.random.default_rng(0).bytes(page.LARGEST_DOWNLOAD + 1)
    (tmp_path / "large.csv").write_bytes(noise)
    download = page.download(tmp_path / "large.csv", tmp_path)
    assert (download.uri, download.path, download.size) == ("", "large.csv", "200 kB")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("humphries_fig2", "Figure 2"), ("humphries_fig2_reverse", "Figure 2, reverse"), ("yeom_fig2c", "Figure 2c"),
        ("humphries_table2", "Table 2"), ("thudi_theory", "Theory"), ("bounds_all", "Bounds of all papers"),
        ("engines_agree", "Engines compared"), ("accountants_agree", "Accountants compared"),
    ],
)  # fmt: skip
def test_names_of_artifacts_are_described(name, title):
    assert titles.title_of(name) == title


@pytest.mark.parametrize(
    ("name", "title"), [("ye_roc_mnist", "Ye et al., ROC on MNIST"), ("ye_fig1", "Ye et al., figure 1")]
)
def test_a_title_in_a_sentence_keeps_acronyms(name, title):
    assert titles.title_in("Ye et al.", name) == title


def test_every_figure_and_table_has_a_topic_and_how_to_read_it():
    artifacts = [*(artifact for of_paper in PAPERS.values() for artifact in of_paper), *ARTIFACTS]
    headings = [f"{artifact.name.partition('_')[0]} {artifact.reading.topic}" for artifact in artifacts]
    assert len(set(headings)) == len(headings)
    assert all(artifact.reading.how.endswith(".") for artifact in artifacts)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("ye_table1", False),
        ("yeom_fig2c", False),
        ("humphries_fig2_reverse", True),
        ("bounds_all", True),
        ("thudi_theory", True),
    ],
)
def test_variants_and_what_has_no_number_in_the_paper_are_ours(name, ours):
    (artifact,) = (artifact for of_paper in PAPERS.values() for artifact in of_paper if artifact.name == name)
    assert artifact.ours is ours


def test_tables_are_narrow_with_the_point_first(tmp_path):
    (tmp_path / "wide.csv").write_text(
        "section,experiment,arm,a,b,c,size,paper_size,relation,point\n"
        'I,one_two,x,1,0.7921499999999999,t,5,6,replace_one,"0.5 [0.4, 0.6]"\n'
        "II,one,y,0.860,1e-05,u,5,,replace_one,\n"
        'II,one,z,30000000,,u,7,7,replace_one,"0.1 [0.0, 0.2]"\n'
    )
    shown = table.read(tmp_path / "wide.csv", first=("experiment", "point", "absent"))
    names = ["experiment", "point", "section", ("a", "number"), ("b", "number"), "c", "size (ours / paper)"]
    assert shown.columns == names
    limits = '0.5 <span class="limits">[0.4, 0.6]</span>'
    assert shown.rows[0] == ["one_<wbr>two, x", limits, "I", "1", "0.7921", "t", "5 / 6"]
    assert shown.rows[1] == ["one, y", "-", "II", "0.860", "1e-5", "u", "5 / -"]
    assert shown.rows[2][3:5] == ["30000000", "-"]
    assert shown.constant == [("relation", "replace_one")]


def test_deviations_of_many_experiments_come_first():
    def settings(epochs, members, **attacks):
        arms = {"x": {"members": members}, "y": {"members": members}}
        return {
            "training": {"epochs": epochs, "engine": str(members)},
            "arms": arms,
            "attacks": attacks,
            "block": epochs,
        }

    here = {"a": settings(1, 10), "b": settings(1, 10, lira={}), "c": settings(2, 10)}
    paper = {"a": settings(9, 10), "b": settings(9, 20, lira={}, rmia={"kind": "rmia"}), "c": settings(9, 10)}
    here["c"]["arms"].pop("y")
    rows = [
        (deviation.setting, deviation.here, deviation.paper, deviation.experiments)
        for deviation in deviations(here, paper)
    ]
    assert rows == [
        ("epochs", "1", "9", ("a", "b")),
        ("epochs", "2", "9", ("c",)),
        ("arms", "x", "x, y", ("c",)),
        ("attacks", "lira", "lira, rmia", ("b",)),
        ("members of arms x, y", "10", "20", ("b",)),
    ]


def test_the_same_epsilons_in_another_order_are_no_deviation():
    here, paper = {"a": {"epsilons": [[3, 1], [float("inf")]]}}, {"a": {"epsilons": [1, 3, "inf"]}}
    assert deviations(here, paper) == []
    assert [(deviation.here, deviation.paper) for deviation in deviations(here, {"a": {"epsilons": [[1]]}})] == [
        ("1, 3, ∞", "1")
    ]


def test_every_paper_has_its_question_in_two_sentences():
    assert set(BIBLIOGRAPHY) == set(PAPERS)
    for paper in BIBLIOGRAPHY.values():
        assert paper.question.count(". ") + paper.question.count("? ") == 1
        assert paper.short.split()[-1] in paper.citation
        assert paper.first == f"{paper.authors[0].split()[-1]} et al."
        assert paper.bibtex.count("{") == paper.bibtex.count("}")


def test_verdicts_read_back_from_their_file_make_the_same_page(tmp_path):
    reported, verdicts = make_run(tmp_path)
    verdicts.to_csv(tmp_path / "claims.csv", index=False)
    again = read_verdicts(tmp_path / "claims.csv")
    pages = [report(reported, table, "").partition("page made")[0] for table in (again, verdicts)]
    assert pages[0] == pages[1]


def test_the_second_opinion_has_a_section_with_the_models_of_each_engine(tmp_path):
    reported, verdicts = make_run(tmp_path)
    engines, accountants = ARTIFACTS
    files = {end: f"{reported.folder}/engines_agree.{end}" for end in ("csv", "md")}
    Path(files["csv"]).write_text(
        "experiment,models,relative_difference,verdict\nstudent,2,4.0e-07,agrees\nheart,3,1.0e-07,agrees\n"
    )
    Path(files["md"]).write_text("| a |\n")
    absent = {accountants.name: {"csv": f"{tmp_path}/absent.csv"}}
    reported = replace(reported, artifacts={**reported.artifacts, engines.name: files, **absent}, checks=ARTIFACTS)
    parsed = Page(report(reported, verdicts, ""))
    section = parsed.text.partition("from the same initial weights")[2].partition("Compute used")[0]
    for words_of_it in (
        "Engines compared",
        "student 2 4.0e-7 agrees",
        "Accountants compared # Epsilon",
        "Not made yet",
    ):
        assert words_of_it in section
    assert "engine models with privacy stacked 3 2 opacus, second opinion 5 5" in section
    assert parsed.mistakes == []
