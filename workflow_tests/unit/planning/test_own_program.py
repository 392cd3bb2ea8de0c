"""Settings of a training program of the user's own: what is refused, and what its jobs are given."""

import math
from dataclasses import replace

import pytest
import yaml
from settings_samples import IID, changed, experiment, plan_of

from dpmia.common.errors import ConfigError, TrainingError
from dpmia.planning import descriptions, jobs, reference_jobs
from dpmia.privacy.calibration import NoiseCalibration
from dpmia.privacy.record import Stated
from dpmia.workflow.expected import Expectations, MachineRates
from dpmia.workflow.training_work import ExperimentWork

COMMAND = "python train.py {train} {query} {outputs} {seed} {epsilon}"
PROGRAM = IID | {
    "training": {"engine": "command", "command": COMMAND, "timeout": 600},
    "privacy": {"relation": "add_remove", "delta": 1e-5},
    "references": {"count": 4, "block": 2},
    "attacks": {"average_threshold": {}, "lira": {}},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text("one")
    (tmp_path / "helpers.R").write_text("two")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(folder, settings=PROGRAM, **config):
    return plan_of(folder, {"paper": "audit", "experiments": {"mine": settings}}, **config).experiments["mine"]


@pytest.mark.parametrize("attacks", [{"average_threshold": {"epsilons": ["inf"]}}, {"lira": {"reference_arm": "any"}}])
def test_an_audit_has_an_attack_that_its_report_can_run_again(folder, attacks):
    with pytest.raises(
        ConfigError, match=r"mine\.attacks: a report takes sizes and curves from an attack on all models"
    ):
        planned(folder, PROGRAM | {"attacks": attacks})


def test_every_model_is_trained_by_the_program(folder):
    mine = planned(folder)
    target, reference = (
        jobs.train_job(mine, mine.epsilons[0], 0),
        reference_jobs.job(mine, mine.epsilons[0], 0),
    )
    for job in (target, reference):
        assert job.engines.private == job.engines.nonprivate == "dpmia.training.engines.command:CommandEngine"
        assert job.models["any"].shape["command"] == COMMAND
        stated = {"relation": "add_remove", "delta": 1e-5, "accountant": "stated", "mechanisms": {}}
        assert job.privacy.plain() == stated
    assert jobs.batch_job(mine) is None
    assert not jobs.has_private_targets(mine), "no other engine can train them again"
    assert descriptions.describe_audited(mine).model == "program train.py"
    assert descriptions.describe_audited(mine).stated


def test_an_edit_of_a_file_of_the_program_is_another_program(folder):
    listed = changed(PROGRAM, "training.files", ["helpers.R"])
    before = jobs.models(planned(folder, listed))
    assert [*before["any"].shape["files"]] == ["helpers.R", "train.py"]
    for file in ("train.py", "helpers.R"):
        (folder / file).write_text("an edit")
        after = jobs.models(planned(folder, listed))
        assert after != before
        before = after


def test_the_engine_of_the_command_line_leaves_programs_alone(folder):
    assert planned(folder, engine="opacus").training.engine == "command"


def test_a_cluster_gives_a_program_the_time_that_it_may_take(folder):
    plan = plan_of(folder, {"paper": "audit", "experiments": {"mine": PROGRAM}})
    expectations = Expectations(plan, MachineRates())
    wildcards = {"experiment": "mine", "epsilons": "0.1_1", "block": "0"}
    assert expectations.longest("train_block", wildcards) == 2 * 2 * 600
    (trained, _) = ExperimentWork.of(plan.experiments["mine"]).trained("train_block", wildcards) * 2
    assert trained.timeout == 600
    assert expectations.longest("run_attack", wildcards | {"attack": "lira"}) < 600


MECHANISM = {"noise_multiplier": 5.5, "sampling_rate": 0.1, "steps": 200, "clip_norm": 1}

SHADOWS = {"membership.population": 40, "shadows": {"count": 2}, "attacks": {"shadow": {}}}


@pytest.mark.parametrize(
    ("changes", "phrases"),
    [
        ({"training.command": None}, ["needs command"]),
        ({"training.command": "python 'train.py"}, ["no command line", "no closing quotation"]),
        ({"training.command": COMMAND.replace("{query}", "{qurey}")}, ["{qurey} is not", "Did you mean 'query'?"]),
        ({"training.command": "python train.py {train} {outputs} {epsilon}"}, ["lacks {query}", "evaluate"]),
        ({"training.command": COMMAND.replace("train.py", "trian.py")}, ["'trian.py' is not a file", "'train.py'?"]),
        ({"training.command": COMMAND.replace(" {epsilon}", "")}, ["epsilon 0.1, 1, inf", "alike", "{epsilon}"]),
        ({"training.files": ["missing.py"]}, ["'missing.py' is not a file in"]),
        ({"training.files": ["."]}, ["list its files"]),
        ({"training.epochs": 3}, ["engine 'command'", "does not take epochs"]),
        ({"training.engine": "plain"}, ["'plain' does not take command, timeout"]),
        ({"training.timeout": 0}, ["training.timeout: 0 is not a positive number"]),
        ({"training.format": "parquet"}, ["'parquet' is not a valid format"]),
        ({"model": {"kind": "mlp", "hidden": [4]}}, ["model cannot be combined", "Remove it"]),
        ({"arms.any": {"training": {"epochs": 2}}}, ["training of arm 'any'", "'command'"]),
        ({"privacy": {"delta": 1e-5}}, ["needs privacy.relation"]),
        ({"privacy": {}}, ["needs privacy.delta and privacy.relation"]),
        ({"privacy.mechanisms": {2: MECHANISM}}, ["privacy.mechanisms: epsilon 2 is not one of the experiment"]),
        ({"privacy.mechanisms": {1: MECHANISM | {"steps": 0}}}, ["privacy.mechanisms.1.steps: 0 is not a positive"]),
        ({"privacy.mechanisms": {"one": MECHANISM}}, ["privacy.mechanisms", "'one' is not a number"]),
        ({"privacy.accountant": "pld"}, ["privacy.accountant", "you state"]),
        ({"attacks": {"distillation": {}}}, ["'distillation'", "'command'", "soft labels"]),
        ({"collusion": {}}, ["collusion", "'command'"]),
        (
            {"epsilons": [[1]], "training.command": COMMAND.replace(" {epsilon}", ""), **SHADOWS},
            ["epsilon 1, inf are trained"],
        ),
    ],
)
def test_what_does_not_fit_a_program_is_refused_before_anything_runs(folder, changes, phrases):
    settings = PROGRAM
    for path, value in changes.items():
        settings = changed(settings, path, value)
    with pytest.raises(ConfigError) as refused:
        planned(folder, settings)
    message = str(refused.value)
    assert message.startswith("a.yaml")
    assert all(phrase in message for phrase in phrases), message


@pytest.mark.parametrize("epsilons", [[[1]], [["inf"]]])
def test_a_program_that_is_trained_one_way_only_needs_no_epsilon(epsilons):
    mine = experiment(
        PROGRAM, epsilons=epsilons, training__command=COMMAND.replace(" {epsilon}", ""), attacks={"random": {}}
    )
    assert math.isinf(mine.epsilons[0][0]) == (epsilons == [["inf"]])


def test_without_privacy_nothing_is_to_be_stated():
    assert experiment(PROGRAM, epsilons=[["inf"]], privacy={}).noise_calibration.accountant == "stated"


def test_a_mechanism_that_keeps_the_stated_epsilon_is_accounted_for_and_another_refused():
    mine = experiment(PROGRAM, privacy__mechanisms={"1.0": MECHANISM})
    privacy = jobs.train_job(mine, mine.epsilons[0], 0).privacy
    calibration = NoiseCalibration.from_plain(privacy.plain())
    (recipe,) = jobs.recipes(mine).values()
    accounting = calibration.accounting(1.0, recipe, 100)
    assert (accounting.noise_multiplier, accounting.rate, accounting.steps, accounting.epsilon) == (5.5, 0.1, 200, 1.0)
    assert (accounting.accountant, accounting.proved) == ("stated", False)
    assert calibration.accounting(0.1, recipe, 100) is None
    assert calibration.stated(0.1) == Stated(0.1, 1e-5, "add_remove")
    assert calibration.accounting(math.inf, recipe, 100) is calibration.stated(math.inf) is None
    less = replace(calibration, mechanisms={"1": MECHANISM | {"noise_multiplier": 3.0}})
    with pytest.raises(TrainingError, match=r"privacy\.mechanisms\.1: this mechanism has epsilon 2\.0\d+ .* not 1\."):
        less.accounting(1.0, recipe, 100)


def test_mechanisms_of_our_own_noise_are_not_stated():
    with pytest.raises(ConfigError, match=r"privacy\.mechanisms cannot be combined with engine 'stacked'"):
        experiment(IID, privacy={"mechanisms": {1: MECHANISM}})


def test_settings_of_other_engines_have_no_trace_of_programs():
    recipes = jobs.recipes(experiment(IID))
    assert not {"command", "files", "timeout"} & {*yaml.safe_load(yaml.safe_dump(recipes["any"].plain()))}
