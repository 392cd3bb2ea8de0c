"""A membership experiment of the user's own, which may return anything."""

import numpy as np
import pytest
from training_checks import toy

from dpmia.common.errors import ConfigError, DataError
from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.block import draw_block
from dpmia.splits.file_sizes import from_file


def pair(groups, rng):
    """Return what a user may take for a split."""
    return np.arange(3), np.arange(3, 6)


def test_what_is_no_split_is_refused_with_a_remedy():
    message = r"^membership, pair: it returns tuple\. Return a dpmia\.splits\.split\.Split\.$"
    with pytest.raises(ConfigError, match=message):
        draw_block(toy(), None, pair, {"iid": ArmDraw("own.py:pair", None, {}, False)}, [0], 1)


def test_a_class_that_draws_no_splits_is_refused(monkeypatch):
    monkeypatch.setattr("dpmia.splits.file_sizes.group_column", lambda reading, by: ["all"] * 20)
    arms = {"iid": ArmDraw("dpmia.models.cnn:CNN", None, {"members": 3}, False)}
    with pytest.raises(DataError, match=r"membership, dpmia\.models\.cnn:CNN: it takes no groups, generator and arg"):
        from_file({}, None, "dpmia.models.cnn:CNN", arms)
