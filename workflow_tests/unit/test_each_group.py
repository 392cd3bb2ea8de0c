"""`arms: each group`, shares as sizes, and classifiers of scikit-learn in the settings."""

import pytest
from settings_samples import HEART, changed, plan_of

from dpmia.errors import ConfigError
from dpmia.settings import jobs
from dpmia.settings.each_group import arm_name

OWN = {
    "dataset": {"path": "own.csv", "label": "ill", "group": "site"},
    "membership": {"kind": "group", "members": 0.5, "nonmembers": 0.5, "smallest": 10},
    "arms": "each group",
    "epsilons": [[1, "inf"]],
    "replicates": 2,
    "block": 2,
    "attacks": {"average_threshold": {}},
}
FOREST = {"model": {"kind": "random_forest", "trees": 5}, "training": {"engine": "scikit_learn"}, "epsilons": [["inf"]]}


def planned(folder, settings, paper="audit"):
    sites = ["North 1"] * 30 + ["south"] * 20 + ["tiny"] * 5
    rows = [f"{site},{i},{'ny'[i % 2]}" for i, site in enumerate(sites)]
    (folder / "own.csv").write_text("\n".join(["site,age,ill", *rows]) + "\n")
    return plan_of(folder, {"paper": paper, "experiments": {"mine": settings}}, data="real")


def test_groups_of_a_file_with_enough_records_are_arms(tmp_path):
    plan = planned(tmp_path, OWN)
    mine = plan.experiments["mine"]
    assert {name: arm.group for name, arm in mine.arms.items()} == {"north_1": "North 1", "south": "south"}
    assert mine.membership.by == "site"
    assert plan.audits == {"a": ("mine",)}
    assert jobs.groups(mine) == {"north_1": "North 1", "south": "south"}


def test_only_files_that_say_so_are_audited(tmp_path):
    assert planned(tmp_path, OWN, paper="someone").audits == {}


def test_groups_of_published_data_are_arms(tmp_path):
    mine = planned(tmp_path, HEART | {"arms": "each group"}).experiments["mine"]
    assert list(mine.arms) == ["cleveland", "hungarian", "switzerland", "va"]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("membership.smallest", 40, ["no group by 'site' of 40 records", "'tiny': 5", "Lower membership.smallest"]),
        ("membership.kind", "iid", ["'arms'", "membership.kind 'group'"]),
        ("dataset.path", "other.csv", ["'dataset.path'", "'other.csv'", "a file in"]),
        ("dataset.group", "sit", ["no column 'sit'", "Did you mean 'site'"]),
        ("dataset.grup", "site", ["'grup'", "an unknown key", "Did you mean 'group'"]),
        ("dataset", "mnist", ["'arms'", "the key membership.by"]),
        ("membership.members", 1.5, ["membership.members", "1.5"]),
        ("arms", "every group", ["arms"]),
    ],
)
def test_what_cannot_be_is_told(tmp_path, path, value, words):
    with pytest.raises(Exception) as caught:
        planned(tmp_path, changed(OWN, path, value))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("group", "name"), [("GP", "gp"), ("St. Mary's", "st_mary_s"), ("03", "group_03"), ("?", "group_")]
)
def test_names_of_arms(group, name):
    assert arm_name(group) == name


def test_classifiers_of_scikit_learn_are_models(tmp_path):
    mine = planned(tmp_path, OWN | FOREST).experiments["mine"]
    job = jobs.train_job(mine, mine.epsilons[0], 0)
    assert job["models"]["south"]["shape"] == {"trees": 5}
    assert job["recipes"]["south"]["epochs"] == 0
    assert jobs.engines(mine)["plain"].endswith(":ScikitLearnEngine")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("epsilons", [[1]], "it adds no noise"),
        ("training.engine", "opacus", "an engine for models of kind 'random_forest'"),
        ("model", {"kind": "mlp", "hidden": [4]}, "an engine for models of kind 'mlp'"),
        ("model", {"kind": "random_forest"}, "with the keys ['trees']"),
        ("attacks", {"distillation": {}}, "soft labels"),
    ],
)
def test_what_classifiers_cannot_do_is_told(tmp_path, path, value, words):
    settings = changed(OWN | FOREST | {"references": {"count": 2, "block": 2}}, path, value)
    with pytest.raises(ConfigError) as caught:
        planned(tmp_path, settings)
    assert words in str(caught.value)
