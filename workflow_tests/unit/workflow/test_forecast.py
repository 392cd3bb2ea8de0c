"""What a run will take, from what its jobs will."""

from __future__ import annotations

import pytest

from dpmia.common.errors import DataError
from dpmia.workflow.expected import Expected
from dpmia.workflow.forecast import Forecast, announcement, table
from dpmia.workflow.forecast_file import FILE, remember, remembered

RUN = Forecast((Expected(1200, 6000, 500, 10), Expected(0, 1800, 900, 2000), Expected(0, 1800, 100, 0)), download=20)


def test_more_cores_shorten_a_run_down_to_its_longest_job():
    assert RUN.seconds == 10800
    assert RUN.wall(1) == 10800
    assert RUN.wall(3) == pytest.approx(3600 + 7200 * 2 / 3)
    assert RUN.wall(10**9) == pytest.approx(7200)


def test_the_largest_jobs_may_run_at_once():
    assert (RUN.memory(1), RUN.memory(2), RUN.memory(99)) == (900, 1400, 1500)


def test_the_table_has_a_line_for_each_target():
    _, _, first, second = table({"ye": RUN, "izzo": Forecast(())}, 1, [16]).splitlines()
    assert first.split() == ["ye", "3", "3.000", "3.0", "h", "2.1", "h", "900", "MB", "2.0", "GB", "20", "MB"]
    assert second.split() == ["izzo", "0", "0.000", "0", "s", "0", "s", "-", "-", "-"]


def test_an_announcement_is_a_line():
    assert announcement(RUN, 2) == ("3 jobs, about 2.5 h on 2 cores: 3 core-hours, 1.4 GB of memory, 2.0 GB of results")


def test_what_was_expected_is_kept_and_added_to(tmp_path):
    assert remembered(tmp_path) == {}
    remember({"logs/a.log": 1.5, "logs/b.log": 2.0}, tmp_path / "new")
    remember({"logs/b.log": 3.0}, tmp_path / "new")
    assert remembered(tmp_path / "new") == {"logs/a.log": 1.5, "logs/b.log": 3.0}


@pytest.mark.parametrize("text", ["a.log,1,2\n", "a.log\n", "a.log,soon\n"])
def test_a_damaged_file_of_what_was_expected_is_refused(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(DataError, match=r"forecast\.csv: it is not what was written"):
        remembered(tmp_path)
