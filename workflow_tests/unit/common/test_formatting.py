"""Numbers and intervals as people read them."""

import math

import numpy as np
import pytest

from dpmia.common.formatting import format_bound, format_interval, format_number, rounded_up


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


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.4621, 2, "0.47"),
        (0.46, 2, "0.46"),
        (0.00446, 2, "0.01"),
        (1.0, 3, "1.000"),
        (0.0, 2, "0.00"),
        (0.3, 1, "0.3"),
    ],
)
def test_an_upper_bound_is_never_shown_smaller_than_it_is(value, digits, text):
    assert format_bound(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.608, "1.61"), (2.8391, "2.84"), (0.0123456, "0.0124"), (999.5, "1000"), (2.0, "2"), (0.0, "0")],
)
def test_what_must_be_kept_is_rounded_up(value, text):
    assert rounded_up(value) == text


def test_rounding_up_never_lowers_and_never_adds_a_whole_digit():
    for value in np.random.default_rng(0).lognormal(0, 5, 2000):
        assert value <= float(rounded_up(value, 4)) <= value * 1.0011
        assert value <= float(format_bound(value, 3)) <= value + 0.001
