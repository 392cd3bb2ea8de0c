"""The blind baseline: zero where nothing is to be told, near the optimum where it is known, and what a model adds."""

import numpy as np
import pytest
import torch
from scipy.stats import binom, norm
from torch.nn.functional import cross_entropy

from dpmia.evaluation import blind_classifier as blind
from dpmia.evaluation.blind_classifier import blind_scores, scores_with_signal
from dpmia.metrics.intervals import NORMAL, mean_interval
from dpmia.metrics.ranking import advantage, ranking
from dpmia.metrics.record_errors import contributions, standard_error
from dpmia.models.mlp import MLP
from dpmia.splits.draws import group, shuffled

#: Chance that a right implementation fails one of the tests of coverage, were the seeds drawn anew.
FALSE_ALARM = 1e-6


def two_hospitals(seed=0, records=1200, shift=1.5):
    """Records of two groups whose first feature and labels differ."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(["a", "b"], records)
    x = rng.normal(size=(records, 5)).astype(np.float32)
    x[groups == "a", 0] += shift
    y = (rng.random(records) < np.where(groups == "a", 0.4, 0.6)).astype(np.int64)
    return x, y, groups


def arms(seed=0):
    """Return x, y and truth of the arm whose members are one group, and of its IID arm."""
    x, y, groups = two_hospitals(seed)
    rng = np.random.default_rng(seed)
    split = group(groups, rng, group="a", members=500, nonmembers=500)
    outputs = []
    for arm in (split, shuffled(split, rng)):
        rows = np.concatenate([arm.members, arm.nonmembers])
        outputs.append((x[rows], y[rows], np.arange(len(rows)) < len(arm.members)))
    return outputs


def baseline(scores, is_member):
    """Return the metrics of blind scores, with intervals of advantage and AUC over records."""
    decisions = scores >= blind.THRESHOLD
    metrics = {**advantage(decisions, is_member), **ranking(scores, is_member)}
    for name, parts in contributions(scores, decisions, is_member).items():
        half = NORMAL * standard_error(parts, is_member)
        metrics[f"{name}_low"], metrics[f"{name}_high"] = metrics[name] - half, metrics[name] + half
    return metrics


def excess(scores, reference, is_member, decisions=None):
    """Return what one score gains over another of the same records in advantage and AUC, with paired intervals."""
    of_attack = scores, scores >= blind.THRESHOLD if decisions is None else decisions, is_member
    of_reference = reference, reference >= blind.THRESHOLD, is_member
    values, without = (
        {**advantage(decided, is_member), **ranking(scored, is_member)}
        for scored, decided, _ in (of_attack, of_reference)
    )
    parts, other_parts = contributions(*of_attack), contributions(*of_reference)
    metrics = {}
    for name in parts:
        gained = values[name] - without[name]
        half = NORMAL * standard_error(parts[name] - other_parts[name], is_member)
        metrics |= {f"{name}_excess": gained, f"{name}_excess_low": gained - half, f"{name}_excess_high": gained + half}
    return metrics


def covers(metrics, name, value=0.0):
    return metrics[f"{name}_low"] <= value <= metrics[f"{name}_high"]


# --- What is there to be told -----------------------------------------------------------------------------------


def test_a_group_is_distinguished_and_its_shuffled_arm_is_not():
    grouped, iid = arms()
    metrics = baseline(blind_scores(*grouped, seed=1), grouped[2])
    assert metrics["advantage_low"] > 0.4
    assert metrics["auc_low"] > 0.75
    metrics = baseline(blind_scores(*iid, seed=1), iid[2])
    assert covers(metrics, "advantage")
    assert covers(metrics, "auc", 0.5)


def test_exchangeable_members_are_covered():
    """Intervals take the classifiers as given, so among few records they hold in .88 of draws (measured: 300)."""
    rng, draws = np.random.default_rng(2), 30
    baselines = []
    for seed in range(draws):
        x, is_member = rng.normal(size=(150, 3)), rng.permutation(150) < 60
        baselines.append(baseline(blind_scores(x, rng.integers(0, 2, 150), is_member, seed, folds=3), is_member))
    for name, value in (("advantage", 0.0), ("auc", 0.5)):
        hits = sum(covers(metrics, name, value) for metrics in baselines)
        assert hits >= binom.ppf(FALSE_ALARM, draws, 0.88)
        values = np.array([metrics[name] for metrics in baselines])
        assert abs(values.mean() - value) < 5 * values.std(ddof=1) / np.sqrt(draws)


@pytest.mark.parametrize("members", [2000, 300])
def test_known_optimum_is_neared_and_not_passed_whatever_the_share_of_members(members):
    rng, records, shift = np.random.default_rng(3), 3000, 1.0
    is_member = np.arange(records) < members
    x = rng.normal(size=(records, 3)) + np.outer(is_member, [shift, 0, 0])
    metrics = baseline(blind_scores(x, np.zeros(records), is_member, seed=4), is_member)
    optimum = 2 * norm.cdf(shift / 2) - 1
    assert metrics["advantage_high"] > 0.9 * optimum
    assert metrics["advantage_low"] < optimum
    assert 0.9 * norm.cdf(shift / np.sqrt(2)) < metrics["auc"] < 1.03 * norm.cdf(shift / np.sqrt(2))
    assert abs(metrics["tpr"] + metrics["fpr"] - 1) < 0.2  # the symmetric threshold, not that of the majority


def test_labels_alone_can_tell():
    rng, is_member = np.random.default_rng(5), np.arange(800) < 400
    y = (rng.random(800) < np.where(is_member, 0.8, 0.2)).astype(np.int64)
    metrics = baseline(blind_scores(rng.normal(size=(800, 2)), y, is_member, seed=1), is_member)
    assert metrics["advantage"] == pytest.approx(0.6, abs=0.1)


def test_no_record_is_scored_by_a_classifier_that_knew_it(monkeypatch):
    """Classifiers that remember every record: they would score 1 and 0."""

    class Remembers:
        def __init__(self, **settings):
            pass

        def fit(self, features, truth):
            self.seen = {row.tobytes(): reported for row, reported in zip(features, truth, strict=True)}

        def predict_proba(self, features):
            reported = np.array([float(self.seen.get(row.tobytes(), 0.5)) for row in features])
            return np.stack([1 - reported, reported], 1)

    monkeypatch.setattr(blind, "HistGradientBoostingClassifier", Remembers)
    x, is_member = np.random.default_rng(6).normal(size=(100, 2)), np.arange(100) < 50
    assert np.array_equal(blind_scores(x, np.zeros(100), is_member, seed=1), np.full(100, 0.5))
    monkeypatch.setattr(blind, "VALUES", 3 * 30)
    assert np.array_equal(blind_scores(x, np.zeros(100), is_member, seed=1), np.full(100, 0.5))


def test_large_tables_are_learned_from_a_sample(monkeypatch):
    sizes = []

    class Counts(blind.HistGradientBoostingClassifier):
        def fit(self, features, truth):
            sizes.append((len(features), truth.mean()))
            return super().fit(features, truth)

    monkeypatch.setattr(blind, "HistGradientBoostingClassifier", Counts)
    monkeypatch.setattr(blind, "VALUES", 6 * 300)
    grouped, _ = arms()
    metrics = baseline(blind_scores(*grouped, seed=1), grouped[2])
    assert sizes == [(300, 0.5)] * blind.FOLDS
    assert metrics["advantage_low"] > 0


def test_same_seed_same_scores():
    grouped, _ = arms()
    one, again, other = (blind_scores(*grouped, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


# --- What a model adds ------------------------------------------------------------------------------------------


def test_untrained_model_shows_no_excess():
    """In either form and either arm: its losses are a function of x and y, which the baseline has."""
    shape = MLP(5, (16,), 2)
    module = shape.module()
    gains = {}
    for seed in range(3):
        start = shape.initial_parameters(torch.Generator().manual_seed(seed))
        torch.nn.utils.vector_to_parameters(torch.cat([part.flatten() for part in start]), module.parameters())
        for arm, (x, y, is_member) in zip(("grouped", "iid"), arms(seed), strict=True):
            with torch.no_grad():
                losses = cross_entropy(module(torch.tensor(x)), torch.tensor(y), reduction="none").double().numpy()
            base = blind_scores(x, y, is_member, seed, folds=3)
            added = excess(scores_with_signal(x, y, losses, is_member, seed, folds=3), base, is_member)
            attack = excess(-losses, base, is_member, decisions=losses <= np.median(losses))
            for form, metrics in (("added", added), ("attack", attack)):
                gains.setdefault((arm, form), []).append(metrics["auc_excess"])
                assert metrics["advantage_excess_low"] <= 0.02
    for gained in gains.values():
        assert mean_interval(np.array(gained), level=0.999).low <= 0
        assert np.mean(gained) < 0.02


def test_attack_that_is_weaker_than_the_baseline_still_adds():
    x, y, is_member = arms()[0]
    losses = np.random.default_rng(7).normal(size=len(y)) - 0.5 * is_member
    base = blind_scores(x, y, is_member, seed=1)
    attack = excess(-losses, base, is_member, decisions=losses <= -0.25)
    assert attack["advantage_excess_high"] < 0
    added = excess(scores_with_signal(x, y, losses, is_member, seed=1), base, is_member)
    assert added["auc_excess_low"] > 0
    # The optimum of both together: the distances of independent evidence add up in squares.
    assert added["auc_excess"] < 0.1


# --- Intervals --------------------------------------------------------------------------------------------------


def test_intervals_cover_the_truth_of_gaussian_scores():
    rng, draws, members, others = np.random.default_rng(8), 80, 120, 300
    is_member = np.arange(members + others) < members
    first, second, common = 1.0, 0.6, 0.7

    def scores(shift, shared):
        noise = common * shared + np.sqrt(1 - common**2) * rng.normal(size=len(is_member))
        return blind.THRESHOLD + noise + shift * (is_member - 0.5)

    hits = dict.fromkeys(("advantage", "auc", "advantage_excess", "auc_excess"), 0)
    truth = {
        "advantage": 2 * norm.cdf(first / 2) - 1,
        "auc": norm.cdf(first / np.sqrt(2)),
        "advantage_excess": 2 * (norm.cdf(first / 2) - norm.cdf(second / 2)),
        "auc_excess": norm.cdf(first / np.sqrt(2)) - norm.cdf(second / np.sqrt(2)),
    }
    for _ in range(draws):
        shared = rng.normal(size=len(is_member))
        one, other = scores(first, shared), scores(second, shared)
        metrics = {**baseline(one, is_member), **excess(one, other, is_member)}
        for name, value in truth.items():
            hits[name] += covers(metrics, name, value)
    for name, count in hits.items():
        # 94 %: the normal approximation of 120 records is allowed to miss a little more often.
        assert binom.ppf(FALSE_ALARM, draws, 0.94) <= count <= binom.ppf(1 - FALSE_ALARM, draws, 0.96), name


# --- Refusals ---------------------------------------------------------------------------------------------------


def test_too_few_records_and_arrays_that_do_not_fit_are_refused():
    x, y = np.zeros((40, 2)), np.zeros(40)
    with pytest.raises(ValueError, match="9 members or non-members, not 10"):
        blind_scores(x, y, np.arange(40) < 9, seed=1)
    with pytest.raises(ValueError, match="x of shape"):
        blind_scores(x, y[:-1], np.arange(40) < 20, seed=1)
    with pytest.raises(ValueError, match="finite"):
        scores_with_signal(x, y, np.full(40, np.nan), np.arange(40) < 20, seed=1)
    with pytest.raises(ValueError, match="finite"):
        scores_with_signal(x, y, np.zeros(39), np.arange(40) < 20, seed=1)


def test_too_few_of_one_kind_among_those_that_a_classifier_is_trained_on_are_refused(monkeypatch):
    monkeypatch.setattr(blind, "VALUES", 3 * 30)
    x, y = np.random.default_rng(0).normal(size=(1200, 2)), np.zeros(1200)
    with pytest.raises(
        ValueError, match=r"0\.3 of 12 members or non-members are among the 30 records of 3 columns .* 4"
    ):
        blind_scores(x, y, np.arange(1200) < 12, seed=1)


def test_one_record_more_than_a_classifier_is_trained_on_is_no_error(monkeypatch):
    rng = np.random.default_rng(0)
    x, is_member = rng.normal(size=(100, 2)), np.arange(100) < 50
    for records in (79, 80, 81):  # four fifths of 100 are 80
        monkeypatch.setattr(blind, "VALUES", 3 * records)
        assert np.isfinite(blind_scores(x, np.zeros(100), is_member, seed=1)).all()


# --- One-hot encoded categories ---------------------------------------------------------------------------------


def one_hot(codes, categories):
    return (codes[:, None] == np.arange(categories)).astype(np.float32)


def test_indicators_of_a_category_become_one_column_without_a_loss():
    rng = np.random.default_rng(0)
    job, town = rng.integers(0, 5, 300), rng.integers(0, 3, 300)
    age = rng.normal(size=300).astype(np.float32)
    columns, categorical = blind.bundled(np.column_stack([one_hot(job, 5), age, one_hot(town, 3)]))
    assert categorical == [True, False, True]
    assert columns.T.tolist() == [(job + 1).tolist(), age.tolist(), (town + 1).tolist()]


def test_scaled_indicators_and_those_without_a_first_category_are_bundled_too():
    codes = np.random.default_rng(0).integers(0, 4, 200)
    columns, categorical = blind.bundled(3 * one_hot(codes, 4)[:, 1:] - 1)
    assert categorical == [True]
    assert columns[:, 0].tolist() == codes.tolist()


def test_indicators_that_do_not_exclude_one_another_stay_apart():
    x = np.random.default_rng(0).integers(0, 2, (100, 6)).astype(np.uint8)
    columns, categorical = blind.bundled(x)
    assert not any(categorical)
    assert columns.tolist() == x.tolist()


def test_a_constant_column_stays_alone():
    codes = np.arange(100) % 2
    columns, categorical = blind.bundled(np.column_stack([np.ones(100), one_hot(codes, 2)]).astype(np.float32))
    assert categorical == [False, True]
    assert columns.T.tolist() == [[1] * 100, (codes + 1).tolist()]


def test_a_bundle_has_no_more_categories_than_trees_take(monkeypatch):
    codes = np.random.default_rng(0).integers(0, 600, 5000)
    columns, categorical = blind.bundled(one_hot(codes, 600))
    assert categorical == [True, True, True]
    assert columns.max() <= blind.CATEGORIES
    scores = blind_scores(one_hot(codes, 600), codes % 2, np.arange(5000) % 2 == 0, 0)
    assert np.isfinite(scores).all()


def test_categories_that_differ_between_groups_are_told_as_by_their_likelihood_ratio():
    rng = np.random.default_rng(0)
    truth = np.arange(20_000) % 2 == 0
    by_member, by_other = np.array([0.1, 0.3, 0.2, 0.3, 0.1]), np.array([0.3, 0.1, 0.2, 0.1, 0.3])
    codes = np.where(truth, rng.choice(5, 20_000, p=by_member), rng.choice(5, 20_000, p=by_other))
    metrics = baseline(blind_scores(one_hot(codes, 5), np.zeros(20_000, dtype=np.int64), truth, 0), truth)
    # Likelier among members: the second and the fourth category.
    assert metrics["advantage"] == pytest.approx(0.4, abs=0.02)


@pytest.mark.parametrize("classes", [3, 60])
def test_classes_are_categories_and_no_order_of_theirs_counts(classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 1500)
    is_member = rng.random(1500) < np.where(rng.permutation(classes)[y] % 2, 0.9, 0.1)
    x = np.zeros((1500, 1))
    auc = ranking(blind_scores(x, y, is_member, seed=0), is_member)["auc"]
    renamed = ranking(blind_scores(x, rng.permutation(classes)[y], is_member, seed=0), is_member)["auc"]
    assert auc == pytest.approx(renamed, abs=0.02)
    assert auc > 0.85


def test_numbers_to_predict_stay_numbers():
    y = np.linspace(0, 1, 400)
    is_member = y > 0.5
    assert ranking(blind_scores(np.zeros((400, 1)), y, is_member, seed=0), is_member)["auc"] > 0.95
