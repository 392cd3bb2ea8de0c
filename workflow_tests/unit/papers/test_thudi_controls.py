"""LiRA on positive controls."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from described import HEART

from dpmia.jobs.describing import ArmDescription
from dpmia.metrics.intervals import REPLICATES
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import controls, names
from dpmia.papers.thudi.artifacts import ARTIFACTS
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES
from dpmia.settings.generate import ROOT

(ARTIFACT,) = [artifact for artifact in ARTIFACTS if artifact.name == "thudi_controls"]


def summary(experiment, epsilons, auc):
    """Return the summary of models of two arms, of which one is shown."""
    values = {
        ("model", "accuracy_members"): 0.9,
        ("model", "accuracy_nonmembers"): 0.8,
        (names.LIRA, "auc"): auc,
        (names.LIRA, "advantage"): auc - 0.25,
        ("random", "advantage"): 0.05,
    }
    rows = [
        {"experiment": experiment, "arm": arm, "epsilon": epsilon, "attack": attack, "metric": metric}
        | {
            "mean": mean + shift,
            "low": mean + shift - 0.1,
            "high": mean + shift + 0.1,
            "replicates": 5,
            "interval": REPLICATES,
        }
        for arm, shift in (("p0.1", 0.07), (controls.ARM, 0.0))
        for epsilon in epsilons
        for (attack, metric), mean in values.items()
    ]
    return pd.DataFrame(rows)


def made(experiments):
    tables = {f"summary/{name}": summary(name, *given) for name, given in experiments.items()}
    described = {
        name: replace(HEART, arms={controls.ARM: ArmDescription(None, 0.05 if "control" in name else 0.5, 32, 20, 0.0)})
        for name in experiments
    }
    return controls.tabulate(tables, RunSummary(True, "laptop", described))


def test_each_step_of_protection_is_a_row():
    without = {"thudi_mnist_control": ([np.inf], 0.75), "thudi_mnist_clipped": ([np.inf], 0.52)}
    table = made({"thudi_mnist": ([3.0, 1.0], 0.52)} | without)
    assert table.columns.tolist() == controls.COLUMNS
    assert table["training"].tolist() == ["not clipped", "clipped", "clipped, noise", "clipped, noise"]
    assert table["epsilon"].tolist() == ["∞", "∞", "3", "1"]
    assert table["learning rate"].tolist() == [0.05, 0.5, 0.5, 0.5]
    assert table["AUC of LiRA"].tolist() == ["0.750 [0.650, 0.850]"] + 3 * ["0.520 [0.420, 0.620]"]
    assert table["advantage of LiRA"][0] == "0.500 [0.400, 0.600]"
    assert set(table["accuracy on non-members"]) == {"0.800 [0.700, 0.900]"}
    assert set(table["replicates"]) == {5}
    assert set(table["interval"]) == {REPLICATES}


def test_a_data_set_that_was_not_run_has_no_rows():
    table = made({"thudi_cifar10": ([3.0], 0.5)})
    assert table[["data set", "training"]].values.tolist() == [["CIFAR-10", "clipped, noise"]]


@pytest.mark.parametrize("scale", SCALES)
def test_positive_controls_are_trained_without_protection_and_attacked_alike(scale):
    plan = make_plan({"scale": scale, "experiments": "experiments/thudi.yaml"}, ROOT).experiments
    shown = {*names.CONTROLS.items(), *names.CLIPPED.items()}
    assert {f"summary/{name}" for both in shown for name in both} == set(ARTIFACT.tables)
    for attacked, control in shown:
        ours = plan[control]
        assert ours.training.clip_all == (control in names.CLIPPED.values())
        assert ours.training.sampling_without_privacy == "shuffle"
        assert np.isposinf(ours.epsilons).all()
        assert set(ours.arms) == ({controls.ARM} if ours.training.clip_all else {*map(names.arm_of, names.RATES)})
        if attacked not in plan:  # CIFAR-10 at scale night
            continue
        other = plan[attacked]
        assert ours.training.epochs == other.training.epochs
        assert ours.training.clip_norm == other.training.clip_norm
        if ours.training.clip_all:
            assert ours.training.learning_rate == other.training.learning_rate
        assert (ours.dataset, ours.model, ours.references) == (other.dataset, other.model, other.references)
        for drawn in ("records", "queries"):
            assert getattr(ours.membership, drawn) == getattr(other.membership, drawn)
        assert ours.replicates <= other.replicates
        assert ours.attacks[names.LIRA] == other.attacks[names.LIRA]
