"""A checkpoint that is damaged or another one is named, and training does not go on from it."""

import io
import math
import shutil
from functools import reduce
from operator import getitem

import pytest
import torch
from tiny_training import PowerCutError, failing_at, make, make_data

from dpmia.common.errors import DataError
from dpmia.training import lightning
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.lightning import fit

#: Where the checkpoints of `signals.npz` are.
KEPT = "signals.npz.checkpoints/code/last.ckpt"


@pytest.fixture(scope="module")
def data():
    return make_data()


@pytest.fixture(scope="module", autouse=True)
def short_calls():
    """Two steps in a call of `training_step`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lightning, "MOST_STEPS_PER_CALL", 2)
        yield


@pytest.fixture(scope="module")
def cut(data, tmp_path_factory):
    """Return the checkpoint of a training that was cut after six steps; it can go on from it."""
    folder = tmp_path_factory.mktemp("cut")
    checkpoints = Checkpoints(folder / "signals.npz", "code", every=0)
    with pytest.raises(PowerCutError):
        fit(make(failing_at(PlainEngine, 6), data), checkpoints)
    kept = (folder / KEPT).read_bytes()
    fit(make(PlainEngine, data), checkpoints)
    return kept


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (["optimizer_states"], lambda kept: [None]),
        (["optimizer_states", 0, "state", 0, "exp_avg_sq"], lambda kept: kept[None]),
        (["optimizer_states", 0, "state", 0, "exp_avg"], lambda kept: kept.tolist()),
        (["optimizer_states", 0, "state", 0], lambda kept: {"step": kept["step"]}),
        (["optimizer_states", 0, "state", 0, "step"], lambda kept: kept.to(torch.complex64)),
        (["optimizer_states", 0, "state", 0, "exp_avg"], lambda kept: kept * math.nan),
        (["engine"], lambda kept: {}),
        (["engine", "done"], str),
        (["engine", "done"], lambda kept: kept - 1),
        (["engine", "stream", "order"], lambda kept: torch.tensor([10**6])),
        (["engine", "stream", "order"], lambda kept: torch.tensor([3, 3])),
        (["loops"], lambda kept: {}),
        (["loops", "fit_loop", "epoch_progress", "current"], lambda kept: 3),
        (["tally"], lambda kept: 1),
        (["tally", "correct"], str),
        (["tally", "losses"], lambda kept: kept.repeat(2)),
        (["measured"], lambda kept: [[0.5]]),
        (["rows"], lambda kept: [{"step": 1.0}]),
    ],
)
def test_a_checkpoint_that_holds_something_else_is_named(data, cut, tmp_path, place, change):
    kept = torch.load(io.BytesIO(cut), weights_only=True)
    *path, last = place
    inner = reduce(getitem, path, kept)
    inner[last] = change(inner[last])
    (tmp_path / KEPT).parent.mkdir(parents=True)
    torch.save(kept, tmp_path / KEPT)
    with pytest.raises(DataError, match=r"last\.ckpt: training cannot go on from it .*Delete it"):
        fit(make(PlainEngine, data), Checkpoints(tmp_path / "signals.npz", "code", every=0))


def test_a_checkpoint_in_the_place_of_another_is_refused(data, tmp_path):
    # Its numbers are right and its shapes fit: whoever went on from it would get other models.
    fit(make(PlainEngine, data), Checkpoints(tmp_path / "signals.npz", "code", every=0))
    for code, name in (("other", "last"), ("code", "first")):
        checkpoints = Checkpoints(tmp_path / "signals.npz", code, every=0)
        checkpoints.current.mkdir(exist_ok=True)
        shutil.copy(tmp_path / KEPT, checkpoints.path(name))
        with pytest.raises(DataError, match=rf"belongs at code/last, and stands at {code}/{name}.*Delete it"):
            fit(make(PlainEngine, data), checkpoints, name)


def test_a_damaged_checkpoint_is_named_with_what_to_do(data, tmp_path):
    fit(make(PlainEngine, data), Checkpoints(tmp_path / "signals.npz", "code", every=0))
    content = (tmp_path / KEPT).read_bytes()
    disk = content.rfind(b"PK\x06\x06") + 16
    other_disk = content[:disk] + b"\x07" + content[disk + 1 :]  # only torch minds
    for damaged in (content[: len(content) // 2], content[:1000] + bytes(200) + content[1200:], b"", other_disk):
        (tmp_path / KEPT).write_bytes(damaged)
        with pytest.raises(DataError, match=r"last\.ckpt: .* Delete it: the training then starts from its beginning\."):
            fit(make(PlainEngine, data), Checkpoints(tmp_path / "signals.npz", "code", every=0))
