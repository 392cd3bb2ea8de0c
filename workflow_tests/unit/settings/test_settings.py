"""Settings: what is accepted, how layers make one experiment, and what is written about them."""

import json

import jsonschema
import pytest
from settings_samples import ADULT, BASES, FILE, HEART, HUMPHRIES, OWN_CONFIG, OWN_FILES, ROOT, changed
from settings_samples import experiment as sample

from dpmia.common.errors import ConfigError
from dpmia.papers.humphries.names import STRONG
from dpmia.settings import generate
from dpmia.settings.attackers import (
    AttackSettings,
    Collusion,
    LeaveOneOutSettings,
    PerRecordSettings,
    ReferenceModels,
    Shadows,
)
from dpmia.settings.config import Audit, Config, Planner
from dpmia.settings.experiment import Arm, Blind, Experiment, ExperimentEntry, ExperimentFile
from dpmia.settings.membership import Membership
from dpmia.settings.messages import checked
from dpmia.settings.own_data import OwnData
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.predictions import Predictions
from dpmia.settings.resolve import SCALES, make_plan
from dpmia.settings.studies import KINDS
from dpmia.settings.training import ArmTraining, Model, Privacy, StatedMechanism, Training

# What is accepted


@pytest.mark.parametrize("scale", SCALES)
def test_the_own_files_make_a_plan_at_every_scale(scale):
    plan = make_plan(OWN_CONFIG | {"scale": scale}, ROOT)
    for section in ("experiments", "studies"):
        written = [(name, entry) for file in OWN_FILES for name, entry in file.get(section, {}).items()]
        assert list(getattr(plan, section)) == [
            name for name, entry in written if scale in entry.get("at_scales", SCALES)
        ]


#: Experiments of ours in the file of Humphries et al.
OURS = (*STRONG, "adult_canaries", "student_canaries")


def test_sizes_of_training_sets_are_those_of_humphries_at_every_scale():
    plans = [make_plan(OWN_CONFIG | HUMPHRIES | {"scale": scale}, ROOT) for scale in SCALES]
    for name, experiment in plans[0].experiments.items():
        if name.endswith("_canaries"):
            continue
        assert all(plan.experiments[name].membership == experiment.membership for plan in plans)
        assert all(plan.experiments[name].training.batch_size == experiment.training.batch_size for plan in plans)


def test_paper_scale_is_that_of_humphries():
    # Humphries et al. 2023, IV-A and IV-B, and the epsilons of their src/config.py.
    for name, experiment in make_plan(OWN_CONFIG | HUMPHRIES | {"scale": "paper"}, ROOT).experiments.items():
        finite = [0.01, 0.1, 1, 10, 100, 1000][name == "adult_cluster_published" :]  # no noise reaches 0.01 there
        finite = [] if name == "heart_poisson" else finite  # the other sampler of models without privacy
        assert [epsilon for group in experiment.epsilons for epsilon in group] == [*finite, float("inf")]
        assert experiment.replicates == (20 if name == "student_strong" else 10 if name in OURS else 50)
        assert experiment.model.hidden == [256, 256]
        training = experiment.training
        assert (training.epochs, training.learning_rate, training.clip_norm) == (100, 0.01, 1.0)
        assert training.batch_size == (32 if experiment.dataset in ("heart", "student") else 200)
        assert experiment.privacy.delta == 1e-5
        assert (experiment.shadows.count, experiment.shadows.l2, experiment.shadows.attack_epochs) == (5, 1e-5, 100)


def test_later_layers_count_more(plan):
    file = {
        "paper": "someone",
        "defaults": {**HEART, "training": {"epochs": 1, "batch_size": 11, "learning_rate": 0.5}},
        "scales": {"laptop": {"training": {"epochs": 3, "batch_size": 13}}, "paper": {"training": {"epochs": 5}}},
        "experiments": {
            "plain": {},
            "own": {"training": {"epochs": 2, "decay": 0.1}},
            "own_scale": {"training": {"epochs": 2}, "scales": {"laptop": {"training": {"epochs": 4}}}},
            "own_night": {
                "training": {"epochs": 2},
                "scales": {"night": {"training": {"epochs": 6}}, "paper": {"training": {"epochs": 7}}},
            },
        },
    }
    expected = {
        # name -> epochs at smoke, laptop, night (as paper, unless it changes more), paper
        "plain": (1, 3, 5, 5),
        "own": (2, 3, 5, 5),
        "own_scale": (2, 4, 5, 5),
        "own_night": (2, 3, 6, 7),
    }
    for place, scale in enumerate(SCALES):
        experiments = plan(file, scale).experiments
        for name, epochs in expected.items():
            training = experiments[name].training
            assert training.epochs == epochs[place], (name, scale)
            assert training.batch_size == (13 if scale == "laptop" else 11)
            assert training.learning_rate == 0.5
            assert training.decay == (0.1 if name == "own" else 0)


def test_a_layer_replaces_lists_as_a_whole_and_adds_to_what_has_names(plan):
    file = FILE | {"scales": {"smoke": {"epsilons": [[10]], "attacks": {"average_threshold": {}}}}}
    assert plan(file, "smoke").experiments["heart"].epsilons == [[10]]
    assert list(plan(file, "smoke").experiments["heart"].attacks) == ["random", "average_threshold"]
    assert plan(file, "paper").experiments["heart"].epsilons == [[0.1, 1], [float("inf")]]


def test_several_files_are_one_plan(tmp_path):
    (tmp_path / "a.yaml").write_text(json.dumps(FILE))
    (tmp_path / "b.yaml").write_text(json.dumps({"paper": "other", "experiments": {"more": HEART}}))
    plan = make_plan({"experiments": ["a.yaml", "b.yaml"]}, tmp_path)
    assert list(plan.experiments) == [*BASES, "more"]
    assert plan.config.scale == "laptop"


def test_a_star_stands_for_all_files_that_it_matches_in_alphabetical_order(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b", "a", "c"):
        (tmp_path / f"sub/{name}.yaml").write_text(json.dumps({"paper": name, "experiments": {name: HEART}}))
    (tmp_path / "sub/other.yml").write_text("no: [settings")
    for pattern in ("sub/*.yaml", "*/*.yaml", str(tmp_path / "sub/*.yaml")):
        assert list(make_plan({"experiments": [pattern]}, tmp_path).experiments) == ["a", "b", "c"]
    assert list(make_plan({"experiments": ["sub/c.yaml", "sub/a*.yaml"]}, tmp_path).experiments) == ["c", "a"]


def test_an_experiment_like_another_has_all_its_settings_but_its_own(plan):
    file = {
        "paper": "someone",
        "defaults": {"training": {"epochs": 2}},
        "experiments": {
            "cluster": ADULT | {"scales": {"smoke": {"replicates": 2}}},
            "reverse": {"like": "cluster", "arms": {"cluster": {"group": "1"}}, "training": {"learning_rate": 0.5}},
            "again": {"like": "reverse", "membership": {"pairing": "nearest"}, "scales": {"smoke": {"block": 1}}},
        },
    }
    experiments = plan(file, "smoke").experiments
    cluster, reverse, again = (experiments[name].model_dump() for name in ("cluster", "reverse", "again"))
    assert cluster["replicates"] == 2
    training = cluster["training"] | {"learning_rate": 0.5}
    assert reverse == cluster | {
        "arms": {"cluster": cluster["arms"]["cluster"] | {"group": "1"}},
        "training": training,
    }
    assert again == reverse | {"membership": cluster["membership"] | {"pairing": "nearest"}, "block": 1}
    assert plan(file, "paper").experiments["again"].replicates == 4


def test_an_experiment_is_run_at_its_scales_or_at_those_of_the_one_it_is_like(plan):
    file = {
        "paper": "someone",
        "experiments": {
            "always": ADULT,
            "long": {"like": "always", "at_scales": ["night", "paper"]},
            "as_long": {"like": "long", "arms": {"cluster": {"group": "1"}}},
            "short": {"like": "long", "at_scales": ["smoke"]},
            "unset": {"like": "long", "at_scales": None},
        },
    }
    for scale, run in {
        "smoke": ["always", "short"],
        "laptop": ["always"],
        "night": ["always", "long", "as_long", "unset"],
        "paper": ["always", "long", "as_long", "unset"],
    }.items():
        at_scale = plan(file, scale)
        assert list(at_scale.experiments) == list(at_scale.at_paper_scale) == list(at_scale.sources) == run
        assert {*at_scale.of_other_scales} == {*file["experiments"]} - {*run}


def test_scales_at_which_an_experiment_is_not_run_are_checked_too(plan):
    file = {"paper": "someone", "experiments": {"long": ADULT | {"at_scales": ["paper"], "replicates": -1}}}
    with pytest.raises(ConfigError, match="replicates"):
        plan(file, "smoke")
    file["experiments"]["long"] = ADULT | {"at_scales": ["papers"]}
    with pytest.raises(ConfigError, match="at_scales"):
        plan(file, "smoke")


def test_null_takes_away_what_would_be_inherited_at_every_scale(plan):
    file = {
        "paper": "someone",
        "defaults": {**ADULT, "shadows": {"count": 3}, "training": {"batch_size": 9, "epochs": 7}, "blind": {}},
        "scales": {scale: {"shadows": {"attack_epochs": 1}, "blind": {"replicates": 1}} for scale in SCALES},
        "experiments": {
            "all": {"attacks": {"shadow": {}, "average_threshold": {}}},
            "fewer": {"like": "all", "attacks": {"shadow": None}, "blind": None, "training": {"epochs": None}},
            "none": {"like": "fewer", "shadows": None, "privacy": None},
        },
    }
    for scale in SCALES:
        cases = plan(file, scale).experiments
        assert list(cases["all"].attacks) == ["random", "shadow", "average_threshold"]
        assert list(cases["fewer"].attacks) == list(cases["none"].attacks) == ["random", "average_threshold"]
        assert (cases["all"].blind.replicates, cases["fewer"].blind, cases["none"].blind) == (1, None, None)
        assert (cases["all"].shadows.count, cases["fewer"].shadows.attack_epochs, cases["none"].shadows) == (3, 1, None)
        # What is taken away has the default of the schema.
        assert [cases[name].training.epochs for name in ("all", "fewer")] == [7, Training().epochs]
        assert cases["none"].privacy == Privacy()


def test_null_at_one_scale_takes_away_at_that_scale_only(plan):
    file = changed(FILE, "experiments.adult.blind", {"replicates": 2})
    file = changed(file, "experiments.adult.scales.smoke.blind", None)
    assert plan(file, "smoke").experiments["adult"].blind is None
    assert plan(file, "laptop").experiments["adult"].blind.replicates == 2


def test_what_was_taken_away_can_be_given_back_by_an_experiment_like_it(plan):
    file = {
        "paper": "someone",
        "experiments": {
            "all": ADULT | {"blind": {"replicates": 2}, "attacks": {"random": {}, "average_threshold": {}}},
            "fewer": {"like": "all", "blind": None, "attacks": {"random": None}},
            "back": {"like": "fewer", "blind": {"with_loss": [1]}, "attacks": {"random": {}}},
        },
    }
    experiments = plan(file).experiments
    assert list(experiments["fewer"].attacks) == ["average_threshold"]
    assert set(experiments["back"].attacks) == {"average_threshold", "random"}
    assert (experiments["back"].blind.replicates, experiments["back"].blind.with_loss) == ("all", [1.0])


def test_an_attack_may_run_several_times_under_its_kind(plan):
    attacks = {
        "population": {},
        "strict": {"kind": "population", "alpha": 0.01},
        "loose": {"kind": "population", "alpha": "1e-1"},
    }
    planned = plan(changed(FILE, "experiments.iid.attacks", attacks)).experiments["iid"].attacks
    assert [attack.kind for attack in planned.values()] == ["population"] * 3
    assert [attack.options for attack in planned.values()] == [{}, {"alpha": 0.01}, {"alpha": 0.1}]


def test_an_arm_may_have_a_model_of_its_own(plan):
    file = changed(FILE, "experiments.bernoulli.arms.p0.5", None)
    file["experiments"]["bernoulli"]["arms"] = {
        "small": {"rate": 0.5, "model": {"hidden": [3]}},
        "usual": {"rate": 0.5},
    }
    arms = plan(file).experiments["bernoulli"].arms
    assert arms["small"].model.hidden == [3]
    assert arms["usual"].model is None
    assert arms["small"].draw == arms["usual"].draw == {"rate": 0.5}


def test_null_may_be_typed_on_the_command_line():
    typed = {"engine": "null", "epsilons": "null", "data_mirror": "null", "audit": {"epsilons": "null"}}
    assert checked(Config, typed, "config") == Config()


def test_one_engine_trains_the_networks_of_all_experiments():
    config = OWN_CONFIG | {"experiments": ["experiments/humphries.yaml", "experiments/patients.yaml"]}
    own, opacus = (make_plan(config | {"engine": engine}, ROOT).experiments for engine in (None, "opacus"))
    assert {experiment.training.engine for experiment in own.values()} == {"stacked", "scikit_learn"}
    for name, experiment in own.items():
        engine = "scikit_learn" if name == "audit_forest" else "opacus"
        assert opacus[name] == experiment.model_copy(
            update={"training": experiment.training.model_copy(update={"engine": engine})}
        )
    refused = "thudi_mnist_clipped: clip_all cannot be combined with engine 'opacus'.* The key engine sets it for all"
    with pytest.raises(ConfigError, match=refused):
        make_plan(config | {"engine": "opacus", "experiments": ["experiments/thudi.yaml"]}, ROOT)


def test_what_yaml_reads_as_text_may_be_a_number(plan):
    # YAML 1.1 takes 1e-5 and 1e3 for texts.
    file = changed(changed(FILE, "experiments.heart.privacy.delta", "1e-5"), "experiments.heart.epsilons", [["1e3"]])
    experiment = plan(file).experiments["heart"]
    assert experiment.privacy.delta == 1e-5
    assert experiment.epsilons == [[1000.0]]


def test_settings_do_not_change_after_reading():
    with pytest.raises(ValueError, match="frozen"):
        Training().epochs = 3


# What is written about the settings


@pytest.mark.parametrize(
    ("file", "generated"),
    [("dpmia/settings/config.schema.json", generate.config_schema), ("docs/settings.md", generate.settings_page)],
)
def test_generated_files_are_those_of_the_schema(file, generated):
    same = (ROOT / file).read_text(encoding="utf-8") == generated()
    assert same, f"{file} is not what the settings say. Run: python -m dpmia.settings.generate"


def test_the_config_file_holds_every_key_with_its_default():
    assert Config().model_dump() == OWN_CONFIG


def test_every_key_of_the_config_file_is_explained_above_it():
    lines = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()
    for key in Config.model_fields:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{key}:"))
        assert lines[place - 1].startswith("# "), key


@pytest.mark.parametrize("model", [model for _, model in generate.SECTIONS])
def test_every_setting_is_described(model):
    page = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    for name, field in model.model_fields.items():
        assert len(field.description or "") > 8, name
        assert f"| `{name}` | " in page
        assert " ".join(field.description.split()).replace("|", r"\|") in page


def test_the_page_explains_every_class_of_settings():
    assert {model for _, model in generate.SECTIONS} == {
        *(Config, ExperimentFile, Experiment, OwnData, Membership, Arm, Model, Training, Privacy),
        *(Blind, Shadows, ReferenceModels, AttackSettings, Collusion, Planner, PrecisionBudgets, *KINDS.values()),
        *(ArmTraining, Audit, PerRecordSettings, LeaveOneOutSettings, Predictions, ExperimentEntry, StatedMechanism),
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
    {"experiments": 3},
    {"experiments": [3]},
]


def test_the_json_schema_accepts_what_the_settings_accept():
    schema = json.loads(generate.config_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    scales = [OWN_CONFIG | {"scale": scale} for scale in SCALES]
    for config in [{}, OWN_CONFIG, *scales, {"data_mirror": "raw"}, {"experiments": "a.yaml"}]:
        checked(Config, config, "config")
        jsonschema.validate(config, schema)


@pytest.mark.parametrize("change", REFUSED)
def test_the_json_schema_refuses_what_the_settings_refuse(change):
    schema = json.loads(generate.config_schema())
    with pytest.raises(ConfigError):
        checked(Config, OWN_CONFIG | change, "config")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(OWN_CONFIG | change, schema)


def test_models_without_privacy_need_no_accountant():
    changes = {"training__sampling": "shuffle", "privacy__relation": "add_remove"}
    assert sample(**changes, epsilons=[["inf"]]).training.sampling == "shuffle"
    with pytest.raises(ConfigError, match="no theorem covers them"):
        sample(**changes, epsilons=[[1, "inf"]])
