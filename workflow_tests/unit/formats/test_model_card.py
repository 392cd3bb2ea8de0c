"""Model cards: typed in the library, plain data in files."""

import json
import subprocess
import sys
from dataclasses import fields

import pytest
from model_cards import card

from dpmia.common.seeds import derive_seed
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.recipe import Recipe
from dpmia.privacy.record import Accounting, Stated

ACCOUNTING = Accounting("poisson", 0.1, 20, 2, "add_remove", 1e-5, "pld", 1.0, 1.5, 2.0, 3.0, True)
WHOLE = card(
    meaning=["fingerprint", {"kind": "group", "draw": {"rate": 0.5, "members": 40}}, 0, "1", "target"],
    replicate=0,
    number=0,
    accounting=ACCOUNTING,
    stated=Stated(1.0, 1e-5, "add_remove"),
    compares="replace_one",
    rate=0.5,
    model=Architecture("dpmia.models.mlp:perceptron", {"hidden": [6]}),
    engine="StackedEngine",
    recipe=Recipe("adam", 0.1, 10, epochs=2, betas=(0.8, 0.99)),
    steps=0,
    collusion={"keys": 3, "function": "blake2b"},
    seed=0,
)


@pytest.mark.parametrize("given", [WHOLE, card()], ids=["all", "least"])
def test_what_is_written_is_read_back(given):
    assert ModelCard.from_plain(json.loads(json.dumps(given.plain(), allow_nan=False))) == given


def test_every_field_is_written_zeros_and_false_too():
    assert set(WHOLE.plain()) == {field.name for field in fields(ModelCard)}
    assert WHOLE.plain()["accounting"] == ACCOUNTING.plain()


def test_what_a_role_lacks_is_left_out_but_for_the_lack_of_privacy():
    assert set(card().plain()) == {"arm", "iid", "epsilon", "role", "meaning", "accounting"}
    assert card().plain()["accounting"] is None


def test_entries_that_earlier_files_hold_as_null_are_read():
    assert ModelCard.from_plain(card().plain() | {"rate": None, "collusion": None}) == card()


def test_an_unknown_entry_is_refused_and_a_missing_one():
    with pytest.raises(TypeError, match="colour"):
        ModelCard.from_plain(card().plain() | {"colour": "red"})
    plain = card().plain()
    del plain["meaning"]
    with pytest.raises(TypeError, match="meaning"):
        ModelCard.from_plain(plain)


@pytest.mark.parametrize("first", [{"kind": "iid"}, ["fingerprint"], 0.5, None])
def test_a_meaning_begins_with_the_fingerprint_of_the_data(first):
    with pytest.raises((ValueError, TypeError)):
        ModelCard.from_plain(card().plain() | {"meaning": [first, *WHOLE.meaning[1:]]})


def test_seeds_are_the_same_after_a_round_trip_and_for_lists_tuples_and_whole_floats():
    def seed(given):
        return derive_seed(1, "weights", *given.meaning)

    kept = ModelCard.from_plain(json.loads(json.dumps(WHOLE.plain())))
    other = ("fingerprint", {"draw": {"members": 40.0, "rate": 0.5}, "kind": "group"}, 0.0, "1", "target")
    assert seed(kept) == seed(WHOLE) == seed(card(meaning=other))
    assert seed(card(meaning=["fingerprint"])) != seed(WHOLE)


def test_cards_need_no_accountant_and_no_torch():
    code = "import sys, dpmia.formats.losses; assert not {'torch', 'dp_accounting', 'scipy', 'pandas'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)
