"""The arithmetic of the benchmarks: slopes, medians and ratios. What they measure depends on the machine."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import growth
import workflows
from workflows import Timed, Took


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_slope_of_a_power_is_the_power(power):
    sizes = [1, 2, 4, 8]
    assert growth.slope(sizes, [3.0 * size**power for size in sizes]) == pytest.approx(power)


def test_what_a_training_costs_at_least_does_not_count_for_the_slope():
    sizes = [1, 2, 1024, 2048]
    assert growth.slope(sizes, [1.0 + size for size in sizes]) == pytest.approx(1, abs=1e-3)


def test_each_size_is_measured_once_a_round_and_has_the_slope_of_what_grows(monkeypatch):
    measured = []

    def seconds(size):
        measured.append(size)
        return size.models * size.records * size.width**2 * size.epochs

    monkeypatch.setattr(growth, "cpu_seconds", seconds)
    table = growth.measure(rounds=3, most=4)
    assert len(measured) == 1 + 3 * len(table) == 1 + 3 * 4 * len(growth.GROWING)
    slopes = table.groupby("grows")["slope"].first()
    assert slopes.to_dict() == pytest.approx({"models": 1, "records": 1, "width": 2, "epochs": 1})


def test_ratios_are_those_within_a_round_and_goals_are_judged_by_their_clock():
    took = {
        ("dry run", "new"): [Took(1, 2, ""), Took(1, 4, ""), Took(9, 4, "")],
        ("dry run", "old"): [Took(1, 4, ""), Took(1, 8, ""), Took(1, 80, "")],
    }
    new, old = workflows.rows_of(took, {"dry run": Timed((), goal=3, clock="wall")}, "new")
    assert (new["wall_seconds"], new["cpu_seconds"], new["times_first"], new["met"]) == (1, 4, 1, "yes")
    assert (old["cpu_seconds"], old["times_first"]) == (8, 2)
    late = workflows.rows_of(took, {"dry run": Timed((), goal=3)}, "new")
    assert [row["met"] for row in late] == ["no", "no"]


def test_a_run_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(RuntimeError, match=r"fails:\n.*no/Snakefile"):
        workflows.run(Path("/no"), tmp_path, ("--dry-run",))
