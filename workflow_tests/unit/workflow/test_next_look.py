"""What `snakemake decide` prints and writes, on the claims of the papers."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpmia.claims.deciding import Effort
from dpmia.claims.judge import JudgedRun
from dpmia.claims.release_limits import Held, HeldMean
from dpmia.formats.looks import Look, Looks, read_looks
from dpmia.formats.rows import COLUMNS
from dpmia.formats.tables import write_table
from dpmia.jobs.judging import JudgeJob
from dpmia.metrics.intervals import REPLICATES, Estimate
from dpmia.workflow.next_look import next_look

EFFORTS = {"student": Effort(4, 0.1)}
SCRIPT = Path(__file__).parents[3] / "scripts/decide_claims.py"


def students(folder, replicates=4):
    """Write the gap between non-IID and IID advantages of figure 7, of mean 1.12 and standard deviation 1."""
    gaps = np.random.default_rng(0).normal(size=replicates)
    gaps = 1.12 + (gaps - gaps.mean()) / gaps.std(ddof=1)
    rows = [
        ["student", arm, arm.endswith("-iid"), 1.0, "optimal_threshold", True, "advantage", replicate, value]
        for replicate, gap in enumerate(gaps)
        for arm, value in (("gabriel_pereira", gap), ("gabriel_pereira-iid", 0.0))
    ]
    write_table(folder / "replicates/student.csv", pd.DataFrame(rows, columns=COLUMNS))


#: The experiment is one of a file of one's own.
KEYS = {"student": "own/mine/student"}


def run_in(folder):
    return JudgedRun(folder, synthetic=False, scale="laptop", not_run={"texas": "texas.csv is missing"})


@pytest.fixture
def run(tmp_path):
    students(tmp_path)
    return run_in(tmp_path)


def test_an_undecided_claim_gets_replicates_and_what_was_not_run_is_counted(run):
    look, message = next_look(run, {}, EFFORTS, 1.0, None)
    assert look == Look(0.1, {"student": 2})
    assert "  humphries-fig7-order: 2 times the planned replicates, 0.1 core-hours" in message
    assert "of them: not run" in message
    assert (
        "humphries-fig8-acc, humphries-fig8-iid-below-ceiling: without replicates/texas (texas.csv is missing)"
        in message
    )


def test_a_metric_without_a_number_in_some_replicates_of_an_audit_is_no_missing_replicate(run, tmp_path):
    place = {"experiment": "clinic", "arm": "north", "epsilon": "1", "attack": "loss", "metric": "tpr_at_1pct_fpr"}
    mean = Estimate(0.1, 0.05, 8, 9, REPLICATES)
    audit = tmp_path / "audit-mine.json"
    efforts, looks = {"clinic": Effort(5, 0.1, audited=True)}, Looks([Look(0.1, {"clinic": 2})])
    for replicates, complete in ((10, True), (9, False)):
        held = Held([HeldMean(**place, limit=0.2, replicates=replicates, estimate=mean)], {})
        audit.write_text(json.dumps({"limits": {"held": held.plain()}}))
        _, message = next_look(run, {"mine": str(audit)}, efforts, 1.0, looks)
        assert ("is not complete" not in message) is complete


def test_an_audit_and_a_paper_may_have_experiments_of_one_name(run, tmp_path):
    """Claims rest on the paper's table, which a look of the audit does not lengthen, and the audit on its own."""
    place = {"experiment": "student", "arm": "north", "epsilon": "1", "attack": "loss", "metric": "auc"}
    audit = tmp_path / "audit-student.json"

    def look_at(replicates, looks, error=0.2):
        held = Held(
            [HeldMean(**place, limit=0.6, replicates=replicates, estimate=Estimate(0.6, error, 3, 4, REPLICATES))], {}
        )
        audit.write_text(json.dumps({"limits": {"held": held.plain()}}))
        return next_look(run, {"student": str(audit)}, {"student": Effort(4, 0.1, audited=True)}, 1.0, looks)

    look, message = look_at(4, None, error=1e-9)
    assert look is None, "the limit is decided, and the table of the paper gets no more replicates"
    assert "humphries-fig7-order: student cannot have more replicates" in message
    taken = Looks([Look(0.1, {"student": 2})])
    assert "is not complete" in look_at(4, taken)[1]
    assert "is not complete" not in look_at(8, taken)[1]


def test_a_look_that_is_not_complete_comes_first(run):
    looks = Looks([Look(0.1, {"student": 2, "of_another_plan": 4})])
    look, message = next_look(run, {}, EFFORTS, 1.0, looks)
    assert look is None
    assert message.startswith("The last look is not complete: replicates of student are to be made first. If no job")
    students(run.folder, 8)
    assert "0.1 core-hours were given to earlier looks" in next_look(run_in(run.folder), {}, EFFORTS, 1.0, looks)[1]


def test_the_script_writes_the_look_that_it_prints(run, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))

    def decide(budget, looks):
        params = SimpleNamespace(
            run=JudgeJob(tmp_path, synthetic=False, scale="laptop").plain(),
            audits={},
            efforts={name: effort.plain() for name, effort in EFFORTS.items()},
            budget=budget,
            looks=looks and looks.plain(),
            seed=1,
            named=KEYS,
        )
        handed = SimpleNamespace(params=params, output=[], log=[str(tmp_path / "log")], rule="decide")
        runpy.run_path(str(SCRIPT), init_globals={"snakemake": handed})
        return capsys.readouterr().out

    assert "No replicates are worth adding." in decide(0.05, None)
    assert read_looks(tmp_path, 1) is None
    assert "student: 8 replicates, 4 now (look 2 of 4)" in decide(1.0, None)
    first = read_looks(tmp_path, 1)
    assert first == Looks([Look(0.1, {"own/mine/student": 2})], seed=1)
    students(tmp_path, 8)
    of_others = Looks([*first.looks, Look(0.2, {"student": 4})])
    assert "Nothing is left to decide." in decide(1.0, of_others)
    assert read_looks(tmp_path, 1) == first  # all is decided
