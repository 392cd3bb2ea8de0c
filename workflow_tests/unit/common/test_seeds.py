"""Seeds come from meaning and from nothing else."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from dpmia.common.seeds import derive_seed

ARM = {"groups": "hospital", "draw": {"members": "all", "group": "va"}, "iid": False}
MEANING = ("ab12", ARM, 3, "0.1", "target")


def in_another_process(meaning):
    code = f"from dpmia.common.seeds import derive_seed; print(derive_seed(1, *{meaning!r}))"
    # Hashes of texts differ between Python processes; the seed must not follow them.
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_seeds_are_those_of_published_numbers():
    assert derive_seed(1, "weights", "data", 3) == 1210879725908846634
    arm = {"iid": False, "draw": {"rate": 0.5}}
    assert derive_seed(1, "weights", "data", arm, 3, "inf", "target") == 5158287957736944929


def test_the_same_meaning_is_the_same_seed_in_another_process():
    assert in_another_process(MEANING) == derive_seed(1, *MEANING)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1,), (1.0,)),
        (([1, 2.0],), ((1.0, 2),)),
        (({"a": 1, "b": [2]},), ({"b": [2.0], "a": 1.0},)),
        (({"a": {"b": {"c": 3}}},), ({"a": {"b": {"c": 3.0}}},)),
        ((0,), (-0.0,)),
        ((10**15,), (1e15,)),
    ],
)
def test_equal_values_are_one_meaning(one, other):
    assert derive_seed(1, *one) == derive_seed(1, *other)


def test_every_difference_in_meaning_is_another_seed():
    fingerprint, arm, replicate, epsilon, role = MEANING
    meanings = [
        (1, *MEANING),
        (2, *MEANING),  # root
        (1, "ab13", arm, replicate, epsilon, role),
        (1, fingerprint, arm | {"iid": True}, replicate, epsilon, role),
        (1, fingerprint, arm | {"draw": {"members": "all", "group": "cleveland"}}, replicate, epsilon, role),
        (1, fingerprint, arm, replicate + 1, epsilon, role),
        (1, fingerprint, arm, replicate + 0.5, epsilon, role),
        (1, fingerprint, arm, str(replicate), epsilon, role),
        (1, fingerprint, arm, None, epsilon, role),
        (1, fingerprint, arm, replicate, "1", role),
        (1, fingerprint, arm, replicate, epsilon, "shadow"),
        (1, fingerprint, arm, replicate, role, epsilon),  # order
        (1, fingerprint, arm, replicate, epsilon),
        (1, fingerprint, arm, replicate, epsilon, role, ""),
        (1, fingerprint, arm, [replicate, epsilon], role),
        (1, fingerprint, arm, replicate, epsilon + role),
    ]
    seeds = [derive_seed(*meaning) for meaning in meanings]
    assert len(set(seeds)) == len(meanings)


def test_joined_words_are_not_split_words():
    assert len({derive_seed(1, *parts) for parts in [("ab", "c"), ("a", "bc"), ("abc",), ('a","b', "c")]}) == 4


def test_seeds_fit_every_generator_and_fill_their_range():
    seeds = np.array([derive_seed(root, "x", i) for root, i in itertools.product(range(20), range(100))])
    assert seeds.min() >= 0
    assert seeds.max() < 2**63
    assert len(set(seeds.tolist())) == 2000
    # Each of 63 bits is set in half of the seeds; 5 standard errors of 2000 tosses, false alarm 63 * 6e-7.
    shares = [(seeds >> bit & 1).mean() for bit in range(63)]
    np.testing.assert_allclose(shares, 0.5, atol=5 * 0.5 / np.sqrt(2000))


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_numbers_without_a_spelling_are_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        derive_seed(1, value)


def test_data_that_is_not_plain_is_refused():
    with pytest.raises(TypeError, match="ndarray"):
        derive_seed(1, np.arange(2))
