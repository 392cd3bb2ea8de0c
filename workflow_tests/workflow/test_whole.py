"""The workflow from end to end at smoke scale on synthetic data."""

from __future__ import annotations

import subprocess

import numpy as np
import pandas as pd
import pytest
from matplotlib import image
from workspace import FEW

from dpmia.formats.signals import load_header
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.workflow.failures import CANNOT_RUN

ARTIFACTS = [(paper, artifact) for paper, artifacts in PAPERS.items() for artifact in artifacts]
#: What is made of the few experiments that most tests run.
MADE = [
    (paper, artifact)
    for paper, artifact in ARTIFACTS
    if {table.split("/")[1] for table in artifact.tables} <= {*FEW, "izzo_fig2"} and paper in ("humphries", "izzo")
]


def assert_made(folder, paper, artifact):
    stem = folder / f"results/synthetic-smoke/{artifact.kind}s/{paper}/{artifact.name}"
    for ending in {"figure": ("pdf", "svg", "png", "md", "csv"), "table": ("md", "csv")}[artifact.kind]:
        assert stem.with_suffix(f".{ending}").stat().st_size > 0
    assert len(pd.read_csv(stem.with_suffix(".csv"))) > 0
    if artifact.kind == "figure":
        pixels = image.imread(stem.with_suffix(".png"))[..., :3]
        assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20
        content = stem.with_suffix(".pdf").read_bytes()
        assert content.startswith(b"%PDF")
        assert b"/Subtype /Image" not in content


def test_figures_and_tables_are_made_and_are_not_blank(finished):
    assert len(MADE) >= 8
    for paper, artifact in MADE:
        assert_made(finished.folder, paper, artifact)


def test_a_table_states_whose_records_it_is_about_if_any(finished):
    folder = finished.folder / "results/synthetic-smoke"
    assert "\n\nNo data needed. Scale smoke.\n\n" in (folder / "tables/izzo/izzo_theory.md").read_text()
    assert "Synthetic data" in (folder / "claims.md").read_text()


def test_every_private_model_states_its_accounting(finished):
    files = list((finished.folder / "results/synthetic-smoke/signals").rglob("*.npz"))
    assert files
    for file in files:
        for model in load_header(file)["models"]:
            if model["epsilon"] == "inf":
                assert model["accounting"] is None
            else:
                named = {"sampler", "rate", "noise_multiplier", "steps", "relation", "delta", "accountant", "epsilon"}
                assert named <= set(model["accounting"])


def test_two_engines_agree_on_every_private_experiment(finished):
    folder = finished.folder / "results/synthetic-smoke"
    table = pd.read_csv(folder / "tables/validation/engines_agree.csv")
    assert {*table["experiment"]} == {*FEW}
    assert {*table["verdict"]} == {"agrees"}
    assert {*table["models"]} == {2}
    accountants = pd.read_csv(folder / "tables/validation/accountants_agree.csv")
    assert {*accountants["experiment"]} == {*FEW}
    assert accountants["epsilon_opacus_prv"].isna().all()  # all are about replaced records
    assert "Do two engines agree?" in (folder / "report.html").read_text()


def test_a_second_run_has_nothing_to_do(finished):
    assert finished.planned() == {}


@pytest.mark.slow  # three starts of Snakemake
def test_the_end_of_a_run_names_its_report_and_a_run_with_nothing_to_do_prints_nothing(grown):
    report = grown.folder / "results/synthetic-smoke/report.html"
    page = report.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<img ") >= 6
    assert "Synthetic data" in page
    report.unlink()
    reported = grown.snakemake().stdout
    assert "Report: results/synthetic-smoke/report.html\nClaims: " in reported
    assert " synthetic data" in reported
    assert "For the real data: snakemake --cores all --config data=real" in reported
    again = grown.snakemake().stdout
    assert "Nothing to be done" in again
    assert "Report:" not in again


@pytest.mark.slow  # three starts of Snakemake, with the tables of all experiments
def test_status_and_claims_read_what_is_there_and_leave_the_run_as_it_is(grown):
    reported = grown.snakemake("status").stdout
    assert "humphries" in reported
    assert "results/synthetic-smoke: what is there" in reported
    assert "claims-so-far.md" in grown.snakemake("claims").stdout
    assert grown.planned() == {}


@pytest.mark.slow  # simulations of each claim
def test_claims_are_judged_in_worlds_of_known_truth(grown):
    assert "claims judged in worlds of known truth: results/synthetic-smoke/claim-worlds.md" in (
        grown.snakemake("check_claims").stdout
    )
    page = (grown.folder / "results/synthetic-smoke/claim-worlds.md").read_text()
    assert "power, paper" in page
    assert "humphries-fig2-noniid-near-one" in page
    shares = pd.read_csv(grown.folder / "results/synthetic-smoke/claim-worlds.csv")
    assert {4, 50} <= {*shares["replicates"]}  # of the other scales
    assert grown.planned() == {}


@pytest.mark.slow
def test_a_run_is_published_when_a_commit_names_it(grown):
    refused = grown.snakemake("publish")
    assert refused.returncode == CANNOT_RUN
    assert "Error: the checkout: its commit is unknown: no git checkout." in refused.stdout
    assert not (grown.folder / "results/synthetic-smoke/published").exists()

    def git(*commands):
        for command in commands:
            subprocess.run(["git", *command.split()], cwd=grown.folder, check=True)

    commit = "-c user.name=tests -c user.email=tests@localhost commit -q -m all"
    git("init -q", "add Snakefile rules scripts", commit)
    without_settings = grown.snakemake("publish")
    assert without_settings.returncode == CANNOT_RUN
    assert "does not hold it. Add it to the checkout and commit it." in without_settings.stdout
    git("add *.yaml", commit)
    assert grown.snakemake("publish").returncode == 0
    published = grown.folder / "results/synthetic-smoke/published"
    pages = {path.name: (path / "README.md").read_text() for path in published.iterdir()}
    assert {*pages} == {"humphries", "izzo"}, "of the other papers there is no file in the copy"
    assert "Synthetic data: nothing here" in pages["humphries"]
    assert "Theory and simulations" in pages["izzo"]
    assert grown.planned("publish") == {}
    assert grown.snakemake("publish", "--forcerun", "publish_paper").returncode == 0, "takes the place of the last one"
    grown.edit("scripts/publish.py", "    publish(paper", "    (folder / 'half').write_text('')\n    publish(paper")
    git("add scripts", commit)
    assert grown.snakemake("publish", "--forcerun", "publish_paper").returncode == CANNOT_RUN
    there = {path.name: (path / "README.md").read_text() for path in published.iterdir()}
    assert there == pages, "the last one stays where the next one fails"


@pytest.mark.slow
def test_the_report_of_the_workflow_engine_has_every_artifact_in_its_paper(finished, tmp_path):
    response = finished.snakemake("--report", str(tmp_path / "report.html"))
    assert response.returncode == 0, response.stdout
    page = (tmp_path / "report.html").read_text()
    for paper, artifact in MADE:
        assert f'"{artifact.name}.{"png" if artifact.kind == "figure" else "csv"}"' in page
        assert BIBLIOGRAPHY[paper].short in page
    assert "claims.png" in page
    assert "models trained with and without differential privacy" in page


def test_one_figure_builds_only_what_it_needs(workspace):
    jobs = workspace.planned("humphries_fig7")
    assert jobs["make_synthetic"] == jobs["prepare_dataset"] == jobs["draw_splits"] == 1
    assert jobs["train_block"] == 1
    assert {rule for rule in jobs if rule.startswith("make_")} == {"make_synthetic", "make_humphries_fig7"}


@pytest.mark.slow
def test_the_bounds_need_no_model(workspace):
    assert workspace.planned("humphries_fig1") == {"make_humphries_fig1": 1}


@pytest.mark.slow  # runs a figure twice
def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(finished, workspace):
    target = "results/synthetic-smoke/summary/student.csv"
    assert workspace.snakemake(target).returncode == 0
    again = pd.read_csv(workspace.folder / target)
    pd.testing.assert_frame_equal(again, pd.read_csv(finished.folder / target), check_exact=True)
    assert workspace.snakemake(target, seed=2).returncode == 0
    other = pd.read_csv(workspace.folder / target)
    assert not again["mean"].equals(other["mean"])


@pytest.mark.slow
def test_targets_are_described_and_help_lists_them_alone(workspace):
    described = {
        "all",
        "audit",
        "check_claims",
        "claims",
        "costs",
        "decide",
        "explain",
        "help",
        "humphries",
        "humphries_fig7",
    }
    described |= {"plan", "publish", "status"}
    listed = dict(line.partition(" (")[::2] for line in workspace.snakemake("--list").stdout.splitlines())
    assert {name for name in described if listed[name]} == described
    assert not listed["train_block"]
    printed = workspace.snakemake("help").stdout
    lines = dict(
        line.split(maxsplit=1) for line in printed.splitlines() if line.split()[:1] and line.split()[0] in listed
    )
    assert described <= {*lines}
    assert "train_block" not in lines
    assert lines["humphries_fig7"] == "Humphries et al. 2023, figure 7: students, members from one school."
