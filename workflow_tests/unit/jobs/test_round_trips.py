"""Jobs: typed in the library, plain data in the parameters of rules, and the same again in scripts."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from settings_samples import OWN_CONFIG, ROOT

from dpmia.common.plain import PlainData
from dpmia.common.seeds import derive_seed
from dpmia.datasets.raw.sources import all_raw_files
from dpmia.jobs.attacking import AttackJob, PerRecordJob
from dpmia.jobs.drawing import ArmDraw, ClusterJob, SplitJob
from dpmia.jobs.judging import JudgeJob
from dpmia.jobs.training import TrainJob
from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import Reading
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.plan import make_plan
from dpmia.report.reported_run import ReportedRun
from dpmia.settings.base import SCALES


def all_jobs(given):
    """Yield all jobs of an experiment."""
    yield jobs.prepare_job(given)
    yield jobs.engine_check(given, "laptop", "dataset", "splits", ["signals"])
    if given.membership.kind == "cluster":
        yield jobs.cluster_job(given)
    if limits := jobs.batch_job(given):
        yield limits
    for block in jobs.blocks(given):
        yield jobs.split_job(given, block)
        if blind := jobs.blind_job(given, block):
            yield blind
        if given.shadows:
            yield jobs.shadow_job(given, block)
        for group in given.epsilons:
            yield jobs.train_job(given, group, block)
    for attack in given.attacks:
        yield jobs.attack_job(given, attack)
    for block in reference_jobs.blocks(given) if given.references else ():
        yield jobs.distilled_job(given, block)
        for group in reference_jobs.groups(given):
            yield reference_jobs.job(given, group, block)
    if given.per_record:
        yield jobs.per_record_job(given)
        for place in jobs.leave_one_out_blocks(given):
            yield jobs.leave_one_out_job(given, *place)


def as_types(value):
    """Return a value with the types of everything in it: 1, 1.0 and True are equal to Python."""
    if isinstance(value, dict):
        return {key: as_types(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_types(item) for item in value]
    return type(value), value


PLAIN_TYPES = {str, int, float, bool, type(None)}


def kinds(value):
    """Return the types in plain data; dicts and lists are looked into, subclasses of them are not."""
    if type(value) is dict:
        return {type(key) for key in value}.union(*map(kinds, value.values()))
    if type(value) is list:
        return set().union(*map(kinds, value))
    return {type(value)}


@pytest.mark.parametrize("scale", SCALES)
def test_every_job_of_every_experiment_survives_the_way_to_its_script(scale):
    job_types = set()
    for given in make_plan(OWN_CONFIG | {"scale": scale}, ROOT).experiments.values():
        for job in all_jobs(given):
            plain = job.plain()
            assert kinds(plain) <= PLAIN_TYPES
            assert plain == job.plain()
            sent = json.loads(json.dumps(plain))
            again = type(job).from_plain(sent)
            assert again == job
            assert as_types(again.plain()) == as_types(plain)
            for name, arm in getattr(job, "arms", {}).items() if isinstance(job, SplitJob | TrainJob) else ():
                seed = derive_seed(1, "weights", "data", arm.meaning(), 0)
                assert derive_seed(1, "weights", "data", again.arms[name].meaning(), 0) == seed
                same_names = sent["arms"][name] | {"draw": arm.drawn_by}
                assert derive_seed(1, "weights", "data", same_names, 0) == seed
            job_types.add(type(job).__name__)
    assert job_types >= {"PrepareJob", "ClusterJob", "BatchLimits", "SplitJob", "BlindJob", "ShadowJob", "TrainJob"}
    assert job_types >= {"AttackJob", "DistilJob", "ReferenceJob", "PerRecordJob", "LeaveOneOutJob"}


def test_seeds_are_those_of_the_mapping_that_an_arm_was():
    arm = ArmDraw("group", "hospital", {"members": 40, "share": 0.5, "all": 1.0}, iid=False)
    was = {"iid": False, "draw": {"all": 1, "share": 0.5, "members": 40.0}, "groups": "hospital", "kind": "group"}
    assert derive_seed(1, arm.meaning()) == derive_seed(1, was)
    clustered = ArmDraw("cluster", ClusterJob(2, "nearest", 0, 10).plain(), {}, iid=True)
    assert clustered.plain()["groups"] == {"count": 2, "pairing": "nearest", "seed": 0, "restarts": 10}


def test_tuples_are_written_as_lists():
    plain = PerRecordJob({}, ("a", "b"), 3, (0.1,)).plain()
    assert plain == {"attacks": {}, "arms": ["a", "b"], "count": 3, "alphas": [0.1]}


def test_what_pages_show_of_a_run_survives_the_way_to_its_script():
    reading = Reading("a topic", "how to read it", ("epsilon",))
    table = Artifact("toy_table", "table", "A table.", "module:tabulate", tables=("summary/toy",), reading=reading)
    settings = {"student": {"epsilons": [[1.0, math.inf]], "looks": None}}
    reported = ReportedRun(Path("results/real-night"), Path("logs"), {"seed": 5}, {"toy_table": {"csv": "toy.csv"}},
                           {"student": ["block-0.npz"]}, {}, {}, settings=settings, checks=[table])  # fmt: skip
    judged = JudgeJob(Path("results/real-night"), False, "night", {"texas": "no file"}, times={"student": 2})
    for sent in (reported, judged, *all_raw_files()):
        plain = sent.plain()
        assert kinds(plain) <= PLAIN_TYPES
        assert type(sent).from_plain(json.loads(json.dumps(plain))) == sent
    with pytest.raises(TypeError, match="5 is of type int, not str"):
        JudgeJob.from_plain(judged.plain() | {"folder": 5})


def test_an_unknown_entry_is_refused_and_a_missing_one():
    plain = AttackJob("module:Attack", {}, None, False, None).plain()
    with pytest.raises(TypeError, match="colour"):
        AttackJob.from_plain(plain | {"colour": "red"})
    del plain["details"]
    with pytest.raises(TypeError, match="details"):
        AttackJob.from_plain(plain)


def test_every_job_is_frozen_and_of_one_kind():
    seen = PlainData.__subclasses__()
    assert seen
    assert all(kind.__dataclass_params__.frozen for kind in seen)


def test_jobs_load_neither_numpy_nor_anything_larger():
    code = """
import sys
import dpmia.jobs.attacking, dpmia.jobs.drawing
assert not {"numpy", "torch", "pandas", "scipy", "pydantic"} & {*sys.modules}, sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
