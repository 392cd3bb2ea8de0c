"""The accountants of Opacus: what they report, and what they do not cover."""

import pytest

from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.opacus_accountants import not_covered, opacus_epsilons


def record(sampler="poisson", relation="add_remove", accountant="pld", sigma=1.2, epsilon=1.0):
    return Mechanism(sampler, 0.02, 500, 10, relation, 1e-5, accountant).record(epsilon, sigma, clip_norm=1.0)


@pytest.mark.parametrize("sigma", [0.8, 1.2, 6.0])
def test_both_are_those_of_ours_for_the_same_mechanism(sigma):
    given = record(sigma=sigma)
    rdp, prv = opacus_epsilons(given)
    exact = Mechanism("poisson", 0.02, 500, 10, "add_remove", 1e-5, "pld").epsilon(sigma)
    assert prv == pytest.approx(exact, abs=0.02)
    assert max(prv, exact) < rdp < 1.5 * exact


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"relation": "replace_one"}, "relation replace-one: Opacus accounts for add-remove only"),
        (
            {"sampler": "shuffle", "relation": "replace_one"},
            "sampler shuffle: Opacus accounts for Poisson sampling only",
        ),
        ({"epsilon": 1000.0}, "epsilon 1000: accountants of Opacus are run up to 100"),
    ],
)
def test_what_they_do_not_cover_has_a_reason(changes, reason):
    given = record(**changes)
    assert not_covered(given) == reason
    with pytest.raises(ValueError, match=reason):
        opacus_epsilons(given)
    assert not_covered(record()) == ""
