"""Settings with anything anywhere: refused by one message, or a plan; never a traceback, never minutes."""

from __future__ import annotations

import copy
import datetime
from itertools import pairwise

import mutations
import pytest
import yaml
from settings_samples import BASES

from dpmia.common.errors import UserError
from dpmia.planning.plan import make_plan

FEW, MANY = 60, 1_000

VALUES = (
    *(None, True, False, 0, -1, 1, 10**30, 1.5, -0.0, float("nan"), float("inf"), "", " ", "x", "../x", "a\0b", "inf"),
    *([], [[]], [None], {}, {"x": None}, {1: 2}, {None: 1}, [1, "a"], b"bytes", datetime.date(2020, 1, 1), {"a", "b"}),
    *("1_inf", "1e400", "each group", "all", "=1+1", "\x1b[31m", "x" * 10_000, 2**63, 1e-320, "é", [[[[]]]]),
)
#: Aliases of aliases: three hundred million texts.
LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{below}'] * 8)}]\n" for below, name in pairwise("abcdefghij")
)
TEXTS = (
    "a: !!int x\n",
    "a: !!float 1.2.3\n",
    "a: !!timestamp 2020-99-99\n",
    "a: 2020-02-31\n",
    "a: !!null {}\n",
    "? {a: b}\n: c\n",
    "? !!python/object/apply:os.system ['true']\n: 1\n",
    "a: !!python/object/apply:os.system ['true']\n",
    "a: !!binary '@@@'\n",
    "a: !!set [1]\n",
    "a: !!omap 3\n",
    "a: &a [*a]\n",
    "a: &a {<<: *a}\n",
    "<<: 3\n",
    "a: *unknown\n",
    "a: " + "[" * 3_000 + "\n",
    "a: '\x07'\n",
    "--- 1\n--- 2\n",
    "%YAML 9.9\n--- a\n",
    LAUGHS,
    "".join(f"k{number}: 1\n" for number in range(60_000)),
    "a: b\n" * 3,
)


def whole():
    return {"paper": "audit", "experiments": copy.deepcopy(BASES)}


def planned(folder, text, **config):
    """Return what becomes of a file of settings: the message, or nothing where there is a plan."""
    (folder / "a.yaml").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    before = sorted(folder.iterdir())
    try:
        make_plan({"experiments": ["a.yaml"], **config}, folder)
    except UserError as error:
        assert sorted(folder.iterdir()) == before
        return str(error)
    return ""


def changed(rng):
    """Return settings with one or two keys or values replaced, added or removed."""
    settings = whole()
    for _ in range(int(rng.integers(1, 3))):
        places = []

        def walk(node, places=places):
            for key in list(node) if isinstance(node, dict) else range(len(node)):
                places.append((node, key))
                if isinstance(node[key], dict | list):
                    walk(node[key])

        walk(settings)
        node, key = mutations.any_of(rng, places)
        value = copy.deepcopy(mutations.any_of(rng, VALUES))
        match int(rng.integers(6)):
            case 0:
                del node[key]
            case 1 if isinstance(node, dict):
                new = mutations.any_of(rng, ("x", "", 1, None, True, "a b", "../x", "é", 1.5, "__class__", f"{key}s"))
                node[new] = node.pop(key) if rng.random() < 0.5 else value
            case 2 if isinstance(node, dict):
                other, name = mutations.any_of(rng, [place for place in places if isinstance(place[0], dict)])
                node[key] = copy.deepcopy(other.get(name))
            case _:
                node[key] = value
    return settings


def try_settings(folder, examples):
    refused = 0
    for example in examples:
        rng = mutations.rng_of("settings", example)
        text = yaml.safe_dump(changed(rng), sort_keys=False, allow_unicode=True)
        if rng.random() < 0.3:
            text = mutations.damaged(rng, text.encode())
        try:
            message = planned(folder, text)
        except Exception as error:
            raise AssertionError(f"example {example}, DPMIA_TEST_SEED={mutations.SEED}: {error!r}") from error
        assert "a.yaml" in message or not message, f"example {example}: {message}"
        refused += bool(message)
    print(f"seed {mutations.SEED}: {refused} refused")
    return refused


def test_settings_with_anything_anywhere_are_refused_or_planned(tmp_path):
    assert planned(tmp_path, yaml.safe_dump(whole())) == ""
    assert try_settings(tmp_path, range(FEW)) > FEW // 3


@pytest.mark.slow  # a minute
def test_many_settings_with_anything_anywhere_are_refused_or_planned(tmp_path):
    assert try_settings(tmp_path, range(FEW, FEW + MANY)) > MANY // 3


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_yaml_of_any_kind_is_refused_by_the_name_of_the_file(tmp_path, text):
    assert "a.yaml" in planned(tmp_path, text)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_config_with_anything_in_it_is_refused_or_planned(tmp_path, value):
    text = yaml.safe_dump(whole())
    for key in ("scale", "data", "data_mirror", "engine", "seed", "epsilons", "experiments", "config", "x"):
        message = planned(tmp_path, text, **{key: value})
        assert message == "" or message.startswith(("config, ", "a.yaml")), message
