"""How a refused command ends, what a failed run prints last, and its exit code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpmia.common.errors import UserError
from dpmia.workflow.failures import ABOVE_LIMIT, CANNOT_RUN, Failure, error_line, last_words, read_failure, refuse

TIME = "2026-01-01 10:00:00,123"


def written(folder, *lines):
    log = folder / "job.log"
    log.write_text("".join(f"{TIME} {line}\n" for line in lines))
    return log


@pytest.mark.parametrize("code", [ABOVE_LIMIT, CANNOT_RUN])
def test_the_message_of_a_job_is_read_with_all_of_its_lines(tmp_path, code):
    log = written(tmp_path, "warm", error_line("first\nsecond", code), "start-up 1.000 s, work 2.000 s")
    assert read_failure("train_block", log) == Failure("train_block", "first\nsecond", code)
    assert read_failure("train_block", written(tmp_path, error_line("no end"))).message == "no end"


def test_a_job_without_a_message_names_its_log(tmp_path):
    for log in (written(tmp_path, "warm"), tmp_path / "no.log"):
        failure = read_failure("train_block", log)
        assert str(log) in failure.message
        assert failure.exit_code == CANNOT_RUN


def test_all_messages_are_printed_and_a_failed_job_outweighs_a_limit():
    failures = [Failure("audit", "above", ABOVE_LIMIT), Failure("run_attack", "broken")]
    assert last_words(failures, "c") == ("Error in audit: above\n\nError in run_attack: broken", CANNOT_RUN)
    assert last_words(failures[:1], "c") == ("Error in audit: above", ABOVE_LIMIT)
    assert last_words([failures[1]] * 2, "c") == ("Error in run_attack: broken", CANNOT_RUN)


def test_a_run_that_was_stopped_prints_the_command():
    message, code = last_words([], "snakemake audit")
    assert message.endswith("run the same command again: snakemake audit")
    assert code == CANNOT_RUN


def test_a_refusal_is_one_message_on_standard_error(capsys):
    with pytest.raises(SystemExit) as caught:
        refuse(UserError("config, seed", "-3 is negative", "Give 0 or more"))
    assert caught.value.code == CANNOT_RUN
    assert capsys.readouterr() == ("", "\nError: config, seed: -3 is negative. Give 0 or more.\n")


def test_a_refusal_that_nobody_reads_has_its_exit_code():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        with pytest.raises(SystemExit) as caught:
            refuse("broken", stream)
        assert os.fstat(writing).st_rdev == Path(os.devnull).stat().st_rdev
    assert caught.value.code == CANNOT_RUN
