"""The noise of the private models of one block: each has its own, the one that it has when it is trained alone."""

from dataclasses import replace

import numpy as np
import pytest
from training_checks import experiment, splits_of, toy

from dpmia.datasets.dataset import Dataset
from dpmia.planning import jobs, reference_jobs
from dpmia.training.roles.references import train_references
from dpmia.training.roles.targets import train_block
from dpmia.training.streams import Streams

EPSILONS = [0.05, 0.1]


def images():
    rng = np.random.default_rng(0)
    x = rng.random((240, 36)).astype(np.float32)
    features = tuple(f"pixel{number}" for number in range(36))
    hospital = np.repeat(["a", "b"], [120, 120])
    return Dataset("toy", x, rng.integers(0, 2, 240), features, ("no", "yes"), {"hospital": hospital}, image=(1, 6, 6))


CASES = {
    "stacked": ({"hidden": [30]}, toy),
    "stacked, ragged": ({"hidden": [250, 200]}, toy),
    "convolution": ({"kind": "growing", "size": 4}, images),
    "opacus": ({"hidden": [30]}, toy),
}


@pytest.fixture(params=CASES)
def case(request):
    """Return settings and data by which parameters after training are little else than noise."""
    model, data = CASES[request.param]
    training = {"engine": request.param.partition(",")[0], "batch_size": 10, "epochs": 1}
    given = experiment(
        model=model,
        training={**training, "optimiser": "sgd", "learning_rate": 3.0},
        epsilons=[EPSILONS],
        attacks={"random": {}},
    )
    return given, data()


def trained(given, dataset, replicates, epsilons=EPSILONS):
    """Return the parameters of the private models of a block by arm, epsilon and replicate."""
    job = replace(jobs.train_job(given, epsilons, 0), replicates=replicates, parameters=True)
    signals = train_block(dataset, splits_of(dataset, given), job, 1)
    return {(signal.card.arm, signal.card.epsilon, signal.card.replicate): signal.parameters for signal in signals}


def test_no_two_models_of_a_block_share_noise(case):
    together = trained(*case, [0, 1])
    assert len(together) == 8
    parameters = np.stack(list(together.values()))
    assert parameters.std() > 1, "noise hides where the models started"
    correlations = np.corrcoef(parameters)[np.triu_indices(len(parameters), 1)]
    # 5.5 standard deviations of the correlation of independent samples: 28 pairs, false alarm below 1e-5.
    assert np.abs(correlations).max() < 5.5 / np.sqrt(parameters.shape[1])


def test_each_model_of_a_block_is_the_one_trained_alone(case):
    together = trained(*case, [0, 1])
    for epsilon in EPSILONS:
        for replicate in (0, 1):
            alone = trained(*case, [replicate], [epsilon])
            for key, parameters in alone.items():
                np.testing.assert_allclose(together[key], parameters, rtol=0, atol=1e-4)


def test_no_two_private_models_have_a_seed_of_noise_in_common(monkeypatch):
    opened, open_streams = [], Streams.__init__

    def remembered(streams, seeds, *rest):
        opened.append(seeds.noise)
        open_streams(streams, seeds, *rest)

    monkeypatch.setattr(Streams, "__init__", remembered)
    given, dataset = experiment(epsilons=[[1, 2]], references={"count": 6, "block": 3, "private": True}), toy()
    splits = splits_of(dataset, given)
    train_block(dataset, splits, jobs.train_job(given, [1.0, 2.0], 0), 1)
    for block in (0, 1):
        train_references(dataset, None, splits, reference_jobs.job(given, [1.0, 2.0], block), 1)
    assert len(opened) == 8 + 12
    assert len(set(opened)) == len(opened)
