"""The accounting of a training: of what it samples, of what a user states, and of its first steps."""

import math
from dataclasses import replace

import pytest

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.calibration import NoiseCalibration, spent
from dpmia.privacy.record import STATED, Stated

RECIPE = Recipe("sgd", 0.1, 50, 4, clip_norm=1.5)
DRAWN = NoiseCalibration("add_remove", 1e-5, "pld")
STATEMENT = {"noise_multiplier": 4.0, "sampling_rate": 0.1, "steps": 25, "clip_norm": 2.0}
#: The epsilon of that mechanism.
EPSILON = Mechanism("poisson", 0.1, 25, 3, "add_remove", 1e-5, "pld").epsilon(4.0, near=0.5)


def test_the_accounting_of_a_training_is_that_of_its_rate_and_steps():
    accounting = DRAWN.accounting(2.0, RECIPE, 510)
    assert (accounting.sampler, accounting.rate, accounting.steps, accounting.epochs) == ("poisson", 50 / 510, 40, 4)
    assert (accounting.epsilon, accounting.clip_norm, accounting.proved) == (2.0, 1.5, True)
    assert Mechanism("poisson", 50 / 510, 40, 4, "add_remove", 1e-5, "pld").epsilon(accounting.noise_multiplier) <= 2.0


def test_without_privacy_there_is_nothing_to_account_for_or_state():
    stated = replace(DRAWN, accountant=STATED)
    assert DRAWN.accounting(math.inf, RECIPE, 510) is None
    assert stated.stated(math.inf) is None
    assert DRAWN.stated(2.0) is None, "it is accounted for"
    assert stated.stated(2.0) == Stated(2.0, 1e-5, "add_remove")
    assert stated.accounting(2.0, RECIPE, 510) is None, "the user has said nothing of the mechanism"


def stated_mechanism(epsilon, **changes):
    mechanisms = {f"{epsilon:g}": STATEMENT | changes}
    return NoiseCalibration("add_remove", 1e-5, STATED, mechanisms).accounting(epsilon, RECIPE, 510)


def test_a_stated_mechanism_is_accounted_for_as_stated():
    accounting = stated_mechanism(1.0)
    assert (accounting.accountant, accounting.proved, accounting.epsilon) == (STATED, False, 1.0)
    assert (accounting.rate, accounting.steps, accounting.noise_multiplier, accounting.clip_norm) == (0.1, 25, 4.0, 2.0)
    assert accounting.epochs == 3, "two and a half"
    assert stated_mechanism(1.0, sampling_rate=0.001).epochs == 1


def test_a_stated_mechanism_may_have_one_percent_more_epsilon_than_stated_and_no_more():
    assert stated_mechanism(float(f"{EPSILON / 1.009:.6g}")) is not None
    with pytest.raises(TrainingError, match=r"privacy\.mechanisms\..*: this mechanism has epsilon 0\.\d+ at delta"):
        stated_mechanism(float(f"{EPSILON / 1.011:.6g}"))


@pytest.mark.parametrize(("steps", "epochs"), [(1, 1), (10, 1), (11, 2), (39, 4), (40, 4)])
def test_the_epsilon_spent_is_that_of_the_steps_and_of_begun_epochs(steps, epochs):
    for sampler, relation in (("poisson", "add_remove"), ("shuffle", "replace_one")):
        accounting = Mechanism(sampler, 0.1, 40, 4, relation, 1e-5, "pld").record(2.0, 3.0, 1.0)
        expected = Mechanism(sampler, 0.1, steps, epochs, relation, 1e-5, "pld").epsilon(3.0, near=2.0)
        assert spent(accounting, steps) == expected
