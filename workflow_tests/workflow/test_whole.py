"""The whole workflow at smoke scale on stand-in data."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import image

from dpmia.papers.catalogue import PAPERS
from dpmia.signals import load_header

ARTIFACTS = [(paper, artifact) for paper, artifacts in PAPERS.items() for artifact in artifacts]


def test_every_figure_and_table_of_every_paper_is_made(finished):
    for paper, artifact in ARTIFACTS:
        folder = finished.folder / f"results/embedded-smoke/{artifact.kind}s/{paper}"
        for ending in {"figure": ("pdf", "png", "csv"), "table": ("md", "csv")}[artifact.kind]:
            assert (folder / f"{artifact.name}.{ending}").stat().st_size > 0
        assert len(pd.read_csv(folder / f"{artifact.name}.csv")) > 0


def test_pictures_are_not_blank_and_pdfs_are_vectors(finished):
    for paper, artifact in ARTIFACTS:
        if artifact.kind == "figure":
            stem = finished.folder / f"results/embedded-smoke/figures/{paper}/{artifact.name}"
            pixels = image.imread(stem.with_suffix(".png"))[..., :3]
            assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20
            content = stem.with_suffix(".pdf").read_bytes()
            assert content.startswith(b"%PDF")
            assert b"/Subtype /Image" not in content


def test_tables_of_stand_in_data_say_so(finished):
    text = (finished.folder / "results/embedded-smoke/tables/humphries/humphries_table2.md").read_text()
    assert "Stand-in data" in text


def test_sizes_on_stand_ins_are_those_of_the_paper(finished):
    table = pd.read_csv(finished.folder / "results/embedded-smoke/tables/humphries/humphries_table2.csv")
    for column in ("features", "classes", "members", "nonmembers"):
        assert table[column].tolist() == table[f"paper_{column}"].tolist()


def test_every_private_model_states_its_accounting(finished):
    files = list((finished.folder / "results/embedded-smoke/signals").rglob("*.npz"))
    assert files
    for file in files:
        for about in load_header(file)["models"]:
            if about["epsilon"] == "inf":
                assert about["accounting"] is None
            else:
                named = {"sampler", "rate", "noise_multiplier", "steps", "relation", "delta", "accountant", "epsilon"}
                assert named <= set(about["accounting"])


def test_a_second_run_has_nothing_to_do(finished):
    assert finished.planned() == {}


def test_one_figure_builds_only_what_it_needs(workspace):
    jobs = workspace.planned("humphries_fig7")
    assert jobs["make_stand_in_student"] == jobs["prepare_dataset"] == jobs["draw_splits"] == 1
    assert jobs["train_block"] == 1
    assert {rule for rule in jobs if rule.startswith("make_")} == {"make_stand_in_student", "make_humphries_fig7"}


def test_the_bounds_need_no_model(workspace):
    assert workspace.planned("humphries_fig1") == {"make_humphries_fig1": 1}


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(finished, workspace):
    target = "results/embedded-smoke/summary/student.csv"
    assert workspace.snakemake(target).returncode == 0
    again = pd.read_csv(workspace.folder / target)
    pd.testing.assert_frame_equal(again, pd.read_csv(finished.folder / target), check_exact=True)
    assert workspace.snakemake(target, seed=2).returncode == 0
    other = pd.read_csv(workspace.folder / target)
    assert not again["mean"].equals(other["mean"])
