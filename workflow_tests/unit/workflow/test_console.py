"""What is printed during a run, on a terminal and elsewhere."""

from __future__ import annotations

import errno
import io
import logging
import os
import re
import threading
from pathlib import Path

import pytest
from snakemake.exceptions import InputFunctionException, MissingRuleException

from dpmia.common.errors import UserError
from dpmia.workflow.console import Console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def console_on(stream, **options):
    replaced = logging.StreamHandler(stream)
    replaced.setFormatter(logging.Formatter("as Snakemake prints it: %(message)s"))
    kinds = {"make_fig1": "make_artifact", "make_fig2": "make_artifact"}
    return Console(replaced, stream, lambda rule: kinds.get(rule, rule), clock=Clock(), **options)


def log(console, message="", level=logging.INFO, **fields):
    record = logging.LogRecord("snakemake", level, __file__, 1, message, (), None)
    vars(record).update(fields)
    console.handle(record)


def start(console, number, message, log_file=None):
    fields = {"rule_msg": message, "rule_name": "train_block", "log": [str(log_file)] if log_file else []}
    log(console, event="job_info", jobid=number, **fields)


@pytest.fixture
def plain():
    """Return a console on a file, and what it has printed, without clock times."""
    stream = io.StringIO()
    console = console_on(stream)
    yield console, lambda: re.sub(r"^\d\d:\d\d:\d\d  ", "", stream.getvalue(), flags=re.MULTILINE)
    console.close()


def test_a_job_is_one_line_with_how_far_the_run_is(plain):
    console, printed = plain
    console.begin({1: 300.0, 2: 100.0}, cores=1)
    start(console, 1, "Training student")
    console._clock.now += 300
    log(console, event="job_finished", job_id=1)
    log(console, "1 of 2 steps (50%) done", event="progress")
    log(console, "Select jobs to execute...")
    log(console, "Execute 1 jobs...", event="job_started", jobs=[2])
    log(console, "Workflow defines that rule fetch_raw_file is eligible for caching", level=logging.WARNING)
    start(console, 2, "Attacking student")
    assert printed() == "[  0 %, 6.7 min left]  Training student\n[ 75 %, 1.7 min left]  Attacking student\n"


def test_what_concerns_no_job_is_printed_as_snakemake_does(plain):
    console, printed = plain
    log(console, "Nothing to be done.")
    log(console, "Execute with care.", level=logging.WARNING)
    assert printed() == "as Snakemake prints it: Nothing to be done.\nas Snakemake prints it: Execute with care.\n"


def test_jobs_are_counted_by_kind(plain):
    console, printed = plain
    log(console, event="run_info", stats={"train_block": 3, "make_fig1": 1, "make_fig2": 1, "total": 5})
    assert " ".join(printed().split()) == "job count ------------- ------- train_block 3 make_artifact 2 total 5"


def test_a_run_of_one_job_prints_neither_a_table_nor_how_far_it_is(plain):
    console, printed = plain
    log(console, event="run_info", stats={"help": 1, "total": 1})
    console.begin({1: 1.0}, cores=2)
    start(console, 1, "Listing the targets")
    assert printed() == "Listing the targets\n"


def test_a_dry_run_has_its_table_even_of_one_job_and_no_clock():
    stream = io.StringIO()
    console = console_on(stream, dryrun=lambda: True)
    log(console, event="run_info", stats={"make_fig1": 1, "total": 1})
    start(console, 1, "Making fig1")
    printed = " ".join(stream.getvalue().split())
    assert printed == "job count ------------- ------- make_artifact 1 total 1 Making fig1"


def test_what_takes_long_is_named_with_the_last_line_of_its_log(plain, tmp_path):
    console, printed = plain
    console.begin(dict.fromkeys(range(6), 100.0), cores=6)
    progress = tmp_path / "block-0.log"
    progress.write_text("2026-01-01 00:00:20,000 4 models: step 20 of 80, epoch 2 of 8, 0:02:00 left\n")
    start(console, 0, "Training student", progress)
    for number in range(1, 5):
        start(console, number, f"Attacking student {number}")
    console._clock.now += 30
    start(console, 5, "Training heart")
    console.beat()
    lines = len(printed().splitlines())
    console._clock.now += 30
    console.beat()
    named = [line.partition("]")[2] for line in printed().splitlines()[lines:]]
    assert named == [
        "    Training student: 4 models: step 20 of 80, epoch 2 of 8, 0:02:00 left",
        "    Attacking student 1: at work",
        "    Attacking student 2: at work",
        "    and 2 more jobs",
    ]


def test_a_failed_job_is_one_line_and_runs_no_more(plain):
    console, printed = plain
    console.begin({1: 10.0, 2: 10.0}, cores=1)
    start(console, 1, "Training student")
    fields = {"rule_name": "train_block", "log": ["logs/student.log"], "jobid": 1}
    log(console, "Error in rule", level=logging.ERROR, event="job_error", **fields)
    log(console, "RuleException:\nin file", level=logging.ERROR, event="error", exception="RuleException")
    log(console, "Exiting because a job failed. Look above for error messages", level=logging.ERROR)
    console._clock.now += 100
    console.beat()
    assert [line.partition("]  ")[2] for line in printed().splitlines()] == [
        "Training student",
        "Failed: train_block, log: logs/student.log",
    ]


def test_a_terminal_has_a_bar_that_ends_with_the_run():
    stream = Terminal()
    console = console_on(stream)
    console.begin({1: 300.0, 2: 100.0}, cores=1)
    start(console, 1, "Training student")
    console._clock.now += 300
    log(console, event="job_finished", job_id=1)
    assert "Training student\n" in stream.getvalue()
    assert "75 %, 1.7 min left, 1 of 2 jobs" in stream.getvalue()
    console.end()
    assert stream.getvalue().rstrip(" ").endswith("\r")
    length = len(stream.getvalue())
    console.show()
    assert len(stream.getvalue()) == length


def test_a_reader_who_leaves_stops_nothing():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        console = console_on(stream)
        start(console, 1, "Training student")
        start(console, 2, "Attacking student")
        assert os.fstat(writing).st_rdev == Path(os.devnull).stat().st_rdev


# What Snakemake itself cannot write

FULL = OSError(errno.ENOSPC, "No space left on device", ".snakemake/metadata/x")


def fail(console, error):
    """Log an error as Snakemake does while it handles it."""
    try:
        raise error
    except type(error):
        log(console, "Traceback ...", logging.ERROR, event="error", exception=type(error).__name__)


def test_a_full_disk_ends_snakemake_with_one_message(plain):
    console, printed = plain
    with pytest.raises(SystemExit) as caught:
        fail(console, FULL)
    assert caught.value.code == 2
    assert printed() == (
        "\nError: .snakemake/metadata/x: No space left on device. "
        "Free some space and start again: what is finished stays.\n"
    )


def test_so_does_an_error_that_snakemake_makes_of_it(plain):
    console, printed = plain
    error = ValueError("Error recording metadata")
    error.__context__ = FULL
    with pytest.raises(SystemExit, match="2"):
        fail(console, error)
    assert "No space left on device. Free some space and start again" in printed()


def test_a_mistake_of_the_user_that_planning_met_ends_snakemake_with_its_message(plain):
    console, printed = plain
    error = InputFunctionException("in rule train_block", wildcards={})
    error.__context__ = UserError("helper.py", "SyntaxError")
    with pytest.raises(SystemExit, match="2"):
        fail(console, error)
    assert printed() == "\nError: helper.py: SyntaxError.\n"


@pytest.mark.parametrize("error", [OSError(errno.EPIPE, "Broken pipe"), ValueError("a bug")])
def test_other_errors_of_snakemake_are_printed_as_it_does(plain, error):
    console, printed = plain
    fail(console, error)
    assert printed() == "as Snakemake prints it: Traceback ...\n"


def test_an_error_in_the_thread_of_a_job_does_not_end_the_run(plain):
    console, printed = plain
    thread = threading.Thread(target=fail, args=(console, FULL))
    thread.start()
    thread.join()
    assert printed() == "as Snakemake prints it: Traceback ...\n"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("humphrys", "target humphrys: there is none of this name. Did you mean 'humphries'?"),
        ("nonsense", "target nonsense: there is none of this name. All targets: snakemake help."),
        ("results/x.csv", "target results/x.csv: no rule makes this file with these settings. All targets:"),
    ],
)
def test_a_target_that_nothing_makes_is_refused_with_the_nearest(target, message):
    stream = io.StringIO()
    console = console_on(stream, targets=lambda: ["humphries", "ye"])
    text = str(MissingRuleException(target))
    with pytest.raises(SystemExit, match="2"):
        log(console, text, level=logging.ERROR, exception="MissingRuleException")
    assert f"\nError: {message}" in stream.getvalue()
    log(console, "Some other error", level=logging.ERROR, exception="WorkflowError")
    assert "Some other error" in stream.getvalue()
