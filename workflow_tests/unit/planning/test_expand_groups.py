"""`arms: each group`, shares as sizes, and classifiers of scikit-learn in the settings."""

from pathlib import Path

import pytest
from settings_samples import HEART, changed, plan_of

from dpmia.common.errors import ConfigError, UserError
from dpmia.planning import jobs
from dpmia.planning.expand_groups import arm_name, expand_groups

OWN = {
    "dataset": {"path": "own.csv", "label": "ill", "group": "site"},
    "membership": {"kind": "group", "members": 0.5, "nonmembers": 0.5, "smallest": 10},
    "arms": "each group",
    "epsilons": [[1, "inf"]],
    "replicates": 2,
    "block": 2,
    "training": {"batch_size": 10},
    "attacks": {"average_threshold": {}},
}
IID = {
    "membership": {"kind": "iid", "members": 0.25, "nonmembers": 0.25},
    "arms": {"all": {}},
    "iid_arms": False,
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


def test_no_audit_has_an_accountant_that_no_theorem_covers(tmp_path):
    published = HEART | {
        "training": {"sampling": "shuffle"},
        "privacy": {"relation": "replace_one", "accountant": "rdp_as_published"},
        "arms": "each group",
    }
    assert planned(tmp_path, published, paper="someone").experiments["mine"].privacy.accountant == "rdp_as_published"
    with pytest.raises(ConfigError, match=r"mine\.privacy\.accountant: no theorem covers .*\. Use pld\."):
        planned(tmp_path, published)


def test_groups_of_published_data_are_arms(tmp_path):
    mine = planned(tmp_path, HEART | {"arms": "each group"}).experiments["mine"]
    assert list(mine.arms) == ["cleveland", "hungarian", "switzerland", "va"]


@pytest.mark.parametrize(
    ("path", "value", "phrases"),
    [
        ("membership.smallest", 40, ["no group of 'site'", "40 records", "'tiny': 5", "Lower membership.smallest"]),
        ("membership.kind", "iid", ["mine.arms: ", "membership.kind 'group'"]),
        ("dataset.path", "other.csv", ["mine.dataset.path: ", "'other.csv'", "a file in"]),
        ("dataset.group", "sit", ["group is 'sit'", "Did you mean 'site'"]),
        ("dataset.grup", "site", ["mine.dataset.grup: ", "unknown key", "Did you mean 'group'"]),
        ("dataset", "mnist", ["mine.arms: ", "membership.by"]),
        ("membership.members", 1.5, ["membership.members", "1.5"]),
        ("arms", "every group", ["arms"]),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, path, value, phrases):
    with pytest.raises(Exception) as caught:
        planned(tmp_path, changed(OWN, path, value))
    for phrase in phrases:
        assert phrase in str(caught.value)


@pytest.mark.parametrize("key", ["smallest", "by"])
def test_values_that_are_nested_too_deeply_are_refused(key):
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    settings = changed(HEART | {"arms": "each group"}, f"membership.{key}", deep)
    with pytest.raises(ConfigError, match=f"membership.{key}: an object of type list is not"):
        expand_groups(settings, Path(), "a.yaml")


@pytest.mark.parametrize(
    ("group", "name"), [("GP", "gp"), ("St. Mary's", "st_mary_s"), ("03", "group_03"), ("?", "group")]
)
def test_names_of_arms(group, name):
    assert arm_name(group) == name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        (
            {"training.batch_size": 11},
            "a.yaml, mine.training.batch_size: 11 is larger than the smallest training set of target models "
            "(10 records, arm south). Lower training.batch_size, or raise membership.smallest.",
        ),
        ({"training.batch_size": 11, "membership.smallest": 21}, None),  # then north 1 is the only arm: 15 members
        ({"training.batch_size": 16, "membership.smallest": 21}, "15 records, arm north_1, group 'North 1')"),
        (
            {"membership.most": 9},
            "(9 records, arm north_1, group 'North 1'). Lower training.batch_size, or raise membership.most.",
        ),
        ({"arms": {"it": {"group": "tiny"}}, "membership.members": 0.8}, "(4 records, arm it, group 'tiny')"),
        (
            {"arms": {"it": {"group": "tiny", "training": {"batch_size": 7}}}, "membership.members": 0.8},
            "a.yaml, mine.arms.it.training.batch_size: 7 is larger than the smallest training set of target models "
            "(4 records, arm it, group 'tiny'). Lower arms.it.training.batch_size, or raise membership.smallest.",
        ),
        ({"arms": {"it": {"group": "tinny"}}}, "a.yaml, mine, group: 'tinny' "),
        ({"membership.members": 21}, "a.yaml, mine, members from group 'south': 21 "),
        # Of 55 rows 20 are the others of north 1, 35 of south: 15 + 12 and 10 + 17 records are left.
        ({"shadows": {"count": 2}, "attacks.shadow": {}}, None),
        ({"shadows": {"count": 3}, "attacks.shadow": {}}, "shadow models (8 records"),
        ({**IID, "training.batch_size": 13}, None),
        ({**IID, "training.batch_size": 14}, "target models (13 records, arm all)"),
        ({"dataset.types": {"age": "category"}, "training.batch_size": 11}, "(10 records, arm south)"),
    ],
)
def test_batches_are_held_against_the_training_sets_that_a_file_gives(tmp_path, changes, message):
    settings = OWN
    for path, value in changes.items():
        settings = changed(settings, path, value)
    if message is None:
        planned(tmp_path, settings)
        return
    with pytest.raises(UserError) as caught:
        planned(tmp_path, settings)
    assert message in str(caught.value)


def test_classifiers_of_scikit_learn_are_models(tmp_path):
    mine = planned(tmp_path, OWN | FOREST).experiments["mine"]
    job = jobs.train_job(mine, mine.epsilons[0], 0)
    assert job.models["south"].shape == {"trees": 5}
    assert job.recipes["south"].epochs == 0
    assert jobs.engines(mine).nonprivate.endswith(":ScikitLearnEngine")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("epsilons", [[1]], "it adds no noise"),
        ("training.engine", "opacus", "models of kind 'random_forest'"),
        ("model", {"kind": "mlp", "hidden": [4]}, "models of kind 'mlp'"),
        ("model", {"kind": "random_forest"}, "needs trees"),
        ("attacks", {"distillation": {}}, "soft labels"),
    ],
)
def test_what_classifiers_cannot_do_is_reported(tmp_path, path, value, message):
    settings = changed(OWN | FOREST | {"references": {"count": 2, "block": 2}}, path, value)
    with pytest.raises(ConfigError) as caught:
        planned(tmp_path, settings)
    assert message in str(caught.value)
