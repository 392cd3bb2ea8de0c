"""How far a run is, by expected time."""

from __future__ import annotations

import pytest

from dpmia.workflow.progress import Progress, last_line, spell_left


def test_long_jobs_count_more_than_short_ones():
    progress = Progress({1: 90.0, 2: 10.0}, cores=1, now=0.0)
    progress.start(2, now=0.0)
    progress.finish(2)
    assert progress.share(now=10.0) == pytest.approx(0.1)
    progress.start(1, now=10.0)
    assert progress.share(now=55.0) == pytest.approx(0.55)
    progress.finish(1)
    assert progress.share(now=100.0) == 1
    assert (progress.done, progress.jobs) == (2, 2)


def test_a_job_that_takes_longer_than_expected_is_not_counted_as_done():
    progress = Progress({1: 10.0}, cores=1, now=0.0)
    progress.start(1, now=0.0)
    assert progress.share(now=1000.0) == pytest.approx(0.95)


def test_time_left_begins_as_expected_and_follows_the_pace_that_was_measured():
    progress = Progress({1: 3000.0, 2: 3000.0}, cores=2, now=0.0)
    assert progress.left(now=0.0) == pytest.approx(3000)
    progress.start(1, now=0.0)
    progress.finish(1)
    # One core's work took 6,000 seconds: half of what two cores were expected to do in 3,000, and that twice as slow.
    assert progress.left(now=6000.0) == pytest.approx(6000, rel=0.02)


def test_an_attempt_that_failed_counts_for_nothing():
    progress = Progress({1: 10.0}, cores=1, now=0.0)
    progress.start(1, now=0.0)
    progress.start(1, now=8.0)
    assert progress.share(now=9.0) == pytest.approx(0.1)


def test_jobs_that_were_not_announced_change_nothing():
    progress = Progress({1: 10.0}, cores=1, now=0.0)
    progress.start(7, now=0.0)
    progress.finish(7)
    assert (progress.share(now=5.0), progress.done) == (0.0, 0)


def test_a_run_of_nothing_is_done():
    assert Progress({}, cores=2, now=0.0).share(now=1.0) == 1


@pytest.mark.parametrize(
    ("seconds", "spelled"),
    [(0, "under a minute"), (59, "under a minute"), (60, "1.0 min"), (754, "13 min"), (9000, "2.5 h")],
)
def test_time_left_is_spelled_as_far_as_it_can_be_known(seconds, spelled):
    assert spell_left(seconds) == spelled


def test_the_last_line_of_a_log_stands_without_its_date(tmp_path):
    log = tmp_path / "block-0.log"
    assert last_line(log) == ""
    log.write_text("")
    assert last_line(log) == ""
    log.write_text("2026-01-01 00:00:00,000 first\n2026-01-01 00:00:20,000 4 models: step 20 of 80, epoch 2 of 8\n")
    assert last_line(log) == "4 models: step 20 of 80, epoch 2 of 8"
