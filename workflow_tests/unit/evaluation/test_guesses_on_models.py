"""Canaries in trained models: guesses of their membership bound epsilon, from below and never beyond the guarantee."""

import numpy as np
import pytest
from training_checks import splits_of

from dpmia.attacks.control import RandomScores
from dpmia.attacks.threshold import AverageThreshold
from dpmia.datasets.canaries import with_canaries
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.attacks import attack_rows
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import save_signals
from dpmia.formats.tables import table_of
from dpmia.metrics.ranking import guesses
from dpmia.planning import jobs
from dpmia.privacy.lower_bounds import epsilon_from_guesses
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.training.roles.targets import train_block

CANARIES, MODELS, SHARE = 60, 4, 0.5

SETTINGS = {
    "dataset": "heart",
    "membership": {"kind": "bernoulli", "records": 300, "queries": CANARIES, "canaries": ["mislabelled", "outlier"]},
    "arms": {"half": {"rate": 0.5}},
    "iid_arms": False,
    "model": {"hidden": [64]},
    "training": {"batch_size": 30, "epochs": 40},
    "privacy": {"relation": "add_remove"},
    "epsilons": [[1, "inf"]],
    "replicates": MODELS,
    "block": MODELS,
    "attacks": {"average_threshold": {}},
}


@pytest.fixture(scope="module")
def signals(tmp_path_factory):
    given = checked(Experiment, SETTINGS, "test")
    rng = np.random.default_rng(0)
    x = rng.random((300, 40)).astype(np.float32)
    separable = Dataset("toy", x, (x[:, 0] > 0.5).astype(np.int64), tuple(map(str, range(40))), ("no", "yes"))
    planted = with_canaries(separable, jobs.prepare_job(given).canaries)
    path = tmp_path_factory.mktemp("signals") / "targets.npz"
    save_signals(
        path, train_block(planted, splits_of(planted, given), jobs.train_job(given, [1, np.inf], 0), 1), Provenance()
    )
    return path


def lower_bound(signals, epsilon, attack):
    table = table_of(attack_rows("toy", "one", attack, [signals], 1))
    rows = table[(table["epsilon"] == epsilon) & (table["metric"] == f"guessed_right@{SHARE}")]
    assert len(rows) == MODELS
    count = guesses(CANARIES, SHARE)
    return epsilon_from_guesses(round(rows["value"].sum() * count), count * MODELS, CANARIES * MODELS, 1e-5)


def test_without_privacy_guesses_refute_a_guarantee_of_epsilon_1(signals):
    assert lower_bound(signals, np.inf, AverageThreshold()) > 1


def test_with_privacy_the_bound_stays_below_the_guarantee(signals):
    assert lower_bound(signals, 1.0, AverageThreshold()) <= 1


def test_random_guesses_bound_nothing(signals):
    assert lower_bound(signals, np.inf, RandomScores()) == 0
