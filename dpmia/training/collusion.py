"""A trainer that colludes with an attacker: it marks its members so that the attacker can ask for the marks.

Each member x comes with k more records: a pseudo-random image F_K(x) with a pseudo-random label G_K(x) for each of k
keys. Whoever has the keys can compute the marks of any record and ask the model for them; a model that knows them was
trained on the record, whether it overfits or not. From Yeom et al. 2018, algorithm 1 and adversary 3.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence

import numpy as np

#: (key, record, pixels, classes) -> image as bytes, label.
MarkFunction = Callable[[bytes, bytes, int, int], tuple[bytes, int]]

#: Bytes of a key.
KEY_SIZE = 32
#: Bytes of which a label is made: with so many, no label is more frequent than another by more than 2^-56.
_LABEL_BYTES = 8


def blake2b_mark(key: bytes, record: bytes, pixels: int, classes: int) -> tuple[bytes, int]:
    """Return F_K(x) and G_K(x) by keyed BLAKE2b: without the key they cannot be told from random.

    The two functions are kept apart by the personalisation of BLAKE2b; SHAKE-256 stretches the digest to an image.
    """
    image, label = (
        hashlib.blake2b(record, key=key, digest_size=KEY_SIZE, person=purpose).digest()
        for purpose in (b"image", b"label")
    )
    return hashlib.shake_256(image).digest(pixels), int.from_bytes(label[:_LABEL_BYTES], "big") % classes


def python_random_mark(key: bytes, record: bytes, pixels: int, classes: int) -> tuple[bytes, int]:
    """Return F_K(x) and G_K(x) by Python's general-purpose generator, as the paper did.

    Uniform, which is all that theorem 4 needs; but the Mersenne Twister is no pseudo-random function, so its marks
    may be predictable.
    """
    generator = random.Random(key + record)
    return generator.randbytes(pixels), generator.randrange(classes)


#: Mark functions by name.
MARKS: dict[str, MarkFunction] = {"blake2b": blake2b_mark, "python_random": python_random_mark}


def draw_keys(seed: int, count: int) -> list[bytes]:
    """Return keys that follow from a seed: trainer and attacker share it and nothing else.

    Args:
        seed: from `dpmia.settings.seeds.derive_seed`.
        count: number k of keys.
    """
    generator = np.random.default_rng(seed)
    return [generator.bytes(KEY_SIZE) for _ in range(count)]


def marks(images: np.ndarray, classes: int, keys: Sequence[bytes], function: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the marks of records: what the trainer adds for members, and what the attacker asks about.

    Args:
        images: uint8, shape (records, pixels).
        classes: number of classes.
        keys: k keys.
        function: a name in `MARKS`.

    Returns:
        uint8, shape (keys, records, pixels), and the label that belongs to each, int64, shape (keys, records).

    Raises:
        ValueError: the images are not of type uint8, or the name is unknown.
    """
    if images.dtype != np.uint8 or images.ndim != 2:
        raise ValueError(f"images of type {images.dtype} and {images.ndim} dimensions; expected rows of uint8 pixels")
    if function not in MARKS:
        raise ValueError(f"mark function {function!r}; expected one of {', '.join(MARKS)}")
    records, pixels = images.shape
    asked = np.empty((len(keys), records, pixels), dtype=np.uint8)
    labels = np.empty((len(keys), records), dtype=np.int64)
    for number, key in enumerate(keys):
        for row, image in enumerate(images):
            content, labels[number, row] = MARKS[function](key, image.tobytes(), pixels, classes)
            asked[number, row] = np.frombuffer(content, dtype=np.uint8)
    return asked, labels


def marked_training_set(
    images: np.ndarray, labels: np.ndarray, classes: int, keys: Sequence[bytes], function: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the training set with k marks for each member: (k + 1) n records, the members first.

    Args:
        images: uint8, shape (n, pixels): the members.
        labels: int64, shape (n,).
        classes: number of classes.
        keys: k keys.
        function: a name in `MARKS`.

    Source: algorithm 1.
    """
    added, their_labels = marks(images, classes, keys, function)
    return np.concatenate([images, *added]), np.concatenate([labels, *their_labels])


def decisions(predicted: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Say "member" where the model knows every mark of the record.

    Args:
        predicted: int, shape (keys, records): the model's classes for the images of `marks`.
        labels: int, shape (keys, records): the labels of `marks`.

    Returns:
        bool, shape (records,).

    Source: adversary 3.
    """
    return (predicted == labels).all(axis=0)
