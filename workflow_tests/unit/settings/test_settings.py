"""Settings: what is accepted, and what is written about them."""

import json

import jsonschema
import pytest
from settings_samples import FILE, OWN_CONFIG, ROOT, changed
from settings_samples import experiment as sample

from dpmia.common.errors import ConfigError
from dpmia.settings import generate
from dpmia.settings.attackers import (
    AttackSettings,
    Collusion,
    LeaveOneOutSettings,
    PerRecordSettings,
    ReferenceModels,
    Shadows,
)
from dpmia.settings.base import SCALES
from dpmia.settings.config import Audit, Config, Planner
from dpmia.settings.experiment import Arm, Blind, Experiment, ExperimentEntry, ExperimentFile
from dpmia.settings.membership import Membership
from dpmia.settings.messages import checked
from dpmia.settings.own_data import OwnData
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.predictions import Predictions
from dpmia.settings.studies import KINDS
from dpmia.settings.training import ArmTraining, Model, Privacy, StatedMechanism, Training

# What is accepted


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


def test_a_plan_whose_delta_is_not_below_its_acceptance_is_refused():
    checked(Config, OWN_CONFIG | {"plan": {"delta": 0.02, "acceptance": 0.03}}, "config")
    with pytest.raises(ConfigError, match=r"^config, plan\.delta: 0\.02 is not .* less than acceptance \(0\.01\)"):
        checked(Config, OWN_CONFIG | {"plan": {"delta": 0.02}}, "config")


def test_models_without_privacy_need_no_accountant():
    changes = {"training__sampling": "shuffle", "privacy__relation": "add_remove"}
    assert sample(**changes, epsilons=[["inf"]]).training.sampling == "shuffle"
    with pytest.raises(ConfigError, match="no theorem covers them"):
        sample(**changes, epsilons=[[1, "inf"]])
