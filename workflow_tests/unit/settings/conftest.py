"""What tests of settings share."""

from functools import partial

import pytest
from settings_samples import plan_of


@pytest.fixture
def plan(tmp_path):
    """A function that makes the plan of one experiment file at one scale."""
    return partial(plan_of, tmp_path)
