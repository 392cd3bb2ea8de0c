"""Private models keep theorem 3.3 of Thudi et al.; without their noise they break it, so the test can fail."""

import functools

import numpy as np
import pytest
from training_checks import splits_of

from dpmia.attacks.hypothesis import Population
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.attacks import attack_rows
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import save_signals
from dpmia.formats.tables import table_of
from dpmia.metrics.intervals import mean_interval
from dpmia.metrics.precision import ACCEPTANCE
from dpmia.planning import jobs
from dpmia.privacy.accounting import Mechanism
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.theory.precision_bounds import precision_bound
from dpmia.training.roles.targets import train_block

EPSILONS = (0.5, 1.0)
RATES = {"p0.3": 0.3, "p0.5": 0.5}
DELTA = 1e-5


@pytest.fixture(scope="module")
def given():
    settings = {
        "dataset": "heart",
        "membership": {"kind": "bernoulli", "records": 300},
        "arms": {arm: {"rate": rate} for arm, rate in RATES.items()},
        "iid_arms": False,
        "model": {"hidden": [32]},
        "training": {"optimiser": "sgd", "learning_rate": 0.5, "batch_size": 30, "epochs": 40},
        "privacy": {"relation": "add_remove", "delta": DELTA, "accountant": "rdp"},
        "epsilons": [list(EPSILONS)],
        "replicates": 6,
        "block": 6,
        "attacks": {"population": {"alpha": 0.1}},
    }
    return checked(Experiment, settings, "test")


@pytest.fixture(scope="module")
def dataset():
    """Return records whose classes are drawn at random: who knows the class of one knows it by heart."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 60)).astype(np.float32)
    return Dataset("toy", x, rng.integers(0, 2, 500), tuple(map(str, range(60))), ("no", "yes"), {})


def measured(dataset, given, folder):
    """Return the interval of the precision of attack P, and its bound, by arm and epsilon."""
    job = jobs.train_job(given, list(EPSILONS), 0)
    save_signals(folder / "targets.npz", train_block(dataset, splits_of(dataset, given), job, 1), Provenance())
    rows = table_of(attack_rows("toy", "population", Population(alpha=0.1), [folder / "targets.npz"], 1))
    rows = rows[rows["metric"] == "precision"]
    precisions = {}
    for (arm, epsilon), values in rows.groupby(["arm", "epsilon"])["value"]:
        bound = precision_bound(epsilon, RATES[arm], DELTA, ACCEPTANCE)
        precisions[arm, epsilon] = mean_interval(values.to_numpy()), float(bound)
    return precisions


def test_precision_of_private_models_keeps_the_bound(dataset, given, tmp_path):
    precisions = measured(dataset, given, tmp_path)
    assert len(precisions) == len(RATES) * len(EPSILONS)
    for key, (interval, bound) in precisions.items():
        # At the smaller epsilon the noise is such that the attack hardly accuses anybody.
        assert interval.count == 6 or key[1] == 0.5
        assert not interval.low > bound, f"{key}: {interval} is above theorem 3.3, {bound:.3f}: too little noise"


def test_models_without_the_noise_they_state_pass_the_bound(dataset, given, tmp_path, monkeypatch):
    monkeypatch.setattr(Mechanism, "noise_multiplier", functools.partialmethod(lambda self, epsilon: 1e-6))
    for (_, epsilon), (interval, bound) in measured(dataset, given, tmp_path).items():
        assert interval.count == 6
        if epsilon == 0.5:
            assert interval.low > bound
