"""What captions, verdicts and reports are told about an experiment."""

import inspect
import json
from dataclasses import replace

import pytest
from settings_samples import OWN_CONFIG, experiment

from dpmia.attacks.rmia import OfflineRmia
from dpmia.jobs.describing import ExperimentDescription
from dpmia.planning import jobs
from dpmia.planning.descriptions import (
    describe_audited,
    describe_experiment,
    mismatched_attacks,
    other_networks,
    trained,
)
from dpmia.planning.plan import make_plan
from dpmia.settings import names
from dpmia.settings.attackers import OFFLINE_A
from dpmia.settings.base import SCALES
from dpmia.settings.generate import ROOT


def test_descriptions_for_captions_are_plain_data():
    described = describe_experiment(experiment())
    description = described.plain()
    assert ExperimentDescription.from_plain(json.loads(json.dumps(description, allow_nan=False))) == described
    assert description == {
        "dataset": "heart",
        "architecture": "mlp 256-256 (ReLU, Glorot initial weights)",
        "sizes": "",
        "passes": "100 epochs, batch 200",
        "epochs": 100,
        "batch_size": 200,
        "optimiser": "adam",
        "sampling": "poisson",
        "sampling_without_privacy": "shuffle",
        "clip_norm": 1.0,
        "clipped_to": None,
        "pairing": None,
        "canaries": None,
        "learning_rate": 0.01,
        "momentum": 0.0,
        "l2": 0.0,
        "members": "all",
        "references": None,
        "offline_a": None,
        "replicates": 4,
        "epsilons": ["0.1", "1", "∞"],
        "keys": None,
        "relation": "replace_one",
        "delta": 1e-5,
        "accountant": "pld",
        "arms": {"va": {"members": "all", "learning_rate": 0.01, "batch_size": 200, "epochs": 100, "l2": 0.0}},
        "precision_budgets": None,
    }


def test_experiments_whose_networks_are_smaller_than_at_scale_paper_are_known():
    usual = experiment()
    assert other_networks(usual, usual) == ""
    perceptron = "mlp 256-256 (ReLU, Glorot initial weights)"
    assert other_networks(experiment(model={"kind": "mlp", "hidden": [8]}), usual) == perceptron
    assert (
        other_networks(experiment(arms={"va": {"group": "va", "model": {"kind": "mlp", "hidden": [8]}}}), usual)
        == perceptron
    )


def test_at_laptop_scale_the_papers_of_images_have_other_networks_and_humphries_has_its_own():
    laptop = make_plan(OWN_CONFIG | {"scale": "laptop"}, ROOT)
    other = {
        laptop.sources[name].paper
        for name, entry in laptop.experiments.items()
        if other_networks(entry, laptop.at_paper_scale[name])
    }
    assert other == {"thudi", "ye", "yeom"}
    paper = make_plan(OWN_CONFIG | {"scale": "paper"}, ROOT)
    assert not any(other_networks(entry, paper.at_paper_scale[name]) for name, entry in paper.experiments.items())


def test_descriptions_state_what_arms_have_of_their_own():
    arms = {"few": {"members": 500}, "long": {"training": {"epochs": 7, "l2": 0.5, "batch_size": 8}}, "usual": {}}
    given = experiment(
        membership={"kind": "iid", "members": 800, "nonmembers": 90, "population": 10},
        arms=arms,
        iid_arms=False,
        attacks={"random": {}},
    )
    description = describe_experiment(given)
    assert (description.sizes, description.passes) == ("500 or 800 members", "7 or 100 epochs, batch 8 or 200")
    assert [description.arms[arm].members for arm in arms] == [500, 800, 800]
    assert [description.arms[arm].epochs for arm in arms] == [100, 7, 100]
    assert [description.arms[arm].l2 for arm in arms] == [0.0, 0.5, 0.0]
    draws = jobs.arms(given)
    assert draws["few"].draw == {"members": 500, "nonmembers": 90, "population": 10}
    assert draws["long"] == draws["usual"], "who trains otherwise draws alike"
    recipes = jobs.train_job(given, [1.0], 0).recipes
    assert recipes["long"] == replace(recipes["usual"], epochs=7, l2=0.5, batch_size=8)
    assert recipes["few"] == recipes["usual"]


def test_what_was_trained_is_said_in_words():
    images = {"dataset": "mnist", "pool": 2, "model": {"kind": "two_convolutions"}}
    few = {"membership": {"kind": "iid", "members": 50, "nonmembers": 50}, "arms": {"iid": {}}}
    few |= {"iid_arms": False, "training__engine": "convolution", "attacks": {"random": {}}}
    network = "two convolutions (ReLU, Glorot initial weights) on pixels averaged 2 x 2"
    assert trained(experiment(**images, **few)) == f"{network}, 50 members"
    joining = {"membership": {"kind": "bernoulli", "records": 300}, "arms": {"half": {"rate": 0.5}}}
    joining |= {"iid_arms": False, "attacks": {"random": {}}, "privacy__relation": "add_remove"}
    perceptron = "mlp 256-256 (ReLU, Glorot initial weights)"
    assert trained(experiment(**joining)) == f"{perceptron}, 300 candidate records, each a member with probability p"
    assert trained(experiment()) == perceptron  # `all` members of a group


def test_the_note_of_a_verdict_names_how_clusters_are_paired():
    plan = make_plan(OWN_CONFIG | {"experiments": ["experiments/humphries.yaml"]}, ROOT).experiments
    for name, pairing in {"adult_cluster": "farthest", "compas_cluster_nearest": "nearest"}.items():
        assert trained(plan[name]).endswith(f"clusters of different classes paired {pairing}")
    assert "clusters" not in trained(plan["heart"])


def test_activation_and_initial_weights_are_named():
    other = {"hidden": [4], "activation": "tanh", "initial_weights": "torch_default"}
    given = experiment(model=other, attacks={"random": {}})
    assert describe_experiment(given).architecture == "mlp 4 (tanh, PyTorch's default initial weights)"
    audited = describe_audited(given)
    assert (audited.model, audited.architecture) == ("mlp 4", describe_experiment(given).architecture)
    both = experiment(arms={"one": {"group": "va"}, "two": {"group": "va", "model": other}})
    assert describe_experiment(both).architecture == (
        "mlp 256-256 (ReLU, Glorot initial weights), mlp 4 (tanh, PyTorch's default initial weights)"
    )
    forest = {"model": {"kind": "random_forest", "trees": 3}, "training": {"engine": "scikit_learn"}}
    fitted = describe_experiment(experiment(**forest, epsilons=[["inf"]]))
    assert (fitted.architecture, fitted.passes, fitted.epochs) == ("random forest", "", 0)


def test_offline_a_of_rmia_is_named():
    drawn = {"membership": {"kind": "iid", "members": 9, "nonmembers": 9, "population": 9}, "arms": {"iid": {}}}

    def named(**attacks):
        given = experiment(**drawn, iid_arms=False, references={"count": 2, "block": 2}, attacks=attacks)
        return describe_experiment(given).offline_a

    assert named(rmia={}, random={}) is None
    assert named(rmia_offline={}) == "0.3"
    assert named(rmia_offline={"offline_a": 0.5}, again={"kind": "rmia_offline"}) == "0.3 and 0.5"
    assert inspect.signature(OfflineRmia).parameters["offline_a"].default == OFFLINE_A


@pytest.mark.parametrize(
    ("changes", "mismatched"),
    [
        ({}, ["shadow"]),
        ({"references": {"count": 4, "block": 4, "private": False}}, ["lira", "shadow"]),
        ({"references": {"count": 4, "block": 4, "private": False}, "epsilons": [["inf"]]}, []),
        ({"attacks__shadow": {"epsilons": ["inf"]}}, []),
    ],
)
def test_attacks_with_models_trained_otherwise_than_private_targets_are_named(changes, mismatched):
    attacks = {"lira": {}, "shadow": {}, "average_threshold": {}}
    given = {"shadows": {}, "references": {"count": 4, "block": 4}, "attacks": attacks} | changes
    assert mismatched_attacks(experiment(**given)) == mismatched
    assert describe_audited(experiment(**given)).mismatched_attacks == mismatched
    assert describe_audited(experiment(**given)).private_references == given["references"].get("private", True)


def test_in_the_papers_experiments_only_shadow_models_are_trained_otherwise_than_private_targets():
    for scale in SCALES:
        plan = make_plan(OWN_CONFIG | {"scale": scale}, ROOT)
        kinds = {entry.attacks[name].kind for entry in plan.experiments.values() for name in mismatched_attacks(entry)}
        assert kinds
        assert all("shadows" in names.ATTACKS[kind].uses for kind in kinds)


def test_attacks_that_were_not_run_are_known():
    given = experiment(attacks={"random": {}, "mine": {"kind": "lira_offline"}}, references={"count": 4, "block": 4})
    missing = describe_audited(given).attacks_not_run
    assert "rmia_offline" in missing
    assert not {"lira_offline", "random", "optimal_threshold"} & {*missing}
