"""Membership experiments on one's own records, and lower bounds on epsilon."""

import math

import numpy as np
import pandas as pd
import pytest

from dpmia import attack, audit_epsilon, split, upper_bound
from dpmia.common.errors import ArgumentError, DataError
from dpmia.privacy.lower_bounds import epsilon_from_guesses


class Silent:
    """An object whose own words fail."""

    def __repr__(self):
        raise RuntimeError("no repr")


def test_members_and_nonmembers_of_one_pool():
    table = pd.DataFrame({"x": range(100)})
    (one,) = split(table, members=30, nonmembers=0.2)
    assert (len(one.members), len(one.nonmembers), len(one.population)) == (30, 20, 50)
    assert sorted([*one.members, *one.nonmembers, *one.population]) == list(range(100))
    assert split(100, members=30, nonmembers=0.2, replicates=3)[0].members.tolist() == one.members.tolist()
    assert split(100, members=30, nonmembers=20, seed=2)[0].members.tolist() != one.members.tolist()


def test_groups_of_any_type():
    groups = np.arange(90) % 3
    for given in (groups, groups.astype(str), pd.Series(groups.astype(str), dtype="category")):
        one, iid = (split(90, "group", groups=given, group="1", members="all", nonmembers=30, iid_arm=iid)[0]
                    for iid in (False, True))  # fmt: skip
        assert (groups[one.members] == 1).all()
        assert (groups[one.nonmembers] != 1).all()
        assert {*iid.members, *iid.nonmembers} == {*one.members, *one.nonmembers}
        assert {*iid.members} != {*one.members}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: split(10, "idd", members=1, nonmembers=1), ArgumentError, r"kind: 'idd' is not.*Did you mean 'iid'"),
        (lambda: split(10, members=1), ArgumentError, r"split, nonmembers: missing\. Arguments of 'iid': members"),
        (lambda: split(10, member=1), ArgumentError, r"split, member: the kind 'iid' does not take it\..*'members'"),
        (lambda: split(1, members=1, nonmembers=1), ArgumentError, r"split: 1 records\."),
        (lambda: split(10, members=9, nonmembers=9), DataError, r"18 records are required, and there are 10"),
        (lambda: split(10, "group", group="a", members=1, nonmembers=1), ArgumentError, r"split, groups: missing\."),
        (lambda: split(0.5, members=1, nonmembers=1), ArgumentError, r"split, data: 0\.5 has no rows\."),
        (lambda: split(10, [], members=1, nonmembers=1), ArgumentError, r"split, kind: \[\] is not a membership"),
        (lambda: split("train.csv", members=1, nonmembers=1), ArgumentError, r"split, data: 'train\.csv' is a text\."),
        (lambda: split({"a": [1], "b": [2], "c": [3]}, members=1, nonmembers=1), ArgumentError, r"is a mapping\."),
        (
            lambda: split(pd.DataFrame({"x": range(4)}), groups=pd.Series(list("abab"), [3, 2, 1, 0]), members=1,
                          nonmembers=1), ArgumentError, r"split, groups: its index is not that of data",
        ),
        (lambda: split(10, members=1.0, nonmembers=1), ArgumentError, r"members: 1\.0 may be all records or a single"),
        (lambda: split(10, members=-1, nonmembers=1), ArgumentError, r"split, members: -1 is not a number of records"),
        (lambda: split(10, members=None, nonmembers=1), ArgumentError, r"split, members: None is not a number\."),
        (lambda: split(10, members=1, nonmembers=1, iid_arm=[1, 0]), ArgumentError, r"iid_arm: \[1, 0\] is neither"),
        (lambda: split(10, "bernoulli", records="all", rate=1e308), ArgumentError, r"rate: 1e\+308 is not a"),
        (lambda: split(10, members="all", nonmembers=1), ArgumentError, r"split, members: 'all' is not a number\."),
        (lambda: split(10, members=1.5, nonmembers=1), ArgumentError, r"split, members: 1\.5 is not an integer\."),
        (lambda: split(10, members=0, nonmembers=1), DataError, r"members: 0 of 10 records would be drawn"),
        (lambda: split(10, members=0.01, nonmembers=1), DataError, r"members: 0 of 10 records would be drawn"),
        (lambda: split(10, members=1, nonmembers=1, seed=math.nan), ArgumentError, r"split, seed: nan is not an int"),
        (lambda: split(3, "group", group=1, groups=[1, 1, 2], members=1, nonmembers=1), ArgumentError, r"not a text"),
        (lambda: split(2, groups=["a", None], members=1, nonmembers=1), ArgumentError, r"1 values are missing\."),
        (lambda: split(2, groups=["a", math.nan], members=1, nonmembers=1), ArgumentError, r"1 values are missing\."),
        (lambda: split(2, groups=[b"\xff", b"a"], members=1, nonmembers=1), ArgumentError, r"some values are bytes"),
        (lambda: split(2, groups=[Silent(), "a"], members=1, nonmembers=1), ArgumentError, r"written as text \(Run"),
        (lambda: split(2**128, members=1, nonmembers=1), ArgumentError, r"split: 3402823\d+ records\. Give 2 to"),
        (lambda: split(2, groups=[[1], [1, 2]], members=1, nonmembers=1), ArgumentError, r"split, groups: "),
        (lambda: split(10, Silent(), members=1, nonmembers=1), ArgumentError, r"kind: an object of type Silent is"),
        (lambda: split(10, members=1, nonmembers=1, replicates=100_001), ArgumentError, r"split: 100001 replicates\."),
        (lambda: split(9, "bernoulli", records=9, rate=0.5, validation=0.3), ArgumentError, r"0\.3 is not an integer"),
        (lambda: split(10, groups=[1], members=1, nonmembers=1), ArgumentError, r"split, groups: an array of shape"),
    ],
)  # fmt: skip
def test_mistakes_in_splits(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_the_audit_counts_right_guesses():
    rng = np.random.default_rng(0)
    is_member = rng.random(500) < 0.5
    right = rng.random(500) < 0.9
    audit = audit_epsilon(np.where(right, is_member, ~is_member), is_member, shares=[1.0])
    # Ties are broken by a fixed shuffle, so that a few guesses of either kind change sides.
    assert abs(audit.right - right.sum()) < 40
    assert audit.epsilon == epsilon_from_guesses(audit.right, 500, 500, 0.0, 0.95)
    assert 0 < audit.epsilon < math.log(9)
    assert audit.refutes(1.0)
    assert not audit.refutes(math.log(9))


def test_bounds_of_several_shares_hold_together():
    is_member = np.arange(400) % 2 == 1
    audit = audit_epsilon(is_member.astype(float), is_member)  # all guesses are right, whatever the share
    assert audit.epsilon == max(epsilon_from_guesses(n, n, 400, 0.0, 1 - 0.05 / 4) for n in (40, 80, 200, 400))


def test_a_gaussian_sum_is_audited_below_its_epsilon():
    """Members shift their own coordinate: canaries that do not touch each other, the attack is the best there is."""
    rng = np.random.default_rng(3)
    (drawn,) = split(4000, "bernoulli", records=4000, rate=0.5)
    is_member = np.isin(np.arange(4000), drawn.members)
    released = is_member + rng.normal(size=4000)
    epsilon = upper_bound(noise_multiplier=1.0, compares="add_remove").epsilon(1e-5)
    audit = audit_epsilon(released, is_member, delta=1e-5)
    assert 1 < audit.epsilon < epsilon
    nothing = audit_epsilon(rng.normal(size=4000), is_member, delta=1e-5)
    assert nothing.epsilon < 0.1


def test_infinite_scores_are_the_surest_guesses():
    is_member = np.arange(400) % 2 == 1
    scores = np.where(is_member, 1.0, -1.0)
    infinite = np.where(is_member, np.inf, -np.inf)
    assert audit_epsilon(infinite, is_member) == audit_epsilon(scores, is_member)


def test_scores_of_an_attack_go_into_the_audit():
    (drawn,) = split(300, "bernoulli", records=300, rate=0.5)
    is_member = np.isin(np.arange(300), drawn.members)
    losses = np.random.default_rng(0).exponential(size=300) + 2 * ~is_member
    result = attack(losses, None, is_member, scale="losses")["average_threshold"]
    assert audit_epsilon(result.scores, result.is_member).epsilon > 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: audit_epsilon(range(100), np.arange(100) < 10), r"10 of 100 records are members, which fair coins"),
        (lambda: audit_epsilon([1, 2], [0, 1], shares=[0]), r"audit_epsilon, shares: \(0\.0,\) are not all above 0"),
        (lambda: audit_epsilon([1, 2], [0, 1], confidence=1 - 1e-16), r"confidence 0\.9{16} are not both from 0 and"),
        (
            lambda: audit_epsilon([1, 2], [0, 1], confidence=Silent()),
            r"confidence: an object of type Silent is not a n",
        ),
        (lambda: audit_epsilon([1, 2], [0, 1], delta=1), r"audit_epsilon: delta 1 and confidence 0\.95"),
        (lambda: audit_epsilon([1, np.nan], [0, 1]), r"audit_epsilon, scores, row 1: a value is no number"),
        (lambda: audit_epsilon([1], [1]), r"audit_epsilon: 1 records\."),
        (lambda: audit_epsilon([1, 2], [0, 1], delta="0"), r"audit_epsilon, delta: '0' is not a number\."),
        (lambda: audit_epsilon([1, 2], [0, 1]).refutes("1"), r"refutes, epsilon: '1' is not a number\."),
        (lambda: audit_epsilon([1, 2], [0, 1], shares=0.5), r"audit_epsilon, shares: 0\.5 is not a list of numbers\."),
    ],
)
def test_mistakes_in_audits(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
