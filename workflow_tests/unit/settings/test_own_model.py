"""Settings of a user's own model: which engines train it, and what each takes from the settings."""

import pytest
from settings_samples import IID, changed, experiment

from dpmia.common.errors import ConfigError
from dpmia.planning import descriptions, jobs
from dpmia.workflow.training_work import ExperimentWork
from dpmia.workflow.trial import _can_be_tried

OWN = IID | {
    "model": {"kind": "own.py:Module"},
    "training": {"engine": "lightning", "batch_size": 8, "epochs": 2},
    "epsilons": [["inf"]],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text("def Module():\n    pass\n")
    monkeypatch.chdir(tmp_path)


def test_a_lightning_module_takes_epochs_and_batches_from_the_settings_and_no_optimiser():
    mine = experiment(OWN)
    (recipe,) = jobs.recipes(mine).values()
    assert (recipe.epochs, recipe.batch_size, recipe.optimiser) == (2, 8, "its own")
    assert descriptions.describe_audited(mine).optimiser == "its own optimiser"
    assert descriptions.describe_audited(mine).model == "own model Module"
    assert descriptions.describe_audited(mine).architecture == "own model Module (own.py)"
    assert jobs.batch_job(mine).batch_sizes == {"any": 8}
    assert jobs.engines(mine).nonprivate.endswith(":LightningEngine")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("training.learning_rate", 0.1, "engine 'lightning' does not take learning_rate"),
        ("training.clip_all", True, "engine 'lightning' does not take clip_all"),
        ("training.grad_sample_mode", "ghost", "engine 'lightning' does not take grad_sample_mode"),
        (
            "model",
            {"kind": "mlp", "hidden": [3]},
            "engine 'lightning' does not train models of kind 'mlp'. It trains a LightningModule of yours",
        ),
        ("attacks", {"distillation": {}}, "'distillation' cannot be combined with engine 'lightning'"),
        (
            "arms",
            {"any": {"training": {"l2": 0.1}}},
            "training of arm 'any' cannot be combined with engine 'lightning'",
        ),
        ("model", {"kind": "other.py:Module"}, "'other.py' is not a file"),
    ],
)
def test_what_a_lightning_module_decides_itself_is_refused(path, value, message):
    settings = changed(OWN | {"references": {"count": 2, "block": 2}}, path, value)
    with pytest.raises(ConfigError) as refused:
        experiment(settings)
    assert message in str(refused.value)


def test_a_private_lightning_module_has_the_noise_of_its_settings():
    mine = experiment(changed(changed(OWN, "epsilons", [[1, "inf"]]), "training.clip_norm", 2.0))
    assert jobs.engines(mine).private.endswith(":PrivateLightningEngine")
    assert jobs.engines(mine).nonprivate.endswith(":LightningEngine")
    (recipe,) = jobs.recipes(mine).values()
    assert (recipe.of(True).sampling, recipe.of(False).sampling, recipe.clip_norm) == ("poisson", "shuffle", 2.0)
    with pytest.raises(ConfigError, match=r"precision 'bf16-mixed' cannot be combined with a finite epsilon"):
        experiment(changed(changed(OWN, "epsilons", [[1]]), "training.precision", "bf16-mixed"))


def test_code_of_the_user_and_networks_of_images_of_unknown_size_are_not_run_to_forecast_a_run():
    networks = {"kind": "vgg"}, {"kind": "mlp", "hidden": [3]}
    given = IID | {"dataset": {"path": "own.npz"}, "training": {"engine": "opacus", "batch_size": 8}}
    for model, tried in ((networks[0], False), (networks[1], True), ({"kind": "own.py:Module"}, False)):
        work = ExperimentWork.of(experiment(given | {"model": model}))
        kinds = work.trained("train_block", {"epsilons": "0.1_1", "block": "0"})
        assert {_can_be_tried(kind) for kind in kinds} == {tried}
