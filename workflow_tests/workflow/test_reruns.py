"""What a change reruns: all that depends on it, and nothing else."""

from __future__ import annotations

import os
import time

import pytest

# What follows training in one experiment that has a figure of its own: three attacks, accuracy, summary, figure.
AFTER_TRAINING = {"run_attack": 3, "measure_accuracy": 1, "measure_blind": 1, "summarise_experiment": 1}
# What follows training of private models.
AFTER_PRIVATE = AFTER_TRAINING | {"check_engines": 1, "make_engines_agree": 1, "make_accountants_agree": 1}
# What follows whatever is made anew.
IN_THE_END = {"judge_claims": 1, "make_report": 1}


def test_touched_files_and_edited_comments_rerun_nothing(grown):
    for path in ("scripts/train_block.py", "dpmia/metrics/ranking.py", "dpmia/training/roles/targets.py"):
        file = grown.folder / path
        file.write_text(file.read_text() + "\n\n# A thought.\n")
        os.utime(file, (time.time() + 60,) * 2)
    assert grown.planned() == {}


@pytest.mark.slow
def test_an_edited_attack_reruns_itself_and_what_follows(grown):
    grown.edit("dpmia/attacks/control.py", "rng.random(len(signal.records))", "rng.normal(size=len(signal.records))")
    jobs = grown.planned()
    assert "dpmia/attacks/control.py was edited: run_attack (4 files)\n" in grown.snakemake("explain").stdout
    assert jobs.pop("run_attack") == jobs.pop("summarise_experiment") == 4
    assert set(jobs) == {f"make_humphries_fig{number}" for number in (2, 3, 6, 7)} | set(IN_THE_END)


@pytest.mark.slow
def test_an_edited_data_set_reruns_only_what_is_made_of_it(grown):
    grown.edit("dpmia/datasets/published/student.py", "def read(", "EDITED = True\n\n\ndef read(")
    jobs = grown.planned("humphries")
    assert jobs["prepare_dataset"] == jobs["draw_splits"] == jobs["train_block"] == 1
    assert "find_clusters" not in jobs
    assert "make_humphries_fig2" not in jobs


def test_a_changed_learning_rate_reruns_training_and_what_follows_in_its_experiment(grown):
    grown.change_experiments(lambda file: file["experiments"]["student"]["training"].update(learning_rate=0.02))
    dry = grown.snakemake("--dry-run").stdout
    assert max(map(len, dry.splitlines())) < 2000
    (line,) = [
        line
        for line in grown.snakemake("explain").stdout.splitlines()
        if line.startswith("Settings changed, recipes.gabriel_pereira.learning_rate: ")
    ]
    assert line.endswith(" -> 0.02: train_block (1 files)")
    assert grown.planned() == {"train_block": 1, **AFTER_PRIVATE, "make_humphries_fig7": 1, **IN_THE_END}


@pytest.mark.slow
def test_a_changed_group_reruns_the_splits_too(grown):
    grown.change_experiments(lambda file: file["experiments"]["student"]["arms"]["gabriel_pereira"].update(group="MS"))
    jobs = grown.planned()
    assert jobs == {"draw_splits": 1, "train_block": 1, **AFTER_PRIVATE, "make_humphries_fig7": 1, **IN_THE_END}


@pytest.mark.slow
def test_more_replicates_train_only_the_new_block(grown):
    def more(file):
        file["experiments"]["student"]["scales"] = {"smoke": {"replicates": 4}}

    grown.change_experiments(more)
    jobs = grown.planned()
    # The blind baseline is measured on the first replicate only, at smoke scale.
    after = {rule: count for rule, count in AFTER_TRAINING.items() if rule != "measure_blind"}
    # With three replicates and more, lists of the most exposed records are compared.
    after |= {"measure_exposure": 1}
    assert jobs == {"draw_splits": 1, "train_block": 1, **after, "make_humphries_fig7": 1, **IN_THE_END}


def test_one_more_epsilon_trains_only_its_group(grown):
    def more(file):
        file["experiments"]["student"]["scales"] = {"smoke": {"epsilons": [[1, "inf"], [10]]}}

    grown.change_experiments(more)
    assert grown.planned() == {"train_block": 1, **AFTER_PRIVATE, "make_humphries_fig7": 1, **IN_THE_END}


@pytest.mark.slow
def test_one_more_attack_runs_only_itself(grown):
    grown.change_experiments(
        lambda file: file["experiments"]["student"].update(attacks={"bounded_loss": {}}),
    )
    assert grown.planned() == {"run_attack": 1, "summarise_experiment": 1, "make_humphries_fig7": 1, **IN_THE_END}


@pytest.mark.slow
def test_another_mirror_reruns_nothing_on_synthetic_data(grown):
    assert grown.planned(data_mirror="/nowhere") == {}


@pytest.mark.slow
def test_a_deleted_figure_is_made_again_and_nothing_else(grown):
    (grown.folder / "results/synthetic-smoke/figures/humphries/humphries_fig3.png").unlink()
    assert grown.planned() == {"make_humphries_fig3": 1, "make_report": 1}


@pytest.mark.slow
def test_an_experiment_of_ones_own_is_run_by_all(grown):
    def own(file):
        file["experiments"]["my_school"] = {**file["experiments"]["student"], "arms": {"mousinho": {"group": "MS"}}}

    grown.change_experiments(own)
    assert grown.planned() == {"draw_splits": 1, "train_block": 1, **AFTER_PRIVATE, **IN_THE_END}
