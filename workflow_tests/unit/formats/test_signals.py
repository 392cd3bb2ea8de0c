"""Signals: what a model shows, and the file that keeps it."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from model_cards import card

from dpmia.common.errors import DataError
from dpmia.common.reading.arrays import header_array
from dpmia.formats.provenance import Provenance, SourceFile
from dpmia.formats.signals import (
    FORMAT,
    MEMBER,
    NONMEMBER,
    POPULATION,
    VALIDATION,
    VERSION,
    Signal,
    load_header,
    load_model,
    load_signals,
    save_signals,
)
from dpmia.privacy.record import Accounting

ACCOUNTING = Accounting("poisson", 0.1, 20, 2, "add_remove", 1e-5, "pld", 1.0, 1.5, 2.0, 3.0, True)
ARRAYS = ("records", "labels", "membership", "logits")


def signal(logits, labels, part=None, **fields):
    logits = np.asarray(logits, dtype=np.float32)
    part = np.arange(len(logits)) % 2 if part is None else part
    return Signal(
        card(**fields),
        np.arange(len(logits)),
        np.asarray(labels, dtype=np.int64),
        np.asarray(part, dtype=np.uint8),
        logits,
    )


@pytest.fixture
def models():
    rng = np.random.default_rng(0)
    return [
        signal(
            rng.standard_normal((n, 3)),
            rng.integers(0, 3, n),
            rng.permutation(np.arange(n) % 3),
            arm=arm,
            epsilon="0.1",
            accounting=ACCOUNTING if arm == "a" else None,
        )
        for n, arm in [(7, "a"), (4, "b"), (0, "c")]
    ]


def test_what_is_saved_is_read_back(tmp_path, models):
    save_signals(
        tmp_path / "block.npz", models, Provenance([SourceFile("x", "ab" * 32, 10, 4, "cd" * 16)], synthetic=True)
    )
    loaded = list(load_signals(tmp_path / "block.npz"))
    assert len(loaded) == 3
    for one, other in zip(models, loaded, strict=True):
        assert one.card == other.card
        for name in ARRAYS:
            assert getattr(one, name).dtype == getattr(other, name).dtype
            assert np.array_equal(getattr(one, name), getattr(other, name))
    header = load_header(tmp_path / "block.npz")
    file = {"name": "x", "sha256": "ab" * 32, "md5": "cd" * 16, "bytes": 10, "rows": 4}
    assert header["provenance"] == {"files": [file], "synthetic": True}
    assert [*header["provenance"]["files"][0]] == [*file]
    assert header["models"] == [model.card.plain() for model in models]


def test_more_than_ten_models_keep_their_order(tmp_path):
    save_signals(tmp_path / "block.npz", [signal([[i, 0], [0, i]], [0, 1], number=i) for i in range(12)], Provenance())
    for i, model in enumerate(load_signals(tmp_path / "block.npz")):
        assert model.card.number == model.logits[0, 0] == i


@pytest.mark.parametrize("change", [{"version": VERSION + 1}, {"format": "other"}, {"version": None}])
def test_another_format_or_version_is_refused_by_name(tmp_path, change):
    header = {"format": FORMAT, "version": VERSION, "provenance": {}, "models": []} | change
    np.savez(tmp_path / "old.npz", header=np.array(json.dumps(header)))
    for read in (load_header, lambda path: list(load_signals(path))):
        with pytest.raises(DataError, match=rf"old\.npz: format .* is not '{FORMAT}' version {VERSION}"):
            read(tmp_path / "old.npz")


def test_the_file_opens_with_numpy_alone(tmp_path, models):
    save_signals(tmp_path / "block.npz", models, Provenance())
    code = f"""
import json, sys
import numpy as np
with np.load({str(tmp_path / "block.npz")!r}, allow_pickle=False) as arrays:
    header = json.loads(str(arrays["header"]))
    assert [m["arm"] for m in header["models"]] == ["a", "b", "c"]
    assert arrays["0/logits"].shape == (7, 3)
    assert {{name.split("/")[1] for name in arrays.files if "/" in name}} == set({ARRAYS!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_signals_and_attacks_need_no_torch(tmp_path, models):
    save_signals(tmp_path / "block.npz", models, Provenance())
    code = f"""
import sys
import dpmia.evaluation.attacks, dpmia.attacks.threshold, dpmia.attacks.control
import dpmia.splits.block, dpmia.papers.catalogue
from dpmia.formats.signals import load_signals
assert len(list(load_signals({str(tmp_path / "block.npz")!r}))) == 3
heavy = {{"torch", "pytorch_lightning", "opacus", "dp_accounting"}} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_losses_are_the_cross_entropy_of_torch():
    rng = np.random.default_rng(1)
    logits, labels = 5 * rng.standard_normal((200, 7)).astype(np.float32), rng.integers(0, 7, 200)
    expected = torch.nn.functional.cross_entropy(
        torch.from_numpy(logits).double(), torch.from_numpy(labels), reduction="none"
    )
    losses = signal(logits, labels).losses
    assert losses.dtype == np.float64
    np.testing.assert_allclose(losses, expected.numpy(), rtol=1e-12, atol=1e-15)


def test_losses_of_extreme_logits_are_finite_and_right():
    logits = [[1e30, 0], [1e30, 0], [-1e30, -1e30], [3e38, -3e38], [1000, 999], [0, 0]]
    labels = [0, 1, 0, 1, 1, 0]
    losses = signal(logits, labels).losses
    far = np.float64(np.float32(3e38))
    expected = [0, np.float64(np.float32(1e30)), np.log(2), 2 * far, 1 + np.log1p(np.exp(-1)), np.log(2)]
    np.testing.assert_allclose(losses, expected, rtol=1e-12)


def test_sure_outputs_are_distinguished():
    # log(1 + e^-d) is e^-d there; in sums of logits it would be lost behind the 16th digit.
    distances = np.array([17.0, 40, 80, 100])
    losses = signal([[distance / 2, -distance / 2] for distance in distances], [0] * 4).losses
    np.testing.assert_allclose(losses, np.exp(-distances), rtol=1e-7)


def test_the_largest_logit_decides_what_is_correct():
    assert signal([[0, 1, 2], [0, 1, 2], [5, 1, 2]], [2, 1, 0]).correct.tolist() == [True, False, True]


def test_parts_are_distinguished():
    model = signal([[0], [1], [2], [3]], [0, 0, 0, 0], [MEMBER, NONMEMBER, VALIDATION, MEMBER], arm="a")
    assert model.is_member.tolist() == [True, False, False, True]
    assert model.of(MEMBER).records.tolist() == [0, 3]
    assert model.of(NONMEMBER, VALIDATION).logits[:, 0].tolist() == [1, 2]
    assert model.of(VALIDATION).card == card(arm="a")
    assert model.of().records.tolist() == []


@pytest.mark.parametrize("part", [NONMEMBER, MEMBER, POPULATION])
def test_outputs_on_members_alone_or_on_none_are_damaged(tmp_path, part):
    save_signals(tmp_path / "block.npz", [signal(np.zeros((4, 2)), [0, 1, 0, 1], np.full(4, part))], Provenance())
    with pytest.raises(
        DataError, match=r"block\.npz, 0/membership: there are no members, or no non-members\. Delete it"
    ):
        list(load_signals(tmp_path / "block.npz"))


def test_queries_on_records_beyond_the_data_set_are_damaged(tmp_path, models):
    path = tmp_path / "block.npz"
    save_signals(path, models, Provenance())
    last = max(record for model in models for record in model.records)
    assert len(list(load_signals(path, last + 1))) == len(models)
    with pytest.raises(DataError, match=rf"block\.npz, \d/records: record {last} of {last}, from 0\. Delete it"):
        list(load_signals(path, last))


def test_queries_of_which_two_are_one_record_are_damaged(tmp_path, models):
    path = tmp_path / "block.npz"
    twice = replace(models[0], records=np.zeros_like(models[0].records))
    save_signals(path, [twice, *models[1:]], Provenance())
    with pytest.raises(DataError, match=r"block\.npz, 0/records: a record stands there twice\. Delete it"):
        list(load_signals(path))


@pytest.mark.parametrize("meaning", [math.nan, 3.0, [math.nan], [{"rate": math.inf}]])
def test_a_card_from_which_no_seed_follows_is_damaged(tmp_path, models, meaning):
    path = tmp_path / "block.npz"
    save_signals(path, models, Provenance())
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    header["models"][0]["meaning"] = meaning
    del header["digest"]
    np.savez(path, **(arrays | {"header": header_array(header)}))
    with pytest.raises(DataError, match=r"block\.npz, header: a model card is damaged"):
        list(load_signals(path))


def test_numbers_in_the_byte_order_of_another_machine_are_the_same_numbers(tmp_path, models):
    path = tmp_path / "block.npz"
    save_signals(path, models, Provenance())
    with np.load(path) as file:
        arrays = dict(file)
    swapped = arrays | {"0/logits": arrays["0/logits"].astype(arrays["0/logits"].dtype.newbyteorder(">"))}
    np.savez(path, **swapped)
    first = next(iter(load_signals(path)))
    assert first.logits.dtype.isnative
    assert np.array_equal(first.logits, arrays["0/logits"])


def test_target_models_of_another_job_are_refused(tmp_path, models):
    own, other = (tmp_path / f"signals/{name}/1_10/block-0.npz" for name in ("heart", "student"))
    for path in (own, other):
        path.parent.mkdir(parents=True)
    save_signals(own, models, Provenance())
    assert len(list(load_signals(own))) == 3
    (tmp_path / "mine.npz").write_bytes(own.read_bytes())
    assert len(list(load_signals(tmp_path / "mine.npz"))) == 3
    other.write_bytes(own.read_bytes())
    for read in (load_header, lambda path: list(load_signals(path))):
        with pytest.raises(DataError, match=r"block-0\.npz: it holds the models of heart/1_10/block-0\. "):
            read(other)


def test_one_model_of_several_files_is_found_or_missed_by_name(tmp_path):
    logits, labels = np.zeros((4, 2)), [0, 1, 0, 1]
    paths = [tmp_path / name for name in ("a.npz", "b.npz")]
    for replicate, path in enumerate(paths):
        save_signals(path, [signal(logits, labels, arm="a", replicate=replicate)], Provenance())
    assert load_model(paths, "a", 1).card.replicate == 1
    with pytest.raises(DataError, match=r"b\.npz: it holds no model of arm b, replicate 1"):
        load_model(paths, "b", 1)
