"""What unit tests share."""

import os
from functools import partial

import pytest

pytest.register_assert_rewrite("claim_protocol", "claim_worlds")

# One thread for each test process: small products gain nothing from more, and lose much on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture
def plan(tmp_path):
    """A function that makes the plan of one experiment file at one scale."""
    from settings_samples import plan_of  # here: most tests need no plan

    return partial(plan_of, tmp_path)
