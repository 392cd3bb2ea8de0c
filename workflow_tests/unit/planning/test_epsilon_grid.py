"""One grid of epsilons in config.yaml for all experiments that train private models."""

import math

import pytest
import yaml
from settings_refusals import FORM
from settings_samples import OWN_CONFIG, ROOT

from dpmia.common.errors import ConfigError
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES

INF = math.inf


def experiments(scale="laptop", **config):
    return make_plan(OWN_CONFIG | {"scale": scale} | config, ROOT).experiments


@pytest.mark.parametrize("scale", SCALES)
def test_one_line_changes_the_grid_of_every_paper(scale):
    own, changed = experiments(scale), experiments(scale, epsilons=[0.5, 8, "inf"])
    assert set(own) == set(changed)
    private = set()
    for name, experiment in own.items():
        before = [epsilon for group in experiment.epsilons for epsilon in group]
        after = [epsilon for group in changed[name].epsilons for epsilon in group]
        if experiment.precision_budgets or before == [INF]:
            assert changed[name] == experiment, "it computes its epsilons, or trains without privacy"
        else:
            private.add(name)
            assert after == ([0.5, 8, INF] if INF in before else [0.5, 8]), name
            assert len(changed[name].epsilons) == (1 if len(experiment.epsilons) == 1 else len(after))
    assert {"adult_cluster", "adult_gender", "thudi_mnist", "audit_mlp"} <= private


def test_without_it_experiments_keep_their_own():
    assert experiments() == experiments(epsilons=None)


def test_an_attack_keeps_the_epsilons_that_are_left_and_runs_on_all_where_none_is():
    assert experiments(epsilons=[3, "inf"])["thudi_mnist"].attacks["reference_10_own_rate"].epsilons == [3, 7]
    assert experiments(epsilons=[0.5, 8])["thudi_mnist"].attacks["reference_10_own_rate"].epsilons is None


def test_arms_and_the_blind_baseline_keep_the_epsilons_that_are_left(tmp_path):
    settings = yaml.safe_load((ROOT / "experiments/humphries.yaml").read_text())
    arms = {"cluster": {"group": "0", "epsilons": [1]}, "other": {"group": "1"}}
    student = settings["experiments"]["student"] | {"epsilons": [[1, 10]], "blind": {"with_loss": [1, 10]}}
    student |= {"membership": settings["experiments"]["adult_cluster"]["membership"], "arms": arms}
    settings |= {"experiments": {"student": student}, "studies": {}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(settings))

    def left(epsilons):
        config = {"scale": "paper", "experiments": ["mine.yaml"], "epsilons": epsilons}
        experiment = make_plan(config, tmp_path).experiments["student"]
        return experiment.arms["cluster"].epsilons, experiment.arms["other"].epsilons, experiment.blind.with_loss

    assert left([1, 5]) == ([1], None, [1])
    assert left([0.5, 5]) == ([0.5, 5], None, [0.5, 5])


def test_where_each_arm_has_epsilons_of_its_own_none_of_the_grid_is_idle(tmp_path):
    settings = {
        "dataset": "student",
        "membership": {"kind": "iid", "members": 100, "nonmembers": 100},
        "iid_arms": False,
        "arms": {"one": {"epsilons": [1]}, "other": {"epsilons": [10]}},
        "epsilons": [[1, 10]],
        "training": {"batch_size": 10},
        "attacks": {"average_threshold": {}},
        "replicates": 2,
        "block": 2,
    }

    def arms(epsilons):
        (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"paper": "mine", "experiments": {"mine": settings}}))
        experiment = make_plan({"experiments": ["mine.yaml"], "epsilons": epsilons}, tmp_path).experiments["mine"]
        return [experiment.arms[name].epsilons for name in ("one", "other")]

    assert arms([1, 10]) == [[1], [10]]
    assert arms([1, 10, 100]) == [[1, 10, 100]] * 2


def test_a_program_states_its_mechanisms_at_the_epsilons_that_are_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    steps = {"sampling_rate": 0.1, "noise_multiplier": 1.0, "clip_norm": 1.0, "steps": 10}
    settings = {
        "dataset": "student",
        "membership": {"kind": "iid", "members": 100, "nonmembers": 100},
        "iid_arms": False,
        "arms": {"any": {}},
        "epsilons": [[1, 8]],
        "training": {"engine": "command", "command": "python train.py {train} {query} {outputs} {seed} {epsilon}"},
        "privacy": {"relation": "add_remove", "delta": 1e-5, "mechanisms": {1: steps, 8: steps}},
        "attacks": {"average_threshold": {}},
        "replicates": 2,
        "block": 2,
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"paper": "mine", "experiments": {"mine": settings}}))
    plan = make_plan({"experiments": ["mine.yaml"], "epsilons": [8, 20]}, tmp_path)
    assert set(plan.experiments["mine"].privacy.mechanisms) == {"8"}


def test_only_inf_leaves_private_experiments_as_they_are_where_they_are_not_trained_without_privacy():
    own, changed = experiments(), experiments(epsilons=["inf"])
    assert changed["adult_cluster"].epsilons == [[INF]]
    assert changed["adult_cluster_add_remove"] == own["adult_cluster_add_remove"]


@pytest.mark.parametrize(
    ("epsilons", "message"), [([], "epsilons"), ([0], "0"), ([1, 1.0], "given twice"), (["many"], "many")]
)
def test_a_wrong_grid_is_refused(epsilons, message):
    with pytest.raises(ConfigError) as error:
        experiments(epsilons=epsilons)
    assert FORM.fullmatch(str(error.value))
    assert "config, epsilons" in str(error.value)
    assert message in str(error.value)
