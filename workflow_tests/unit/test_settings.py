"""Settings: what is accepted, what is refused and how it is told, and what each job is then given."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from dpmia.errors import ConfigError
from dpmia.settings import generate, jobs, names
from dpmia.settings.messages import checked
from dpmia.settings.resolve import SCALES, make_plan
from dpmia.settings.schema import Arm, Config, Experiment, ExperimentFile, Membership, Model, Privacy, Training
from dpmia.settings.seeds import derive_seed

ROOT = generate.ROOT
OWN_CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
OWN_FILES = [yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in OWN_CONFIG["experiments"]]

HEART = {
    "dataset": "heart",
    "membership": {"kind": "group", "by": "hospital", "members": "all", "nonmembers": "all"},
    "arms": {"va": {"group": "va"}},
    "epsilons": [[0.1, 1], ["inf"]],
    "replicates": 4,
    "block": 2,
    "attacks": ["random"],
}
ADULT = HEART | {
    "dataset": "adult",
    "membership": {
        "kind": "cluster",
        "clusters": 2,
        "pairing": "farthest",
        "cluster_seed": 0,
        "restarts": 10,
        "members": 100,
        "nonmembers": 100,
    },
    "arms": {"cluster": {"group": "0"}},
}
IID = HEART | {"membership": {"kind": "iid", "members": 9, "nonmembers": 9}, "arms": {"any": {}}, "iid_arms": False}
FILE = {"paper": "someone", "experiments": {"heart": HEART, "adult": ADULT, "iid": IID}}


def changed(settings, path, value):
    """Return a copy of nested `settings` with `value` at `path`, a dotted name."""
    settings = copy.deepcopy(settings)
    *above, last = path.split(".")
    node = settings
    for step in above:
        node = node.setdefault(step, {})
    node[last] = value
    return settings


@pytest.fixture
def plan(tmp_path):
    """A function that makes the plan of one experiment file at one scale."""

    def make(file, scale="laptop", **config):
        (tmp_path / "a.yaml").write_text(
            file if isinstance(file, str) else yaml.safe_dump(file, sort_keys=False), encoding="utf-8"
        )
        return make_plan({"scale": scale, "experiments": ["a.yaml"], **config}, tmp_path)

    return make


# What is accepted


@pytest.mark.parametrize("scale", SCALES)
def test_the_own_files_make_a_plan_at_every_scale(scale):
    plan = make_plan(OWN_CONFIG | {"scale": scale}, ROOT)
    assert list(plan.experiments) == [name for file in OWN_FILES for name in file["experiments"]]
    assert set(plan.papers.items()) == {(name, file["paper"]) for file in OWN_FILES for name in file["experiments"]}


def test_sizes_of_training_sets_are_those_of_the_paper_at_every_scale():
    plans = [make_plan(OWN_CONFIG | {"scale": scale}, ROOT) for scale in SCALES]
    for name, experiment in plans[0].experiments.items():
        assert all(plan.experiments[name].membership == experiment.membership for plan in plans)
        assert all(plan.experiments[name].training.batch_size == experiment.training.batch_size for plan in plans)


def test_paper_scale_is_that_of_humphries():
    # Humphries et al. 2023, IV-A and IV-B, and the epsilons of their src/config.py.
    for experiment in make_plan(OWN_CONFIG | {"scale": "paper"}, ROOT).experiments.values():
        assert [epsilon for group in experiment.epsilons for epsilon in group] == [
            *(0.01, 0.1, 1, 10, 100, 1000),
            float("inf"),
        ]
        assert experiment.replicates == 50
        assert experiment.model.hidden == [256, 256]
        training = experiment.training
        assert (training.epochs, training.learning_rate, training.clip_norm) == (100, 0.01, 1.0)
        assert training.batch_size == (32 if experiment.dataset in ("heart", "student") else 200)
        assert experiment.privacy.delta == 1e-5


def test_later_layers_count_more(plan):
    file = {
        "paper": "someone",
        "defaults": {**HEART, "training": {"epochs": 1, "batch_size": 11, "learning_rate": 0.5}},
        "scales": {"laptop": {"training": {"epochs": 3, "batch_size": 13}}, "paper": {"training": {"epochs": 5}}},
        "experiments": {
            "plain": {},
            "own": {"training": {"epochs": 2, "momentum": 0.1}},
            "own_scale": {"training": {"epochs": 2}, "scales": {"laptop": {"training": {"epochs": 4}}}},
        },
    }
    expected = {
        # name -> epochs at smoke, laptop, paper
        "plain": (1, 3, 5),
        "own": (2, 3, 5),
        "own_scale": (2, 4, 5),
    }
    for place, scale in enumerate(SCALES):
        experiments = plan(file, scale).experiments
        for name, epochs in expected.items():
            training = experiments[name].training
            assert training.epochs == epochs[place], (name, scale)
            assert training.batch_size == (13 if scale == "laptop" else 11)
            assert training.learning_rate == 0.5
            assert training.momentum == (0.1 if name == "own" else 0)


def test_a_layer_replaces_lists_as_a_whole(plan):
    file = FILE | {"scales": {"smoke": {"epsilons": [[10]], "attacks": ["average_threshold"]}}}
    assert plan(file, "smoke").experiments["heart"].epsilons == [[10]]
    assert plan(file, "smoke").experiments["heart"].attacks == ["average_threshold"]
    assert plan(file, "paper").experiments["heart"].epsilons == [[0.1, 1], [float("inf")]]


def test_several_files_are_one_plan(tmp_path):
    (tmp_path / "a.yaml").write_text(json.dumps(FILE))
    (tmp_path / "b.yaml").write_text(json.dumps({"paper": "other", "experiments": {"more": HEART}}))
    plan = make_plan({"experiments": ["a.yaml", "b.yaml"]}, tmp_path)
    assert plan.papers == {"heart": "someone", "adult": "someone", "iid": "someone", "more": "other"}
    assert plan.config.scale == "laptop"


def test_what_yaml_reads_as_text_may_be_a_number(plan):
    # YAML 1.1 takes 1e-5 and 1e3 for texts.
    file = changed(changed(FILE, "experiments.heart.privacy.delta", "1e-5"), "experiments.heart.epsilons", [["1e3"]])
    experiment = plan(file).experiments["heart"]
    assert experiment.privacy.delta == 1e-5
    assert experiment.epsilons == [[1000.0]]


def test_settings_do_not_change_after_reading():
    with pytest.raises(ValueError, match="frozen"):
        Training().epochs = 3


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
        ("attacks", ["randm"], ["'attacks.0'", "found 'randm'", "Did you mean 'random'?"]),
        ("training.sampling", "poison", ["'training.sampling'", "Did you mean 'poisson'?"]),
        ("privacy.relation", "replace", ["'privacy.relation'", "found 'replace'", "Did you mean 'replace_one'?"]),
        ("privacy.accountant", "prv", ["'privacy.accountant'", "found 'prv'", "'pld' or 'rdp'"]),
        ("training.epochs", "many", ["'training.epochs'", "found 'many'", "integer"]),
        ("training.epochs", 1.5, ["'training.epochs'", "found 1.5", "integer"]),
        ("training.epochs", True, ["'training.epochs'", "found True"]),
        ("training.epochs", None, ["'training.epochs'", "found None"]),
        ("training.epochs", 0, ["'training.epochs'", "found 0", "greater than or equal to 1"]),
        ("training.learning_rate", 0, ["'training.learning_rate'", "found 0", "greater than 0"]),
        ("training.learning_rate", float("inf"), ["'training.learning_rate'", "found inf", "finite"]),
        ("training.learning_rate", float("nan"), ["'training.learning_rate'", "found nan"]),
        ("training.clip_norm", float("inf"), ["'training.clip_norm'", "found inf", "finite"]),
        ("training.clip_norm", -1, ["'training.clip_norm'", "found -1", "greater than 0"]),
        ("training.momentum", 1, ["'training.momentum'", "found 1", "less than 1"]),
        ("training.l2", -0.1, ["'training.l2'", "found -0.1"]),
        ("training", 3, ["'training'", "found 3"]),
        ("model.hidden", 16, ["'model.hidden'", "found 16", "list"]),
        ("model.hidden", [16, 0], ["'model.hidden.1'", "found 0", "greater than or equal to 1"]),
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
        ("membership.kind", "cluster", ["'membership'", "kind 'cluster' with the keys", "not with ['by']"]),
        ("membership.kind", "iid", ["'membership'", "kind 'iid' with the keys []", "not with ['by']"]),
        ("membership.clusters", 2, ["'membership'", "kind 'group' with the keys ['by']", "['by', 'clusters']"]),
        ("membership.by", None, ["'membership'", "kind 'group' with the keys ['by']", "not with []"]),
        ("arms", {}, ["'arms'", "found {}", "at least 1"]),
        ("arms", {"va": {}}, ["arm 'va' with the key group for kind 'group'"]),
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
    for words in ["a.yaml, heart (smoke)", "found ", "expected ", *told]:
        assert words in message


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"membership.members": "all"}, "numbers of members and nonmembers for kind 'iid', not 'all'"),
        ({"iid_arms": True}, "iid_arms: false for kind 'iid'"),
        ({"training.engine": "plain", "epsilons": [[1], ["inf"]]}, "an engine other than 'plain' for a finite epsilon"),
        ({"attacks": ["random", "random"]}, "each attack once, not random twice"),
        ({"arms": {"any": {"group": "va"}}}, "arm 'any' without the key group for kind 'iid'"),
        ({"training.sampling": "shuffle", "privacy.relation": "add_remove"}, "not shuffle, add_remove, pld"),
        ({"training.sampling": "shuffle", "privacy.accountant": "rdp"}, "not shuffle, replace_one, rdp"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(plan, changes, told):
    file = FILE
    for path, value in changes.items():
        file = changed(file, f"experiments.iid.{path}", value)
    with pytest.raises(ConfigError) as error:
        plan(file)
    assert told in str(error.value)
    assert "a.yaml, iid (smoke)" in str(error.value)


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
        ("experiments", {}, "a.yaml, key 'experiments'"),
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
        ({"data_mirror": 3}, "config, key 'data_mirror': found 3; expected a valid string"),
        ({"experiments": []}, "config, key 'experiments': found []"),
        ({"experiments": "a.yaml"}, "config, key 'experiments': found 'a.yaml'; expected a valid list"),
        ({"experiments": [3]}, "config, key 'experiments.0': found 3; expected a valid string"),
        ({"experiments": ["b.yaml"]}, "config, key 'experiments': found 'b.yaml'; expected a file that can be read"),
        ({"experiments": ["."]}, "config, key 'experiments': found '.'; expected a file that can be read"),
        ({"experiments": ["a.yaml", "a.yaml"]}, "a.yaml, key 'experiments.heart': found a name that is taken"),
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


# What is written about the settings


def test_generated_files_are_those_of_the_schema():
    assert (ROOT / "dpmia/settings/config.schema.json").read_text(encoding="utf-8") == generate.config_schema()
    assert (ROOT / "docs/settings.md").read_text(encoding="utf-8") == generate.settings_page()


def test_the_config_file_holds_every_key_with_its_default():
    assert Config().model_dump() == OWN_CONFIG


def test_every_key_of_the_config_file_is_explained_above_it():
    lines = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()
    for key in Config.model_fields:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{key}:"))
        assert lines[place - 1].startswith("# "), key


@pytest.mark.parametrize("model", [Config, Membership, Arm, Model, Training, Privacy, Experiment, ExperimentFile])
def test_every_setting_is_described(model):
    page = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    for name, field in model.model_fields.items():
        assert len(field.description or "") > 8, name
        assert f"| `{name}` | " in page
        assert " ".join(field.description.split()) in page


def test_the_page_explains_every_class_of_settings():
    assert {model for _, model in generate.SECTIONS} == {
        *(Config, ExperimentFile, Experiment, Membership, Arm, Model, Training, Privacy)
    }


REFUSED = [
    {"sede": 3},
    {"scale": "small"},
    {"scale": None},
    {"data": "rael"},
    {"seed": -1},
    {"seed": 1.5},
    {"seed": True},
    {"seed": "one"},
    {"seed": None},
    {"data_mirror": 3},
    {"experiments": []},
    {"experiments": "a.yaml"},
    {"experiments": [3]},
]


def test_the_json_schema_accepts_what_the_settings_accept():
    schema = json.loads(generate.config_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    for config in [{}, OWN_CONFIG, *(OWN_CONFIG | {"scale": scale} for scale in SCALES), {"data_mirror": "raw"}]:
        checked(Config, config, "config")
        jsonschema.validate(config, schema)


@pytest.mark.parametrize("change", REFUSED)
def test_the_json_schema_refuses_what_the_settings_refuse(change):
    schema = json.loads(generate.config_schema())
    with pytest.raises(ConfigError):
        checked(Config, OWN_CONFIG | change, "config")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(OWN_CONFIG | change, schema)


# What jobs are given


def experiment(base=HEART, **changes):
    for path, value in changes.items():
        base = changed(base, path.replace("__", "."), value)
    return checked(Experiment, base, "test")


def all_jobs(given):
    """Return every job of an experiment by kind, block and, for training, group of epsilons."""
    found = {("cluster",): jobs.cluster_job(given), ("dataset",): jobs.dataset_id(given)}
    for block in jobs.blocks(given):
        found["split", block] = jobs.split_job(given, block)
        for group in given.epsilons:
            found["train", block, tuple(group)] = jobs.train_job(given, group, block)
    return found


def kinds_that_differ(one, other):
    one, other = all_jobs(one), all_jobs(other)
    return {key[0] for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"attacks": ["average_threshold"]}, set()),
        ({"attacks": ["random", "optimal_threshold"]}, set()),
        ({"training__learning_rate": 0.5}, {"train"}),
        ({"training__epochs": 3}, {"train"}),
        ({"training__batch_size": 3}, {"train"}),
        ({"training__engine": "opacus"}, {"train"}),
        ({"model__hidden": [3]}, {"train"}),
        ({"privacy__delta": 1e-6}, {"train"}),
        ({"privacy__relation": "add_remove"}, {"train"}),
        ({"membership__members": 50}, {"split", "train"}),
        ({"membership__pairing": "nearest"}, {"cluster", "split", "train"}),
        ({"membership__cluster_seed": 1}, {"cluster", "split", "train"}),
        ({"arms": {"cluster": {"group": "1"}}}, {"split", "train"}),
        ({"iid_arms": False}, {"split", "train"}),
        ({"block": 1}, {"split", "train"}),
        ({"attributes": ["sex"]}, {"dataset"}),
    ],
)
def test_a_changed_key_changes_only_the_jobs_it_belongs_to(changes, kinds):
    assert kinds_that_differ(experiment(ADULT), experiment(ADULT, **changes)) == kinds


def test_more_replicates_leave_the_earlier_jobs_as_they_are():
    few, many = all_jobs(experiment()), all_jobs(experiment(replicates=8))
    assert few.items() <= many.items()
    assert {key[1] for key in many.keys() - few.keys()} == {2, 3}


def test_a_new_group_of_epsilons_leaves_the_others_as_they_are():
    few, many = all_jobs(experiment()), all_jobs(experiment(epsilons=[[10, 100], [0.1, 1], ["inf"]]))
    assert few.items() <= many.items()
    assert {key[2] for key in many.keys() - few.keys()} == {(10.0, 100.0)}


def test_blocks_cut_the_replicates_without_rest():
    assert jobs.blocks(experiment(replicates=6, block=2)) == {0: [0, 1], 1: [2, 3], 2: [4, 5]}
    assert jobs.blocks(experiment(replicates=3, block=3)) == {0: [0, 1, 2]}


def test_a_renamed_arm_means_the_same():
    arms, renamed = (jobs.arms(experiment(arms={name: {"group": "va"}})) for name in ("va", "long_beach"))
    assert list(arms) == ["va", "va-iid"]
    assert list(renamed) == ["long_beach", "long_beach-iid"]
    assert list(arms.values()) == list(renamed.values())
    for one, other in zip(arms.values(), renamed.values(), strict=True):
        assert derive_seed(1, one) == derive_seed(1, other)


def test_an_arm_and_its_iid_arm_mean_the_same_but_for_the_shuffling():
    arms = jobs.arms(experiment())
    assert arms["va"] | {"iid": True} == arms["va-iid"]
    assert arms["va"]["iid"] is False
    assert list(jobs.arms(experiment(iid_arms=False))) == ["va"]


def test_an_experiments_name_is_in_no_job(plan):
    experiments = plan({"paper": "someone", "experiments": {"one": HEART, "other": HEART}}).experiments
    assert all_jobs(experiments["one"]) == all_jobs(experiments["other"])


@pytest.mark.parametrize("base", [HEART, ADULT, IID])
def test_jobs_are_plain_data(base):
    for job in all_jobs(experiment(base, epsilons=[[1]])).values():
        assert json.loads(json.dumps(job, allow_nan=False)) == job


def test_facts_for_captions_are_plain_data():
    facts = jobs.facts(experiment())
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts == {
        "epochs": 100,
        "batch_size": 200,
        "optimiser": "adam",
        "sampling": "poisson",
        "clip_norm": 1.0,
        "replicates": 4,
        "relation": "replace_one",
        "delta": 1e-5,
        "accountant": "pld",
    }


def test_models_without_privacy_are_trained_without_opacus():
    both = jobs.engines(experiment(training__engine="opacus"))
    assert both == {"private": names.ENGINES["opacus"], "plain": names.ENGINES["plain"]}
    both = jobs.engines(experiment(training__engine="stacked"))
    assert both == {"private": names.ENGINES["stacked"], "plain": names.ENGINES["stacked"]}


def test_the_name_of_a_data_set_does_not_depend_on_the_order_of_attributes():
    assert jobs.dataset_id(experiment()) == "heart"
    ids = {jobs.dataset_id(experiment(ADULT, attributes=order)) for order in (["sex", "age"], ["age", "sex"])}
    assert ids == {"adult-age-sex"}


def test_own_experiment_files_are_listed():
    files = {f"experiments/{path.name}" for path in Path(ROOT / "experiments").glob("*.yaml")}
    assert files == set(OWN_CONFIG["experiments"])


def test_a_mirror_that_is_not_there_is_told_before_anything_is_downloaded(tmp_path):
    config = {"experiments": [str(ROOT / "experiments/humphries.yaml")], "data_mirror": "nowhere"}
    with pytest.raises(ConfigError, match="'data_mirror': found 'nowhere'; expected a folder that exists"):
        make_plan({**config, "data": "real"}, tmp_path)
    assert make_plan({**config, "data": "embedded"}, tmp_path).config.data_mirror == "nowhere"
