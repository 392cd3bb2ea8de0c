"""Epsilon has one spelling."""

import math

import pytest

from dpmia.common.epsilon import format_epsilon, parse_epsilon, spell_epsilon, spell_group


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        (1, "1"),
        (1.0, "1"),
        ("1", "1"),
        ("1.00", "1"),
        ("1e0", "1"),
        ("1e3", "1000"),
        (1000, "1000"),
        (0.1, "0.1"),
        (".1", "0.1"),
        ("1e-1", "0.1"),
        (0.1 + 0.2, "0.3"),
        (0.01, "0.01"),
        ("inf", "inf"),
        (math.inf, "inf"),
        ("Inf", "inf"),
    ],
)
def test_all_ways_to_write_a_value_have_one_spelling(written, spelled):
    assert spell_epsilon(parse_epsilon(written)) == spelled


@pytest.mark.parametrize("epsilon", [1e-3, 0.01, 1 / 3, 2.5, 1e6, math.inf])
def test_a_spelling_is_read_back_as_itself(epsilon):
    spelled = spell_epsilon(epsilon)
    assert spell_epsilon(parse_epsilon(spelled)) == spelled
    assert parse_epsilon(spelled) == pytest.approx(epsilon, rel=1e-11)


@pytest.mark.parametrize("value", [0, 0.0, -1, "-1", -math.inf, math.nan, "nan"])
def test_what_is_not_above_zero_is_refused(value):
    with pytest.raises(ValueError, match="is not a positive number"):
        parse_epsilon(value)


@pytest.mark.parametrize("value", ["much", "", "1,0", True, False, None, [1], {"epsilon": 1}, 10**400])
def test_what_is_not_a_number_is_refused(value):
    with pytest.raises(ValueError, match="is not a number"):
        parse_epsilon(value)


@pytest.mark.parametrize("value", ["1e400", "9" * 400])
def test_a_number_too_large_is_not_taken_for_no_privacy(value):
    with pytest.raises(ValueError, match="inf for no privacy"):
        parse_epsilon(value)


def test_a_group_is_named_by_its_epsilons_in_their_order():
    assert spell_group([0.1, 1.0]) == "0.1_1"
    assert spell_group([1000.0, math.inf]) == "1000_inf"
    assert spell_group([math.inf]) == "inf"


def test_people_read_infinity_as_a_sign():
    assert [format_epsilon(epsilon) for epsilon in (0.1, 1.0, math.inf)] == ["0.1", "1", "∞"]
    assert format_epsilon(1.2345678) == spell_epsilon(1.2345678), "one spelling but for the sign"
