"""Functions of a user's own file become architectures, or errors that name the file and the line."""

import numpy as np
import pytest
import torch
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from dpmia.common.errors import UserError
from dpmia.formats.model_card import Architecture
from dpmia.models.building import OwnNetwork, build
from dpmia.models.classifiers import Classifier
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine

CODE = """
import torch
import pytorch_lightning as pl
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from torch import nn

class Net(nn.Module):
    def __init__(self, outputs, width=4):
        super().__init__()
        self.convolution = nn.Conv2d(3, width, 3, padding=1)
        self.head = nn.Linear(width, outputs)

    def forward(self, x):
        return self.head(torch.relu(self.convolution(x)).mean((2, 3)))

def flat(inputs, outputs):
    return nn.Linear(inputs, outputs)

def anything(**given):
    return nn.Linear(given["inputs"], given["outputs"])

class Module(pl.LightningModule):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.layer(x)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

class Forgetful(pl.LightningModule):
    def configure_optimizers(self):
        pass

def pipeline():
    return make_pipeline(RandomForestClassifier(3))

def bayes():
    return GaussianNB()

def machine():
    return LinearSVC()

def number():
    return 3

def broken(outputs):
    return nothing  # line 53

def needs(width):
    return nn.Linear(1, width)

class Wrong(Net):
    def forward(self, x):
        return self.head(x)  # line 60

class One(Net):
    def forward(self, x):
        return super().forward(x)[:, 0]

class Normed(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.one = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(12), nn.Linear(12, outputs))

    def forward(self, x):
        return self.one(x)

class Closed:
    def __getattr__(self, name):
        raise RuntimeError(name)  # line 76

class Odd:
    def __get__(self, network, kind):
        raise RuntimeError("odd")  # line 80

class Strange(nn.Module):
    forward = Odd()

WIDTH, made = 4, nn.ReLU()
plain = dict

def scripted(inputs, outputs):
    return torch.jit.script(nn.Linear(inputs, outputs))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def built(name, inputs=12, image=None, **shape):
    return build(Architecture(f"own.py:{name}", shape), inputs, 5, image)


def drawn(architecture, seed):
    return architecture.initial_parameters(torch.Generator().manual_seed(seed))


def test_a_network_takes_records_in_their_shape_and_starts_from_its_seed():
    architecture = built("Net", image=(3, 2, 2), width=6)
    assert isinstance(architecture, OwnNetwork)
    assert not architecture.lightning
    assert architecture.module()(torch.zeros(7, 12)).shape == (7, 5)
    first, same, other = (
        torch.cat([parameter.flatten() for parameter in drawn(architecture, seed)]) for seed in (1, 1, 2)
    )
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert len(first) == 6 * 27 + 6 + 6 * 5 + 5


def test_records_of_any_shape_reach_the_network(folder):
    (folder / "own.py").write_text(
        "from torch import nn\ndef steps(outputs, image):\n"
        "    assert image == (4, 3)\n    return nn.Sequential(nn.Flatten(), nn.Linear(12, outputs))\n"
    )
    assert built("steps", image=(4, 3)).module()(torch.zeros(2, 12)).shape == (2, 5)


@pytest.mark.parametrize("name", ["flat", "anything", "Module"])
def test_a_function_is_given_what_it_asks_for(name):
    architecture = built(name)
    assert architecture.module()(torch.zeros(2, 12)).shape == (2, 5)
    assert architecture.lightning == (name == "Module")


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is:DeprecationWarning")
def test_torchscript_is_a_network_but_not_one_for_privacy():
    architecture = built("scripted")
    assert architecture.module()(torch.zeros(2, 12)).shape == (2, 5)
    with pytest.raises(UserError, match="model scripted: Opacus does not see the layers of TorchScript"):
        OpacusEngine.check(architecture, None, "model scripted")


def test_trying_a_network_leaves_torchs_own_stream_alone():
    before = torch.get_rng_state()
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    built("flat").initial_parameters(torch.Generator())
    assert torch.equal(torch.rand(2), expected)
    torch.set_rng_state(before)


def test_classifiers_of_scikit_learn_are_copied_with_a_seed_for_each_part():
    architecture = built("pipeline")
    assert isinstance(architecture, Classifier)
    first, second = architecture.make(7), architecture.make(8)
    assert isinstance(first, Pipeline)
    assert [pipeline.get_params()["randomforestclassifier__random_state"] for pipeline in (first, second)] == [7, 8]
    x, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 5
    assert first.fit(x, y).predict_proba(x).shape == (20, 5)
    assert isinstance(built("bayes").make(1), GaussianNB)


def test_architectures_of_this_library_are_built_as_before():
    assert isinstance(build(Architecture("dpmia.models.mlp:perceptron", {"hidden": [3]}), 4, 2, None), MLP)


WRONG = {
    "an error": ("broken", {}, ["own.py, line 53, model own.py:broken", "NameError: name 'nothing'"]),
    "an argument": ("needs", {}, ["own.py, model own.py:needs", "missing 1 required positional argument: 'width'"]),
    "another": ("flat", {"depth": 2}, ["own.py", "unexpected keyword argument 'depth'"]),
    "shapes": ("Wrong", {"image": (3, 2, 2)}, ["own.py, line 60, records of shape (2, 3, 2, 2)", "RuntimeError"]),
    "channels last": ("Net", {"image": (2, 2, 3)}, ["RuntimeError", "records are (channels, height, width), so x has"]),
    "no channels": ("Net", {"image": (4, 3)}, ["RuntimeError", "records are (channels, height, width), so x has"]),
    "an object": ("made", {}, ["model own.py:made: it is an object of type ReLU", "Name a class, or a function"]),
    "a number": ("WIDTH", {}, ["model own.py:WIDTH: it is an object of type int", "Name a class, or a function"]),
    "a table": ("Net", {}, ["own.py, line 17, records of shape (2, 12)", "RuntimeError"]),
    "one logit": ("One", {"image": (3, 2, 2)}, ["forward returns shape (2,) for 2 records, not (2, 5)", "logits"]),
    "a class of Python": ("plain", {}, ["returns dict, which no engine trains", "torch.nn.Module"]),
    "closed": ("Closed", {}, ["own.py, line 76, model own.py:Closed", "RuntimeError: fit"]),
    "a forward of its own": ("Strange", {}, ["own.py, line 80, its method forward", "RuntimeError: odd"]),
    "no forward": ("Forgetful", {}, ["model own.py:Forgetful", "no method forward"]),
    "no network": ("number", {}, ["returns int, which no engine trains", "torch.nn.Module"]),
    "no outputs": ("machine", {}, ["LinearSVC has no predict_proba", "CalibratedClassifierCV"]),
    "no object": ("Nett", {}, ["no object 'Nett'", "Did you mean 'Net'?"]),
}


@pytest.mark.parametrize(("name", "given", "fragments"), WRONG.values(), ids=WRONG)
def test_errors_of_the_users_code_are_shown_as_theirs(name, given, fragments):
    with pytest.raises(UserError) as failed:
        built(name, **given)
    for fragment in fragments:
        assert fragment in str(failed.value)


def test_order_of_images_is_not_mentioned_where_it_is_right():
    with pytest.raises(UserError, match="RuntimeError") as failed:
        built("Wrong", image=(3, 2, 2))
    assert "(channels, height, width)" not in str(failed.value)


@pytest.mark.parametrize("image", [None, (3, 2, 2)])
def test_layers_have_the_names_that_their_author_gave_them(image):
    with pytest.raises(UserError, match=r"model Normed, layer 'one\.1' \(BatchNorm1d\)"):
        OpacusEngine.check(built("Normed", image=image), None, "model Normed")


def test_image_networks_of_this_library_need_images():
    for image in (None, (8, 8)):
        with pytest.raises(UserError, match="takes images, and the data set has none"):
            build(Architecture("dpmia.models.networks:vgg", {}), 64, 2, image)


def test_image_networks_of_this_library_need_images_that_are_large_enough():
    with pytest.raises(UserError, match=r"the layers leave nothing of an image of \(1, 5, 5\).*Choose another model"):
        build(Architecture("dpmia.models.networks:tramer_boneh", {}), 25, 2, (1, 5, 5))


@pytest.mark.parametrize("name", ["Net", "flat", "anything"])
def test_an_argument_that_follows_from_the_data_set_is_refused(name):
    with pytest.raises(
        UserError, match=rf"^model own\.py:{name}: outputs follows from the data set, and stands in arg"
    ):
        built(name, outputs=7)
