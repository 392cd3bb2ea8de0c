"""The report: what it says of a run made by hand, and that it needs nothing but itself."""

import base64
import gzip
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from report_world import Page, make_run

from dpmia.report import recorded
from dpmia.report.recorded import runs, source_of
from dpmia.report.report import report


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    reported, verdicts = make_run(tmp_path_factory.mktemp("run"))
    html = report(reported, verdicts, "1a2b3c4d")
    return reported, html, Page(html)


def content(uri):
    head, _, data = uri.partition(",")
    assert head.startswith("data:")
    assert head.endswith(";base64")
    return base64.b64decode(data, validate=True)


# The page as such


def test_elements_are_closed_and_ids_are_unique(made):
    _, _, page = made
    assert page.mistakes == []
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)


def test_links_lead_to_something_on_the_page_beside_it_or_to_the_source_of_data(made):
    reported, _, page = made
    targets = [link["href"] for link in page.links]
    assert {target[1:] for target in targets if target.startswith("#")} <= set(page.ids)
    others = {target for target in targets if not target.startswith(("#", "data:"))}
    source = "https://archive.ics.uci.edu/dataset/320/student+performance"
    pictures = {f"figures/humphries/humphries_fig7.{ending}" for ending in ("pdf", "svg")}
    assert others == {source, *pictures, "claims.pdf"}
    assert all((reported.folder / target).is_file() for target in others - {source})


def test_nothing_is_loaded_from_anywhere(made):
    _, html, page = made
    loading = [given for tag, given in page.tags if tag in ("img", "script", "link") and given]
    sources = [given.get("src") or given["href"] for given in loading]
    assert all(source.startswith("data:") for source in sources)
    assert "url(" not in html
    assert "@import" not in html
    policy = next(given["content"] for tag, given in page.tags if given.get("http-equiv"))
    assert "default-src 'none'" in policy


def test_downloads_are_the_files_themselves(made):
    reported, _, page = made
    saved = {link["download"]: content(link["href"]) for link in page.links if "download" in link}
    figures = reported.folder / "figures/humphries"
    # A file that shrinks stands there compressed, under the name that a browser without script saves.
    assert gzip.decompress(saved["humphries_fig7.csv.gz"]) == (figures / "humphries_fig7.csv").read_bytes()
    assert [link["data-unpack"] for link in page.links if "data-unpack" in link] == ["humphries_fig7.csv"]
    assert saved["izzo_theory.md"] == b"| a |\n"
    assert "claims.csv" in saved
    assert not any(name.endswith((".png", ".pdf")) for name in saved)


def test_pictures_can_be_opened_and_are_described(made):
    _, _, page = made
    (image,) = page.images
    with Image.open(io.BytesIO(content(image["src"]))) as opened:
        assert opened.size == (160, 60)
    assert (image["width"], image["height"]) == ("100", "38")
    assert image["alt"].startswith("Humphries et al., figure 7: students, members from one school. Students: members")


def test_the_caption_of_a_figure_is_text_below_its_picture(made):
    _, html, page = made
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", html, re.DOTALL)
    assert captions == ["<p>How to &lt;read&gt; it.</p><p>Real data, scale laptop; 4 / 50 replicates.</p>"]
    figure = html[html.index("<figure>") : html.index("</figure>")]
    assert figure.index(f'alt="{page.images[0]["alt"]}') < figure.index("<figcaption>")
    assert "replicates" not in page.images[0]["alt"]
    assert "humphries_fig7.md" not in {link.get("download") for link in page.links}


def test_screen_readers_find_their_way(made):
    _, html, page = made
    tags = [tag for tag, _ in page.tags]
    assert all(tags.count(landmark) == 1 for landmark in ("header", "nav", "main", "footer", "h1"))
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert page.links[0] == {"class": "skip", "href": "#content"}
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    named = {given["for"] for tag, given in page.tags if tag == "label" and "for" in given}
    assert named == {given["id"] for tag, given in page.tags if tag == "input" and "id" in given}
    scrolled = [given for _, given in page.tags if given.get("tabindex") == "0"]
    assert scrolled
    assert all(given["role"] == "region" and given["aria-label"] for given in scrolled)


def test_what_stands_in_tables_and_claims_is_text_and_never_markup(made):
    _, html, page = made
    assert "a < b, c" in page.text
    assert "a &lt; b, c" in html
    assert "worst of <2>" in page.text


# What it says


def test_the_first_screen_counts_theory_simulations_and_data_apart(made):
    _, _, page = made
    first = page.text.partition("Does it reproduce? ")[2].partition("Does it reproduce? ")[2]
    assert first.startswith(
        "0 of 1 claims of the papers about theory reproduced (1 not reproduced). "
        "1 of 2 claims of the papers about data reproduced (1 not run). "
    )
    assert "claims on theorems and formulas reproduced 0 of 1 1 not reproduced" in first
    assert "claims on theorems and formulas reproduced, ours 0 of 1 1 undecided" in first
    assert "claims on experiments on data reproduced 1 of 2 1 not run" in first
    assert "claims on simulations" not in first


def test_the_summary_counts_artifacts_models_and_time(made):
    _, _, page = made
    assert "figures and tables made 2 of 3" in page.text
    assert "models trained 3 2 of them with privacy" in page.text
    assert "CPU time 18 s of 3 jobs" in page.text


def test_one_finding_of_each_figure_is_its_first_claim_of_the_paper(made):
    _, _, page = made
    section = page.text.partition("The first claim of the paper about each figure and table.")[2]
    section = section.partition("All claims at a glance")[0]
    assert "Humphries figure 7 Says fig7-order. ✓ reproduced 0.500 [0.400, 0.600]" in section
    assert "Izzo theory (ours) Says thm7. 1 more about Izzo et al., theory ✗ not reproduced" in section
    assert "thm4" not in section


def test_deviations_stand_beside_what_the_paper_has(made):
    _, _, page = made
    assert "Deviations from the papers: epochs in 1, ε in 1 of 1 experiments" in page.text
    section = page.text.partition("setting here paper experiments which ")[2]
    assert section.startswith("epochs 20 100 1 student ε 1, ∞ 0.01, 1, ∞ 1 student Data")


def test_each_figure_has_its_command_settings_and_citation(made):
    _, _, page = made
    card = page.text.partition("Humphries et al., figure 7: students, members from one school #")[2]
    card = card.partition("Humphries et al., figure 8")[0]
    assert "snakemake --cores all humphries_fig7 --config data=real" in card
    assert "@inproceedings{humphries2023investigating, author = {T. Humphries and S. Oya and" in card
    assert "at commit 1a2b3c4d" in card
    assert "How to read this figure Horizontal: the privacy budget ε" in card
    assert "settings-student" in page.ids
    assert {"#settings-student"} <= {link["href"] for link in page.links}
    assert "training: {engine: stacked, epochs: 20}" in page.text


def test_a_command_names_every_setting_that_is_no_default(tmp_path):
    reported, _ = make_run(tmp_path)
    assert reported.options == " --config data=real"
    changed = {
        "data": "synthetic",
        "scale": "smoke",
        "seed": 7,
        "experiments": ["a.yaml", "b c.yaml"],
        "epsilons": [1.0, float("inf")],
    }
    assert replace(reported, config=changed).options == (
        """ --config scale=smoke seed=7 'experiments=["a.yaml", "b c.yaml"]' 'epsilons=[1.0, inf]'"""
    )
    assert replace(reported, config={"data": "synthetic", "scale": "laptop"}).options == ""


def test_headings_are_unique_and_figures_of_our_own_are_marked(made):
    _, _, page = made
    assert len(set(page.titles)) == len(page.titles)
    assert "Humphries et al., figure 7: students, members from one school #" in page.titles
    assert "Izzo et al., theory: bounds on the best attacker ours, not in the paper #" in page.titles


def test_every_claim_and_figure_has_a_link_to_itself_and_squares_are_links(made):
    _, _, page = made
    marked = {link["href"] for link in page.links if link.get("class") == "permalink"}
    claims = {"#humphries-fig7-order", "#humphries-fig8-acc", "#izzo-thm4", "#izzo-thm7"}
    assert claims | {"#humphries", "#humphries_fig7", "#humphries_fig8", "#izzo_theory"} <= marked
    squares = [link for link in page.links if link.get("title", "").startswith(("humphries-", "izzo-"))]
    assert {link["href"] for link in squares} == claims
    assert all("tabindex" not in link for link in squares)


def test_each_claim_has_its_verdict_numbers_and_criterion(made):
    _, _, page = made
    assert "1 claim: 1 reproduced Claims about Humphries et al., figure 7" in page.text
    assert "✓ reproduced Says fig7-order. # Criterion: a number > 0 & < 1." in page.text
    assert "Limits: one-sided 95 % limits. humphries-fig7-order , experiment about 1 by formula 1.02" in page.text
    assert "0.500 [0.400, 0.600] 0.45 with 4 replicates, 0.8 from 10 on (effect as measured)" in page.text
    assert "✗ not reproduced Says thm7." in page.text
    assert "izzo-thm4 , theorem or formula, ours: not in the paper" in page.text
    kinds = {given["id"]: given["data-kind"] for _, given in page.tags if "data-kind" in given}
    assert kinds == {
        "humphries-fig7-order": "good", "humphries-fig8-acc": "none", "izzo-thm4": "open", "izzo-thm7": "bad"
    }  # fmt: skip


def test_what_cannot_be_had_is_named_where_it_is_missing_and_in_the_summary(made):
    _, _, page = made
    assert "Not run: texas: Texas_2006_PUDF.txt has to be downloaded by hand." in page.text
    assert page.text.count("has to be downloaded by hand") == 2


def test_the_data_are_named_with_checksum_and_whether_it_is_the_published_one(made):
    _, _, page = made
    row = page.text[page.text.index("student student-por.csv") :]
    assert row.startswith(f"student student-por.csv 649 93 kB {'ab' * 32} NOT that of the published file")


def test_privacy_guarantees_are_shown_in_full(made):
    _, _, page = made
    assert "student target 1 1e-5 replace-one poisson 0.25 40 2.5 1 pld yes 2" in page.text


def test_compute_and_speed_are_shown(made):
    _, _, page = made
    assert "train_block 2 4 s 8 s 14 s 10 s 200" in page.text
    assert "judge_claims 1 2 s 4 s 7 s 5 s 200" in page.text
    # Of 120 model-steps in 6 CPU seconds two thirds are private.
    assert "student target stacked yes 2 80 4 s 20" in page.text
    assert "student target stacked no 1 40 2 s 20" in page.text


def test_synthetic_data_are_marked_and_recorded_verdicts_on_real_data_stand_beside_claims(tmp_path, monkeypatch):
    reported, verdicts = make_run(tmp_path)
    unjudged = verdicts.assign(verdict="synthetic data", measured=np.nan, low=np.nan, high=np.nan, note="a note")
    unjudged = unjudged.assign(kind="experiment", power="")
    few = verdicts[verdicts["id"].isin(["humphries-fig7-order", "izzo-thm7"])].assign(note="exact")
    monkeypatch.setattr(recorded, "verdicts", lambda: few.set_index("id"))
    page = Page(report(replace(reported, config={**reported.config, "data": "synthetic"}), unjudged, ""))
    assert "Synthetic data: nothing here says anything about real records" in page.text
    assert "snakemake --cores all --config data=real" in page.text
    assert "0 of 3 claims of the papers about data judged: synthetic data." in page.text
    said = "1 of 2 claims of the papers about data reproduced (1 not reproduced); 1 newer."
    assert f"On real data ({source_of(runs())}): {said}" in page.text
    assert "1 claim: 1 synthetic data; on real data 1 reproduced" in page.text
    assert "about 1 by formula 1.02 ✓ reproduced 0.500 [0.400, 0.600]" in page.text
    assert "Found: a note" not in page.text


def test_of_an_empty_run_there_is_a_page_too(tmp_path):
    reported, verdicts = make_run(tmp_path)
    nothing = {
        "artifacts": {"izzo_fig1": {"png": "absent.png"}},
        "models": {},
        "prepared": {},
        "folder": tmp_path,
        "logs": tmp_path / "absent",
    }
    page = Page(report(replace(reported, **nothing), verdicts.iloc[:0], ""))
    assert "Not made yet" in page.text
    assert "No private model was trained." in page.text
    assert "No job was measured." in page.text
    assert page.mistakes == []
