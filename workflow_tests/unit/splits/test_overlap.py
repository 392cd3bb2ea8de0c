"""Arms that evaluate two replicates on one record."""

import numpy as np

from dpmia.splits import draws
from dpmia.splits.overlap import arms_sharing_records
from dpmia.splits.split import Split


def test_arms_share_records_where_any_is_evaluated_twice():
    splits = {
        ("all", 0): Split([0, 1], [2, 3], [], []),
        ("all", 1): Split([0, 1], [2, 3], [], []),
        ("one", 0): Split([0, 1], [2, 3], [], []),
        ("one", 1): Split([4, 5], [6, 0], [], []),
        ("none", 0): Split([0, 1], [2, 3], [], []),
        ("none", 1): Split([4, 5], [6, 7], [0], [1], [2]),
        ("alone", 0): Split([0, 1], [2, 3], [], []),
    }
    assert arms_sharing_records(splits) == {"all", "one"}


def test_splits_of_all_records_share_them_and_so_do_their_iid_arms():
    groups = np.array(["a"] * 5 + ["b"] * 7)
    splits = {}
    for replicate in range(2):
        rng = np.random.default_rng(replicate)
        splits["a", replicate] = draws.group(groups, rng, group="a", members="all", nonmembers="all")
        splits["a-iid", replicate] = draws.shuffled(splits["a", replicate], rng)
    assert arms_sharing_records(splits) == {"a", "a-iid"}
