"""Processor time by rule, from logs written by hand."""

import math

import pytest

from dpmia.workflow.costs import SHOWN, costs_table, outside_share, shown_costs
from dpmia.workflow.forecast_file import remember


def test_jobs_are_added_up_by_rule_and_the_last_line_of_a_log_counts(tmp_path):
    logs = {
        "train_block/adult/0.log": "warm\n12:00 start-up 4.000 s, work 100.000 s, wall 90.000 s, memory 800 MB\n",
        "train_block/adult/1.log": "start-up 9.000 s, work 9.000 s\n"
        "start-up 5.000 s, work 50.500 s, wall 60.250 s, memory 300 MB\n",
        "run_attack/adult/lira/0.log": "start-up 0.700 s, work 0.300 s\n",
        "snakemake/1.log": "start-up 39.500 s, work 0.000 s\n",
        "judge_claims.log": "failed before it could tell\n",
    }
    for name, text in logs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    table = costs_table(sorted(tmp_path.rglob("*.log")), tmp_path)
    assert table[["rule", "jobs", "startup", "work"]].to_numpy().tolist() == [
        ["train_block", 2, 9.0, 150.5],
        ["snakemake", 1, 39.5, 0.0],
        ["run_attack", 1, 0.7, 0.3],
    ]
    took = table.set_index("rule")[["wall_seconds", "largest_mb"]]
    assert took.loc["train_block"].tolist() == [150.25, 800]
    assert took.loc["snakemake"].isna().all()
    assert outside_share(table) == pytest.approx(49.2 / 200)
    assert shown_costs(table)[:2] == [
        ["train_block", "2", "9 s", "2.5 min", "-", "2.5 min", "800 MB"],
        ["snakemake", "1", "40 s", "0 s", "-", "-", "-"],
    ]
    assert {len(row) for row in shown_costs(table)} == {len(SHOWN)}


def test_jobs_of_a_users_own_files_count_for_their_rule(tmp_path):
    for home in ("", "audits/clinic/", "own/mine/"):
        log = tmp_path / f"{home}train_block/student/0.log"
        log.parent.mkdir(parents=True)
        log.write_text("start-up 1.000 s, work 2.000 s\n")
    table = costs_table(sorted(tmp_path.rglob("*.log")), tmp_path)
    assert table[["rule", "jobs", "startup", "work"]].to_numpy().tolist() == [["train_block", 3, 3.0, 6.0]]


def test_a_forecast_stands_beside_a_rule_all_of_whose_jobs_have_one(tmp_path):
    for name in ("train_block/a.log", "train_block/b.log", "run_attack/a.log", "run_attack/b.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"start-up 1.000 s, work {len(name)}.000 s\n")
    remember({"train_block/a.log": 30.0, "train_block/b.log": 12.0, "run_attack/a.log": 3.0}, tmp_path)
    table = costs_table(sorted(tmp_path.rglob("*.log")), tmp_path)
    forecasts = dict(zip(table["rule"], table["forecast"], strict=True))
    assert forecasts["train_block"] == 42.0
    assert math.isnan(forecasts["run_attack"])
