"""Models whose engine keeps no checkpoint: what is finished when a job is interrupted is not trained again."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from training_checks import experiment, splits_of, toy

from dpmia.common.errors import DataError
from dpmia.formats.model_card import Architecture
from dpmia.planning import jobs
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.scikit_learn import ScikitLearnEngine
from dpmia.training.finished import Outputs, load_outputs, save_outputs
from dpmia.training.roles.targets import train_block

INF = float("inf")
ENGINE = "dpmia.training.engines.scikit_learn:ScikitLearnEngine"


@pytest.fixture(scope="module")
def dataset():
    return toy()


def train(dataset, kept, **options):
    """Fit the forests of a block."""
    settings = experiment(epsilons=[["inf"]], attacks={"random": {}})
    job = jobs.train_job(settings, [INF], 0)
    forests = {arm: Architecture("dpmia.models.classifiers:random_forest", {"trees": 2}) for arm in job.models}
    job = replace(job, models=forests, engines=replace(job.engines, nonprivate=ENGINE))
    return train_block(dataset, splits_of(dataset, settings), job, 1, checkpoints=kept, **options)


def checkpoints(folder, every=0.0):
    return Checkpoints(folder / "signals.npz", "code", every=every)


@pytest.fixture
def fitted(monkeypatch):
    """Return the names of the models that are fitted, as they are; the fourth is interrupted."""
    names, advance = [], ScikitLearnEngine.advance

    def counted(engine, steps):
        names.append(engine.run.name)
        if len(names) == 4:
            raise MemoryError
        return advance(engine, steps)

    monkeypatch.setattr(ScikitLearnEngine, "advance", counted)
    return names


def test_an_interrupted_block_fits_only_what_was_not_finished(dataset, tmp_path, fitted):
    with pytest.raises(MemoryError), checkpoints(tmp_path) as kept:
        train(dataset, kept)
    with checkpoints(tmp_path) as kept:
        resumed = train(dataset, kept)
    assert not kept.folder.exists()
    assert len(fitted) == len(resumed) + 1, "the interrupted one alone is begun twice"
    whole = train(dataset, None)
    assert len(fitted) == 2 * len(whole) + 1
    for one, other in zip(whole, resumed, strict=True):
        assert np.array_equal(one.logits, other.logits)
        assert one.card == other.card


def test_a_job_that_takes_less_keeps_nothing(dataset, tmp_path, fitted):
    with pytest.raises(MemoryError), checkpoints(tmp_path, every=300.0) as kept:
        train(dataset, kept)
    assert not kept.folder.exists()


def given():
    return Outputs(np.ones((3, 2), dtype=np.float32), np.empty(0, dtype=np.float32), np.empty(0), np.array([0.5]))


def test_outputs_come_back_as_they_were(tmp_path):
    save_outputs(checkpoints(tmp_path), "one", given())
    loaded = load_outputs(checkpoints(tmp_path), "one", 3)
    for one, other in zip(loaded, given(), strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype
    assert load_outputs(checkpoints(tmp_path), "two", 3) is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"place": "code/two"}, "it belongs at code/two, and stands at code/one"),
        ({"logits": torch.full((3, 2), float("nan"))}, "logits holds numbers that are not finite"),
        ({"logits": torch.ones(4, 2)}, "it has outputs on 4 queries, and there are 3"),
        ({"logits": None}, "training cannot go on from it"),
    ],
)
def test_a_file_that_holds_no_outputs_of_the_model_is_refused(tmp_path, change, problem):
    kept = checkpoints(tmp_path)
    save_outputs(kept, "one", given())
    torch.save(torch.load(kept.path("one")) | change, kept.path("one"))
    with pytest.raises(DataError, match=rf"one\.ckpt: .*{problem}.*Delete it: the training then starts"):
        load_outputs(kept, "one", 3)


def test_a_damaged_file_is_refused(tmp_path):
    kept = checkpoints(tmp_path)
    save_outputs(kept, "one", given())
    content = bytearray(kept.path("one").read_bytes())
    content[len(content) // 2] ^= 1
    kept.path("one").write_bytes(content[:-100])
    with pytest.raises(DataError, match=r"one\.ckpt: .*Delete it: the training then starts from its beginning"):
        load_outputs(kept, "one", 3)
