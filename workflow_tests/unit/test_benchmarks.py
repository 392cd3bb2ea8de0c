"""The arithmetic of the benchmarks: slopes, medians, ratios, changes. What they measure depends on the machine."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import changes
import growth
import mutants
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


MODULE = """
LIMIT = 5


def small(value: int = -1) -> bool:
    return value + 1 <= LIMIT and not value == 3
"""


def test_mutants_change_one_sign_number_or_truth_value_each(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "ROOT", tmp_path)
    (tmp_path / "small.py").write_text(MODULE)
    variants = list(changes.mutants("small.py"))
    expected = "5 -> 6, 5 -> -5, 1 -> 2, 1 -> -1, USub left out, 1 -> 2, 1 -> -1, 3 -> 4, 3 -> -3"
    expected += ", And -> Or, Add -> Sub, LtE -> Lt, Not left out, Eq -> NotEq"
    assert sorted(mutant.change for mutant in variants) == sorted(expected.split(", "))
    outputs = {}
    for mutant in variants:
        names = {}
        exec(mutant.code(), names)
        outputs[mutant.line, mutant.change] = [names["small"](value) for value in (3, 4, 5)]
    assert outputs[2, "5 -> 6"] == [False, True, True]
    assert outputs[6, "LtE -> Lt"] == [False, False, False]
    assert outputs[6, "Not left out"] == [True, False, False]
    assert {mutant.inside for mutant in variants if mutant.line == 2} == {False}


def test_a_mutation_score_has_wilsons_interval():
    # Of 98 noticed out of 100: 0.98 plus 1.92 / 100, and so on (Wilson 1927).
    assert mutants.score(98, 100) == "98 of 100 noticed (98.0 %, 95 % interval 93.0 % to 99.4 %)"
    assert mutants.score(0, 0) == "none tried"
