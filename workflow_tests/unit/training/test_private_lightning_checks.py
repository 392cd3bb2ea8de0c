"""Which LightningModules are refused with privacy, and which are not."""

import pytest
from lightning_code import MODULES, X, Y

from dpmia.common.errors import TrainingError
from dpmia.common.plugins import errors_of_file
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.models.building import build
from dpmia.training.engines.private_lightning import PrivateLightningEngine

RECIPE = Recipe("its own", 0.01, 12, 4, clip_norm=0.5)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(MODULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(name):
    architecture = build(Architecture(f"own.py:{name}", {}), 4, 2, (2, 2))
    PrivateLightningEngine.check(architecture, RECIPE, "model one")
    PrivateLightningEngine.try_out(architecture, RECIPE, "model one", X, Y)


@pytest.mark.parametrize("name", ["Same", "Linear", "Own", "Head", "Unused"])
def test_what_can_be_trained_privately_passes_all_checks(name):
    checked(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Manual", "automatic_optimization = False.*Return the loss from training_step"),
        ("Hooks", "it defines configure_gradient_clipping, on_train_epoch_end, which private"),
        ("Several", "2 optimisers cannot share one privacy guarantee here. Return one"),
        ("Nothing", "configure_optimizers: it returns None"),
        ("Plateau", "ReduceLROnPlateau follows a loss that has no noise"),
        ("Bare", "must include a monitor"),
        ("Other", "StepLR is no scheduler of torch for the optimiser that is returned"),
        ("Quasi", "LBFGS computes gradients several times"),
        ("Foreign", "parameters that are not of the module"),
        ("Frozen", "no parameter is trained"),
        ("Strategy", "'lightning_module' is not available in private training.*max_epochs"),
        ("Normed", "BatchNorm1d.*depends on the other records.*or epsilon inf"),
        ("Weighted", "changes with another record.*no class weights"),
        ("Contrastive", "changes with another record"),
        ("MixUp", "changes with another record"),
        ("Shuffled", "changes with another record"),
        ("Remembers", "changes with another record of the batch, or of a batch before"),
        ("Average", "it changes mean itself"),
        ("Unsaved", "it changes mean itself"),
        ("Summed", "changes with the number of records.*not the sum"),
        ("Views", "layers.1.weight: Opacus finds no gradient for each of 4 records"),
        ("Penalty", "layers.1.weight: its gradient is not the sum over the records"),
        ("Functional", "Opacus finds no gradient for each of 4 records"),
        ("Measured", "(finds no gradient for each|is not the sum over the records)"),
        ("NumpyNoise", "two calls with the same records.*Draw random numbers from torch"),
        ("NoLoss", "training_step: it returns NoneType, which is no loss"),
        ("PerRecord", r"it returns a tensor of shape \(4,\), which is no loss"),
    ],
)
def test_what_cannot_be_trained_privately_is_refused_before_training(name, message):
    with pytest.raises(TrainingError, match=message) as refused:
        checked(name)
    assert str(refused.value).endswith(".")


def test_an_error_in_training_step_names_its_file_and_line():
    line = next(number for number, text in enumerate(MODULES.splitlines(), 1) if "this line" in text)
    with (
        pytest.raises(Exception, match=f"own.py, line {line}, model one: NameError"),
        errors_of_file("own.py:Failing", "model one", every=True),
    ):
        checked("Failing")


def test_an_architecture_of_another_kind_is_refused():
    with pytest.raises(TrainingError, match=r"OwnNetwork cannot be combined with engine 'lightning'"):
        checked("network")
