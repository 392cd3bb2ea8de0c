"""Names stand for modules and objects, and wrong names are told with the nearest right one."""

import math
import os.path

import pytest

from dpmia.common.registry import load, suggestion
from dpmia.settings import names


def test_a_name_stands_for_an_object_or_a_module():
    assert load("math:sqrt") is math.sqrt
    assert load("os.path") is os.path


@pytest.mark.parametrize(
    "spec",
    sorted(
        {
            spec
            for registry in (
                names.DATASETS,
                names.SYNTHETIC,
                names.MEMBERSHIP,
                names.MODELS,
                names.ENGINES,
                names.STUDIES,
            )
            for spec in [*registry.values(), *(kind.spec for kind in names.ATTACKS.values())]
        }
    ),
)
def test_everything_in_the_settings_can_be_loaded(spec):
    module, _, attribute = spec.partition(":")
    found = load(spec)
    assert (found.__module__, found.__name__) == (module, attribute) if attribute else found.__name__ == module


def test_unknown_modules_and_objects_are_errors():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load("no_such_module:x")
    with pytest.raises(AttributeError, match="no_such_object"):
        load("math:no_such_object")


def test_the_nearest_name_is_suggested_and_none_where_none_is_near():
    assert suggestion("learing_rate", ["epochs", "learning_rate"]) == "Did you mean 'learning_rate'?"
    assert suggestion("zzz", ["epochs", "learning_rate"]) == ""
    assert suggestion("x", []) == ""
    assert suggestion(3, ["epochs"]) == ""
    assert suggestion("epoch", [1, None, "epochs"]) == "Did you mean 'epochs'?"
