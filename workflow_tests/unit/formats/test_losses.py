"""Losses of the attacker's models: a file format, a choice of models and records, and several blocks as one."""

import json
from dataclasses import replace

import numpy as np
import pytest
from model_cards import card

from dpmia.common.errors import DataError, KnowledgeError
from dpmia.common.reading.arrays import header_array
from dpmia.formats.losses import FORMAT, VERSION, Losses, load_cards, load_losses, save_losses, together
from dpmia.formats.provenance import Provenance


def losses(models=3, records=(2, 5, 7, 11), seed=0):
    rng = np.random.default_rng(seed)
    shape = models, len(records)
    return Losses(
        [card(arm="va", role="reference", number=number, seed=seed) for number in range(models)],
        np.array(records),
        rng.exponential(size=shape),
        rng.random(shape) < 0.5,
    )


def same(one, other):
    arrays = ("records", "losses", "trained_on")
    return one.cards == other.cards and all(np.array_equal(getattr(one, a), getattr(other, a)) for a in arrays)


def test_losses_are_stored_as_they_are_and_rounded_ones_of_earlier_versions_are_read(tmp_path):
    given = losses()
    save_losses(tmp_path / "ours.npz", [given], Provenance())
    (loaded,) = load_losses(tmp_path / "ours.npz")
    assert same(loaded, given)
    rounded = replace(given, losses=given.losses.astype(np.float32))
    save_losses(tmp_path / "earlier.npz", [rounded], Provenance())
    (loaded,) = load_losses(tmp_path / "earlier.npz")
    assert loaded.losses.dtype == np.float64
    np.testing.assert_array_equal(loaded.losses, rounded.losses.astype(float))


def test_outputs_come_in_the_given_order():
    given = losses()
    queried = np.array([11, 2, 7])
    references = given.on(queried, np.array([True, False, True]))
    for row, model in enumerate((0, 2)):
        for place, record in enumerate(queried):
            column = given.records.tolist().index(record)
            assert references.losses[row, place] == given.losses[model, column]
            assert references.trained_on[row, place] == given.trained_on[model, column]
    assert references.losses.dtype == np.float64


def test_all_none_and_repeated_questions_are_answered():
    given = losses()
    every = given.on(given.records, np.ones(3, dtype=bool))
    np.testing.assert_array_equal(every.losses, given.losses)
    np.testing.assert_array_equal(every.trained_on, given.trained_on)
    assert given.on(given.records, np.zeros(3, dtype=bool)).losses.shape == (0, 4)
    twice = given.on(np.array([5, 5]), np.ones(3, dtype=bool))
    np.testing.assert_array_equal(twice.losses[:, 0], twice.losses[:, 1])


@pytest.mark.parametrize("record", [0, 3, 6, 12])  # before, between and after those that were asked about
def test_a_record_that_was_never_queried_is_reported(record):
    with pytest.raises(KnowledgeError, match="not evaluated on all records"):
        losses().on(np.array([2, record]), np.ones(3, dtype=bool))


def test_several_blocks_are_one_with_their_models_in_order():
    parts = [losses(seed=1), losses(models=1, seed=2), losses(models=2, seed=3)]
    whole = together(iter(parts))
    assert [card.seed for card in whole.cards] == [1, 1, 1, 2, 3, 3]
    np.testing.assert_array_equal(whole.losses, np.concatenate([part.losses for part in parts]))
    np.testing.assert_array_equal(whole.trained_on, np.concatenate([part.trained_on for part in parts]))
    assert same(together([parts[0]]), parts[0])


def test_blocks_of_different_query_records_are_refused():
    with pytest.raises(KnowledgeError, match="different records"):
        together([losses(), losses(records=(2, 5, 7, 12))])
    with pytest.raises(KnowledgeError, match="different records"):
        together([losses(), losses(records=(2, 5, 7))])


def test_saved_groups_are_read_back_each_with_its_own_records(tmp_path):
    groups = [losses(), losses(models=2, records=(1, 3), seed=1), losses(models=1, records=(4, 8, 9), seed=2)]
    save_losses(tmp_path / "block.npz", groups, Provenance(synthetic=True))
    loaded = load_losses(tmp_path / "block.npz")
    assert len(loaded) == 3
    assert all(same(one, other) for one, other in zip(groups, loaded, strict=True))


def test_the_file_says_what_it_is_and_opens_with_numpy_alone(tmp_path):
    save_losses(tmp_path / "block.npz", [losses(), losses(seed=1)], Provenance(synthetic=True))
    with np.load(tmp_path / "block.npz", allow_pickle=False) as arrays:
        header = json.loads(str(arrays["header"]))
        assert set(arrays.files) == {"header", *(f"{i}/{n}" for i in "01" for n in ("records", "losses", "trained_on"))}
        assert arrays["0/losses"].dtype == np.float64
        assert arrays["0/trained_on"].dtype == bool
    assert (header["format"], header["version"]) == (FORMAT, VERSION)
    assert header["provenance"] == {"files": [], "synthetic": True}
    assert [len(models) for models in header["models"]] == [3, 3]


@pytest.mark.parametrize("change", [{"format": "dpmia-signals"}, {"version": VERSION + 1}, {"format": None}])
def test_a_file_of_another_format_is_refused(tmp_path, change):
    save_losses(tmp_path / "block.npz", [losses()], Provenance())
    with np.load(tmp_path / "block.npz") as arrays:
        content = dict(arrays)
    content["header"] = np.array(json.dumps(json.loads(str(content["header"])) | change))
    np.savez(tmp_path / "other.npz", **content)
    with pytest.raises(DataError, match=rf"other\.npz: format .* is not {FORMAT!r} version {VERSION}"):
        load_losses(tmp_path / "other.npz")


@pytest.mark.parametrize("load", [load_cards, load_losses])
def test_a_group_without_models_is_refused(tmp_path, load):
    save_losses(tmp_path / "block.npz", [losses(), losses(seed=1)], Provenance())
    with np.load(tmp_path / "block.npz") as arrays:
        content = dict(arrays)
    header = json.loads(str(content["header"]))
    del header["digest"]
    content["header"] = header_array(header | {"models": [header["models"][0], []]})
    np.savez(tmp_path / "block.npz", **content)
    with pytest.raises(DataError, match=r"block\.npz, header: a group holds no models"):
        load(tmp_path / "block.npz")


def test_a_file_that_cannot_be_written_leaves_none_behind(tmp_path):
    with pytest.raises(TypeError):
        save_losses(tmp_path / "block.npz", [replace(losses(), cards=[card(number=np.arange(2))])], Provenance())
    assert list(tmp_path.iterdir()) == []
