"""The attacks that need no more than a loss or an error: at their bounds."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpmia.attacks import bounded_loss, gaussian_error
from dpmia.attacks.bounded_loss import ZeroOneLoss
from dpmia.theory.overfitting import gaussian_boundary


def test_a_bounded_loss_of_zero_is_always_a_members_and_the_largest_never():
    losses = np.array([0.0, 2.0])
    for drawn in (0.0, np.nextafter(1.0, 0.0)):  # what a generator may return
        rng = SimpleNamespace(random=lambda shape, drawn=drawn: np.full(shape, drawn))
        assert bounded_loss.decisions(losses, 2.0, rng).tolist() == [True, False]


def test_members_are_predicted_with_one_minus_the_share_of_the_largest_loss():
    decisions = bounded_loss.decisions(np.full(40_000, 0.5), 2.0, np.random.default_rng(0))
    assert decisions.mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 40_000))


@pytest.mark.parametrize("loss", [-1e-9, 2.1])
def test_a_loss_out_of_bounds_is_refused(loss):
    with pytest.raises(ValueError, match="expected losses between 0 and 2"):
        bounded_loss.decisions(np.array([1.0, loss]), 2.0, np.random.default_rng(0))


def test_a_right_answer_is_a_members():
    assert ZeroOneLoss().decisions(None, np.array([0.0, 1.0])).tolist() == [False, True]


@pytest.mark.parametrize(("sigma_s", "sigma_d"), [(1.0, 2.0), (2.0, 1.0)])
def test_a_member_is_whose_error_is_likelier_for_members(sigma_s, sigma_d):
    boundary = gaussian_boundary(sigma_s, sigma_d)
    decisions = gaussian_error.decisions(np.array([boundary - 1e-9, boundary, 1e-9 - boundary, boundary + 1e-9]),
                                         sigma_s, sigma_d)  # fmt: skip
    wider = sigma_s > sigma_d
    assert decisions.tolist() == [not wider, False, not wider, wider], "at the boundary both are as likely"


def test_errors_of_one_law_tell_nothing():
    assert not gaussian_error.decisions(np.array([0.0, 0.5, 1.0, 9.0]), 1.0, 1.0).any()
    assert gaussian_error.decisions(np.array([-0.9, 1.0, 1.1]), 1.0).tolist() == [True, False, False]
    for sigmas in ((0.0, 1.0), (1.0, -1.0), (0.0, None)):
        with pytest.raises(ValueError, match="expected a standard deviation greater than 0"):
            gaussian_error.decisions(np.zeros(2), *sigmas)
