"""Studies: their settings, what a file says of them at each scale, and what their functions are told."""

import inspect
import json

import pytest
from settings_samples import HEART, HUMPHRIES, OWN_CONFIG, ROOT, changed

from dpmia.common.errors import ConfigError
from dpmia.common.registry import load
from dpmia.planning import jobs
from dpmia.planning.plan import make_plan
from dpmia.settings import names, studies
from dpmia.settings.base import SCALES

GENERATOR = {
    "kind": "linear_generator",
    "records": 100,
    "dimension": 2,
    "steps": 3,
    "splits": 16,
    "runs": 2,
    "moments": [2],
    "etas": [0.1, 0.2],
}
REGRESSION = {"kind": "regression", "dataset": "eyedata", "model": "ridge", "parameters": [1], "splits": 2}
FILE = {"paper": "someone", "studies": {"generator": GENERATOR, "ridge": REGRESSION}}


def test_every_kind_has_settings_and_a_function():
    assert studies.KINDS.keys() == names.STUDIES.keys()


@pytest.mark.parametrize("kind", studies.KINDS)
def test_the_function_of_a_kind_takes_all_its_options_and_a_data_set(kind):
    settings = studies.KINDS[kind]
    parameters = inspect.signature(load(names.STUDIES[kind])).parameters
    assert {"seed", "dataset"} <= set(parameters)
    own = set(settings.model_fields) - {"kind", "dataset", "attributes"}
    assert own <= set(parameters)
    required = {name for name, parameter in parameters.items() if parameter.default is parameter.empty}
    assert required - {"seed", "dataset"} <= own


@pytest.mark.parametrize("scale", SCALES)
def test_own_studies_are_plain_data_for_their_functions(scale):
    for study in make_plan(OWN_CONFIG | {"scale": scale}, ROOT).studies.values():
        options = studies.options(study)
        assert json.loads(json.dumps(options, allow_nan=False)) == options
        inspect.signature(load(names.STUDIES[study.kind])).bind(seed=1, dataset=None, **options)


def test_studies_and_experiments_stand_in_one_file_and_share_no_keys(plan):
    file = FILE | {
        "defaults": {**HEART},
        "scales": {"smoke": {"replicates": 2}},
        "experiments": {"heart": {}},
    }
    planned = plan(file, "smoke")
    assert list(planned.experiments) == ["heart"]
    assert list(planned.studies) == ["generator", "ridge"]
    assert studies.options(planned.studies["generator"]) == {
        **{key: value for key, value in GENERATOR.items() if key != "kind"},
        **{"learning_rate": 0.1, "delta": 1e-5},
    }


def test_a_study_has_scales_of_its_own_and_may_be_like_another(plan):
    file = changed(FILE, "studies.ridge.scales", {"smoke": {"splits": 1}})
    file["studies"]["tree"] = {"like": "ridge", "model": "tree", "parameters": [3]}
    smoke, paper = (plan(file, scale).studies for scale in ("smoke", "paper"))
    assert [smoke[name].splits for name in ("ridge", "tree")] == [1, 1]
    assert [paper[name].splits for name in ("ridge", "tree")] == [2, 2]
    assert (smoke["tree"].model, smoke["tree"].dataset, smoke["tree"].parameters) == ("tree", "eyedata", [3])


def test_only_some_studies_need_a_data_set(plan):
    planned = plan(FILE).studies
    assert planned["generator"].dataset is None
    assert jobs.dataset_id(planned["ridge"]) == "eyedata"
    assert jobs.prepare_job(planned["ridge"]).module == names.DATASETS["eyedata"]
    assert set(studies.options(planned["ridge"])) & {"kind", "dataset", "attributes", "pool"} == set()


@pytest.mark.parametrize(
    ("path", "value", "phrases"),
    [
        (
            "generator.kind",
            "linear_genrator",
            ["generator.kind: 'linear_genrator' ", "Did you mean 'linear_generator'?"],
        ),
        ("generator.kind", ["regression"], ["generator.kind: ['regression'] ", "'linear_generator'"]),
        ("generator.kind", None, ["generator.kind: ", "missing"]),
        ("generator.recrods", 3, ["generator.recrods: ", "unknown key", "Did you mean 'records'?"]),
        ("generator.dataset", "adult", ["generator.dataset: ", "unknown key"]),
        ("generator.etas", [0.5], ["generator.etas.0: 0.5 ", "less than 0.5"]),
        ("generator.etas", [], ["generator.etas: [] ", "at least 1"]),
        ("generator.moments", [0.5], ["generator.moments.0: 0.5 ", "at least 2"]),
        ("generator.splits", 15, ["generator.splits: 15 ", "at least 16"]),
        ("generator.dimension", True, ["generator.dimension: true "]),
        ("ridge.dataset", "eyedat", ["ridge.dataset: 'eyedat' ", "Did you mean 'eyedata'?"]),
        ("ridge.model", "forest", ["ridge.model: 'forest' "]),
        ("ridge.parameters", [0], ["ridge.parameters.0: 0 ", "positive number"]),
        ("ridge.test_fraction", 1, ["ridge.test_fraction: 1 ", "less than 1"]),
        ("ridge.cross_validation", 1, ["ridge.cross_validation: 1 ", "'leave_one_out'"]),
        ("ridge.cross_validation", "loo", ["ridge.cross_validation: 'loo' ", "'leave_one_out'"]),
        ("ridge.replicates", 3, ["ridge.replicates: ", "unknown key"]),
        ("ridge.like", "generatr", ["ridge.like: 'generatr' ", "Did you mean 'generator'?"]),
    ],
)
def test_a_wrong_value_is_reported_with_its_place_and_what_is_wrong(plan, path, value, phrases):
    with pytest.raises(ConfigError) as error:
        plan(changed(FILE, f"studies.{path}", value))
    message = str(error.value)
    assert "\n" not in message, "one mistake, one line"
    for phrase in ["a.yaml", *phrases]:
        assert phrase in message


@pytest.mark.parametrize("key", ["kind", "records", "etas"])
def test_a_missing_key_is_named(plan, key):
    file = changed(FILE, "studies.generator", {name: value for name, value in GENERATOR.items() if name != key})
    with pytest.raises(ConfigError, match=f"generator.{key}: "):
        plan(file)


def test_a_name_serves_one_experiment_or_one_study(plan):
    with pytest.raises(ConfigError, match=r"studies\.ridge: .*'ridge' is already used"):
        plan(FILE | {"experiments": {"ridge": HEART}})


def test_a_mistake_is_found_whichever_scale_is_run(plan):
    with pytest.raises(ConfigError, match=r"a\.yaml \(scale paper\), ridge\.splits: 0 "):
        plan(changed(FILE, "studies.ridge.scales", {"paper": {"splits": 0}}), "smoke")


def test_a_paper_without_studies_has_none():
    assert make_plan(OWN_CONFIG | HUMPHRIES, ROOT).studies == {}
