"""LightningModules of the user's own with privacy: their loss and optimiser, with clipping and noise by Opacus."""

import numpy as np
import pytest
import torch
from lightning_code import MODULES, X, Y
from tiny_training import PowerCutError

from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.models.building import build
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.private_lightning import PrivateLightningEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

RECIPE = Recipe("its own", 0.01, 12, 4, clip_norm=0.5)
PLAIN = Recipe("sgd", 0.3, 12, 4, clip_norm=0.5, grad_sample_mode="hooks")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(MODULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def architecture_of(name):
    return build(Architecture(f"own.py:{name}", {}), 4, 2, (2, 2))


def engine_of(name="Same", recipe=RECIPE, kind=PrivateLightningEngine, noise=0.8, seed=1):
    return kind(architecture_of(name), recipe, [Run("one", np.arange(90), Seeds(seed, 2, 3), noise)], X, Y)


def trained(name="Same", **how):
    engine = engine_of(name, **how)
    fit(engine)
    return engine.parameters()[0]


def changed(recipe, **fields):
    return Recipe(**{**recipe.plain(), **fields})


@pytest.mark.parametrize(
    "fields",
    [{}, {"batch_size": 1, "epochs": 1}, {"batch_size": 60}, {"sampling": "shuffle"}],
    ids=["usual", "empty batches", "several chunks", "shuffled"],
)
def test_the_loss_and_optimiser_of_this_library_train_the_same_weights(fields, monkeypatch):
    if fields.get("batch_size") == 60:
        monkeypatch.setattr("dpmia.training.engines.opacus.LARGEST_CHUNK", 32)
    own = trained(recipe=changed(RECIPE, **fields))
    network = trained("network", recipe=changed(PLAIN, **fields), kind=OpacusEngine)
    start = engine_of().parameters()[0]
    torch.testing.assert_close(own, network, rtol=0, atol=1e-5)
    assert (own - start).abs().max() > 0.02


def test_without_noise_and_clipping_it_is_plain_training():
    open_recipe = {"sampling": "poisson", "clip_norm": 1e6}
    own = trained(recipe=changed(RECIPE, **open_recipe), noise=0.0)
    network = trained("network", recipe=changed(PLAIN, **open_recipe), kind=PlainEngine, noise=None)
    torch.testing.assert_close(own, network, rtol=0, atol=1e-5)


def test_a_step_of_a_linear_model_is_the_mean_of_clipped_gradients():
    engine = engine_of("Linear", noise=0.0)
    weights = engine.parameters()[0].reshape(2, 4).double()
    batch = np.array([3, 50, 71])
    engine.step([batch])
    x, y = X[batch].double(), Y[batch]
    errors = torch.softmax(x @ weights.T, 1) - torch.nn.functional.one_hot(y, 2)
    gradients = errors[:, :, None] * x[:, None, :]
    clipped = [g * min(1.0, 0.5 / g.norm().item()) for g in gradients]
    expected = weights - 0.3 * sum(clipped) / RECIPE.batch_size
    torch.testing.assert_close(engine.parameters()[0].double(), expected.flatten(), rtol=0, atol=1e-6)
    assert engine.tally.clipped == sum(g.norm() > 0.5 for g in gradients)


def test_one_record_moves_a_step_by_no_more_than_its_clipped_gradient():
    weights = []
    for batch in ([3, 50, 71], [3, 50, 71, 20], [], [20]):
        engine = engine_of(noise=0.0)
        engine.step([np.array(batch, dtype=np.int64)])
        weights.append(engine.parameters()[0])
    alone = weights[3] - weights[2]
    torch.testing.assert_close(weights[1] - weights[0], alone, rtol=0, atol=1e-6)
    assert 0 < alone.norm() <= 0.3 * 0.5 / 12 + 1e-6


def test_views_dropout_schedule_and_a_dictionary_are_its_own():
    engine = engine_of("Own")
    fit(engine)
    steps = engine.steps // 4
    assert engine.done == 4 * steps
    met = engine.module[1].rates
    assert {(epoch, round(rate, 8)) for epoch, _, rate in met} == {(0, 0.01), (1, 0.001), (2, 0.0001), (3, 0.0001)}
    assert sorted({step for _, step, _ in met}) == list(range(4 * steps))


def test_it_is_trained_from_the_seeds_of_the_run_alone():
    torch.manual_seed(1)
    first = trained("Own")
    torch.manual_seed(2)
    assert torch.equal(first, trained("Own"))
    assert not torch.equal(first, trained("Own", seed=9))


def test_what_its_optimiser_does_not_update_stays():
    engine = engine_of("Head")
    start = engine.parameters()[0]
    fit(engine)
    moved = (engine.parameters()[0] != start).numpy()
    assert not moved[: 4 * 8 + 8].any()
    assert moved[4 * 8 + 8 :].all()


def test_a_layer_without_a_gradient_gets_noise_alone():
    engine = engine_of("Unused")
    start = engine.parameters()[0]
    engine.advance(1)
    assert (engine.parameters()[0] != start).all()


class EachStep(Checkpoints):
    @property
    def often(self):
        return {"every_n_train_steps": 1}


def kept_until(step, name, folder):
    """Begin to train a module whose training is cut off after some steps, and keep what it has by then."""
    engine, backward = engine_of(name), PrivateLightningEngine.backward

    def interrupted(batches):
        if engine.done == step:
            raise PowerCutError
        backward(engine, batches)

    engine.backward = interrupted
    with pytest.raises(PowerCutError):
        fit(engine, EachStep(folder / "kept.npz", "code"))


def test_an_interrupted_training_goes_on_with_its_schedule(folder):
    kept_until(16, "Own", folder)
    resumed = engine_of("Own")
    fit(resumed, EachStep(folder / "kept.npz", "code"))
    assert min(step for _, step, _ in resumed.module[1].rates) == 14, "two of the calls of seven steps were kept"
    assert torch.equal(resumed.parameters()[0], trained("Own"))


@pytest.mark.parametrize("name", ["Factored", "Cosine"])
def test_an_interrupted_training_goes_on_with_any_state_of_its_optimiser_and_schedule(folder, name):
    kept_until(16, name, folder)
    resumed = engine_of(name)
    fit(resumed, EachStep(folder / "kept.npz", "code"))
    assert torch.equal(resumed.parameters()[0], trained(name))


def test_loss_and_clipped_share_are_measured_and_accuracy_is_not():
    fitted = fit(engine_of())
    epochs, _, loss, accuracy, clipped, _ = fitted.curve.T
    assert epochs.tolist() == [1, 2, 3, 4]
    assert ((loss > 0.2) & (loss < 1.5)).all()
    assert np.isnan(accuracy).all()
    assert ((clipped >= 0) & (clipped <= 1)).all()
