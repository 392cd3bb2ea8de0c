"""Names stand for modules and objects, and wrong names are told with the nearest right one."""

import math
import os.path
import sys

import pytest

from dpmia.common.errors import UserError
from dpmia.common.registry import check_part_of_file, load, suggestion
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
                names.STUDIES,
            )
            for spec in registry.values()
        }
        | {kind.spec for kind in names.ATTACKS.values()}
        | {spec for kind in names.ENGINES.values() for spec in (kind.plain, kind.private)}
    ),
)
def test_everything_in_the_settings_can_be_loaded(spec):
    module, _, attribute = spec.partition(":")
    loaded = load(spec)
    assert (loaded.__module__, loaded.__name__) == (module, attribute) if attribute else loaded.__name__ == module


def test_unknown_modules_and_objects_are_errors():
    remedy = "Repair or uninstall the package that names it"
    with pytest.raises(UserError, match=f"^no_such_module:x, import: ModuleNotFoundError: .*{remedy}"):
        load("no_such_module:x")
    with pytest.raises(UserError, match=f"^math:no_such_object, import: AttributeError: .*{remedy}"):
        load("math:no_such_object")
    with pytest.raises(ModuleNotFoundError, match=r"dpmia\.no_such_module"):
        load("dpmia.no_such_module")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import math\n1 / 0\n", r"broken\.py, line 2, import: ZeroDivisionError: division by zero"),
        ("# coding: nowhere\n", r"broken\.py, import: SyntaxError: unknown encoding: nowhere"),
        ("x = 1\n", r"broken\.py, import: AttributeError: .* has no attribute 'Attack'"),
    ],
)
def test_a_module_of_another_package_that_cannot_be_imported_is_named(tmp_path, monkeypatch, text, message):
    (tmp_path / "other_package").mkdir()
    (tmp_path / "other_package/__init__.py").touch()
    (tmp_path / "other_package/broken.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("other_package", "other_package.broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(UserError, match=message):
        load("other_package.broken:Attack")


@pytest.mark.parametrize("text", ["x = " + "-" * 50_000 + "1", "x = " + "(" * 190 + "1" + ")" * 190])
def test_a_file_that_is_nested_too_deeply_for_python_is_named(tmp_path, text):
    (tmp_path / "my.py").write_text(f"class Attack: pass\n{text}\n", encoding="utf-8")
    try:
        compile(text, "my.py", "exec")
    except (MemoryError, RecursionError, SyntaxError):
        with pytest.raises(ValueError, match=r"my\.py"):
            check_part_of_file(str(tmp_path / "my.py"), "Attack")


def test_the_nearest_name_is_suggested_and_none_where_none_is_near():
    assert suggestion("learing_rate", ["epochs", "learning_rate"]) == "Did you mean 'learning_rate'?"
    assert suggestion("zzz", ["epochs", "learning_rate"]) == ""
    assert suggestion("x", []) == ""
    assert suggestion(3, ["epochs"]) == ""
    assert suggestion("epoch", [1, None, "epochs"]) == "Did you mean 'epochs'?"
