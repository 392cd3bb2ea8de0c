"""The colluding trainer: marks that only the keys tell, and an attacker who asks for them."""

import hashlib

import numpy as np
import pytest
from scipy import stats

from dpmia.metrics import advantage
from dpmia.theory.overfitting import collusion_advantage
from dpmia.training import collusion

KEYS = collusion.draw_keys(7, 3)
IMAGES = np.random.default_rng(0).integers(256, size=(40, 30), dtype=np.uint8)
both_functions = pytest.mark.parametrize("function", collusion.MARKS)


class Memory:
    """A model that knows its training set by heart and always says the same of anything else."""

    def __init__(self, images, labels):
        self.known = {image.tobytes(): label for image, label in zip(images, labels, strict=True)}

    def classes(self, images, other=0):
        return np.array([self.known.get(image.tobytes(), other) for image in images])


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
    found, number = collusion.marks(IMAGES[:1], 10, KEYS[:1], "blake2b")
    assert found[0, 0].tobytes() == hashlib.shake_256(image).digest(30)
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
    labels = np.arange(40) % 10
    images, classes = collusion.marked_training_set(IMAGES, labels, 10, KEYS, function)
    assert images.shape == (160, 30)
    assert (images[:40] == IMAGES).all()
    assert (classes[:40] == labels).all()
    added, their_labels = collusion.marks(IMAGES, 10, KEYS, function)
    assert (images[40:] == added.reshape(120, 30)).all()
    assert (classes[40:] == their_labels.ravel()).all()


def test_without_keys_nothing_is_added():
    images, labels = collusion.marked_training_set(IMAGES, np.zeros(40, dtype=np.int64), 10, [], "blake2b")
    assert (images == IMAGES).all()
    assert len(labels) == 40


# Adversary 3


def test_a_record_is_a_member_if_the_model_knows_all_its_marks():
    labels = np.array([[1, 2, 3], [4, 5, 6]])
    predicted = np.array([[1, 2, 0], [4, 0, 0]])
    assert collusion.decisions(predicted, labels).tolist() == [True, False, False]


@both_functions
def test_a_model_with_a_perfect_memory_gives_the_advantage_of_theorem_4(function):
    keys, classes = KEYS[:2], 4
    images = np.random.default_rng(2).integers(256, size=(6000, 8), dtype=np.uint8)
    is_member = np.arange(6000) < 2000
    model = Memory(*collusion.marked_training_set(images[is_member], np.ones(2000, int), classes, keys, function))
    asked, labels = collusion.marks(images, classes, keys, function)
    predicted = np.stack([model.classes(rows) for rows in asked])
    found = advantage(collusion.decisions(predicted, labels), is_member)
    assert found["tpr"] == 1
    # Four standard deviations of a share of 1/16 among 4000.
    assert found["advantage"] == pytest.approx(collusion_advantage(0, np.log2(classes), 2), abs=0.016)


def test_an_honest_model_and_wrong_keys_give_nothing():
    labels = np.arange(40) % 10
    honest = Memory(IMAGES, labels)
    colluding = Memory(*collusion.marked_training_set(IMAGES, labels, 10, KEYS, "blake2b"))
    for model, keys in ((honest, KEYS), (colluding, collusion.draw_keys(99, 3))):
        asked, expected = collusion.marks(IMAGES, 10, keys, "blake2b")
        says = collusion.decisions(np.stack([model.classes(rows) for rows in asked]), expected)
        assert says.mean() < 0.1  # one in a thousand by chance
