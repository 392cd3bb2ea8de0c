"""Numbers and intervals as people read them."""

import math

import numpy as np
import pytest

from dpmia.common.formatting import (
    MISSING,
    format_bound,
    format_core_hours,
    format_count,
    format_duration,
    format_interval,
    format_lower_bound,
    format_number,
    format_percent,
    format_setting,
    format_significant,
    format_size,
    rounded_up,
    text_table,
)


@pytest.mark.parametrize(
    ("value", "text"), [(-0.001, "0.00"), (-0.006, "-0.01"), (0.0, "0.00"), (None, "-"), (math.nan, "-")]
)
def test_zero_has_no_sign_and_nothing_is_a_dash(value, text):
    assert format_number(value, 2) == text


@pytest.mark.parametrize("shown", [format_number, format_significant, format_count, format_percent, format_duration])
@pytest.mark.parametrize("nothing", [None, math.nan, np.nan])
def test_what_is_missing_has_one_sign(shown, nothing):
    assert shown(nothing) == format_interval(nothing, None, None) == MISSING == "-"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.12345, 4, "0.1235"),
        (1.0, 4, "1"),
        (1e-5, 4, "1e-5"),
        (-2.5e-7, 4, "-2.5e-7"),
        (1e-12, 4, "1e-12"),
        (1234.5, 3, "1234"),
        (-123456.7, 4, "-123457"),
        (2.5e7, 4, "2.5e+7"),
        (99.96, 3, "100"),
        (0.0, 4, "0"),
        (math.inf, 4, "inf"),
    ],
)
def test_a_number_of_any_size_has_a_few_digits(value, digits, text):
    assert format_significant(value, digits) == text


def test_counts_and_settings_have_commas_between_thousands():
    assert [format_count(value) for value in (0, 999, 1234.0, 12345678)] == ["0", "999", "1,234", "12,345,678"]
    assert [format_setting(value) for value in (10000, 0.01, "adam")] == ["10,000", "0.01", "adam"]


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(0.05, 3, "5 %"), (0.05 / 3, 3, "1.67 %"), (1.0, 2, "100 %"), (0.98754, 4, "98.75 %"), (0.0, 3, "0 %")],
)
def test_a_share_is_shown_in_percent(share, digits, text):
    assert format_percent(share, digits) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (42.4, "42 s"), (59.4, "59 s"), (59.6, "1.0 min"), (200, "3.3 min"), (596, "9.9 min"),
        (599, "10 min"), (5399, "90 min"), (5400, "1.5 h"), (8640, "2.4 h"), (360000, "100 h"),
    ],
)  # fmt: skip
def test_a_time_has_about_two_digits(seconds, text):
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("hours", "text"), [(0.0034, "0.0034 core-hours"), (3.0, "3 core-hours"), (123.4, "123 core-hours")]
)
def test_core_hours_have_a_few_digits(hours, text):
    assert format_core_hours(hours) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"), (812, "812 bytes"), (999.7, "1.0 kB"), (1200, "1.2 kB"), (93220, "93 kB"), (999_499, "999 kB"),
        (999_500, "1.0 MB"), (3.2e6, "3.2 MB"), (1.4e9, "1.4 GB"), (2.5e13, "25000 GB"),
    ],
)  # fmt: skip
def test_a_size_has_about_two_digits(count, text):
    assert format_size(count) == text


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


@pytest.mark.parametrize(("value", "text"), [(3.3899, "3.38"), (0.999, "0.99"), (0.3, "0.30"), (0.0, "0.00")])
def test_a_lower_bound_is_never_shown_larger_than_it_is(value, text):
    assert format_lower_bound(value, 2) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.608, "1.61"), (2.8391, "2.84"), (0.0123456, "0.0124"), (999.5, "1000"), (2.0, "2"), (0.0, "0"), (1e-5, "1e-5")],
)
def test_what_must_be_kept_is_rounded_up(value, text):
    assert rounded_up(value) == text


def test_rounding_up_never_lowers_and_never_adds_a_whole_digit():
    for value in np.random.default_rng(0).lognormal(0, 5, 2000):
        assert value <= float(rounded_up(value, 4)) <= value * 1.0011
        assert value <= float(format_bound(value, 3)) <= value + 0.001


def test_a_table_for_a_terminal_leaves_texts_as_they_are():
    lines = text_table([["a", "1e-5"], ["long", "-"]], ["name", "value"]).splitlines()
    assert lines == ["name      value", "------  -------", "a          1e-5", "long          -"]


def test_a_list_for_a_terminal_has_no_line_of_headings():
    lines = text_table([["data set", "a", "here"], ["model", "long", ""]], align="left").splitlines()
    assert lines == ["data set  a     here", "model     long"]
    assert text_table([], align="left") == ""
