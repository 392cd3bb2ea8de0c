"""What stands beside a figure: its caption, as text."""

from dataclasses import replace

import pandas as pd
import pytest
from described import HEART
from drawn import badges

from dpmia.common.errors import DataError
from dpmia.jobs.describing import ArmDescription
from dpmia.metrics.intervals import BOTH, EQUAL, EXACT, TOO_FEW
from dpmia.papers import captions, drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.drawing.caption import format_batches

NO_ROWS = pd.DataFrame({"interval": []})


def run_summary(synthetic=True, experiments=("heart",)):
    return RunSummary(synthetic, "laptop", dict.fromkeys(experiments, HEART))


def test_the_caption_says_how_models_were_trained_and_what_the_bands_are():
    text = drawing.run_caption(run_summary(), pd.DataFrame({"interval": [BOTH, EQUAL, None, EXACT]}))
    for phrase in (
        *("Synthetic data, scale laptop", "20 epochs", "batch 32", "4 replicates", "DP-Adam"),
        *("clip norm 1.5", "δ = 1e-5", "replace-one", "PLD accountant", "95 % intervals over replicates and records."),
    ):
        assert phrase in text
    none = drawing.run_caption(run_summary(synthetic=False), pd.DataFrame({"interval": [TOO_FEW]}))
    assert none.startswith("Real data, scale laptop")
    assert "No intervals: fewer than 3 replicates" in none
    assert "Heart disease: MLP 256-256, 90 members, 20 epochs" in text
    assert "Poisson batches (shuffled epochs without privacy), clip norm 1.5, δ" in text
    assert "reference models" not in text
    assert "clusters" not in text
    paired = RunSummary(True, "laptop", {"adult": replace(HEART, pairing="farthest")})
    assert "4 replicates, clusters of different classes paired farthest." in drawing.run_caption(paired, NO_ROWS)
    clipped = RunSummary(True, "laptop", {"heart": replace(HEART, clipped_to=1.5)})
    assert "clip norm 1.5 (without privacy, too)" in drawing.run_caption(clipped, NO_ROWS)


@pytest.mark.parametrize(
    ("private", "other", "text"),
    [
        ("poisson", "shuffle", "Poisson batches (shuffled epochs without privacy)"),
        ("poisson", "poisson", "Poisson batches (without privacy, too)"),
        ("shuffle", "shuffle", "shuffled epochs (without privacy, too)"),
    ],
)
def test_the_caption_states_the_sampler_of_models_with_and_without_privacy(private, other, text):
    assert format_batches(replace(HEART, sampling=private, sampling_without_privacy=other)) == text


def test_data_sets_on_which_models_are_trained_alike_are_told_together():
    experiments = {
        "heart": HEART,
        "heart_reverse": HEART,
        "adult": replace(HEART, dataset="adult"),
        "texas": replace(HEART, dataset="texas", sizes="", references=20),
    }
    text = drawing.run_caption(RunSummary(True, "laptop", experiments), NO_ROWS)
    assert "Heart disease, Adult: MLP 256-256, 90 members, 20 epochs, batch 32, 4 replicates. Texas hospital" in text
    assert "stays: MLP 256-256, 20 epochs, batch 32, 4 replicates, 20 reference models. DP-Adam" in text
    assert text.count("DP-Adam") == 1


def test_a_caption_stands_beside_the_figure_in_paragraphs_and_no_word_of_it_inside():
    figure, _ = drawing.panels(1, run_summary())
    drawing.finish(figure, "What it\n shows.", "", "How it was made.")
    assert figure.caption == ("What it shows.", "How it was made.")
    assert figure.get_supxlabel() == ""
    assert badges(figure) == ["SYNTHETIC DATA"]


@pytest.mark.parametrize("text", ["a_b * c_d", "`x` < |y| #", "back\\slash", "5 % of 1e-5"])
def test_captions_in_markdown_keep_every_sign(tmp_path, text):
    path = tmp_path / "figure.md"
    path.write_text(captions.markdown("What.", (text, "More.")), encoding="utf-8")
    assert captions.read(path) == [text, "More."]
    assert path.read_text(encoding="utf-8").startswith("What.\n\n")
    path.write_bytes(path.read_bytes() + b"\xfa")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        captions.read(path)


def test_captions_compare_what_differs_from_the_papers_scale_and_state_the_rest_once():
    here = replace(HEART, epsilons=["1", "∞"], arms={})
    paper = replace(HEART, passes="100 epochs, batch 32", replicates=50, epsilons=["0.1", "1", "∞"], arms={})
    text = drawing.training_caption(RunSummary(True, "laptop", {"heart": here}, {"heart": paper}))
    assert text == (
        "Synthetic data, scale laptop. Heart disease: MLP 256-256, 90 members, batch 32. "
        "Here / paper's scale: 20 / 100 epochs; 4 / 50 replicates; ε 1, ∞ / 0.1, 1, ∞."
    )
    same = drawing.training_caption(RunSummary(True, "paper", {"heart": paper}, {"heart": paper}))
    assert "Here / paper" not in same
    assert "100 epochs, batch 32, 50 replicates, ε 0.1, 1, ∞." in same


def test_experiments_on_one_data_set_share_a_sentence_and_name_what_differs():
    one = replace(HEART, epsilons=["1", "10"], arms={})
    other = replace(one, epsilons=["1"], relation="add_remove")
    paper = replace(HEART, epsilons=["1", "10", "100"], arms={})
    text = drawing.training_caption(RunSummary(True, "laptop", {"a": one, "b": other}, {"a": paper, "b": paper}))
    assert text.count("Heart disease") == 1
    assert text.endswith("Here / paper's scale: ε 1, 10 or 1 / 1, 10, 100.")
    # An experiment with reference models states an item more, so it has a sentence of its own.
    text = drawing.training_caption(RunSummary(True, "laptop", {"a": one, "b": replace(other, references=6)}))
    assert text.count("Heart disease: ") == 2


def test_arms_are_named_where_they_differ_from_the_papers_scale():
    usual = ArmDescription(90, 0.01, 32, 20, 0.0)
    few, all_of_them = (replace(HEART, epsilons=["∞"], arms=dict.fromkeys(arms, usual)) for arms in ("ab", "abc"))
    text = drawing.training_caption(RunSummary(True, "laptop", {"heart": few}, {"heart": all_of_them}))
    assert text.endswith("Here / paper's scale: arms a, b / a, b, c.")
    for paper in ({"heart": few}, {}):
        assert "arms" not in drawing.training_caption(RunSummary(True, "laptop", {"heart": few}, paper))


def test_what_only_one_of_the_two_has_is_compared_too():
    assert drawing.here_and_paper({"{} epochs": "1"}, {"{} models": "2"}) == (
        "Here / paper's scale: 1 / none epochs; none / 2 models."
    )
    assert drawing.here_and_paper({"{} epochs": "1"}, None) == "1 epochs."
