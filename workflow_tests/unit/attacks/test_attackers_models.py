"""Which of the attacker's models an attack on a target model is given: of the right arm, epsilon, split and records."""

from dataclasses import replace

import numpy as np
import pytest
from model_cards import card

from dpmia.attacks.base import Attack
from dpmia.attacks.lira import OfflineLira
from dpmia.common.errors import AttackError, DataError, KnowledgeError
from dpmia.evaluation import attacks as measure
from dpmia.evaluation.attacks import AttackersModels, attack_rows
from dpmia.formats.losses import Losses, load_losses, save_losses
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, VALIDATION, Signal, save_signals

RECORDS = np.arange(100, 160)
ARMS = ("va", "va-iid", "other")
#: Arm -> the one whose reference models are used against its target models.
USED = {"va": "va-iid", "va-iid": "va-iid", "other": "other"}


def target(arm="va", epsilon="1", replicate=0, seed=0):
    """Return a model that is asked about some of the records, in an order of its own."""
    rng = np.random.default_rng(seed)
    parts = np.repeat(np.array([MEMBER, NONMEMBER, VALIDATION, POPULATION], dtype=np.uint8), [10, 10, 5, 10])
    key = {"arm": arm, "iid": arm.endswith("-iid"), "epsilon": epsilon, "replicate": replicate}
    model_card = card(**key, meaning=[arm, epsilon, replicate], compares="replace_one")
    records = rng.permutation(RECORDS)[:35]
    return Signal(model_card, records, records % 2, parts, rng.standard_normal((35, 2)).astype(np.float32))


def code(arm, epsilon, number):
    """Return a number that says which model a loss is of."""
    return 1000 * ARMS.index(arm) + 100 * ["1", "10", "inf"].index(epsilon) + number


def outputs(arm, epsilon, numbers, records=RECORDS, **more):
    """Return models whose loss on a record says whose it is, and on what: the code and a thousandth of the record."""
    losses = np.array([[code(arm, epsilon, number) + record / 1000 for record in records] for number in numbers])
    trained_on = np.array([[(record + number) % 3 == 0 for record in records] for number in numbers])
    cards = [card(arm=arm, epsilon=epsilon, number=number, **more) for number in numbers]
    return Losses(cards, records, losses.astype(np.float32), trained_on)


@pytest.fixture
def files(tmp_path):
    """Return a function that writes groups of answers, a file for each, and returns the paths."""

    def write(*groups):
        paths = [tmp_path / f"{number}.npz" for number in range(len(groups))]
        for path, group in zip(paths, groups, strict=True):
            save_losses(path, group if isinstance(group, list) else [group], Provenance())
        return paths

    return write


def check(references, signal, models):
    """Check that `references` are answers of `models` (arm, epsilon, number) on the records of `signal`, in order."""
    expected = [[code(*model) + record / 1000 for record in signal.records] for model in models]
    np.testing.assert_allclose(references.losses, expected, rtol=0, atol=2e-4)  # float32
    trained = [[(record + number) % 3 == 0 for record in signal.records] for _, _, number in models]
    assert references.trained_on.tolist() == trained


def test_references_are_those_of_the_iid_arm_or_of_the_arm_that_is_named(files):
    paths = list(files(*(outputs(arm, "inf", range(3)) for arm in ARMS)))
    models, named = AttackersModels(references=paths), AttackersModels(references=paths, reference_arm="other")
    for arm, chosen in USED.items():
        signal = target(arm, "inf")
        check(models.knowledge_of(signal).references, signal, [(chosen, "inf", n) for n in range(3)])
        check(named.knowledge_of(signal).references, signal, [("other", "inf", n) for n in range(3)])


def test_blocks_of_reference_models_are_one(files):
    models = AttackersModels(references=files(outputs("va", "inf", [0, 1]), outputs("va", "inf", [2, 3])))
    signal = target(epsilon="inf")
    check(models.knowledge_of(signal).references, signal, [("va", "inf", n) for n in range(4)])


def test_references_without_privacy_serve_every_epsilon(files):
    models = AttackersModels(references=files(outputs("va", "inf", range(2))))
    for epsilon in ("1", "10", "inf"):
        signal = target(epsilon=epsilon)
        check(models.knowledge_of(signal).references, signal, [("va", "inf", 0), ("va", "inf", 1)])


def test_private_references_serve_targets_of_their_own_epsilon(files):
    paths = files(*(outputs(arm, epsilon, range(2)) for arm in ARMS for epsilon in ("1", "10", "inf")))
    models = AttackersModels(references=paths)
    for arm, chosen in USED.items():
        for epsilon in ("1", "10", "inf"):
            signal = target(arm, epsilon)
            check(models.knowledge_of(signal).references, signal, [(chosen, epsilon, 0), (chosen, epsilon, 1)])
            assert models.alike(signal) == (arm == chosen)


def test_an_arm_without_reference_models_has_none(files):
    models = AttackersModels(references=files(outputs("va", "inf", range(2))))
    assert models.knowledge_of(target("other", "inf")).references is None
    assert AttackersModels().knowledge_of(target()).references is None


def test_arms_may_have_query_records_of_their_own(files):
    groups = [outputs("va", "inf", range(2)), outputs("other", "inf", range(3), records=RECORDS[:10])]
    paths = list(files(groups))
    models = AttackersModels(references=paths)
    signal = target(epsilon="inf")
    check(models.knowledge_of(signal).references, signal, [("va", "inf", 0), ("va", "inf", 1)])
    with pytest.raises(KnowledgeError, match="not evaluated on all records"):
        AttackersModels(references=paths, reference_arm="other").knowledge_of(signal)


def test_errors_about_the_models_name_their_files(files, tmp_path):
    signals = tmp_path / "signals.npz"
    save_signals(signals, [target("other", "inf")], Provenance())
    few = files(outputs("other", "inf", range(3), records=RECORDS[:10]))
    none = [tmp_path / f"{number}.npz" for number in range(9)]
    for path in none[1:]:
        save_losses(path, [outputs("va", "inf", range(3))], Provenance())
    with pytest.raises(KnowledgeError, match=r"/0\.npz, models of the attacker: they were not evaluated on all"):
        attack_rows("e", "lira_offline", OfflineLira(), [signals], 0, AttackersModels(references=few))
    with pytest.raises(AttackError, match=r"/1\.npz, .*/5\.npz and 3 more, knowledge\.references: .*there are none\."):
        attack_rows("e", "lira_offline", OfflineLira(), [signals], 0, AttackersModels(references=none[1:]))
    save_losses(none[0], [outputs("other", "inf", range(1))], Provenance())
    with pytest.raises(AttackError, match=r"/0\.npz, LiRA: .* variance needs\. "):
        attack_rows("e", "lira_offline", OfflineLira(), [signals], 0, AttackersModels(references=none[:1]))


def test_models_of_one_arm_at_a_time_are_in_memory(files, monkeypatch):
    read = []
    monkeypatch.setattr(measure, "load_losses", lambda path, places: read.append(places) or load_losses(path, places))
    models = AttackersModels(references=files([outputs(arm, "inf", range(2)) for arm in ARMS]))
    assert read == []
    for arm in ("va", "va-iid", "other", "va"):
        for _ in range(2):
            signal = target(arm, "inf")
            check(models.knowledge_of(signal).references, signal, [(USED[arm], "inf", 0), (USED[arm], "inf", 1)])
    assert read == [[1], [2], [1]]


def test_a_target_that_was_queried_more_than_the_references_is_reported(files):
    models = AttackersModels(references=files(outputs("va", "inf", range(2), records=RECORDS[:34])))
    with pytest.raises(KnowledgeError, match="not evaluated on all records"):
        models.knowledge_of(target())


def test_distilled_models_are_those_of_the_very_target(files):
    groups = [
        [outputs("va", epsilon, numbers, replicate=replicate) for epsilon in ("1", "inf") for replicate in (0, 1)]
        for numbers in ([0, 1], [2])
    ]
    # The replicate shows in the number.
    for group in groups:
        for part in group:
            part.losses[:] += 50 * part.cards[0].replicate
    models = AttackersModels(distilled=files(*groups))
    for epsilon in ("1", "inf"):
        for replicate in (0, 1):
            signal = target(epsilon=epsilon, replicate=replicate)
            distilled = models.knowledge_of(signal).distilled
            distilled.losses[:] -= 50 * replicate
            check(distilled, signal, [("va", epsilon, n) for n in range(3)])
    assert models.knowledge_of(target("other")).distilled is None
    assert models.knowledge_of(target(replicate=2)).distilled is None


def shadow(arm, replicate, number):
    signal = target(arm, "inf", replicate, seed=number)
    return replace(signal, card=replace(signal.card, role="shadow", number=number))


def test_shadow_models_are_those_of_the_targets_split_and_one_object_for_all_its_epsilons(tmp_path):
    for block in (0, 1):
        signals = [shadow(arm, block, number) for arm in ("va", "va-iid") for number in range(3)]
        save_signals(tmp_path / f"{block}.npz", signals, Provenance())
    models = AttackersModels(shadows=[tmp_path / "0.npz", tmp_path / "1.npz"])
    for arm in ("va", "va-iid"):
        for replicate in (0, 1):
            shadows = [models.knowledge_of(target(arm, epsilon, replicate)).shadows for epsilon in ("1", "10", "inf")]
            assert [model.card.number for model in shadows[0]] == [0, 1, 2]
            assert {(model.card.arm, model.card.replicate) for model in shadows[0]} == {(arm, replicate)}
            assert shadows[0] is shadows[1] is shadows[2], "an attack may keep what it learnt from them"
            assert any(knowledge.shadows is shadows[0] for knowledge in models.shadows)
    assert len(models.shadows) == 4
    assert len(models.knowledge_of(target("other")).shadows) == 0


# What an attack is handed


class Remembering(Attack):
    """Keeps what it was given."""

    def __init__(self):
        self.prepared, self.seen = [], []

    def prepare(self, knowledge):
        self.prepared += knowledge

    def scores(self, signal, knowledge, rng):
        self.seen.append((signal, knowledge))
        return rng.random(len(signal.records))

    def decisions(self, signal, scores):
        return scores > 0.5


def test_an_attack_is_given_the_models_features_and_records_that_it_may_know(files, tmp_path):
    save_signals(tmp_path / "targets.npz", [target("va", "1"), target("va-iid", "10")], Provenance())
    save_signals(tmp_path / "shadows.npz", [shadow(arm, 0, 0) for arm in ("va", "va-iid")], Provenance())
    attack = Remembering()
    attack_rows(
        "heart",
        "mine",
        attack,
        [tmp_path / "targets.npz"],
        1,
        AttackersModels(
            shadows=[tmp_path / "shadows.npz"],
            references=files(outputs("other", "inf", range(2)), outputs("va", "inf", range(2))),
            reference_arm="other",
        ),
        features=lambda records: np.stack([records, -records], axis=1),
    )
    assert len(attack.prepared) == 2
    for (signal, knowledge), given in zip(attack.seen, (target("va", "1"), target("va-iid", "10")), strict=True):
        assert not (signal.membership == VALIDATION).any()
        expected = given.records[given.membership != VALIDATION]
        np.testing.assert_array_equal(signal.records, expected)
        np.testing.assert_array_equal(knowledge.features, np.stack([expected, -expected], axis=1))
        check(knowledge.references, signal, [("other", "inf", 0), ("other", "inf", 1)])
        assert {model.card.arm for model in knowledge.shadows} == {given.card.arm}
        assert knowledge.distilled is None


def test_records_beyond_the_data_set_are_named(tmp_path):
    save_signals(tmp_path / "targets.npz", [target("va", "1")], Provenance())
    with pytest.raises(DataError, match=r"targets\.npz, 0/records: record \d+ of 110, from 0"):
        attack_rows("heart", "mine", Remembering(), [tmp_path / "targets.npz"], 1, count=110)


def test_models_of_another_role_are_no_shadow_models(tmp_path):
    save_signals(tmp_path / "0.npz", [target("va", "inf", 0)], Provenance())
    with pytest.raises(DataError, match=r"0\.npz: it holds a model of the role 'target', no shadow model"):
        AttackersModels(shadows=[tmp_path / "0.npz"])


def test_models_that_were_trained_on_other_data_are_refused(files):
    signal = target()
    for data, refused in (("va", False), ("other data", True)):
        models = AttackersModels(references=files(outputs("va", "1", [0], meaning=[data, "reference 0"])))
        if not refused:
            assert models.knowledge_of(signal).references is not None
            continue
        with pytest.raises(AttackError, match="models of the attacker: they were trained on other data"):
            models.knowledge_of(signal)
