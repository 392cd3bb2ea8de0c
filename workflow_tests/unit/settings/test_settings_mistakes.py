"""Mistakes in settings: each is told in one line with its place, what stands there and what is expected."""

import copy
from functools import partial

import pytest
from settings_samples import FILE, HEART, ROOT, changed, plan_of

from dpmia.common.errors import ConfigError
from dpmia.settings.resolve import make_plan


@pytest.fixture
def plan(tmp_path):
    """A function that makes the plan of one experiment file at one scale."""
    return partial(plan_of, tmp_path)


# What is refused: path of the key, value, words that the message must hold


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("learing_rate", 1, ["key 'learing_rate'", "an unknown key", "one of dataset, "]),
        ("training.learing_rate", 1, ["'training.learing_rate'", "Did you mean 'learning_rate'?"]),
        ("arms.va.grup", "x", ["'arms.va.grup'", "one of group", "Did you mean 'group'?"]),
        ("membership.clusers", 2, ["'membership.clusers'", "Did you mean 'clusters'?"]),
        ("dataset", "hart", ["'dataset'", "found 'hart'", "'heart'", "Did you mean 'heart'?"]),
        ("training.engine", "stackd", ["'training.engine'", "found 'stackd'", "Did you mean 'stacked'?"]),
        ("attacks", ["random"], ["'attacks'", "found ['random']", "keys with values: {key: value}"]),
        ("epsilons", [[1], 10], ["'epsilons.1'", "found 10", "expected a list: [10]"]),
        ("arms", "each grup", ["'arms'", "found 'each grup'", "names of arms with their keys, or 'each group'"]),
        ("arms.va.group", 0, ["'arms.va.group'", "found 0", "in quotes: '0'"]),
        (
            "attacks.random",
            {"kind": "rmia_offline", "gamma": 0.5},
            ["gamma'", "found 0.5", "greater than or equal to 1"],
        ),
        ("attacks", {}, ["'attacks'", "found {}", "at least 1"]),
        ("attacks", {"randm": {}}, ["'attacks'", "a key `kind` in attack 'randm'", "Did you mean 'random'?"]),
        ("attacks.mine", {"kind": "randm"}, ["'attacks.mine.kind'", "found 'randm'", "Did you mean 'random'?"]),
        ("attacks.random", {"hidden": 3}, ["'attacks.random.hidden'", "an unknown key", "one of kind, reference_arm"]),
        ("attacks.random", {"alpha": 0.1}, ["attack 'random' without alpha: options of 'random' are none"]),
        ("attacks.population", {"gamma": 1}, ["'population' without gamma", "are alpha, estimator"]),
        ("attacks.population", {"alpha": 1}, ["'attacks.population.alpha'", "found 1", "less than 1"]),
        ("attacks.shadow", {}, ["the key shadows for attack 'shadow', which uses them"]),
        ("attacks.lira", {}, ["the key references for attack 'lira', which uses them"]),
        ("attacks.distillation", {}, ["the key references for attack 'distillation', which uses them"]),
        ("attacks.random", {"reference_arm": "va"}, ["no reference_arm for attack 'random', which uses no reference"]),
        ("attacks.population", {}, None),
        ("attacks.random", {"epsilons": [7]}, ["an epsilon of the experiment for attack 'random'"]),
        ("attacks.random", {"epsilons": []}, ["'attacks.random.epsilons'", "found []", "at least 1"]),
        ("attacks.random", {"epsilons": [7, "1e0"]}, None),  # a scale may leave out some
        ("collusion", {"keys": 2}, ["no finite epsilon where the trainer colludes"]),
        ("training.sampling", "poison", ["'training.sampling'", "Did you mean 'poisson'?"]),
        ("privacy.relation", "replace", ["'privacy.relation'", "found 'replace'", "Did you mean 'replace_one'?"]),
        ("privacy.accountant", "prv", ["'privacy.accountant'", "found 'prv'", "'pld', 'rdp' or 'rdp_as_published'"]),
        ("training.epochs", "many", ["'training.epochs'", "found 'many'", "integer"]),
        ("training.epochs", 1.5, ["'training.epochs'", "found 1.5", "integer"]),
        ("training.epochs", True, ["'training.epochs'", "found True"]),
        ("training.epochs", 0, ["'training.epochs'", "found 0", "greater than or equal to 1"]),
        ("training.learning_rate", 0, ["'training.learning_rate'", "found 0", "greater than 0"]),
        ("training.learning_rate", float("inf"), ["'training.learning_rate'", "found inf", "finite"]),
        ("training.learning_rate", float("nan"), ["'training.learning_rate'", "found nan"]),
        ("training.clip_norm", float("inf"), ["'training.clip_norm'", "found inf", "finite"]),
        ("training.clip_norm", -1, ["'training.clip_norm'", "found -1", "greater than 0"]),
        ("training.clip_all", "all", ["'training.clip_all'", "found 'all'"]),
        ("training", {"clip_all": True, "engine": "opacus"}, ["no clip_all with engine 'opacus'"]),
        ("training", {"clip_all": True}, None),
        ("training.momentum", 1, ["'training.momentum'", "found 1", "less than 1"]),
        ("training.l2", -0.1, ["'training.l2'", "found -0.1"]),
        ("training", 3, ["'training'", "found 3"]),
        ("model.hidden", 16, ["'model.hidden'", "found 16", "list"]),
        ("model.hidden", [16, 0], ["'model.hidden.1'", "found 0", "greater than or equal to 1"]),
        ("model", {"kind": "mpl"}, ["'model.kind'", "found 'mpl'", "Did you mean 'mlp'?"]),
        (
            "model",
            {"kind": "mlp"},
            ["'model'", "kind 'mlp' with the keys ['hidden'] and perhaps ['activation', ", "not with []"],
        ),
        ("model", {"kind": "mlp", "hidden": [2], "size": 3}, ["kind 'mlp'", "not with ['hidden', 'size']"]),
        (
            "model",
            {"kind": "mlp", "hidden": [2], "activation": "gelu"},
            ["'model.activation'", "found 'gelu'", "'relu'"],
        ),
        ("model", {"kind": "mlp", "hidden": [2], "activation": "tanh", "initial_weights": "torch_default"}, None),
        ("model", {"kind": "vgg", "activation": "tanh"}, ["kind 'vgg'", "perhaps ['initial_weights'], not with ['act"]),
        ("model", {"kind": "random_forest", "trees": 2, "initial_weights": "glorot"}, ["keys ['trees'], not with ['i"]),
        ("attacks.random", {"offline_a": 0.5}, ["attack 'random' without offline_a"]),
        ("attacks.random", {"offline_a": 2}, ["'attacks.random.offline_a'", "found 2", "less than or equal to 1"]),
        ("model", {"kind": "growing"}, ["kind 'growing' with the keys ['size'] and perhaps ", ", not with []"]),
        ("model", {"kind": "vgg", "size": 3}, ["kind 'vgg' with the keys [] and perhaps ", ", not with ['size']"]),
        ("model", {"kind": "vgg"}, ["an engine for models of kind 'vgg', not 'stacked'"]),
        ("training.engine", "convolution", ["an engine for models of kind 'mlp', not 'convolution'"]),
        ("training.engine", "opacus", None),
        ("arms.va.model", {"kind": "vgg"}, ["an engine for models of kind 'vgg', not 'stacked'"]),
        ("arms.va.model", {"hidden": [2, 2]}, None),
        ("pool", 0, ["'pool'", "found 0", "greater than or equal to 1"]),
        ("blind", {"replicates": 0}, ["'blind.replicates'", "found 0", "or 'all'"]),
        ("blind", {"with_loss": [0]}, ["'blind.with_loss.0'", "found 0", "an epsilon greater than 0"]),
        ("blind", {}, None),
        ("shadows", {"count": 1}, ["'shadows.count'", "found 1", "greater than or equal to 2"]),
        ("shadows", {"attack_epochs": 0}, ["'shadows.attack_epochs'", "found 0"]),
        ("references", {"count": 4}, ["'references.block'", "found nothing", "the key is required"]),
        ("references", {"count": 5, "block": 2}, ["'references'", "a count (5) that is a multiple of block (2)"]),
        ("references", {"count": 4, "block": 2}, None),
        ("privacy.delta", 0, ["'privacy.delta'", "found 0", "greater than 0"]),
        ("privacy.delta", 1, ["'privacy.delta'", "found 1", "less than 1"]),
        ("privacy.delta", 1.5, ["'privacy.delta'", "found 1.5", "less than 1"]),
        ("privacy.delta", float("nan"), ["'privacy.delta'", "found nan"]),
        ("epsilons", [[1], [0]], ["'epsilons.1.0'", "found 0", "an epsilon greater than 0"]),
        ("epsilons", [[-1]], ["'epsilons.0.0'", "found -1", "an epsilon greater than 0"]),
        ("epsilons", [["much"]], ["'epsilons.0.0'", "found 'much'", "an epsilon that is a number"]),
        ("epsilons", [1], ["'epsilons.0'", "found 1", "list"]),
        ("epsilons", [], ["'epsilons'", "found []", "at least 1"]),
        ("epsilons", [[1], []], ["'epsilons.1'", "found []", "at least 1"]),
        ("epsilons", [[1], ["1.0"]], ["'epsilons'", "each epsilon once, not 1 twice"]),
        ("epsilons", [["inf", "Inf"]], ["'epsilons'", "each epsilon once, not inf twice"]),
        ("replicates", 5, ["replicates (5)", "multiple of block (2)"]),
        ("replicates", 0, ["'replicates'", "found 0"]),
        ("block", 0, ["'block'", "found 0"]),
        ("block", 3, ["replicates (4)", "multiple of block (3)"]),
        ("membership.members", "al", ["'membership.members'", "found 'al'", "or 'all'", "Did you mean 'all'?"]),
        ("membership.members", 0, ["'membership.members'", "found 0", "greater than or equal to 1 or 'all'"]),
        (
            "membership.kind",
            "cluster",
            ["'membership'", "kind 'cluster' with the keys", "'restarts']", "not with ['by'"],
        ),
        (
            "membership.kind",
            "iid",
            ["'membership'", "kind 'iid' with the keys ['members', 'nonmembers']", "['most', 'population']"],
        ),
        (
            "membership.kind",
            "bias",
            ["'bias' with the keys ['by', 'members', 'nonmembers', 'validation']", "['merge']"],
        ),
        (
            "membership.kind",
            "bernoulli",
            ["kind 'bernoulli' with the keys ['records'] and perhaps ['asked', 'validation']"],
        ),
        ("membership.clusters", 2, ["'membership'", "kind 'group' with the keys ['by', ", "['by', 'clusters', "]),
        ("membership.by", None, ["'membership'", "kind 'group' with the keys ['by', ", "not with ['members'"]),
        ("membership.members", None, ["'membership'", "kind 'group' with the keys", "not with ['by', 'nonmembers']"]),
        ("arms", {}, ["'arms'", "found {}", "at least 1"]),
        ("arms", {"va": {}}, ["arm 'va' with the keys ['group'] for kind 'group', not with []"]),
        ("arms.va.share", 0.5, ["arm 'va' with the keys ['group'] for kind 'group', not with ['group', 'share']"]),
        ("arms.va.share", 1.5, ["'arms.va.share'", "found 1.5", "less than or equal to 1"]),
        ("arms.va.rate", 0, ["'arms.va.rate'", "found 0", "greater than 0"]),
        ("arms.A b", {"group": "va"}, ["'arms.A b'", "pattern"]),
        ("arms.va-iid", {"group": "va"}, ["'arms.va-iid'", "pattern"]),
        ("privacy.accountant", "rdp", ["poisson, replace_one, rdp", "a theorem covers"]),
        ("privacy", {"relation": "add_remove"}, None),
        ("training.sampling", "shuffle", None),
    ],
)
def test_a_wrong_value_is_told_with_its_place_and_what_is_expected(plan, path, value, told):
    file = changed(FILE, f"experiments.heart.{path}", value)
    if told is None:  # the neighbours of what is refused
        plan(file)
        return
    with pytest.raises(ConfigError) as error:
        plan(file)
    message = str(error.value)
    assert "\n" not in message, "one mistake, one line"
    for words in ["a.yaml, heart (laptop)", "found ", "expected ", *told]:
        assert words in message


POINTS = {"count": 10, "alphas": [0.1]}
LOOKED_AT = {"attacks.population": {}, "points": POINTS}


def _left_out(**changes):
    return {"points": POINTS | {"left_out": {"points": 4, "block": 2, "models": 2} | changes}}


PUBLISHED = {"training.sampling": "shuffle", "privacy.accountant": "rdp_as_published"}


TREES = {"kind": "random_forest", "trees": 2}
SHADOWS = {"shadows": {}, "attacks.shadow": {}}


@pytest.mark.parametrize(
    ("base", "changes", "told"),
    [
        ("iid", {"membership.members": "all"}, "numbers of members and nonmembers for kind 'iid', not 'all'"),
        ("bias", {"membership.nonmembers": "all"}, "numbers of members and nonmembers for kind 'bias', not 'all'"),
        ("iid", {"iid_arms": True}, "iid_arms: false for kind 'iid'"),
        ("bernoulli", {"iid_arms": True}, "iid_arms: false for kind 'bernoulli'"),
        ("bias", {"iid_arms": True}, None),
        ("iid", {"training.engine": "plain"}, "an engine other than 'plain' for a finite epsilon"),
        ("iid", {"training.engine": "plain", "epsilons": [["inf"]]}, None),
        (
            "iid",
            {"arms": {"any": {"group": "va"}}},
            "arm 'any' with the keys [] and perhaps ['members', 'nonmembers', 'population'] for kind 'iid', not with",
        ),
        ("iid", {"arms": {"any": {"members": 300, "training": {"epochs": 2}}}}, None),
        ("bernoulli", {"arms": {"any": {"rate": 0.5, "members": 3}}}, "with the keys ['rate'] for kind 'bernoulli'"),
        ("bias", {"arms.p25.share": None}, "arm 'p25' with the keys ['group', 'share'] for kind 'bias'"),
        ("bernoulli", {"arms": {"any": {}}}, "arm 'any' with the keys ['rate'] for kind 'bernoulli', not with []"),
        ("iid", {"training.sampling": "shuffle", "privacy.relation": "add_remove"}, "not shuffle, add_remove, pld"),
        ("iid", {"training.sampling": "shuffle", "privacy.accountant": "rdp"}, "not shuffle, replace_one, rdp"),
        ("iid", {"privacy.accountant": "rdp_as_published"}, "not poisson, replace_one, rdp_as_published"),
        ("iid", {**PUBLISHED, "privacy.relation": "add_remove"}, "not shuffle, add_remove, rdp_as_published"),
        ("iid", PUBLISHED, None),
        (
            "bernoulli",
            {"training.sampling": "shuffle", "privacy.relation": "replace_one"},
            "sampling: poisson for kind 'bernoulli'",
        ),
        ("bernoulli", {"training.sampling": "shuffle", "privacy": {}, "epsilons": [["inf"]]}, None),
        ("adult", {"references": {"count": 4, "block": 2}, "attacks.lira": {"reference_arm": "cluster"}}, None),
        (
            "adult",
            {"references": {"count": 4, "block": 2}, "attacks.lira": {"reference_arm": "clutser"}},
            "a reference_arm of attack 'lira' that is one of cluster",
        ),
        (
            "adult",
            {"references": {"count": 3, "block": 3}, "attacks.lira": {}},
            "at least 4 reference models for attack 'lira', two on each side, not 3",
        ),
        (
            "adult",
            {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {}},
            "at least 2 reference models for attack 'lira_offline', two trained without each record, not 1",
        ),
        ("adult", {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {"variance": "published"}}, None),
        ("adult", {"shadows": {}, "attacks.shadow": {}}, None),
        ("heart", LOOKED_AT, "points only without IID arms, and for one epsilon"),
        ("iid", LOOKED_AT, "points only without IID arms, and for one epsilon"),
        ("iid", {**LOOKED_AT, "epsilons": [[1]]}, None),
        ("iid", {**LOOKED_AT, "points.arms": ["other"], "epsilons": [[1]]}, "points.arms of any, not other"),
        ("iid", {**LOOKED_AT, "points.arms": ["any", "any"], "epsilons": [[1]]}, "each arm once in points.arms"),
        (
            "iid",
            {
                **LOOKED_AT,
                "epsilons": [[1]],
                "references": {"count": 4, "block": 2},
                "attacks.reference": {"reference_arm": "any"},
            },
            "no reference_arm for attack 'reference' with points",
        ),
        ("iid", {"arms": {"any": {"members": 7}}}, "found 8, larger than the smallest training set of target"),
        ("iid", {"arms": {"any": {"members": 7, "training": {"batch_size": 7}}}}, None),
        ("iid", {"arms": {"any": {"members": 9, "training": {"batch_size": 10}}}}, "found 10, larger than the "),
        ("iid", {"membership.members": 7}, "(7 records, arm any); expected at most 7. Lower training.batch_size, or"),
        ("iid", {"training.batch_size": 10}, "or raise membership.members."),
        ("iid", {"training": {"engine": "scikit_learn"}, "model": TREES, "epsilons": [["inf"]]}, None),
        ("iid", {"membership.population": 24, **SHADOWS, "shadows.count": 3}, None),
        ("iid", {"membership.population": 23, **SHADOWS, "shadows.count": 3}, "set of shadow models (7 records"),
        ("iid", {**LOOKED_AT, **_left_out(), "epsilons": [["inf"]], "training.batch_size": 9}, "without one record (8"),
        ("bias", {"training.batch_size": 41}, "(40 records, arm p25, group 'Male')"),
        ("adult", {"training.batch_size": 101}, "(100 records, arm cluster, group '0')"),
        ("bernoulli", {"training.batch_size": 11}, "(10 records, arm p0.1); expected at most 10. Lower training."),
        ("bernoulli", {"membership.records": "all", "training.batch_size": 11}, None),
        (
            "iid",
            {**LOOKED_AT, **_left_out(arms=["other"]), "epsilons": [["inf"]]},
            "points.left_out.arms of any, not other",
        ),
        ("iid", {"points": POINTS, "epsilons": [[1]]}, "an attack with a threshold for the loss (option estimator)"),
        ("iid", {**LOOKED_AT, **_left_out(), "epsilons": [[1]]}, "epsilon inf for points.left_out"),
        ("iid", {**LOOKED_AT, **_left_out(), "epsilons": [["inf"]]}, None),
        ("iid", {**LOOKED_AT, **_left_out(targets=5), "epsilons": [["inf"]]}, "targets as replicates (4)"),
        ("iid", {**LOOKED_AT, **_left_out(points=3), "epsilons": [["inf"]]}, "points (3) that are a multiple of block"),
        ("iid", {**LOOKED_AT, **_left_out(points=12), "epsilons": [["inf"]]}, "as count (10), not 12"),
        ("bias", {"arms.p25.epsilons": [1, 10]}, "epsilons of arm 'p25' that the experiment has, not 10"),
        ("bias", {"arms.p25.epsilons": [0.1, 1, 1.0, "inf"]}, "each epsilon of arm 'p25' once, not 0.1, 1, 1, inf"),
        ("bias", {"arms.p25.epsilons": []}, "at least 1"),
        ("bias", {"arms.p25.epsilons": [1]}, "only epsilons that some arm is trained with, not 0.1, inf"),
        ("bias", {"arms.p25.epsilons": [1, "inf", "1e-1"]}, None),
        ("bias", {"arms": {"a": {"group": "M", "share": 1, "epsilons": [1]}, "b": {"group": "M", "share": 1}}}, None),
        ("bernoulli", {"accuracy_by_epoch": True}, "a number of validation records in membership"),
        ("bernoulli", {"accuracy_by_epoch": True, "membership.validation": 10}, None),
        ("bias", {"accuracy_by_epoch": True}, None),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(plan, base, changes, told):
    file = FILE
    for path, value in changes.items():
        file = changed(file, f"experiments.{base}.{path}", value)
    if told is None:  # the neighbours of what is refused
        plan(file)
        return
    with pytest.raises(ConfigError) as error:
        plan(file)
    assert told in str(error.value)
    assert f"a.yaml, {base} (laptop)" in str(error.value)


@pytest.mark.parametrize("key", ["dataset", "membership", "arms", "epsilons", "replicates", "block", "attacks"])
def test_a_missing_key_is_named(plan, key):
    file = copy.deepcopy(FILE)
    del file["experiments"]["heart"][key]
    with pytest.raises(ConfigError) as error:
        plan(file)
    assert f"key '{key}': found nothing; expected a value: the key is required" in str(error.value)


def test_all_mistakes_of_an_experiment_are_told_at_once(plan):
    file = changed(changed(FILE, "experiments.heart.blok", 2), "experiments.heart.training.epochs", -1)
    with pytest.raises(ConfigError) as error:
        plan(file)
    lines = str(error.value).splitlines()
    assert len(lines) == 2
    assert {"'blok'" in line for line in lines} == {True, False}
    assert {"'training.epochs'" in line for line in lines} == {True, False}


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("scales.paper.replicates", 5, "a.yaml, heart (paper): "),
        ("scales.paper.trainin", {"epochs": 1}, "a.yaml, heart (paper), key 'trainin'"),
        ("experiments.heart.scales.smoke.block", 3, "a.yaml, heart (smoke): "),
        ("experiments.heart.scales.smoke.model", {"kind": "cnn"}, "a.yaml, heart (smoke), key 'model.kind'"),
        ("experiments.heart.scales.smke", {"block": 1}, "a.yaml, key 'experiments.heart.scales.smke'"),
        ("experiments.heart.scales.smoke", 3, "a.yaml, key 'experiments.heart.scales.smoke'"),
        ("experiments.heart.scales", None, "a.yaml, key 'experiments.heart.scales'"),
        ("scales.huge", {}, "a.yaml, key 'scales.huge': found 'huge'"),
        ("scales", [], "a.yaml, key 'scales'"),
        ("defaults", 3, "a.yaml, key 'defaults'"),
        ("default", {}, "a.yaml, key 'default': found an unknown key"),
        ("experiments.heart", None, "a.yaml, key 'experiments.heart'"),
        ("experiments.Heart Disease", HEART, "a.yaml, key 'experiments.Heart Disease'"),
        ("experiments", [], "a.yaml, key 'experiments'"),
        ("experiments.heart.like", "adlt", "key 'experiments.heart.like': found 'adlt'"),
        ("experiments.heart.like", "adlt", "Did you mean 'adult'?"),
        ("experiments.heart.like", "heart", "without a circle"),
        ("experiments.heart.like", 3, "a.yaml, key 'experiments.heart.like'"),
        ("paper", "A Paper", "a.yaml, key 'paper'"),
    ],
)
def test_a_mistake_is_found_whichever_scale_is_run(plan, path, value, told):
    with pytest.raises(ConfigError) as error:
        plan(changed(FILE, path, value), scale="laptop")
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"sede": 3}, "config, key 'sede': found an unknown key"),
        ({"scael": "smoke"}, "Did you mean 'scale'?"),
        ({"scale": "small"}, "config, key 'scale': found 'small'; expected 'smoke', 'laptop' or 'paper'"),
        ({"data": "rael"}, "config, key 'data': found 'rael'; expected 'embedded' or 'real'. Did you mean 'real'?"),
        ({"seed": -1}, "config, key 'seed': found -1; expected greater than or equal to 0"),
        ({"seed": True}, "config, key 'seed': found True"),
        ({"seed": 1.5}, "config, key 'seed': found 1.5"),
        ({"data_mirror": 3}, "config, key 'data_mirror': found 3; expected a text"),
        ({"experiments": []}, "config, key 'experiments': found []"),
        ({"experiments": 3}, "config, key 'experiments': found 3; expected a list: [3]"),
        ({"experiments": [3]}, "config, key 'experiments.0': found 3; expected a text"),
        ({"experiments": ["b.yaml"]}, "config, key 'experiments': found 'b.yaml'; expected a file that can be read"),
        ({"experiments": ["."]}, "config, key 'experiments': found '.'; expected a file that can be read"),
        ({"experiments": ["a.yaml", "a.yaml"]}, "'experiments': found two files of one name, a.yaml and a.yaml"),
        ({"experiments": ["b*.yaml"]}, "key 'experiments': found 'b*.yaml', which no file matches; expected names of"),
    ],
)
def test_a_wrong_config_is_told_with_its_key(plan, config, told):
    with pytest.raises(ConfigError) as error:
        plan(FILE, **config)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("paper: [a", "a.yaml: found text that is not YAML"),
        ("paper: a\n\tb: c", "a.yaml: found text that is not YAML"),
        ("paper: a\nexperiments: {}\npaper: b", "key 'paper' twice"),
        ("experiments:\n  one: {dataset: adult, dataset: heart}", "key 'dataset' twice"),
        ("", "a.yaml: found None"),
        ("- paper", "a.yaml: found ['paper']"),
    ],
)
def test_a_file_that_is_no_settings_is_told_by_name(plan, text, told):
    with pytest.raises(ConfigError) as error:
        plan(text)
    assert told in str(error.value)


def test_a_file_in_another_encoding_is_told_by_name(tmp_path):
    (tmp_path / "a.yaml").write_bytes("paper: humphriés".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"a\.yaml: found bytes that are no text"):
        make_plan({"experiments": ["a.yaml"]}, tmp_path)


def test_a_mirror_that_is_not_there_is_told_before_anything_is_downloaded(tmp_path):
    config = {"experiments": [str(ROOT / "experiments/humphries.yaml")], "data_mirror": "nowhere"}
    with pytest.raises(ConfigError, match="'data_mirror': found 'nowhere'; expected a folder that exists"):
        make_plan({**config, "data": "real"}, tmp_path)
    assert make_plan({**config, "data": "embedded"}, tmp_path).config.data_mirror == "nowhere"
