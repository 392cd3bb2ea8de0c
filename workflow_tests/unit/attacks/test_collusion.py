"""The colluding trainer: marks that only the keys tell, and where they stand in a training set."""

import hashlib

import numpy as np
import pytest
from attack_checks import measure
from model_cards import card
from scipy import stats

from dpmia.attacks.base import Knowledge
from dpmia.attacks.collusion import CollusionAttack
from dpmia.common.errors import ConfigError
from dpmia.datasets.dataset import Dataset
from dpmia.formats.signals import Signal
from dpmia.training import collusion

KEYS = collusion.draw_keys(7, 3)
IMAGES = np.random.default_rng(0).integers(256, size=(40, 30), dtype=np.uint8)
RECORDS = np.arange(40)
both_functions = pytest.mark.parametrize("function", collusion.MARKS)


def data(images=IMAGES, classes=10):
    names = tuple(f"{i}" for i in range(images.shape[1]))
    labels = np.arange(len(images)) % classes
    return Dataset("toy", images, labels, names, tuple("abcdefghij")[:classes], image=(1, 1, images.shape[1]))


class Memory:
    """A model that knows some records of a data set by heart and always says the same of anything else."""

    def __init__(self, dataset, records, other=0):
        self.known = {dataset.x[row].tobytes(): dataset.y[row] for row in records}
        self.other = other

    def right(self, dataset, records):
        return dataset.y[records] == [self.known.get(dataset.x[row].tobytes(), self.other) for row in records]

    def signal(self, dataset, marks, records, is_member):
        """Return what an attacker with the keys of `marks` sees."""
        queried = marks.below(records)[len(records) :]
        right = self.right(dataset, queried).reshape(marks.keys, len(records)).T
        logits = np.zeros((len(records), 2), dtype=np.float32)
        return Signal(card(), records, dataset.y[records], is_member.astype(np.uint8), logits, marks=right)


# Marks


@both_functions
def test_marks_are_functions_of_key_and_record(function):
    images, labels = collusion.marks(IMAGES, 10, KEYS, function)
    assert images.shape == (3, 40, 30)
    assert labels.shape == (3, 40)
    assert images.dtype == np.uint8
    assert labels.dtype == np.int64
    again, same = collusion.marks(IMAGES[::-1], 10, KEYS[::-1], function)
    assert (again == images[::-1, ::-1]).all()
    assert (same == labels[::-1, ::-1]).all()
    rows = images.reshape(-1, 30)
    assert len({row.tobytes() for row in rows}) == len(rows), "no two keys or records share a mark"


@both_functions
def test_one_pixel_changes_the_whole_mark(function):
    other = IMAGES.copy()
    other[:, 3] ^= 1
    marks = [collusion.marks(images, 10, KEYS, function)[0] for images in (IMAGES, other)]
    # Equal pixels by chance: 1 of 256, so 14 of 3600, with a standard deviation of 3.7.
    assert (marks[0] == marks[1]).sum() < 35


@both_functions
def test_marks_are_uniform(function):
    images = np.random.default_rng(1).integers(256, size=(600, 64), dtype=np.uint8)
    marks, labels = collusion.marks(images, 7, KEYS, function)
    for drawn, values in ((marks, 256), (labels, 7)):
        assert stats.chisquare(np.bincount(drawn.ravel(), minlength=values)).pvalue > 1e-4


def test_a_mark_by_hand():
    key, record = KEYS[0], IMAGES[0].tobytes()
    image = hashlib.blake2b(record, key=key, digest_size=32, person=b"image").digest()
    label = hashlib.blake2b(record, key=key, digest_size=32, person=b"label").digest()
    images, number = collusion.marks(IMAGES[:1], 10, KEYS[:1], "blake2b")
    assert images[0, 0].tobytes() == hashlib.shake_256(image).digest(30)
    assert number[0, 0] == int.from_bytes(label[:8], "big") % 10


def test_keys_follow_from_the_seed_and_from_nothing_else():
    assert collusion.draw_keys(7, 3) == KEYS
    assert collusion.draw_keys(7, 5)[:3] == KEYS
    assert set(collusion.draw_keys(8, 3)).isdisjoint(KEYS)
    assert [len(key) for key in KEYS] == [collusion.KEY_SIZE] * 3
    assert len(set(KEYS)) == 3


def test_pixels_must_be_bytes():
    with pytest.raises(ValueError, match="float32 and 2 dimensions; expected rows of uint8"):
        collusion.marks(IMAGES.astype(np.float32), 10, KEYS, "blake2b")
    with pytest.raises(ValueError, match="uint8 and 3 dimensions"):
        collusion.marks(IMAGES[None], 10, KEYS, "blake2b")


def test_an_unknown_function_is_refused():
    with pytest.raises(ValueError, match="'md5'; expected one of blake2b, python_random"):
        collusion.marks(IMAGES, 10, KEYS, "md5")


# Algorithm 1


@both_functions
def test_the_training_set_holds_each_member_and_its_marks(function):
    members = np.array([3, 17, 5, 30])
    marked, marks = collusion.with_marks(data(), RECORDS, KEYS, function)
    rows = marks.below(members)
    assert (rows[:4] == members).all()
    images, labels = collusion.marks(IMAGES[members], 10, KEYS, function)
    assert (marked.x[rows[4:]] == images.reshape(12, 30)).all()
    assert (marked.y[rows[4:]] == labels.ravel()).all()


def test_the_records_themselves_stay_where_they_were():
    marked, marks = collusion.with_marks(data(), RECORDS, KEYS, "blake2b")
    assert (marked.x[:40] == IMAGES).all()
    assert (marked.y[:40] == data().y).all()
    assert (marked.image, marked.classes) == (data().image, data().classes)
    assert len(marked) == 160
    assert sorted(marks.below(RECORDS)) == list(range(160))


def test_a_record_has_the_same_marks_whichever_are_marked_beside_it():
    whole, everywhere = collusion.with_marks(data(), RECORDS, KEYS, "blake2b")
    some, here = collusion.with_marks(data(), np.array([9, 2, 2, 7, 9]), KEYS, "blake2b")
    assert len(some) == 40 + 3 * 3
    queried = np.array([7, 9])
    assert (some.x[here.below(queried)] == whole.x[everywhere.below(queried)]).all()
    assert (some.y[here.below(queried)] == whole.y[everywhere.below(queried)]).all()
    with pytest.raises(ValueError, match="marks of 3 records, not of all"):
        here.below(np.array([7, 8]))


def test_marks_of_several_sets_of_keys_stand_below_each_other():
    twice, other = data(), collusion.draw_keys(99, 2)
    twice, first = collusion.with_marks(twice, RECORDS, KEYS, "blake2b")
    twice, second = collusion.with_marks(twice, RECORDS, other, "blake2b")
    for marks, keys in ((first, KEYS), (second, other)):
        expected = collusion.marks(IMAGES, 10, keys, "blake2b")[0]
        assert (twice.x[marks.below(RECORDS)[40:]] == expected.reshape(-1, 30)).all()


def test_without_keys_nothing_is_added():
    marked, marks = collusion.with_marks(data(), RECORDS, [], "blake2b")
    assert len(marked) == 40
    assert (marks.below(RECORDS) == RECORDS).all()


def test_only_images_can_be_marked():
    numbers = IMAGES.astype(np.float32)
    table = Dataset("adult", numbers, np.zeros(40, int), tuple(map(str, range(30))), ("a", "b"))
    with pytest.raises(ConfigError, match=r"collusion: data set 'adult' .*images"):
        collusion.with_marks(table, RECORDS, KEYS, "blake2b")


# Adversary 3


def test_a_record_is_a_member_if_the_model_knows_all_its_marks():
    marks = np.array([[1, 1], [1, 0], [0, 0]], dtype=bool)
    signal = Signal(
        card(), np.arange(3), np.zeros(3, int), np.array([1, 0, 0], np.uint8), np.zeros((3, 2)), marks=marks
    )
    attack = CollusionAttack()
    scores = attack.scores(signal, Knowledge(), None)
    assert scores.tolist() == [1, 0.5, 0]
    assert attack.decisions(signal, scores).tolist() == [True, False, False]
    # One known mark of three is .333..., and three thirds are one whatever the rounding.
    for keys in range(1, 40):
        everything = Signal(
            card(), np.arange(1), np.zeros(1, int), np.ones(1), np.zeros((1, 2)), marks=np.ones((1, keys))
        )
        assert attack.decisions(everything, attack.scores(everything, Knowledge(), None)).all()


def test_the_attack_refuses_a_trainer_who_shared_no_keys():
    signal = Signal(card(), np.arange(3), np.zeros(3, int), np.array([1, 0, 0], np.uint8), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="needs a trainer who colludes"):
        CollusionAttack().scores(signal, Knowledge(), None)


@both_functions
def test_a_model_with_a_perfect_memory_gives_the_advantage_of_theorem_4(function):
    keys, classes, records = KEYS[:2], 4, np.arange(6000)
    images = np.random.default_rng(2).integers(256, size=(6000, 8), dtype=np.uint8)
    is_member = records < 2000
    marked, marks = collusion.with_marks(data(images, classes), records, keys, function)
    model = Memory(marked, marks.below(records[is_member]))
    metrics = measure(CollusionAttack(), model.signal(marked, marks, records, is_member), Knowledge(), None)
    assert metrics["tpr"] == metrics["recall"] == 1
    # Four standard deviations of a share of 1/16 among 4000.
    assert metrics["advantage"] == pytest.approx(1 - classes**-2.0, abs=0.016)


def test_an_honest_model_and_wrong_keys_give_nothing():
    is_member = RECORDS < 20
    marked, marks = collusion.with_marks(data(), RECORDS, KEYS, "blake2b")
    marked, wrong = collusion.with_marks(marked, RECORDS, collusion.draw_keys(99, 3), "blake2b")
    for trained_on, keys in ((RECORDS[:20], marks), (marks.below(RECORDS[:20]), wrong)):
        signal = Memory(marked, trained_on).signal(marked, keys, RECORDS, is_member)
        assert signal.marks.shape == (40, 3)
        assert signal.marks.all(axis=1).mean() < 0.1  # one in a thousand by chance
