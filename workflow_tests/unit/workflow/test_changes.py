"""Settings that changed since a file was made, by name."""

import base64
import json
import math

import pytest

from dpmia.common.errors import DataError
from dpmia.workflow.changes import changed_settings, differences

JOB = {"epsilons": [1.0, math.inf], "recipes": {"north": {"epochs": 10, "clip_norm": 1.0}}}


def params(seed=1, epochs=10, code="0123456789abcdef"):
    job = {**JOB, "recipes": {"north": {"epochs": epochs, "clip_norm": 1.0}}}
    return {"job": job, "seed": seed, "code": code}


def recorded(**changes):
    return sorted(map(repr, params(**changes).values()))


def test_a_changed_value_is_named_by_its_keys():
    assert differences(recorded(), params(epochs=20)) == ["recipes.north.epochs: 10 -> 20"]
    assert differences(recorded(), params(seed=2)) == ["seed: 1 -> 2"]


def test_what_is_equal_and_code_are_no_changes():
    assert differences(recorded(), params()) == []
    assert differences(recorded(), params(code="fedcba9876543210")) == []


def test_keys_that_came_or_went_are_named_and_long_values_are_cut():
    old = {"members": 5, "texts": ["a" * 100]}
    (members, texts, most) = differences([repr(old)], {"job": {"texts": ["b" * 100], "most": 7}})
    assert (members, most) == ("members: 5 -> None", "most: None -> 7")
    assert len(texts) < 150


def test_records_are_read_by_the_path_of_the_file_however_long(tmp_path):
    path = "results/" + "x" * 300 + ".npz"
    name = base64.b64encode(path.encode()).decode()
    file = tmp_path / f"@{name[:200]}" / name[200:]
    file.parent.mkdir()
    file.write_text(json.dumps({"rule": "train_block", "params": recorded()}))
    queried = []

    def current(rule, made):
        queried.append((rule, made))
        return params(epochs=20)

    assert changed_settings(tmp_path, current) == [("recipes.north.epochs: 10 -> 20", "train_block")]
    assert queried == [("train_block", path)]
    assert changed_settings(tmp_path, lambda rule, made: None) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"rule": 1, "params": []}', '{"rule": "a", "params": [1]}'])
def test_a_damaged_record_is_refused_by_its_name(tmp_path, text):
    file = tmp_path / base64.b64encode(b"results/a.npz").decode()
    file.write_text(text)
    with pytest.raises(DataError, match=file.name):
        changed_settings(tmp_path, lambda rule, made: params())


def test_a_value_of_another_type_and_one_that_another_parameter_had_are_changes():
    assert differences(["None"], {"budget": 0.5}) == ["budget: None -> 0.5"]
    assert differences(["1"], {"epsilon": 1.5}) == ["epsilon: 1 -> 1.5"]
    assert differences(["5", "7"], {"a": 7, "b": 7}) == ["b: 5 -> 7"]
    assert differences(["1"], {"epsilon": 1, "new": True}) == []
