"""Mistakes in settings: each is reported in one line, `<place>: <what is wrong>. <what to do>.`"""

import copy

import pytest
import yaml
from settings_refusals import FORM, refusal
from settings_samples import FILE, HEART, ROOT, changed

from dpmia.common.errors import ConfigError
from dpmia.planning.plan import make_plan
from dpmia.settings.messages import MOST

# What is refused: path of the key, value, words that the message must hold


@pytest.mark.parametrize(
    ("path", "value", "phrases"),
    [
        ("learing_rate", 1, ["heart.learing_rate: ", "unknown key", "dataset, "]),
        ("training.learing_rate", 1, ["heart.training.learing_rate: ", "Did you mean 'learning_rate'?"]),
        ("arms.va.grup", "x", ["heart.arms.va.grup: ", "group, ", "Did you mean 'group'?"]),
        ("membership.clusers", 2, ["heart.membership.clusers: ", "Did you mean 'clusters'?"]),
        ("dataset", {"path": "a.csv", "label": "y", "group": ""}, ["heart.dataset.group: '' is too short"]),
        ("dataset", "hart", ["heart.dataset: 'hart' ", "Did you mean 'heart'?"]),
        ("training.engine", "stackd", ["heart.training.engine: 'stackd' ", "Did you mean 'stacked'?"]),
        ("attacks", ["random"], ["heart.attacks: ['random'] ", "mapping", "Write keys with values: {random: {}}"]),
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
        ("training.l2", 1e100, ["heart.training.l2: 1e+100 ", "at most 1e+30"]),
        ("privacy.delta", 1e-320, ["heart.privacy.delta: ", "at least 1e-11"]),
        ("privacy.delta", 0.5, ["heart.privacy.delta: 0.5 ", "at most 0.1"]),
        ("epsilons", [[1e-9]], ["heart.epsilons.0.0: 1e-09 ", "less than 0.0001"]),
        ("attacks.randm", None, ["heart.attacks.randm: null takes away nothing", "Did you mean 'random'?"]),
        ("arms.vaa", None, ["heart.arms.vaa: null takes away nothing", "Did you mean 'va'?"]),
        ("training.epochs", "many", ["heart.training.epochs: 'many' ", "integer"]),
        ("training.epochs", 1.5, ["heart.training.epochs: 1.5 ", "integer"]),
        ("training.epochs", True, ["heart.training.epochs: true "]),
        ("training.epochs", 10**30, ["heart.training.epochs: 1000000", "integer of at most 9223372036854775807"]),
        ("replicates", 10**9, ["heart.replicates: 1000000000 ", "at most 100000"]),
        ("model", {"hidden": [True]}, ["heart.model.hidden: true ", "quotes"]),
        ("training.betas", [True, 0.9], ["heart.training.betas: true "]),
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
        ("training", {"engine": "opacus", "accelerator": "gpu", "devices": [3]}, None),
        ("training", {"accelerator": "gpu"}, ["heart: ", "accelerator 'gpu' cannot be combined with engine 'stacked'"]),
        ("training.accelerator", "cuda", ["heart.training.accelerator: 'cuda' ", "'gpu'"]),
        ("training", {"engine": "opacus", "devices": [0, 1]}, ["heart.training.devices"]),
        (
            "training",
            {"precision": "bf16-mixed"},
            ["precision 'bf16-mixed' cannot be combined", "'stacked'"],
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
        ("privacy.delta", 0, ["heart.privacy.delta: 0 ", "at least 1e-11"]),
        ("privacy.delta", 1, ["heart.privacy.delta: 1 ", "at most 0.1"]),
        ("privacy.delta", 1.5, ["heart.privacy.delta: 1.5 ", "at most 0.1"]),
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
            ["heart.membership: ", "'bernoulli'", "needs records", "not take by, members", "queries"],
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
        ("arms.va.rate", 0, ["heart.arms.va.rate: 0 ", "at least 1e-09"]),
        ("arms.va.rate", 5e-324, ["heart.arms.va.rate: 5e-324 ", "at least 1e-09"]),
        ("arms.A b", {"group": "va"}, ["heart.arms.A b: 'A b' ", "pattern"]),
        ("arms.va-iid", {"group": "va"}, ["heart.arms.va-iid: 'va-iid' ", "pattern"]),
        ("privacy.accountant", "rdp", ["'poisson'", "'replace_one'", "'rdp' cannot be combined"]),
        ("privacy", {"relation": "add_remove"}, None),
        ("training.sampling", "shuffle", None),
    ],
)
def test_a_wrong_value_is_reported_with_its_place_and_what_is_wrong(plan, path, value, phrases):
    file = changed(FILE, f"experiments.heart.{path}", value)
    if phrases is None:  # the neighbours of what is refused
        plan(file)
        return
    message = refusal(plan, file)
    for phrase in ["a.yaml, heart", *phrases]:
        assert phrase in message


@pytest.mark.parametrize("key", ["dataset", "membership", "arms", "epsilons", "replicates", "block", "attacks"])
def test_a_missing_key_is_named(plan, key):
    file = copy.deepcopy(FILE)
    del file["experiments"]["heart"][key]
    message = refusal(plan, file)
    assert f"heart.{key}: required key is missing. Add it: " in message


def test_a_missing_key_is_described(plan):
    file = copy.deepcopy(FILE)
    del file["experiments"]["heart"]["arms"]
    description = "Add it: The arms by name; or `each group`, an arm for every group that has enough records."
    assert refusal(plan, file).endswith(f"heart.arms: required key is missing. {description}")


def test_all_mistakes_of_an_experiment_are_reported_at_once(plan):
    file = changed(changed(FILE, "experiments.heart.blok", 2), "experiments.heart.training.epochs", -1)
    with pytest.raises(ConfigError) as error:
        plan(file)
    lines = str(error.value).splitlines()
    assert len(lines) == 2
    assert {"heart.blok: " in line for line in lines} == {True, False}
    assert {"heart.training.epochs: " in line for line in lines} == {True, False}
    assert all(FORM.fullmatch(line) for line in lines)


def test_of_very_many_mistakes_the_first_are_named_and_the_others_counted(plan):
    with pytest.raises(ConfigError) as error:
        plan(changed(FILE, "experiments.heart.epsilons", list(range(1, 3_001))))
    *named, last = str(error.value).splitlines()
    assert len(named) == MOST
    assert named[0].endswith("heart.epsilons.0: 1 is not a list. Write it as a list: [1].")
    assert last == f"There are {3_000 - MOST} more mistakes."


def test_a_long_value_is_not_repeated(plan):
    message = refusal(plan, changed(FILE, "experiments.heart.epsilons", "x" * 5_000))
    assert message.endswith("heart.epsilons: this value is not a list.")


GIVEN = {"path": "a.yaml", "classes": {"no": "p_no", "yes": "p_yes"}, "attacks": {"average_threshold": {}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"member": "label"}, "label and member are the same column 'label'. Name one for each."),
        ({"label": "p_no"}, "label and classes.no are the same column 'p_no'. Name one for each."),
        (
            {"classes": {"no": "p", "yes": "p"}},
            "classes.no and classes.yes are the same column 'p'. Name one for each.",
        ),
    ],
)
def test_predictions_name_each_column_once(plan, changes, message):
    plan({"paper": "audit", "predictions": {"model": GIVEN}})
    assert refusal(plan, {"paper": "audit", "predictions": {"model": GIVEN | changes}}) == f"a.yaml, model: {message}"


@pytest.mark.parametrize("key", ["path", "references"])
def test_a_path_with_braces_is_refused(plan, key):
    changes = {key: "my {y}.csv" if key == "path" else ["my {y}.csv"]}
    message = refusal(plan, {"paper": "audit", "predictions": {"model": GIVEN | changes}})
    assert "'my {y}.csv' holds braces, which the workflow takes for the name of a part. Rename the file." in message


@pytest.mark.parametrize(
    ("path", "value", "message"),
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
def test_a_mistake_is_found_whichever_scale_is_run(plan, path, value, message):
    assert message in refusal(plan, changed(FILE, path, value), scale="laptop")


@pytest.mark.parametrize(
    ("config", "message"),
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
        ({"experiments": ["a.yaml", "./a.yaml"]}, "config, experiments: a.yaml and ./a.yaml "),
        ({"experiments": ["b*.yaml"]}, "config, experiments: 'b*.yaml' "),
    ],
)
def test_a_wrong_config_is_reported_with_its_key(plan, config, message):
    assert message in refusal(plan, FILE, **config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("paper: [a", "a.yaml, row 1: not valid YAML"),
        ("paper: a\n\tb: c", "that cannot start any token). Indent by spaces, not by tabs."),
        ("paper: a\nexperiments: {}\npaper: b", "key 'paper' is given twice"),
        (f"paper: a\nexperiments: {{one: {{kind: 0x1{'0' * 4000}}}}}", "an integer of more than 1024 bits"),
        ("experiments:\n  one: {dataset: adult, dataset: heart}", "key 'dataset' is given twice"),
        (r'experiments: {one: {training: {command: "python \ud800"}}}', r"'python \ud800' holds half a character"),
        (r'experiments: {"\ud83d\ude00": {}}', "holds half a character"),
        *((text, "a.yaml: it holds no settings. Write keys with values") for text in ("", "- paper", "a line", "7")),
    ],
)
def test_a_file_that_is_no_settings_is_reported_by_name(plan, text, message):
    assert message in refusal(plan, text)


def test_a_file_in_another_encoding_is_reported_by_name(tmp_path):
    (tmp_path / "a.yaml").write_bytes("paper: humphriés".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"a\.yaml, row 1: .*UTF-8"):
        make_plan({"experiments": ["a.yaml"]}, tmp_path)


def test_a_mirror_that_is_not_there_is_reported_before_anything_is_downloaded(tmp_path):
    config = {"experiments": [str(ROOT / "experiments/humphries.yaml")], "data_mirror": "nowhere"}
    with pytest.raises(ConfigError, match="config, data_mirror: 'nowhere' "):
        make_plan({**config, "data": "real"}, tmp_path)
    assert make_plan({**config, "data": "synthetic"}, tmp_path).config.data_mirror == "nowhere"


@pytest.mark.parametrize("path", ["absent.csv", "x" * 300, "null\0byte"])
def test_predictions_that_are_not_there(tmp_path, path):
    given = {"path": path, "classes": {"a": "a", "b": "b"}, "attacks": {"average_threshold": {}}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"paper": "audit", "predictions": {"mine": given}}))
    with pytest.raises(ConfigError, match=r"mine\.path: .* is not a file in"):
        make_plan({"experiments": ["mine.yaml"], "data": "real"}, tmp_path)


def test_an_integer_of_more_digits_than_python_writes_is_refused():
    with pytest.raises(ConfigError, match="config, seed: this value is not a number less than 3"):
        make_plan({"experiments": [], "seed": 16**5000}, ROOT)


def test_true_is_no_limit_of_an_audit():
    with pytest.raises(ConfigError, match=r"config, audit\.fail_above\.auc: true is not valid"):
        make_plan({"audit": {"fail_above": {"auc": True}}}, ROOT)


@pytest.mark.parametrize("training", [[1], "x", 1])
def test_the_engine_of_all_experiments_needs_a_mapping_to_stand_in(plan, training):
    message = refusal(plan, changed(FILE, "experiments.heart.training", training), engine="plain")
    assert "heart.training: " in message
    assert "is not a mapping" in message


def test_what_is_nested_too_deeply_is_refused():
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(ConfigError, match="config: a value is nested too deeply"):
        make_plan({"epsilons": deep}, ROOT)


def test_of_many_mistakes_the_first_are_told():
    with pytest.raises(ConfigError, match="There are 1980 more mistakes"):
        make_plan({f"key_{number}": 1 for number in range(2000)}, ROOT)
