"""Numbers and intervals as people read them."""

import math

import pytest

from dpmia.common.formatting import format_interval, format_number


@pytest.mark.parametrize(
    ("value", "text"), [(-0.001, "0.00"), (-0.006, "-0.01"), (0.0, "0.00"), (None, "-"), (math.nan, "-")]
)
def test_zero_has_no_sign_and_nothing_is_a_dash(value, text):
    assert format_number(value, 2) == text


@pytest.mark.parametrize(
    ("limits", "digits", "text"),
    [
        ((0.5, 0.56), 2, "0.53 [0.50, 0.56]"),
        ((-0.0004, 1.0), 3, "0.530 [0.000, 1.000]"),
        ((None, None), 2, "0.53"),
        ((math.nan, math.nan), 3, "0.530"),
    ],
)
def test_a_mean_is_shown_with_its_interval_where_it_has_one(limits, digits, text):
    assert format_interval(0.53, *limits, digits) == text
