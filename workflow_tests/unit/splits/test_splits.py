"""Splits: who is drawn, from where, and from which randomness."""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.dataset import Dataset
from dpmia.planning.jobs import arms as arms_of
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.block import draw_block, load_clusters
from dpmia.splits.draws import group, iid, shuffled
from dpmia.splits.sizes import arm_sizes, sizes_table
from dpmia.splits.split import Split

GROUPS = np.repeat(["a", "b", "c"], [10, 20, 30])
NOTHING = np.empty(0)


def rng(seed=0):
    return np.random.default_rng(seed)


def sizes(split):
    """Return the sizes of the parts, without background: only `bernoulli` draws some (see test_draws_bernoulli)."""
    counts = {part.name: len(getattr(split, part.name)) for part in fields(split)}
    assert counts.pop("background") == 0
    return counts


def same(one, other):
    return all(np.array_equal(getattr(one, part.name), getattr(other, part.name)) for part in fields(Split))


# One split


def test_rows_are_sorted_whole_numbers():
    split = Split([3, 1], np.array([0, 2], dtype=np.int32), NOTHING, NOTHING)
    assert split.members.tolist() == [1, 3]
    assert {getattr(split, part.name).dtype for part in fields(split)} == {np.dtype(np.int64)}


PARTS = [part.name for part in fields(Split)]
OUTSIDE = ["nonmembers", "population", "validation"]


@pytest.mark.parametrize("inside", ["members", "background"])
@pytest.mark.parametrize("part", OUTSIDE)
def test_what_is_trained_on_is_nothing_else(inside, part):
    rows = dict.fromkeys(PARTS, ()) | {inside: [1, 2], part: [2, 3]}
    with pytest.raises(ValueError, match=f"{inside} and {part} share records"):
        Split(**rows)


def test_what_is_queried_is_no_background():
    with pytest.raises(ValueError, match="members and background share records"):
        Split([1, 2], [], [], [], [2, 3])


def test_an_attacker_has_no_record_that_it_is_tried_on():
    with pytest.raises(ValueError, match="nonmembers and population share records"):
        Split([1], [2, 3], [3, 4], [])


def test_records_on_which_accuracy_is_measured_may_play_another_part():
    split = Split([1], [2, 3], [4], [2, 4])
    assert (split.nonmembers.tolist(), split.population.tolist(), split.validation.tolist()) == ([2, 3], [4], [2, 4])


def test_members_and_background_are_trained_on():
    split = Split([7, 1], [2], [], [], [5, 0])
    assert split.training.tolist() == [0, 1, 5, 7]
    assert split.training.dtype == np.int64
    assert Split([7, 1], [2], [], []).training.tolist() == [1, 7]


@pytest.mark.parametrize("part", PARTS)
def test_a_record_is_in_a_part_once(part):
    rows = dict.fromkeys(PARTS, ()) | {part: [2, 2]}
    with pytest.raises(ValueError, match=f"{part} holds a record twice"):
        Split(**rows)


# Drawing


def test_iid_draws_the_given_sizes_and_leaves_the_rest_to_the_attacker():
    split = iid(GROUPS, rng(), members=25, nonmembers=15)
    assert sizes(split) == {"members": 25, "nonmembers": 15, "population": 20, "validation": 0}
    assert sorted(np.concatenate([split.members, split.nonmembers, split.population])) == list(range(60))


def test_group_draws_members_from_one_group_and_nonmembers_from_the_others():
    split = group(GROUPS, rng(), group="b", members=8, nonmembers=5)
    assert set(GROUPS[split.members]) == {"b"}
    assert set(GROUPS[split.nonmembers]) == {"a", "c"}
    # As many again of each side: Humphries et al. 2023, table II (shadow data).
    assert sizes(split) == {"members": 8, "nonmembers": 5, "population": 13, "validation": 0}
    assert (GROUPS[split.population] == "b").sum() == 8


@pytest.mark.parametrize(
    ("members", "nonmembers", "expected"),
    [
        (12, 30, (12, 30, (20 - 12) + (40 - 30))),  # less is left than was drawn
        (10, 20, (10, 20, 10 + 20)),  # exactly as much is left
        ("all", "all", (20, 40, 0)),
        ("all", 1, (20, 1, 1)),
        (20, 40, (20, 40, 0)),
    ],
)
def test_population_is_at_most_as_many_again_of_each_side(members, nonmembers, expected):
    split = group(GROUPS, rng(), group="b", members=members, nonmembers=nonmembers)
    assert tuple(sizes(split).values())[:3] == expected


def test_table_two_follows_from_the_sizes_of_the_adult_clusters():
    # Humphries et al. 2023, table II: 15132 records of shadow data; clusters of 15135 and 33707 records.
    clusters = np.repeat(["0", "1"], [15_135, 33_707])
    split = group(clusters, rng(), group="0", members=10_000, nonmembers=10_000)
    assert len(split.population) == 15_135


def test_the_iid_arm_has_the_same_records_in_the_same_sizes():
    split = group(GROUPS, rng(), group="b", members=8, nonmembers=5)
    mixed = shuffled(split, rng(1))
    assert sizes(mixed) == sizes(split)
    assert set(mixed.members) | set(mixed.nonmembers) == set(split.members) | set(split.nonmembers)
    assert set(mixed.members) != set(split.members)
    assert np.array_equal(mixed.population, split.population)


def test_the_iid_arm_is_trained_on_the_same_background():
    mixed = shuffled(Split([0, 1], [2, 3], [], [], background=[4, 5, 6]), rng())
    assert mixed.background.tolist() == [4, 5, 6]
    assert len(mixed.training) == 5


@pytest.mark.parametrize(
    ("draw", "arguments", "reported"),
    [
        (iid, {"members": 40, "nonmembers": 21}, ["members + nonmembers + population", "61 records are"]),
        (
            iid,
            {"members": 9, "nonmembers": 9, "population": 43},
            ["+ population: 61 records are required, and there are 60"],
        ),
        (
            group,
            {"group": "b", "members": 21, "nonmembers": 1},
            ["members from group 'b'", "21 records are required, and there are 20"],
        ),
        (
            group,
            {"group": "b", "members": 1, "nonmembers": 41},
            ["the groups other than 'b'", "41 records are required, and there are 40"],
        ),
        (group, {"group": "d", "members": 1, "nonmembers": 1}, ["group: 'd'", "one of a, b, c"]),
        (iid, {"members": 0.01, "nonmembers": 9}, ["members: 0 of 60 records would be drawn"]),
        (iid, {"members": 9, "nonmembers": -1}, ["nonmembers: -1 records are required"]),
    ],
)
def test_more_than_there_is_cannot_be_drawn(draw, arguments, reported):
    with pytest.raises(DataError) as error:
        draw(GROUPS, rng(), **arguments)
    for text in reported:
        assert text in str(error.value)


def test_iid_leaves_the_attacker_as_many_as_are_said():
    split = iid(GROUPS, rng(), members=25, nonmembers=15, population=7)
    assert sizes(split) == {"members": 25, "nonmembers": 15, "population": 7, "validation": 0}
    assert same(split, iid(GROUPS, rng(), members=25, nonmembers=15, population=7))
    whole = iid(GROUPS, rng(), members=25, nonmembers=15)
    assert np.array_equal(whole.members, split.members)
    assert set(split.population.tolist()) <= set(whole.population.tolist())


def test_a_single_group_has_no_nonmembers():
    with pytest.raises(
        DataError, match="nonmembers from the groups other than 'a': 0 records are required, and there are 0"
    ):
        group(np.repeat("a", 5), rng(), group="a", members="all", nonmembers="all")


# Uniformity: counts of a chi-square test with fixed seeds; a correct draw fails it with probability 1e-6.
FALSE_ALARM = 1e-6


def chi_square(counts, expected, freedom):
    statistic = (((counts - expected) ** 2) / expected).sum()
    return stats.chi2.sf(statistic, freedom)


def test_every_pair_of_members_is_equally_likely_under_iid():
    draws = 6000
    counts = np.zeros((6, 6))
    for seed in range(draws):
        split = iid(np.repeat("", 6), rng(seed), members=2, nonmembers=2)
        counts[tuple(split.members)] += 1
    pairs = counts[np.triu_indices(6, 1)]
    assert pairs.sum() == draws
    assert chi_square(pairs, draws / 15, 14) > FALSE_ALARM


def test_every_assignment_is_equally_likely_after_shuffling():
    draws = 6000
    split = Split([0, 1], [2, 3, 4], [5], NOTHING)
    counts = np.zeros((5, 5))
    for seed in range(draws):
        counts[tuple(shuffled(split, rng(seed)).members)] += 1
    pairs = counts[np.triu_indices(5, 1)]
    assert chi_square(pairs, draws / 10, 9) > FALSE_ALARM


def test_every_record_of_a_group_is_equally_likely():
    draws = 4000
    groups = np.repeat(["a", "b"], [5, 7])
    members, population = np.zeros(12), np.zeros(12)
    for seed in range(draws):
        split = group(groups, rng(seed), group="a", members=1, nonmembers=2)
        members[split.members] += 1
        population[split.population] += 1
    assert chi_square(members[:5], draws / 5, 4) > FALSE_ALARM
    assert chi_square(population[:5], draws / 5, 4) > FALSE_ALARM
    # Two of seven without replacement vary by the factor (7 - 2) / (7 - 1) less than two independent draws.
    assert chi_square(population[5:], draws * 2 / 7, 6) > FALSE_ALARM


# Blocks


@pytest.fixture(scope="module")
def dataset():
    generator = rng(5)
    x = generator.random((60, 2), dtype=np.float32)
    return Dataset("toy", x, np.arange(60) % 2, ("p", "q"), ("no", "yes"), {"hospital": GROUPS})


def arms(**changes):
    settings = {
        "dataset": "heart",
        "membership": {"kind": "group", "by": "hospital", "members": 8, "nonmembers": 9},
        "arms": {"one": {"group": "b"}, "two": {"group": "c"}},
        "epsilons": [[1]],
        "replicates": 1,
        "block": 1,
        "attacks": {"random": {}},
    }
    return arms_of(checked(Experiment, settings | changes, "test"))


def test_a_block_holds_every_arm_and_replicate(dataset):
    splits = draw_block(dataset, None, group, arms(), [4, 5], 1)
    assert set(splits) == {(arm, replicate) for arm in ("one", "one-iid", "two", "two-iid") for replicate in (4, 5)}
    assert set(GROUPS[splits["one", 4].members]) == {"b"}
    assert set(GROUPS[splits["two", 4].members]) == {"c"}


def test_an_iid_arm_shuffles_the_records_of_its_own_counterpart(dataset):
    splits = draw_block(dataset, None, group, arms(), [4, 5], 1)
    for arm, replicate in [("one", 4), ("one", 5), ("two", 4)]:
        split, mixed = splits[arm, replicate], splits[f"{arm}-iid", replicate]
        assert set(mixed.members) | set(mixed.nonmembers) == set(split.members) | set(split.nonmembers)
        assert not same(split, mixed)


def test_a_renamed_arm_draws_the_same(dataset):
    splits = draw_block(dataset, None, group, arms(), [0], 1)
    renamed = draw_block(dataset, None, group, arms(arms={"uno": {"group": "b"}}), [0], 1)
    assert same(splits["one", 0], renamed["uno", 0])
    assert same(splits["one-iid", 0], renamed["uno-iid", 0])


def test_a_replicate_is_the_same_in_every_block_and_order(dataset):
    whole = draw_block(dataset, None, group, arms(), [0, 1, 2], 1)
    backwards = draw_block(dataset, None, group, dict(reversed(arms().items())), [2, 1, 0], 1)
    alone = draw_block(dataset, None, group, arms(), [1], 1)
    for (arm, replicate), split in whole.items():
        assert same(split, backwards[arm, replicate])
        assert replicate != 1 or same(split, alone[arm, replicate])


def test_replicates_seeds_arms_and_data_draw_differently(dataset):
    def members(data=dataset, replicate=0, seed=1, arm="one"):
        return draw_block(data, None, group, arms(), [replicate], seed)[arm, replicate].members.tolist()

    other = Dataset("toy", dataset.x + 1, dataset.y, dataset.features, dataset.classes, dataset.attributes)
    draws = [members(), members(replicate=1), members(seed=2), members(data=other), members(arm="one-iid")]
    assert len({tuple(draw) for draw in draws}) == len(draws)
    assert members() == members()


def test_clusters_are_groups_by_their_names(dataset):
    clusters = np.where(np.arange(60) < 20, "0", "1")
    cluster_arms = arms(
        membership={
            **{"kind": "cluster", "clusters": 2, "pairing": "nearest", "cluster_seed": 0, "restarts": 1},
            **{"members": 20, "nonmembers": 5},
        },
        arms={"cluster": {"group": "0"}},
    )
    split = draw_block(dataset, clusters, group, cluster_arms, [0], 1)["cluster", 0]
    assert split.members.tolist() == list(range(20))
    for missing in (None, clusters[:-1]):
        with pytest.raises(ValueError, match="needs the cluster of every record"):
            draw_block(dataset, missing, group, cluster_arms, [0], 1)


@pytest.mark.parametrize("count", [0, 59, 61])
def test_clusters_of_other_records_are_refused(dataset, tmp_path, count):
    np.savez(tmp_path / "clusters.npz", groups=np.full(count, "0"))
    with pytest.raises(DataError, match=r"clusters\.npz"):
        load_clusters([tmp_path / "clusters.npz"], dataset)
    assert load_clusters([], dataset) is None


def test_iid_experiments_need_no_groups(dataset):
    settings = {"membership": {"kind": "iid", "members": 7, "nonmembers": 8}, "arms": {"any": {}}, "iid_arms": False}
    splits = draw_block(dataset, None, iid, arms(**settings), [0], 1)
    assert sizes(splits["any", 0]) == {"members": 7, "nonmembers": 8, "population": 45, "validation": 0}


def test_an_attribute_that_is_not_kept_is_reported_with_the_nearest_one(dataset):
    wrong = arms(membership={"kind": "group", "by": "hospitals", "members": 8, "nonmembers": 9})
    with pytest.raises(ConfigError) as error:
        draw_block(dataset, None, group, wrong, [0], 1)
    for text in ["membership.by: ", "'hospitals'", "data set toy (hospital", "Did you mean 'hospital'?"]:
        assert text in str(error.value)
    bare = Dataset("toy", dataset.x, dataset.y, dataset.features, dataset.classes)
    with pytest.raises(ConfigError, match=r"it has none.*the key attributes"):
        draw_block(bare, None, group, arms(), [0], 1)


def test_draws_may_have_names_and_differ_from_all_numbered_ones(dataset):
    drawn = draw_block(dataset, None, group, arms(), ["reference 0", "reference 1", 0, 1], 1)
    members = {key: tuple(split.members) for key, split in drawn.items() if key[0] == "one"}
    assert len(set(members.values())) == 4
    again = draw_block(dataset, None, group, arms(), ["reference 1"], 1)
    assert same(again["one", "reference 1"], drawn["one", "reference 1"])


def test_sizes_are_counted_once_for_each_arm(dataset):
    table = sizes_table("heart", dataset, draw_block(dataset, None, group, arms(), [0, 1], 1))
    assert table.columns.tolist() == [
        *("experiment", "arm", "features", "classes"),
        *("members", "nonmembers", "population", "validation", "background"),
    ]
    assert table.to_numpy().tolist() == [
        ["heart", arm, 2, 2, 8, 9, population, 0, 0]
        for arm, population in [("one", 17), ("one-iid", 17), ("two", 17), ("two-iid", 17)]
    ]


def test_sizes_that_are_random_are_means_over_replicates(dataset):
    splits = {("one", 0): Split([0], [1], [], []), ("one", 1): Split([0, 2], [1], [], [])}
    assert arm_sizes(splits)["one"]["members"] == [1, 2]
    (row,) = sizes_table("heart", dataset, splits).to_dict("records")
    assert (row["members"], row["nonmembers"]) == (1.5, 1)


@pytest.mark.parametrize(("most", "members", "nonmembers"), [(None, 15, 35), (20, 15, 20)])
def test_shares_are_of_the_group_and_of_the_others(most, members, nonmembers):
    groups = np.repeat(["left", "right"], [30, 70])
    split = group(groups, np.random.default_rng(0), group="left", members=0.5, nonmembers=0.5, most=most)
    assert (len(split.members), len(split.nonmembers)) == (members, nonmembers)
    assert (groups[split.members] == "left").all()


@pytest.mark.parametrize(("most", "sizes"), [(None, (20, 30, 50)), (25, (20, 25, 55))])
def test_shares_of_one_pool_are_of_all_records(most, sizes):
    split = iid(np.zeros(100), np.random.default_rng(0), members=0.2, nonmembers=0.3, most=most)
    assert (len(split.members), len(split.nonmembers), len(split.population)) == sizes


@pytest.mark.parametrize("share", [0.28, 0.29, 0.57, 0.58])
def test_a_share_is_no_record_less_for_its_rounding_error(share):
    split = iid(np.zeros(100), np.random.default_rng(0), members=share, nonmembers=10)
    assert len(split.members) == round(100 * share)
