"""Batches drawn ahead are exact Poisson samples, and the same however training is cut into pieces."""

import numpy as np
import pytest
from scipy.stats import binom, chi2
from tiny_training import SHAPE, make_data

from dpmia.formats.recipe import Recipe
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

#: Chance that a right sampler fails one of the tests below, were the seeds drawn anew.
FALSE_ALARM = 1e-6


def open_streams(records, batch_size, sampling="poisson", seed=1):
    return Streams(Seeds(1, seed, 3), Recipe("sgd", 0.1, batch_size, 1, sampling=sampling), records)


def test_the_rate_is_that_of_the_expected_number_of_records_however_many_joined():
    draws = 20_000
    streams = Streams(Seeds(1, 2, 3), Recipe("sgd", 0.1, 10, 1), 80, expected=100)
    assert streams.rate == 10 / 100
    sizes = [len(streams.batch()) for _ in range(draws)]
    assert abs(np.mean(sizes) - 80 * 0.1) < 5 * np.sqrt(80 * 0.1 * 0.9 / draws)


def test_an_engine_samples_at_the_rate_of_its_run():
    run = Run("r", np.arange(40), Seeds(1, 2, 3), 1.0, expected=50)
    engine = StackedEngine(SHAPE, Recipe("sgd", 0.1, 10, 1, clip_norm=1.0), [run], *make_data())
    assert [stream.rate for stream in engine.streams] == [10 / 50]


@pytest.mark.parametrize(("records", "batch_size"), [(20, 5), (20, 19), (300, 2)])
def test_sizes_are_binomial(records, batch_size):
    streams, draws = open_streams(records, batch_size), 20_000
    sizes = np.bincount([len(streams.batch()) for _ in range(draws)], minlength=records + 1)
    expected = draws * binom.pmf(np.arange(records + 1), records, batch_size / records)
    common = expected >= 5  # the rest is one class: the usual rule for the chi-square approximation
    observed = np.append(sizes[common], sizes[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    assert statistic < chi2.ppf(1 - FALSE_ALARM, len(wanted) - 1)


def test_records_join_with_the_same_rate_and_independently():
    records, batch_size, draws = 12, 3, 40_000
    streams = open_streams(records, batch_size)
    joined = np.zeros((draws, records))
    for row in joined:
        batch = streams.batch()
        assert len(np.unique(batch)) == len(batch)
        row[batch] = 1
    rate = batch_size / records
    z = (joined.mean(0) - rate) / np.sqrt(rate * (1 - rate) / draws)
    assert np.abs(z).max() < 5.5
    # Any two records, and the same record in two steps in a row: uncorrelated.
    pairs = np.corrcoef(np.hstack([joined[:-1], joined[1:]]).T)[np.triu_indices(2 * records, 1)]
    assert np.abs(pairs).max() < 6 / np.sqrt(draws)


def test_rate_one_takes_every_record():
    streams = open_streams(50, 50)
    for _ in range(200):
        assert np.array_equal(streams.batch(), np.arange(50))


def test_shuffled_epochs_are_permutations():
    streams = open_streams(50, 10, "shuffle")
    for _ in range(3):
        assert sorted(np.concatenate([streams.batch() for _ in range(5)])) == list(range(50))


@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
def test_batches_go_on_from_a_state(sampling):
    streams = open_streams(1000, 30, sampling)
    for _ in range(17):
        streams.batch()
    state = streams.state_dict()
    later = [streams.batch() for _ in range(300)]
    other = open_streams(1000, 30, sampling, seed=99)
    other.load_state_dict(state)
    for batch in later:
        assert np.array_equal(batch, other.batch())
