"""Mistakes in settings: each is reported in one line, `<place>: <what is wrong>. <what to do>.`"""

import copy
import re
from functools import partial

import pytest
from settings_samples import FILE, HEART, ROOT, changed, plan_of

from dpmia.common.errors import ConfigError
from dpmia.settings.resolve import make_plan


@pytest.fixture
def plan(tmp_path):
    """A function that makes the plan of one experiment file at one scale."""
    return partial(plan_of, tmp_path)


#: `<where>: <what is wrong>. <what to do>.`
FORM = re.compile(r".+: .+\.( .+[.?])*")

#: Words of older messages that no message holds any more.
BANNED = re.compile(r"found .*; expected|told|cannot be had|promise|asked about|fit together")


def refusal(plan, file, **config):
    """Return the message by which a file is refused: in one line, in the form of all messages, in plain words."""
    with pytest.raises(ConfigError) as error:
        plan(file, **config)
    message = str(error.value)
    assert FORM.fullmatch(message), message
    assert not BANNED.search(message), message
    assert ".." not in message.replace("...", ""), message
    return message


# What is refused: path of the key, value, words that the message must hold


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("learing_rate", 1, ["heart.learing_rate: ", "unknown key", "dataset, "]),
        ("training.learing_rate", 1, ["heart.training.learing_rate: ", "Did you mean 'learning_rate'?"]),
        ("arms.va.grup", "x", ["heart.arms.va.grup: ", "group, ", "Did you mean 'group'?"]),
        ("membership.clusers", 2, ["heart.membership.clusers: ", "Did you mean 'clusters'?"]),
        ("dataset", "hart", ["heart.dataset: 'hart' ", "Did you mean 'heart'?"]),
        ("training.engine", "stackd", ["heart.training.engine: 'stackd' ", "Did you mean 'stacked'?"]),
        ("attacks", ["random"], ["heart.attacks: ['random'] ", "mapping"]),
        ("epsilons", [[1], 10], ["heart.epsilons.1: 10 ", "list"]),
        ("arms", "each grup", ["heart.arms: 'each grup' ", "mapping", "'each group'"]),
        ("arms.va.group", 0, ["heart.arms.va.group: 0 ", "string", "'0'"]),
        (
            "attacks.random",
            {"kind": "rmia_offline", "gamma": 0.5},
            ["heart.attacks.random.gamma: 0.5 ", "at least 1"],
        ),
        ("attacks", {}, ["heart.attacks: {} ", "at least 1"]),
        ("attacks", {"randm": {}}, ["heart.attacks: ", "'randm' is not a kind", "Did you mean 'random'?"]),
        ("attacks.mine", {"kind": "randm"}, ["heart.attacks.mine.kind: 'randm' ", "Did you mean 'random'?"]),
        ("attacks.random", {"hidden": 3}, ["heart.attacks.random.hidden: ", "unknown key", "kind, reference_arm"]),
        ("attacks.random", {"alpha": 0.1}, ["'random'", "alpha", "none"]),
        ("attacks.population", {"gamma": 1}, ["'population'", "gamma", "alpha, estimator"]),
        ("attacks.population", {"alpha": 1}, ["heart.attacks.population.alpha: 1 ", "less than 1"]),
        ("attacks.shadow", {}, ["heart: ", "'shadow'", "needs", "shadows"]),
        ("attacks.lira", {}, ["heart: ", "'lira'", "needs", "references"]),
        ("attacks.distillation", {}, ["heart: ", "'distillation'", "needs", "references"]),
        ("attacks.random", {"reference_arm": "va"}, ["heart: ", "'random'", "reference_arm"]),
        ("attacks.population", {}, None),
        ("attacks.random", {"epsilons": [7]}, ["heart: ", "'random'", "epsilon"]),
        ("attacks.random", {"epsilons": []}, ["heart.attacks.random.epsilons: [] ", "at least 1"]),
        ("attacks.random", {"epsilons": [7, "1e0"]}, None),  # a scale may leave out some
        ("collusion", {"keys": 2}, ["heart: ", "collusion cannot be combined", "finite epsilon"]),
        ("training.sampling", "poison", ["heart.training.sampling: ", "Did you mean 'poisson'?"]),
        ("privacy.relation", "replace", ["heart.privacy.relation: 'replace' ", "Did you mean 'replace_one'?"]),
        ("privacy.accountant", "prv", ["heart.privacy.accountant: 'prv' ", "'pld', 'rdp' or 'rdp_as_published'"]),
        ("training.epochs", "many", ["heart.training.epochs: 'many' ", "integer"]),
        ("training.epochs", 1.5, ["heart.training.epochs: 1.5 ", "integer"]),
        ("training.epochs", True, ["heart.training.epochs: true "]),
        ("training.epochs", 0, ["heart.training.epochs: 0 ", "positive integer"]),
        ("training.learning_rate", 0, ["heart.training.learning_rate: 0 ", "positive number"]),
        ("training.learning_rate", float("inf"), ["heart.training.learning_rate: inf ", "finite"]),
        ("training.learning_rate", float("nan"), ["heart.training.learning_rate: nan "]),
        ("training.clip_norm", float("inf"), ["heart.training.clip_norm: inf ", "finite"]),
        ("training.clip_norm", -1, ["heart.training.clip_norm: -1 ", "positive number"]),
        ("training.clip_all", "all", ["heart.training.clip_all: 'all' "]),
        ("training", {"clip_all": True, "engine": "opacus"}, ["heart: ", "clip_all cannot be combined", "'opacus'"]),
        ("training", {"clip_all": True}, None),
        ("training", {"engine": "opacus", "grad_sample_mode": "ghost"}, None),
        ("training", {"engine": "opacus", "grad_sample_mode": "hook"}, ["grad_sample_mode: 'hook' ", "mean 'hooks'?"]),
        (
            "training",
            {"grad_sample_mode": "hooks"},
            ["heart: ", "grad_sample_mode cannot be combined with engine 'stacked'"],
        ),
        ("training.momentum", 1, ["heart.training.momentum: 1 ", "less than 1"]),
        ("training.l2", -0.1, ["heart.training.l2: -0.1 "]),
        ("training", 3, ["heart.training: 3 "]),
        ("model.hidden", 16, ["heart.model.hidden: 16 ", "list"]),
        ("model.hidden", [16, 0], ["heart.model.hidden.1: 0 ", "positive integer"]),
        ("model", {"kind": "mpl"}, ["heart.model.kind: 'mpl' ", "Did you mean 'mlp'?"]),
        (
            "model",
            {"kind": "mlp"},
            ["heart.model: ", "'mlp'", "needs hidden"],
        ),
        ("model", {"kind": "mlp", "hidden": [2], "size": 3}, ["heart.model: ", "'mlp'", "not take size"]),
        (
            "model",
            {"kind": "mlp", "hidden": [2], "activation": "gelu"},
            ["heart.model.activation: 'gelu' ", "Did you mean 'relu'?"],
        ),
        ("model", {"kind": "mlp", "hidden": [2], "activation": "tanh", "initial_weights": "torch_default"}, None),
        ("model", {"kind": "vgg", "activation": "tanh"}, ["heart.model: ", "'vgg'", "not take activation"]),
        (
            "model",
            {"kind": "random_forest", "trees": 2, "initial_weights": "glorot"},
            ["'random_forest'", "not take initial_weights", "trees"],
        ),
        ("attacks.random", {"offline_a": 0.5}, ["heart.attacks: ", "'random'", "offline_a"]),
        ("attacks.random", {"offline_a": 2}, ["heart.attacks.random.offline_a: 2 ", "at most 1"]),
        ("model", {"kind": "growing"}, ["heart.model: ", "'growing'", "needs size"]),
        ("model", {"kind": "vgg", "size": 3}, ["heart.model: ", "'vgg'", "not take size"]),
        ("model", {"kind": "vgg"}, ["heart: ", "engine 'stacked'", "'vgg'"]),
        ("training.engine", "convolution", ["heart: ", "engine 'convolution'", "'mlp'"]),
        ("training.engine", "opacus", None),
        ("arms.va.model", {"kind": "vgg"}, ["heart: ", "engine 'stacked'", "'vgg'"]),
        ("arms.va.model", {"hidden": [2, 2]}, None),
        ("pool", 0, ["heart.pool: 0 ", "positive integer"]),
        ("blind", {"replicates": 0}, ["heart.blind.replicates: 0 ", "or 'all'"]),
        ("blind", {"with_loss": [0]}, ["heart.blind.with_loss.0: 0 ", "positive number", "inf for no privacy"]),
        ("blind", {}, None),
        ("shadows", {"count": 1}, ["heart.shadows.count: 1 ", "at least 2"]),
        ("shadows", {"attack_epochs": 0}, ["heart.shadows.attack_epochs: 0 "]),
        ("references", {"count": 4}, ["heart.references.block: ", "required", "missing"]),
        ("references", {"count": 5, "block": 2}, ["heart.references: ", "count (5)", "multiple of block (2)"]),
        ("references", {"count": 4, "block": 2}, None),
        ("privacy.delta", 0, ["heart.privacy.delta: 0 ", "positive number"]),
        ("privacy.delta", 1, ["heart.privacy.delta: 1 ", "less than 1"]),
        ("privacy.delta", 1.5, ["heart.privacy.delta: 1.5 ", "less than 1"]),
        ("privacy.delta", float("nan"), ["heart.privacy.delta: nan "]),
        ("epsilons", [[1], [0]], ["heart.epsilons.1.0: 0 ", "positive number", "inf for no privacy"]),
        ("epsilons", [[-1]], ["heart.epsilons.0.0: -1 ", "positive number", "inf for no privacy"]),
        ("epsilons", [["much"]], ["heart.epsilons.0.0: 'much' ", "number"]),
        ("epsilons", [1], ["heart.epsilons.0: 1 ", "list"]),
        ("epsilons", [], ["heart.epsilons: [] ", "at least 1"]),
        ("epsilons", [[1], []], ["heart.epsilons.1: [] ", "at least 1"]),
        ("epsilons", [[1], ["1.0"]], ["heart.epsilons: ", "epsilon 1 ", "more than once"]),
        ("epsilons", [["inf", "Inf"]], ["heart.epsilons: ", "epsilon inf ", "more than once"]),
        ("replicates", 5, ["replicates (5)", "multiple of block (2)"]),
        ("replicates", 0, ["heart.replicates: 0 "]),
        ("block", 0, ["heart.block: 0 "]),
        ("block", 3, ["replicates (4)", "multiple of block (3)"]),
        ("membership.members", "al", ["heart.membership.members: 'al' ", "integer, 'all' or", "Did you mean 'all'?"]),
        ("membership.members", 0, ["heart.membership.members: 0 ", "positive integer, 'all' or a positive number"]),
        (
            "membership.kind",
            "cluster",
            ["heart.membership: ", "'cluster'", "needs", "restarts", "not take by"],
        ),
        (
            "membership.kind",
            "iid",
            ["heart.membership: ", "'iid'", "not take by", "most, nonmembers, population"],
        ),
        (
            "membership.kind",
            "bias",
            ["heart.membership: ", "'bias'", "needs validation", "by, members, merge"],
        ),
        (
            "membership.kind",
            "bernoulli",
            ["heart.membership: ", "'bernoulli'", "needs records", "not take by, members", "asked"],
        ),
        ("membership.clusters", 2, ["heart.membership: ", "'group'", "not take clusters"]),
        ("membership.by", None, ["heart.membership: ", "'group'", "needs by"]),
        (
            "membership.members",
            None,
            ["heart.membership: ", "'group'", "needs members"],
        ),
        ("arms", {}, ["heart.arms: {} ", "at least 1"]),
        ("arms", {"va": {}}, ["heart: ", "arm 'va'", "'group'", "needs group"]),
        ("arms.va.share", 0.5, ["heart: ", "arm 'va'", "'group'", "not take share"]),
        ("arms.va.share", 1.5, ["heart.arms.va.share: 1.5 ", "at most 1"]),
        ("arms.va.rate", 0, ["heart.arms.va.rate: 0 ", "positive number"]),
        ("arms.A b", {"group": "va"}, ["heart.arms.A b: 'A b' ", "pattern"]),
        ("arms.va-iid", {"group": "va"}, ["heart.arms.va-iid: 'va-iid' ", "pattern"]),
        ("privacy.accountant", "rdp", ["'poisson'", "'replace_one'", "'rdp' cannot be combined"]),
        ("privacy", {"relation": "add_remove"}, None),
        ("training.sampling", "shuffle", None),
    ],
)
def test_a_wrong_value_is_reported_with_its_place_and_what_is_wrong(plan, path, value, words):
    file = changed(FILE, f"experiments.heart.{path}", value)
    if words is None:  # the neighbours of what is refused
        plan(file)
        return
    message = refusal(plan, file)
    for word in ["a.yaml, heart", *words]:
        assert word in message


POINTS = {"count": 10, "alphas": [0.1]}
LOOKED_AT = {"attacks.population": {}, "points": POINTS}


def _left_out(**changes):
    return {"points": POINTS | {"left_out": {"points": 4, "block": 2, "models": 2} | changes}}


PUBLISHED = {"training.sampling": "shuffle", "privacy.accountant": "rdp_as_published"}


TREES = {"kind": "random_forest", "trees": 2}
SHADOWS = {"shadows": {}, "attacks.shadow": {}}


@pytest.mark.parametrize(
    ("base", "changes", "words"),
    [
        ("iid", {"membership.members": "all"}, ["membership: ", "'iid'", "'all'"]),
        ("bias", {"membership.nonmembers": "all"}, ["membership: ", "'bias'", "'all'"]),
        ("iid", {"iid_arms": True}, ["iid_arms cannot be combined", "'iid'"]),
        ("bernoulli", {"iid_arms": True}, ["iid_arms cannot be combined", "'bernoulli'"]),
        ("bias", {"iid_arms": True}, None),
        ("iid", {"training.engine": "plain"}, ["'plain' cannot be combined", "finite epsilon"]),
        ("iid", {"training.engine": "plain", "epsilons": [["inf"]]}, None),
        (
            "iid",
            {"arms": {"any": {"group": "va"}}},
            ["arm 'any'", "'iid'", "not take group", "members, nonmembers, population"],
        ),
        ("iid", {"arms": {"any": {"members": 300, "training": {"epochs": 2}}}}, None),
        ("bernoulli", {"arms": {"any": {"rate": 0.5, "members": 3}}}, ["arm 'any'", "'bernoulli'", "not take members"]),
        ("bias", {"arms.p25.share": None}, ["arm 'p25'", "'bias'", "needs share"]),
        ("bernoulli", {"arms": {"any": {}}}, ["arm 'any'", "'bernoulli'", "needs rate"]),
        (
            "iid",
            {"training.sampling": "shuffle", "privacy.relation": "add_remove"},
            ["'shuffle'", "'add_remove'", "'pld' cannot be combined"],
        ),
        (
            "iid",
            {"training.sampling": "shuffle", "privacy.accountant": "rdp"},
            ["'shuffle'", "'replace_one'", "'rdp' cannot be combined"],
        ),
        (
            "iid",
            {"privacy.accountant": "rdp_as_published"},
            ["'poisson'", "'replace_one'", "'rdp_as_published' cannot be combined"],
        ),
        (
            "iid",
            {**PUBLISHED, "privacy.relation": "add_remove"},
            ["'shuffle'", "'add_remove'", "'rdp_as_published' cannot be combined"],
        ),
        ("iid", PUBLISHED, None),
        (
            "bernoulli",
            {"training.sampling": "shuffle", "privacy.relation": "replace_one"},
            ["'shuffle' cannot be combined", "'bernoulli'", "'poisson'"],
        ),
        ("bernoulli", {"training.sampling": "shuffle", "privacy": {}, "epsilons": [["inf"]]}, None),
        ("adult", {"references": {"count": 4, "block": 2}, "attacks.lira": {"reference_arm": "cluster"}}, None),
        (
            "adult",
            {"references": {"count": 4, "block": 2}, "attacks.lira": {"reference_arm": "clutser"}},
            ["'clutser'", "'lira'", "Did you mean 'cluster'?"],
        ),
        (
            "adult",
            {"references": {"count": 3, "block": 3}, "attacks.lira": {}},
            ["'lira'", "at least 4", "3"],
        ),
        (
            "adult",
            {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {}},
            ["'lira_offline'", "at least 2", "1"],
        ),
        ("adult", {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {"variance": "published"}}, None),
        ("adult", {"shadows": {}, "attacks.shadow": {}}, None),
        ("heart", LOOKED_AT, ["points cannot be combined", "IID arms", "epsilon"]),
        ("iid", LOOKED_AT, ["points cannot be combined", "IID arms", "epsilon"]),
        ("iid", {**LOOKED_AT, "epsilons": [[1]]}, None),
        (
            "iid",
            {**LOOKED_AT, "points.arms": ["other"], "epsilons": [[1]]},
            ["points.arms", "unknown arms: other", "any"],
        ),
        (
            "iid",
            {**LOOKED_AT, "points.arms": ["any", "any"], "epsilons": [[1]]},
            ["points.arms", "more than once", "any"],
        ),
        (
            "iid",
            {
                **LOOKED_AT,
                "epsilons": [[1]],
                "references": {"count": 4, "block": 2},
                "attacks.reference": {"reference_arm": "any"},
            },
            ["reference_arm", "'reference' cannot be combined with points"],
        ),
        ("iid", {"arms": {"any": {"members": 7}}}, ["training.batch_size: 8 ", "target models"]),
        ("iid", {"arms": {"any": {"members": 7, "training": {"batch_size": 7}}}}, None),
        (
            "iid",
            {"arms": {"any": {"members": 9, "training": {"batch_size": 10}}}},
            ["training.batch_size: 10 ", "larger than"],
        ),
        ("iid", {"membership.members": 7}, ["7 records, arm any", "Lower training.batch_size, or"]),
        ("iid", {"training.batch_size": 10}, ["or raise membership.members."]),
        ("iid", {"training": {"engine": "scikit_learn"}, "model": TREES, "epsilons": [["inf"]]}, None),
        ("iid", {"membership.population": 24, **SHADOWS, "shadows.count": 3}, None),
        ("iid", {"membership.population": 23, **SHADOWS, "shadows.count": 3}, ["shadow models (7 records"]),
        (
            "iid",
            {**LOOKED_AT, **_left_out(), "epsilons": [["inf"]], "training.batch_size": 9},
            ["without one record (8"],
        ),
        ("bias", {"training.batch_size": 41}, ["40 records, arm p25, group 'Male'"]),
        ("adult", {"training.batch_size": 101}, ["100 records, arm cluster, group '0'"]),
        ("bernoulli", {"training.batch_size": 11}, ["10 records, arm p0.1", "Lower training."]),
        ("bernoulli", {"membership.records": "all", "training.batch_size": 11}, None),
        (
            "iid",
            {**LOOKED_AT, **_left_out(arms=["other"]), "epsilons": [["inf"]]},
            ["points.left_out.arms", "unknown arms: other", "any"],
        ),
        ("iid", {"points": POINTS, "epsilons": [[1]]}, ["points needs", "estimator"]),
        (
            "iid",
            {**LOOKED_AT, **_left_out(), "epsilons": [[1]]},
            ["points.left_out cannot be combined", "finite epsilon"],
        ),
        ("iid", {**LOOKED_AT, **_left_out(), "epsilons": [["inf"]]}, None),
        ("iid", {**LOOKED_AT, **_left_out(targets=5), "epsilons": [["inf"]]}, ["targets (5)", "replicates (4)"]),
        ("iid", {**LOOKED_AT, **_left_out(points=3), "epsilons": [["inf"]]}, ["points (3)", "multiple of block (2)"]),
        ("iid", {**LOOKED_AT, **_left_out(points=12), "epsilons": [["inf"]]}, ["points (12)", "count (10)"]),
        ("bias", {"arms.p25.epsilons": [1, 10]}, ["epsilon 10", "'p25'"]),
        ("bias", {"arms.p25.epsilons": [0.1, 1, 1.0, "inf"]}, ["'p25'", "more than once", "0.1, 1, 1, inf"]),
        ("bias", {"arms.p25.epsilons": []}, ["arms.p25.epsilons: [] ", "at least 1"]),
        ("bias", {"arms.p25.epsilons": [1]}, ["no arm", "0.1, inf"]),
        ("bias", {"arms.p25.epsilons": [1, "inf", "1e-1"]}, None),
        ("bias", {"arms": {"a": {"group": "M", "share": 1, "epsilons": [1]}, "b": {"group": "M", "share": 1}}}, None),
        ("bernoulli", {"accuracy_by_epoch": True}, ["accuracy_by_epoch", "membership.validation"]),
        ("bernoulli", {"accuracy_by_epoch": True, "membership.validation": 10}, None),
        ("bias", {"accuracy_by_epoch": True}, None),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(plan, base, changes, words):
    file = FILE
    for path, value in changes.items():
        file = changed(file, f"experiments.{base}.{path}", value)
    if words is None:  # the neighbours of what is refused
        plan(file)
        return
    message = refusal(plan, file)
    for word in [f"a.yaml, {base}", *words]:
        assert word in message


@pytest.mark.parametrize("key", ["dataset", "membership", "arms", "epsilons", "replicates", "block", "attacks"])
def test_a_missing_key_is_named(plan, key):
    file = copy.deepcopy(FILE)
    del file["experiments"]["heart"][key]
    message = refusal(plan, file)
    assert f"heart.{key}: " in message
    assert "missing" in message


def test_all_mistakes_of_an_experiment_are_reported_at_once(plan):
    file = changed(changed(FILE, "experiments.heart.blok", 2), "experiments.heart.training.epochs", -1)
    with pytest.raises(ConfigError) as error:
        plan(file)
    lines = str(error.value).splitlines()
    assert len(lines) == 2
    assert {"heart.blok: " in line for line in lines} == {True, False}
    assert {"heart.training.epochs: " in line for line in lines} == {True, False}
    assert all(FORM.fullmatch(line) for line in lines)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("scales.paper.replicates", 5, "a.yaml (scale paper), heart: "),
        ("scales.paper.trainin", {"epochs": 1}, "a.yaml (scale paper), heart.trainin: "),
        ("experiments.heart.scales.smoke.block", 3, "a.yaml (scale smoke), heart: "),
        ("experiments.heart.scales.smoke.model", {"kind": "cnn"}, "a.yaml (scale smoke), heart.model.kind: 'cnn' "),
        ("experiments.heart.scales.smke", {"block": 1}, "a.yaml, experiments.heart.scales.smke: "),
        ("experiments.heart.scales.smoke", 3, "a.yaml, experiments.heart.scales.smoke: "),
        ("experiments.heart.scales", None, "a.yaml, experiments.heart.scales: "),
        ("scales.huge", {}, "a.yaml, scales.huge: 'huge' "),
        ("scales", [], "a.yaml, scales: "),
        ("defaults", 3, "a.yaml, defaults: "),
        ("default", {}, "a.yaml, default: unknown key"),
        ("experiments.heart", None, "a.yaml, experiments.heart: "),
        ("experiments.Heart Disease", HEART, "a.yaml, experiments.Heart Disease: "),
        ("experiments", [], "a.yaml, experiments: "),
        ("experiments.heart.like", "adlt", "a.yaml, experiments.heart.like: 'adlt' "),
        ("experiments.heart.like", "adlt", "Did you mean 'adult'?"),
        ("experiments.heart.like", "heart", "'heart' leads back"),
        ("experiments.heart.like", 3, "a.yaml, experiments.heart.like: "),
        ("paper", "A Paper", "a.yaml, paper: "),
    ],
)
def test_a_mistake_is_found_whichever_scale_is_run(plan, path, value, words):
    assert words in refusal(plan, changed(FILE, path, value), scale="laptop")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"sede": 3}, "config, sede: unknown key"),
        ({"scael": "smoke"}, "Did you mean 'scale'?"),
        ({"scale": "small"}, "config, scale: 'small' "),
        ({"data": "rael"}, "Did you mean 'real'?"),
        ({"seed": -1}, "config, seed: -1 "),
        ({"seed": True}, "config, seed: true "),
        ({"seed": 1.5}, "config, seed: 1.5 "),
        ({"data_mirror": 3}, "config, data_mirror: 3 "),
        ({"experiments": []}, "config, experiments: [] "),
        ({"experiments": 3}, "config, experiments: 3 "),
        ({"experiments": [3]}, "config, experiments.0: 3 "),
        ({"experiments": ["b.yaml"]}, "config, experiments: 'b.yaml' "),
        ({"experiments": ["."]}, "config, experiments: '.' "),
        ({"experiments": ["a.yaml", "a.yaml"]}, "config, experiments: a.yaml and a.yaml "),
        ({"experiments": ["b*.yaml"]}, "config, experiments: 'b*.yaml' "),
    ],
)
def test_a_wrong_config_is_reported_with_its_key(plan, config, words):
    assert words in refusal(plan, FILE, **config)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("paper: [a", "a.yaml: not valid YAML"),
        ("paper: a\n\tb: c", "a.yaml: not valid YAML"),
        ("paper: a\nexperiments: {}\npaper: b", "key 'paper' is given twice"),
        ("experiments:\n  one: {dataset: adult, dataset: heart}", "key 'dataset' is given twice"),
        ("", "a.yaml: null "),
        ("- paper", "a.yaml: ['paper'] "),
    ],
)
def test_a_file_that_is_no_settings_is_told_by_name(plan, text, words):
    assert words in refusal(plan, text)


def test_a_file_in_another_encoding_is_told_by_name(tmp_path):
    (tmp_path / "a.yaml").write_bytes("paper: humphriés".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"a\.yaml: .*UTF-8"):
        make_plan({"experiments": ["a.yaml"]}, tmp_path)


def test_a_mirror_that_is_not_there_is_told_before_anything_is_downloaded(tmp_path):
    config = {"experiments": [str(ROOT / "experiments/humphries.yaml")], "data_mirror": "nowhere"}
    with pytest.raises(ConfigError, match="config, data_mirror: 'nowhere' "):
        make_plan({**config, "data": "real"}, tmp_path)
    assert make_plan({**config, "data": "synthetic"}, tmp_path).config.data_mirror == "nowhere"
