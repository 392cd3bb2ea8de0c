"""Inverted bounds, where the inverse is known: found to one part in 100 000, never beyond the bound, or refused."""

import math

import pytest

from dpmia.common.errors import TrainingError
from dpmia.privacy.inversion import largest_rate, most_steps, smallest_noise

#: Of each search: ends of its brackets, and values between them.
VALUES = (1 / 8, 0.1, 0.3, 0.5, 0.9, 1.0, 1.7, 2.0, 4.0, 7.0)


def within(lowest, highest, bound):
    """Return a bound that is never asked outside of its range, where none would be defined."""

    def asked(place):
        assert lowest <= place <= highest
        return bound(place)

    return asked


#: Bounds whose inverse is known.
BY_NOISE = within(0.05, 1e6, lambda noise: 1 / noise)
BY_RATE = within(1e-8, 1.0, float)
BY_STEPS = within(1, 1_000_000, float)


@pytest.mark.parametrize("value", [*VALUES, 1 / 7e5, 1e-6, 19.0])
def test_the_noise_is_the_smallest_that_keeps_a_bound(value):
    noise = smallest_noise(BY_NOISE, value)
    assert 1 / noise <= value
    assert noise == pytest.approx(1 / value, rel=3e-5)


def test_a_bound_that_any_noise_keeps_needs_the_least_that_is_tried():
    assert smallest_noise(BY_NOISE, 20.0) == smallest_noise(lambda noise: 0.0, 1.0) == 0.05


def test_a_bound_that_no_noise_keeps_is_refused():
    for value in (0.5e-6, 1 / 1_000_000.5, 0.0):
        with pytest.raises(TrainingError, match=r"plan: no noise multiplier up to 1e\+06 keeps a bound of"):
            smallest_noise(BY_NOISE, value)


@pytest.mark.parametrize("value", [*(number / 8 for number in VALUES if number < 8), 4**-13, 1.2e-8, 1e-8])
def test_the_rate_is_the_largest_that_keeps_a_bound(value):
    rate = largest_rate(BY_RATE, value)
    assert rate <= value
    assert rate == pytest.approx(value, rel=3e-5)


def test_a_rate_is_one_where_that_keeps_the_bound():
    assert largest_rate(BY_RATE, 1.0) == largest_rate(BY_RATE, 5.0) == 1


def test_a_bound_that_no_rate_keeps_is_refused():
    with pytest.raises(TrainingError, match=r"plan: no sampling rate down to 1e-08 keeps a bound of 0\.1"):
        largest_rate(lambda rate: 1.0, 0.1)


@pytest.mark.parametrize("value", [1.0, 1.5, 2.0, 3.0, 5.9, 6.0, 7.0, 8.0, 63.5, 64.0, 100.0, 99_999.0])
def test_the_steps_are_the_most_that_keep_a_bound(value):
    assert most_steps(BY_STEPS, value) == math.floor(value)


@pytest.mark.parametrize("value", [100_001.0, 3.3e5, 9.2e5, 999_992.5])
def test_of_hundreds_of_thousands_of_steps_the_most_are_found_to_one_part_in_100_000_with_few_bounds(value):
    asked = []
    most = most_steps(lambda steps: asked.append(steps) or math.sqrt(BY_STEPS(steps)), math.sqrt(value))
    assert most <= value
    assert most == pytest.approx(value, rel=3e-5)
    assert len(asked) < 30


def test_a_bound_that_no_step_keeps_or_all_do_is_refused():
    with pytest.raises(TrainingError, match=r"plan: a single step exceeds a bound of 0\.9"):
        most_steps(BY_STEPS, 0.9)
    with pytest.raises(TrainingError, match="plan: a bound of 1 is kept by 1000000 steps and more"):
        most_steps(lambda steps: 0.0, 1.0)
