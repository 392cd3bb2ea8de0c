"""Humphries et al. without privacy: both ways to sample batches, beside each other."""

from dataclasses import replace

import pandas as pd
import pytest
from described import HEART

from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries import sampling
from dpmia.papers.humphries.artifacts import ARTIFACTS
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES
from dpmia.settings.generate import ROOT

(ARTIFACT,) = [artifact for artifact in ARTIFACTS if artifact.name == "humphries_sampling"]
INF = float("inf")


def summary(experiment, epsilons, shift):
    rows = [
        {"experiment": experiment, "arm": arm, "epsilon": epsilon, "attack": attack, "metric": metric}
        | {
            "mean": place / 10 + shift,
            "low": place / 10,
            "high": place / 10 + 0.1,
            "replicates": 4,
            "interval": "replicates and records",
        }
        for arm in ("va", "va-iid", "hungary")
        for epsilon in epsilons
        for place, (attack, metric) in enumerate([*sampling.MEASURED.values(), ("random", "advantage")], start=1)
    ]
    return pd.DataFrame(rows)


def test_both_samplers_stand_beside_each_other_for_each_arm():
    tables = {
        "summary/heart": summary("heart", [1.0, INF], 0.02),
        "summary/heart_poisson": summary("heart_poisson", [INF], 0.01),
    }
    samplers = {"heart": "shuffle", "heart_poisson": "poisson"}
    experiments = {name: replace(HEART, sampling_without_privacy=sampler) for name, sampler in samplers.items()}
    table = sampling.tabulate(tables, RunSummary(True, "laptop", experiments))
    assert table.columns.tolist() == sampling.COLUMNS
    assert table["arm"].tolist() == ["va", "va", "va-iid", "va-iid", "hungary", "hungary"]
    assert table["batches"].tolist() == ["shuffled epochs", "Poisson batches"] * 3
    assert table["accuracy on members"].tolist() == ["0.120 [0.100, 0.200]", "0.110 [0.100, 0.200]"] * 3
    assert table["advantage of the optimal threshold (oracle)"][0] == "0.420 [0.400, 0.500]"
    assert set(table["replicates"]) == {4}
    assert set(table["interval"]) == {"replicates and records"}


@pytest.mark.parametrize("scale", SCALES)
def test_nothing_but_the_sampler_differs(scale):
    plan = make_plan({"scale": scale, "experiments": "experiments/humphries.yaml"}, ROOT).experiments
    assert ARTIFACT.tables == ("summary/heart", "summary/heart_poisson")
    shuffled, poisson = plan["heart"], plan["heart_poisson"]
    assert (shuffled.training.sampling_without_privacy, poisson.training.sampling_without_privacy) == (
        "shuffle", "poisson"
    )  # fmt: skip
    assert poisson.epsilons == [[INF]]
    assert INF in [epsilon for group in shuffled.epsilons for epsilon in group]
    alike = {"training": shuffled.training, "epsilons": shuffled.epsilons, "blind": shuffled.blind}
    assert poisson.model_copy(update=alike) == shuffled
    same = poisson.training.model_copy(update={"sampling_without_privacy": "shuffle"})
    assert same == shuffled.training


@pytest.mark.parametrize("scale", SCALES)
def test_all_models_without_privacy_of_the_paper_are_shuffled_but_those(scale):
    plan = make_plan({"scale": scale, "experiments": "experiments/humphries.yaml"}, ROOT).experiments
    poisson = {name for name, experiment in plan.items() if experiment.training.sampling_without_privacy == "poisson"}
    assert poisson == {"heart_poisson"}
