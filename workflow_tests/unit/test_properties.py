"""Properties that hold for whatever is drawn: metrics against brute force, seeds, spellings, splits, bounds."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_cards import card
from scipy import stats

from dpmia.common.epsilon import parse_epsilon, spell_epsilon
from dpmia.common.seeds import derive_seed
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.recipe import Recipe
from dpmia.metrics.exposure import p_values
from dpmia.metrics.intervals import clopper_pearson
from dpmia.metrics.ranking import LOW_RATES, advantage, best_threshold, guessed_right, ranking, roc
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.lower_bounds import epsilon_from_guesses
from dpmia.privacy.upper_bounds import advantage_ceiling, tpr_ceiling, trade_off
from dpmia.splits.draws import group, shuffled

# The same examples every time: a test that fails now and then tells nothing.
few = settings(max_examples=60, deadline=None, derandomize=True, database=None)
fewer = settings(few, max_examples=8)

SCORES = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=25).filter(
    lambda rows: len({member for _, member in rows}) == 2
)


def apart(rows):
    scores, members = zip(*rows, strict=True)
    return np.array(scores, dtype=float), np.array(members)


# Metrics


@few
@given(SCORES)
def test_the_auc_is_the_share_of_pairs_in_the_right_order(rows):
    scores, members = apart(rows)
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[members] for b in scores[~members]]
    assert ranking(scores, members)["auc"] == pytest.approx(np.mean(pairs))


@few
@given(SCORES)
def test_the_oracle_is_the_best_of_all_thresholds(rows):
    scores, members = apart(rows)
    best = max(advantage(scores >= t, members)["advantage"] for t in [*scores, np.inf])
    assert advantage(scores >= best_threshold(scores, members), members)["advantage"] == pytest.approx(best)


@few
@given(SCORES)
def test_the_tpr_at_a_low_rate_is_the_best_of_the_thresholds_that_keep_it(rows):
    scores, members = apart(rows)
    metrics = ranking(scores, members)
    for name, rate in LOW_RATES.items():
        kept = [(scores[members] >= t).mean() for t in [*scores, np.inf] if (scores[~members] >= t).mean() <= rate]
        expected = max(kept) if rate >= 1 / (~members).sum() else math.nan
        assert metrics[name] == pytest.approx(expected, nan_ok=True)


@few
@given(SCORES)
def test_only_the_order_of_scores_counts(rows):
    scores, members = apart(rows)
    np.testing.assert_equal(ranking(np.exp(scores) * 5 - 1, members), ranking(scores, members))
    assert ranking(-scores, members)["auc"] == pytest.approx(1 - ranking(scores, members)["auc"])


@few
@given(SCORES)
def test_a_roc_rises_from_nobody_to_everybody(rows):
    fpr, tpr, thresholds = roc(*apart(rows))
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert (np.diff(thresholds) < 0).all()


@few
@given(SCORES)
def test_right_guesses_are_shares(rows):
    assert all(0 <= share <= 1 for share in guessed_right(*apart(rows)).values())


@few
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6))
def test_p_values_count_reference_scores_at_least_as_high(models, records, seed):
    rng = np.random.default_rng(seed)
    scores, references = rng.integers(0, 3, records).astype(float), rng.integers(0, 3, (models, records)).astype(float)
    outside = rng.random((models, records)) < 0.7
    expected = [
        (1 + sum(bool(references[m, r] >= scores[r] and outside[m, r]) for m in range(models)))
        / (1 + sum(bool(outside[m, r]) for m in range(models)))
        for r in range(records)
    ]
    np.testing.assert_allclose(p_values(scores, references, outside), expected)


@few
@given(st.integers(1, 200), st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.32]))
def test_exact_limits_are_scipys(trials, share, error):
    successes = round(share * trials)
    interval = stats.binomtest(successes, trials).proportion_ci(1 - error, method="exact")
    low, high = clopper_pearson(successes, trials, error)
    assert (float(low), float(high)) == pytest.approx((interval.low, interval.high), abs=1e-12)


# Spellings and round trips


@few
@given(st.floats(1.001e-4, 1e300))
def test_an_epsilon_has_one_spelling(epsilon):
    spelt = spell_epsilon(epsilon)
    assert spell_epsilon(parse_epsilon(spelt)) == spelt
    assert parse_epsilon(spelt) == pytest.approx(epsilon, rel=1e-11)


MEANINGS = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def canonical(value):
    """Return a meaning as text, by a way of its own: numbers by value, `true` apart from 1."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return repr(value)
    return repr(float(value) + 0.0)


@few
@given(st.lists(MEANINGS, max_size=4), st.lists(MEANINGS, max_size=4))
def test_two_meanings_have_one_seed_only_if_they_are_the_same(one, other):
    assert (derive_seed(7, *one) == derive_seed(7, *other)) == (canonical(one) == canonical(other))
    assert 0 <= derive_seed(7, *one) < 2**63


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_no_two_streams_are_alike(count):
    streams = {
        derive_seed(number % 3, "noise", number // 3 % 50, str(number // 150), "block") for number in range(count)
    }
    assert len(streams) == count


@few
@given(st.builds(Recipe, st.sampled_from(["adam", "sgd"]), st.floats(1e-6, 1), st.integers(1, 999), st.integers(1, 99)))
def test_recipes_and_cards_are_read_back(recipe):
    assert Recipe.from_plain(json.loads(json.dumps(recipe.plain()))) == recipe
    whole = replace(card(), recipe=recipe, model=Architecture("a:b", {"hidden": [1, 2]}), replicate=3, rate=0.5)
    assert ModelCard.from_plain(json.loads(json.dumps(whole.plain()))) == whole


# Splits


@few
@given(st.integers(0, 10**6), st.integers(1, 15), st.integers(1, 15))
def test_splits_are_disjoint_of_the_asked_sizes_and_groups(seed, members, nonmembers):
    groups = np.random.default_rng(seed).permutation(np.repeat(["a", "b", "c"], [20, 30, 10]))
    rng = np.random.default_rng(seed)
    split = group(groups, rng, group="a", members=members, nonmembers=nonmembers)
    for drawn, outside in ((split, "bc"), (shuffled(split, rng), "abc")):
        rows = [drawn.members, drawn.nonmembers, drawn.population, drawn.validation, drawn.background]
        assert len(np.unique(np.concatenate(rows))) == sum(map(len, rows))
        assert (len(drawn.members), len(drawn.nonmembers)) == (members, nonmembers)
        assert set(groups[drawn.nonmembers]) <= set(outside)
    assert set(groups[split.members]) == {"a"}


# Bounds


@fewer
@given(st.floats(0.01, 0.5), st.integers(1, 40), st.floats(0.6, 4), st.sampled_from(["add_remove", "replace_one"]))
def test_upper_bounds_rise_with_rate_and_steps_and_fall_with_noise(rate, steps, sigma, relation):
    def ceiling(rate, steps, sigma):
        how = {"sampler": "poisson", "epochs": 1, "relation": relation}
        return advantage_ceiling(trade_off(rate=rate, steps=steps, noise_multiplier=sigma, **how))

    here = ceiling(rate, steps, sigma)
    assert 0 <= here <= 1
    slack = 1e-3  # privacy losses are rounded
    assert ceiling(min(1.0, 1.5 * rate), steps, sigma) >= here - slack
    assert ceiling(rate, 2 * steps, sigma) >= here - slack
    assert ceiling(rate, steps, 1.5 * sigma) <= here + slack


@fewer
@given(st.floats(0.01, 0.3), st.integers(1, 40), st.floats(0.8, 4), st.sampled_from(["add_remove", "replace_one"]))
def test_upper_bounds_are_never_above_those_of_epsilon_and_delta(rate, steps, sigma, relation):
    delta = 1e-5
    epsilon = Mechanism("poisson", rate, steps, 1, relation, delta, "pld").epsilon(sigma)
    curve = trade_off(sampler="poisson", rate=rate, steps=steps, epochs=1, noise_multiplier=sigma, relation=relation)
    slack = 1e-3
    assert advantage_ceiling(curve) <= (math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1) + slack
    rates = np.array([1e-3, 0.01, 0.1, 0.5])
    assert (tpr_ceiling(curve, rates) <= np.exp(epsilon) * rates + delta + slack).all()


@few
@given(st.integers(1, 60), st.floats(0, 1), st.integers(0, 50), st.sampled_from([0.0, 1e-6, 1e-3]))
def test_more_right_guesses_refute_more(guesses, share, silent, delta):
    right = round(share * guesses)
    bound = epsilon_from_guesses(right, guesses, guesses + silent, delta)
    assert bound >= 0
    if right < guesses:
        assert epsilon_from_guesses(right + 1, guesses, guesses + silent, delta) >= bound
    assert epsilon_from_guesses(right, guesses, guesses + silent, 10 * delta) <= bound
    assert epsilon_from_guesses(right, guesses, guesses + silent, delta, confidence=0.99) <= bound
