"""The file in which looks at the verdicts are kept, and what it changes in the plan."""

from pathlib import Path

import pytest

from dpmia.common.errors import DataError
from dpmia.formats.looks import FILE, Look, Looks, read_looks, write_looks
from dpmia.planning import jobs
from dpmia.planning.added_replicates import with_added_replicates
from dpmia.planning.plan import make_plan

ROOT = Path(__file__).parents[3]


def test_looks_are_read_as_they_were_written_and_the_last_one_counts(tmp_path):
    assert read_looks(tmp_path, 1) is None
    looks = Looks([Look(core_hours=0.25, times={"heart": 2, "student": 2})])
    looks = looks.and_then(Look(core_hours=0.5, times={"heart": 4}))
    write_looks(tmp_path, looks)
    assert read_looks(tmp_path, 1) == looks
    assert looks.times == {"heart": 4, "student": 2}
    assert looks.spent == 0.75
    here = looks.renamed({"heart": "mine"})
    assert (here.times, here.spent) == ({"mine": 4}, 0.75)


def test_looks_of_another_seed_are_not_those_of_this_run(tmp_path):
    write_looks(tmp_path, Looks([Look(0.25, {"heart": 2})], seed=1))
    assert read_looks(tmp_path, 1).and_then(Look(0.5, {"heart": 4})).renamed({"heart": "heart"}).seed == 1
    with pytest.raises(DataError, match=r"looks\.json: replicates .* the run with seed 1, .* has seed 2\. Run"):
        read_looks(tmp_path, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"looks": 3}', "not what `snakemake decide` wrote"),
        ('{"looks": [{"core_hours": 1, "times": {"heart": 3}}]}', "times: 3 is not one of 2, 4, 8"),
        ('{"looks": [{"core_hours": 1, "times": {"heart": 2.0}}]}', "2.0 is of type float, not int"),
        ('{"looks": [{"core_hours": -1, "times": {"heart": 2}}]}', "core_hours: -1 is not a number of core-hours"),
        ('{"looks": [{"core_hours": 1%s, "times": {"heart": 2}}]}' % ("0" * 400), "not what `snakemake decide` wrote"),
        ('{"looks": [{"core_hours": true, "times": {"heart": 2}}]}', "True is of type bool, not float"),
        ('{"look": []}', "Restore it, or delete it: replicates are then as planned."),
        ("{", "not readable as JSON"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, text, message):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(DataError, match=message):
        read_looks(tmp_path, 1)


def test_added_replicates_are_further_blocks_and_change_no_other():
    plan = make_plan({"experiments": ["experiments/humphries.yaml", "experiments/yeom.yaml"]}, ROOT)
    more = with_added_replicates(plan, {"heart": 4, "yeom_iwpc": 2, "not_in_this_plan": 8})
    before, after = plan.experiments["heart"], more.experiments["heart"]
    assert after.replicates == 4 * before.replicates
    assert more.studies["yeom_iwpc"].splits == 2 * plan.studies["yeom_iwpc"].splits
    assert more.experiments["student"] == plan.experiments["student"]
    assert after.blind.replicates == 4 * before.blind.replicates
    assert len(jobs.blocks(after)) == 4 * len(jobs.blocks(before))
    for block in jobs.blocks(before):
        assert jobs.split_job(after, block) == jobs.split_job(before, block)
        for epsilons in before.epsilons:
            assert jobs.train_job(after, epsilons, block) == jobs.train_job(before, epsilons, block)


@pytest.mark.parametrize("target", [FILE, "gone.json"])
def test_a_link_to_nothing_is_a_damaged_file(tmp_path, target):
    (tmp_path / FILE).symlink_to(target)
    with pytest.raises(DataError, match=r"looks\.json: .*link.*Restore it, or delete it"):
        read_looks(tmp_path, 1)
