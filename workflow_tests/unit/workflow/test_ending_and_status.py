"""What a run says of itself on the terminal: at its end, and while it goes on."""

import os
import time
from pathlib import Path

import pytest

from dpmia.workflow.ending import ending
from dpmia.workflow.failures import TYPED
from dpmia.workflow.status import status

CLAIMS = 'id,verdict,note\na,reproduced,"with, a comma"\nb,reproduced,\nc,not run,\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "claims.csv").write_text(CLAIMS)
    (tmp_path / "report.html").write_text("a page")
    return tmp_path


def test_the_end_prints_where_the_report_is_and_counts_verdicts(folder):
    reported = ending(folder, time.time() - 60, "real", "laptop")
    assert reported == f"\nReport: {folder}/report.html\nClaims: 2 reproduced, 1 not run\n"


@pytest.mark.parametrize(("typed", "command"), [("", "snakemake"), ("dpmia run all", "dpmia run")])
def test_after_synthetic_data_the_end_prints_what_to_type_for_real_data(folder, monkeypatch, typed, command):
    monkeypatch.setenv(TYPED, typed)
    last = ending(folder, time.time() - 60, "synthetic", "night").splitlines()[-1]
    assert last.endswith(f" real data: {command} --cores all --config data=real scale=night")


def test_a_run_that_made_no_report_prints_nothing(folder):
    assert ending(folder, time.time() + 60, "real", "laptop") == ""
    (folder / "report.html").unlink()
    assert ending(folder, 0, "real", "laptop") == ""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "results/real-laptop"
    (run / "signals/student/1").mkdir(parents=True)
    (run / "signals/student/1/block-0.npz").write_text("")
    log = tmp_path / "logs/results/real-laptop/train_block/student/1/block-1.log"
    log.parent.mkdir(parents=True)
    log.write_text("2026-01-01 10:00:00,123 2 of 8 models trained\n2026-01-01 10:01:00,123 6 models: step 40 of 90\n")
    return log


FOLDER = "results/real-laptop"
PAPERS = {
    "humphries": {
        "training": [f"{FOLDER}/signals/student/1/block-{block}.npz" for block in (0, 1)],
        "figures and tables": [f"{FOLDER}/figures/humphries/humphries_fig7.pdf"],
    },
    "izzo": {"training": [], "figures and tables": [f"{FOLDER}/figures/izzo/izzo_fig1.pdf"]},
}


def lines_of(papers=PAPERS):
    return [line.split() for line in status(Path(FOLDER), papers).splitlines()]


@pytest.mark.usefixtures("here")
def test_status_counts_what_is_there_by_paper_and_stage():
    title, head, _, humphries, izzo, *_ = lines_of()
    assert title == ["results/real-laptop:", "what", "is", "there"]
    assert head == ["paper", "training", "figures", "and", "tables"]
    assert humphries == ["humphries", "1", "of", "2", "0", "of", "1"]
    assert izzo == ["izzo", "-", "0", "of", "1"]


def test_status_repeats_the_last_words_of_trainings_that_go_on(here):
    *_, title, line = lines_of()
    assert title == ["Training", "now:"]
    assert " ".join(line) == "signals/student/1/block-1: 6 models: step 40 of 90"


def test_a_log_that_is_old_or_of_a_finished_training_is_not_repeated(here):
    os.utime(here, (time.time() - 3600,) * 2)
    assert ["Training", "now:"] not in lines_of()
    here.with_name("block-0.log").write_text("2026-01-01 10:00:00,123 done\n")
    assert ["Training", "now:"] not in lines_of()


def test_a_training_that_has_said_nothing_yet_has_started(here):
    here.write_text("")
    assert lines_of()[-1] == ["signals/student/1/block-1:", "started"]
