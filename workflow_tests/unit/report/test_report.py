"""The report: what it says of a run made by hand, and that it needs nothing but itself."""

import base64
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from report_world import Page, make_run, signal

from dpmia.claims.judge import read_verdicts
from dpmia.formats.signals import save_signals
from dpmia.papers.bibliography import ABOUT
from dpmia.papers.catalogue import PAPERS
from dpmia.report import formatting as words
from dpmia.report import page, run
from dpmia.report.report import report
from dpmia.validation.artifacts import ARTIFACTS


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    about, verdicts = make_run(tmp_path_factory.mktemp("run"))
    html = report(about, verdicts)
    return about, html, Page(html)


def content(uri):
    head, _, data = uri.partition(",")
    assert head.startswith("data:")
    assert head.endswith(";base64")
    return base64.b64decode(data, validate=True)


# The page as such


def test_elements_are_closed_and_ids_are_unique(made):
    _, _, found = made
    assert found.mistakes == []
    assert found.open == []
    assert len(set(found.ids)) == len(found.ids)


def test_links_lead_to_something_on_the_page_or_to_the_source_of_data(made):
    _, _, found = made
    targets = [link["href"] for link in found.links]
    assert {target[1:] for target in targets if target.startswith("#")} <= set(found.ids)
    others = {target for target in targets if not target.startswith(("#", "data:"))}
    assert others == {"https://archive.ics.uci.edu/dataset/320/student+performance"}


def test_nothing_is_loaded_from_anywhere(made):
    _, html, found = made
    loading = [given for tag, given in found.tags if tag in ("img", "script", "link") and given]
    sources = [given.get("src") or given["href"] for given in loading]
    assert all(source.startswith("data:") for source in sources)
    assert "url(" not in html
    assert "@import" not in html
    policy = next(given["content"] for tag, given in found.tags if given.get("http-equiv"))
    assert "default-src 'none'" in policy


def test_downloads_are_the_files_themselves(made):
    about, _, found = made
    saved = {link["download"]: content(link["href"]) for link in found.links if "download" in link}
    for name in ("humphries_fig7.pdf", "humphries_fig7.csv"):
        assert saved[name] == (about.folder / "figures/humphries" / name).read_bytes()
    assert saved["izzo_theory.md"] == b"| a |\n"
    assert "claims.csv" in saved
    assert "humphries_fig7.png" not in saved


def test_pictures_can_be_opened_and_are_described(made):
    _, _, found = made
    (image,) = found.images
    with Image.open(io.BytesIO(content(image["src"]))) as opened:
        assert opened.size == (160, 60)
    assert (image["width"], image["height"]) == ("100", "38")
    assert image["alt"].startswith("Figure 7. Students: members from the school")


def test_screen_readers_find_their_way(made):
    _, html, found = made
    tags = [tag for tag, _ in found.tags]
    assert all(tags.count(landmark) == 1 for landmark in ("header", "nav", "main", "footer", "h1"))
    assert all(after - before <= 1 for before, after in zip(found.headings, found.headings[1:], strict=False))
    assert found.links[0] == {"class": "skip", "href": "#content"}
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    named = {given["for"] for tag, given in found.tags if tag == "label" and "for" in given}
    assert named == {given["id"] for tag, given in found.tags if tag == "input" and "id" in given}
    scrolled = [given for _, given in found.tags if given.get("tabindex") == "0"]
    assert scrolled
    assert all(given["role"] == "region" and given["aria-label"] for given in scrolled)


def test_what_stands_in_tables_and_claims_is_text_and_never_markup(made):
    _, html, found = made
    assert "a < b, c" in found.text
    assert "a &lt; b, c" in html
    assert "worst of <2>" in found.text


# What it says


def test_the_summary_counts_claims_artifacts_models_and_time(made):
    _, _, found = made
    assert "claims about theory reproduced 0 of 2 2 such claims" in found.text
    assert "claims about data reproduced 1 of 1 2 such claims" in found.text
    assert "figures and tables made 2 of 3" in found.text
    assert "models trained 3 2 of them with privacy" in found.text
    assert "CPU time 18 s of 3 jobs" in found.text


def test_each_claim_has_its_verdict_numbers_and_criterion(made):
    _, _, found = made
    assert "✓ reproduced Says fig7-order. Criterion: a number > 0 & < 1." in found.text
    assert "Limits: one-sided 95 % limits. Power: 0.45 with 4 replicates, 0.8 from 10 on" in found.text
    assert "humphries-fig7-order 0.500 [0.400, 0.600] about 1" in found.text
    assert "✗ not reproduced Says thm7." in found.text
    assert "Says thm4. (ours, not in the paper)" in found.text
    kinds = {given["id"]: given["data-kind"] for _, given in found.tags if "data-kind" in given}
    assert kinds == {
        "humphries-fig7-order": "good", "humphries-fig8-acc": "none", "izzo-thm4": "open", "izzo-thm7": "bad"
    }  # fmt: skip


def test_what_cannot_be_had_is_named_where_it_is_missing_and_in_the_summary(made):
    _, _, found = made
    assert "Not run: texas: Texas_2006_PUDF.txt has to be got by hand." in found.text
    assert found.text.count("has to be got by hand") == 2


def test_the_data_are_named_with_checksum_and_whether_it_is_the_published_one(made):
    _, _, found = made
    row = found.text[found.text.index("student student-por.csv") :]
    assert row.startswith(f"student student-por.csv 649 93 kB {'ab' * 32} NOT that of the published file")


def test_privacy_guarantees_are_shown_in_full(made):
    _, _, found = made
    assert "student target 1 1e-05 replace-one poisson 0.25 40 2.5 1 pld yes 2" in found.text


def test_compute_and_speed_are_shown(made):
    _, _, found = made
    assert "train_block 2 4 s 8 s 14 s 10 s 200" in found.text
    assert "judge_claims 1 2 s 4 s 7 s – –" in found.text
    # Of 120 model-steps in 6 CPU seconds two thirds are private.
    assert "student target stacked yes 2 80 4 s 20" in found.text
    assert "student target stacked no 1 40 2 s 20" in found.text


def test_synthetic_data_are_marked_at_the_top_and_their_claims_say_nothing_more(tmp_path):
    about, verdicts = make_run(tmp_path)
    synthetic = verdicts.assign(verdict="synthetic data", measured=np.nan, low=np.nan, high=np.nan, note="a note")
    config = {**about.config, "data": "synthetic"}
    found = Page(report(replace(about, config=config), synthetic))
    assert "Synthetic data: nothing here says anything about real records" in found.text
    assert "snakemake --cores all --config data=real" in found.text
    assert "claims about data judged none 2 such claims, not judged on synthetic data" in found.text
    assert "Found: a note" not in found.text


def test_of_an_empty_run_there_is_a_page_too(tmp_path):
    about, verdicts = make_run(tmp_path)
    nothing = {
        "artifacts": {"izzo_fig1": {"png": "absent.png"}},
        "models": {},
        "prepared": {},
        "folder": tmp_path,
        "logs": tmp_path / "absent",
    }
    found = Page(report(replace(about, **nothing), verdicts.iloc[:0]))
    assert "Not made yet" in found.text
    assert "No private model was trained." in found.text
    assert "No job was measured." in found.text
    assert found.mistakes == []


# Its parts


def test_models_are_grouped_by_their_privacy_guarantee(tmp_path):
    about, _ = make_run(tmp_path)
    table = run.model_table(about.folder, about.logs, about.models)
    assert table["private"].tolist() == [True, False]
    assert table["models"].tolist() == [2, 1]
    assert table["model_steps"].tolist() == [80, 40]
    assert table["seconds"].tolist() == pytest.approx([4, 2])


def test_models_that_take_no_steps_share_the_time_by_their_number(tmp_path):
    about, _ = make_run(tmp_path)
    forest = replace(signal("inf").card, steps=0)
    file = about.folder / "signals/student/1_inf/block-0.npz"
    save_signals(file, [replace(signal("inf"), card=forest)] * 3, {})
    table = run.model_table(about.folder, about.logs, {"student": [str(file)]})
    assert table[["models", "model_steps", "seconds"]].to_numpy().tolist() == [[3, 0, 6]]


def test_models_of_a_users_file_have_their_time_and_belong_to_no_paper(tmp_path):
    about, verdicts = make_run(tmp_path)
    for kept in (about.folder / "signals", about.folder / "benchmarks", about.logs / "train_block"):
        moved = kept.parent / "own/mine" / kept.name
        moved.parent.mkdir(parents=True, exist_ok=True)
        kept.rename(moved)
    models = {"student": [str(about.folder / "own/mine/signals/student/1_inf/block-0.npz")]}
    table = run.model_table(about.folder, about.logs, models)
    assert table["seconds"].tolist() == pytest.approx([4, 2])
    assert "train_block" in set(run.cost_table(about.folder, about.logs).dropna(subset="wall_seconds")["rule"])
    text = Page(report(replace(about, models=models, own=("student",)), verdicts)).text
    assert "Own experiments" in text
    assert "Own experiments" not in Page(report(replace(about, models=models), verdicts)).text


def test_time_that_was_not_measured_is_not_guessed(tmp_path):
    about, _ = make_run(tmp_path)
    (about.logs / "train_block/student/1_inf/block-0.log").unlink()
    assert run.model_table(about.folder, about.logs, about.models)["seconds"].isna().all()


def test_a_file_of_the_published_checksum_is_reported_as_such(tmp_path, monkeypatch):
    about, _ = make_run(tmp_path)
    raw = next(raw for raw in run.all_raw_files() if raw.file == "student-por.csv")
    monkeypatch.setattr(run, "all_raw_files", lambda: (replace(raw, checksum=f"sha256:{'ab' * 32}"),))
    assert run.data_table(about.prepared)["verified"].tolist() == [True]


def test_a_folder_without_git_has_no_commit(tmp_path):
    assert run.commit(tmp_path) == "unknown: no git checkout"


def test_a_picture_of_few_colours_keeps_them_all(tmp_path):
    pixels = np.zeros((40, 40, 3), dtype=np.uint8)
    pixels[:20] = (0, 114, 178)
    pixels[20:, :20] = (255, 255, 255)
    Image.fromarray(pixels).save(tmp_path / "chart.png")
    shown = page.picture(tmp_path / "chart.png", "a chart")
    with Image.open(io.BytesIO(content(shown.uri))) as opened:
        np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), pixels)


def test_a_large_file_is_named_and_not_embedded(tmp_path):
    (tmp_path / "large.csv").write_bytes(b"x" * (page.LARGEST_DOWNLOAD + 1))
    found = page.download(tmp_path / "large.csv", tmp_path)
    assert (found.uri, found.path, found.size) == ("", "large.csv", "400 kB")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("humphries_fig2", "Figure 2"), ("humphries_fig2_reverse", "Figure 2: reverse"), ("yeom_fig2c", "Figure 2c"),
        ("humphries_table2", "Table 2"), ("thudi_theory", "Theory"), ("bounds_all", "Bounds of all papers"),
        ("engines_agree", "Engines compared"), ("accountants_agree", "Accountants compared"),
    ],
)  # fmt: skip
def test_names_of_artifacts_are_described(name, title):
    assert words.title_of(name) == title


@pytest.mark.parametrize(
    ("seconds", "reported"), [(42.4, "42 s"), (200, "3 min 20 s"), (8640, "2.4 h"), (float("nan"), "–")]
)
def test_durations_are_formatted(seconds, reported):
    assert words.duration(seconds) == reported


def test_every_paper_has_its_question_in_two_sentences():
    assert set(ABOUT) == set(PAPERS)
    for paper in ABOUT.values():
        assert paper.question.count(". ") + paper.question.count("? ") == 1
        assert paper.short.split()[-1] in paper.citation


def test_verdicts_read_back_from_their_file_make_the_same_page(tmp_path):
    about, verdicts = make_run(tmp_path)
    verdicts.to_csv(tmp_path / "claims.csv", index=False)
    again = read_verdicts(tmp_path / "claims.csv")
    assert report(about, again).partition("page made")[0] == report(about, verdicts).partition("page made")[0]


def test_the_second_opinion_has_a_section_with_the_models_of_each_engine(tmp_path):
    about, verdicts = make_run(tmp_path)
    engines, accountants = ARTIFACTS
    files = {end: f"{about.folder}/engines_agree.{end}" for end in ("csv", "md")}
    Path(files["csv"]).write_text(
        "experiment,models,relative_difference,verdict\nstudent,2,4.0e-07,agrees\nheart,3,1.0e-07,agrees\n"
    )
    Path(files["md"]).write_text("| a |\n")
    absent = {accountants.name: {"csv": f"{tmp_path}/absent.csv"}}
    about = replace(about, artifacts={**about.artifacts, engines.name: files, **absent}, checks=ARTIFACTS)
    found = Page(report(about, verdicts))
    section = found.text.partition("from the same initial weights")[2].partition("Compute used")[0]
    for words_of_it in ("Engines compared", "student 2 4.0e-07 agrees", "Accountants compared Epsilon", "Not made yet"):
        assert words_of_it in section
    assert "engine models with privacy stacked 3 2 opacus, second opinion 5 5" in section
    assert found.mistakes == []
