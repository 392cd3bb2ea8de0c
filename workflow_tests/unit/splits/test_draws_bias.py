"""Members of two groups in another proportion than non-members."""

import numpy as np
import pytest
from scipy import stats

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.dataset import Dataset
from dpmia.planning.jobs import arms
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.block import draw_block
from dpmia.splits.draws import bias

PARTS = ("members", "nonmembers", "population", "validation")
#: A correct draw fails a test of uniformity with this probability, were its seeds drawn anew.
FALSE_ALARM = 1e-6


def rng(seed=0):
    return np.random.default_rng(seed)


def sizes(split):
    assert not len(split.background)
    return {part: len(getattr(split, part)) for part in PARTS}


TWO = np.repeat(["a", "b"], [40, 30])
BIAS = {"group": "a", "share": 0.5, "members": 20, "nonmembers": 10, "validation": 8}


@pytest.mark.parametrize(("share", "inside"), [(0, 0), (0.25, 5), (0.5, 10), (0.75, 15), (1, 20)])
def test_bias_draws_exact_shares_of_two_groups(share, inside):
    split = bias(TWO, rng(), group="a", share=share, members=20, nonmembers=10, validation=8)
    counts = {part: (TWO[getattr(split, part)] == "a").sum() for part in PARTS}
    assert counts["members"] == inside
    assert counts["nonmembers"] == 5
    assert counts["validation"] == inside * 8 // 20
    assert [sizes(split)[part] for part in ("members", "nonmembers", "validation")] == [20, 10, 8]
    # Of each group at most as many as there are members.
    assert counts["population"] == min(20, 40 - inside - 5)
    assert sizes(split)["population"] == min(20, 40 - inside - 5) + min(20, 30 - (20 - inside) - 5)


def test_bias_validates_on_records_outside_of_the_training_set_that_may_be_attacked_too():
    split = bias(TWO, rng(), group="a", share=0.5, members=20, nonmembers=40, validation=30)
    assert not np.intersect1d(split.validation, split.members).size
    assert np.intersect1d(split.validation, split.nonmembers).size
    assert not np.intersect1d(split.population, split.nonmembers).size


@pytest.mark.parametrize(
    ("sizes_of_groups", "population"),
    [((32_650, 16_192), 11_192), ((33_070, 15_772), 10_772)],  # sex and education of Adult
)
def test_table_two_follows_from_the_sizes_of_the_groups(sizes_of_groups, population):
    # Humphries et al. 2023, table II: shadow data where no member is a man, or has little education.
    groups = np.repeat(["many", "few"], sizes_of_groups)
    split = bias(groups, rng(), group="many", share=0, members=10_000, nonmembers=10_000, validation=2500)
    assert len(split.population) == population


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 1])
@pytest.mark.parametrize("sizes_of_groups", [(32_650, 16_192), (33_070, 15_772)])
def test_adult_is_large_enough_for_every_share(sizes_of_groups, share):
    groups = np.repeat(["many", "few"], sizes_of_groups)
    split = bias(groups, rng(), group="many", share=share, members=10_000, nonmembers=10_000, validation=2500)
    assert (groups[split.members] == "many").sum() == 10_000 * share
    assert (groups[split.validation] == "many").sum() == 2500 * share
    assert (groups[split.nonmembers] == "many").sum() == 5000


def test_there_are_two_groups():
    with pytest.raises(DataError, match="group: 'a' is not one of two groups; there are a, b, c"):
        bias(np.repeat(["a", "b", "c"], 40), rng(), **BIAS)


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"group": "c"}, "group: 'c' is not one of two groups; there are a, b"),
        ({"share": 1, "members": 33}, "group 'a': 41 records are required, and there are 40"),
        ({"share": 0, "members": 23}, "group 'b': 31 records are required, and there are 30"),
        ({"share": 1, "validation": 21}, "group 'a': 41 records are required, and there are 40"),
        ({"nonmembers": 42}, "group 'b': 31 records are required, and there are 30"),
    ],
)
def test_a_group_too_small_for_its_share_is_reported(changes, reported):
    with pytest.raises(DataError) as error:
        bias(TWO, rng(), **BIAS | changes)
    assert reported in str(error.value)


def test_every_record_of_a_group_is_equally_likely_under_bias_in_every_part():
    draws = 4000
    groups = np.repeat(["a", "b"], [6, 8])
    counts = {part: np.zeros(14) for part in ("members", "nonmembers", "population", "validation")}
    for seed in range(draws):
        split = bias(groups, rng(seed), group="a", share=0.5, members=4, nonmembers=2, validation=2)
        for part, count in counts.items():
            count[getattr(split, part)] += 1
    for part, count in counts.items():
        for rows, size in ((slice(0, 6), 6), (slice(6, 14), 8)):
            share = count[rows].sum() / draws / size
            # Drawn without replacement: each count varies by n p (1 - p), and all together have a fixed sum.
            statistic = ((count[rows] - draws * share) ** 2).sum() / (draws * share * (1 - share)) * (size - 1) / size
            assert stats.chi2.sf(statistic, size - 1) > FALSE_ALARM, part


EDUCATION = np.repeat(["9th", "10th", "Masters", "Doctorate"], [20, 10, 20, 10])


def merged(**merge):
    sizes = {"members": 12, "nonmembers": 6, "validation": 4}
    settings = {
        "dataset": "adult",
        "membership": {"kind": "bias", "by": "education", "merge": merge, **sizes},
        "arms": {"p25": {"group": "low", "share": 0.25}},
        "iid_arms": False,
        "epsilons": [[1]],
        "replicates": 1,
        "block": 1,
        "attacks": {"random": {}},
    }
    return arms(checked(Experiment, settings, "test"))


@pytest.fixture(scope="module")
def people():
    x = rng(5).random((60, 2), dtype=np.float32)
    return Dataset("toy", x, np.arange(60) % 2, ("p", "q"), ("no", "yes"), {"education": EDUCATION})


def test_several_values_may_make_one_group(people):
    split = draw_block(people, None, bias, merged(low=["9th", "10th"], high=["Masters", "Doctorate"]), [0], 1)["p25", 0]
    low = np.isin(EDUCATION, ["9th", "10th"])
    assert [low[rows].sum() for rows in (split.members, split.nonmembers, split.validation)] == [3, 3, 1]
    assert set(EDUCATION[split.members]) == {"9th", "10th", "Masters", "Doctorate"}


@pytest.mark.parametrize(
    ("merge", "reported"),
    [
        ({"low": ["9th", "10th"], "high": ["Masters"]}, ["values without a group: ['Doctorate']"]),
        (
            {"low": ["9th", "10th", "11th"], "high": ["Masters", "Doctorate"]},
            ["values without a group: []", "values that do not occur: ['11th']"],
        ),
        ({"low": ["9th", "10th"], "high": ["10th", "Masters", "Doctorate"]}, ["Put each of these in one group"]),
    ],
)
def test_every_value_belongs_to_one_group(people, merge, reported):
    with pytest.raises(ConfigError) as error:
        draw_block(people, None, bias, merged(**merge), [0], 1)
    for text in ["membership.merge: ", "10th, 9th, Doctorate, Masters", *reported]:
        assert text in str(error.value)


@pytest.mark.parametrize("share", [0.25, 0.5])
@pytest.mark.parametrize("size", [5, 7, 11])
def test_odd_sizes_are_drawn_as_they_are(share, size):
    groups = np.repeat(["a", "b"], 100)
    split = bias(
        groups, np.random.default_rng(0), group="a", share=share, members=size, nonmembers=size, validation=size
    )
    assert [len(getattr(split, part)) for part in ("members", "nonmembers", "validation")] == [size] * 3
