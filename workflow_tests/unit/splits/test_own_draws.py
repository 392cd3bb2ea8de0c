"""A membership experiment of the user's own, which may return anything."""

import re
from pathlib import Path

import numpy as np
import pytest
from training_checks import toy

from dpmia.common.errors import ConfigError, DataError, UserError
from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.block import draw_block
from dpmia.splits.file_sizes import from_file
from dpmia.splits.split import Split
from dpmia.splits.training_sets import expected_size


def pair(groups, rng):
    """Return what a user may take for a split."""
    return np.arange(3), np.arange(3, 6)


def test_what_is_no_split_is_refused_with_a_remedy():
    message = r"^membership, pair: it returns tuple\. Return a dpmia\.splits\.split\.Split\.$"
    with pytest.raises(ConfigError, match=message):
        draw_block(toy(), None, pair, {"iid": ArmDraw("own.py:pair", None, {}, False)}, [0], 1)


def test_what_is_no_function_is_refused():
    message = r"^membership, <property object at .*>: it is no function\. Name one as in docs/extend\.md\.$"
    with pytest.raises(ConfigError, match=message):
        draw_block(toy(), None, property(pair), {"iid": ArmDraw("own.py:pair", None, {}, False)}, [0], 1)


class Odd:
    """What a user may take for a function: it takes nothing, and cannot be shown."""

    def __call__(self):
        raise NotImplementedError

    def __repr__(self):
        raise RuntimeError("repr")


def test_what_takes_no_groups_and_cannot_be_shown_is_refused(monkeypatch):
    monkeypatch.setattr("dpmia.splits.file_sizes.group_column", lambda reading, by: ["all"] * 20)
    monkeypatch.setattr("dpmia.splits.file_sizes.load", lambda spec: Odd())
    arms = {"iid": ArmDraw("own.py:odd", None, {"members": 3}, False)}
    with pytest.raises(DataError, match=r"^membership, own\.py:odd: it takes no groups, generator and arguments"):
        from_file({}, None, "own.py:odd", arms)


def test_a_class_that_draws_no_splits_is_refused(monkeypatch):
    monkeypatch.setattr("dpmia.splits.file_sizes.group_column", lambda reading, by: ["all"] * 20)
    arms = {"iid": ArmDraw("dpmia.models.cnn:CNN", None, {"members": 3}, False)}
    with pytest.raises(DataError, match=r"membership, dpmia\.models\.cnn:CNN: it takes no groups, generator and arg"):
        from_file({}, None, "dpmia.models.cnn:CNN", arms)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (np.arange(3)[:, None], r"UserError: .*members is an array of int64 of shape \(3, 1\), not of row numbers"),
        (np.arange(3) + 0.5, r"UserError: .*members is an array of float64 of shape \(3,\), not of row numbers"),
        (np.arange(3).astype("M8[s]"), r"UserError: .*members is an array of datetime64\[s\] of shape"),
        (-np.arange(3), r"UserError: .*members holds the row -2"),
        ([], r"ConfigError: membership, drawn: it returns a split without members\. Draw at least one"),
        (None, r"ConfigError: membership, drawn: it returns a split without non-members\. Draw at least one"),
        ([9999], r"ConfigError: membership, drawn: it returns row 9999 of \d+ records, from 0\. Draw from range\("),
    ],
)
def test_what_holds_other_rows_than_the_records_is_refused(members, message, monkeypatch):
    def drawn(groups, rng):
        return Split([1, 2], [], [], []) if members is None else Split(members, [5, 6], [], [])

    monkeypatch.setattr(drawn, "__module__", "own")
    monkeypatch.setattr("dpmia.common.plugins.source_file", lambda module: Path("own.py"))
    with pytest.raises(UserError) as refused:
        draw_block(toy(), None, drawn, {"iid": ArmDraw("own.py:drawn", None, {}, False)}, [0], 1)
    assert re.match(message, f"{type(refused.value).__name__}: {refused.value}")


def test_an_argument_called_rate_makes_no_draw_one_of_coins():
    own = ArmDraw("own.py:drawn", None, {"rate": 0.5, "records": 100}, False)
    assert (own.joins_at, expected_size(own, 120)) == (None, None)
    coins = ArmDraw("bernoulli", None, {"rate": 0.5, "records": 100}, False)
    assert (coins.joins_at, expected_size(coins, 120)) == (0.5, 50)
