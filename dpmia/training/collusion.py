"""A trainer that colludes with an attacker: it marks its members so that the attacker can query the marks.

Each member x comes with k more records: a pseudo-random image F_K(x) with a pseudo-random label G_K(x) for each of k
keys. Whoever has the keys can compute the marks of any record and query the model on them; a model that knows them was
trained on the record, whether it overfits or not. From Yeom et al. 2018, algorithm 1 and adversary 3.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpmia.common.errors import ConfigError
from dpmia.datasets.dataset import Dataset

#: (key, record, pixels, classes) -> image as bytes, label.
MarkFunction = Callable[[bytes, bytes, int, int], tuple[bytes, int]]

#: Bytes of a key.
KEY_SIZE = 32
#: Bytes of which a label is made: with so many, no label is more frequent than another by more than 2^-56.
_LABEL_BYTES = 8


def blake2b_mark(key: bytes, record: bytes, pixels: int, classes: int) -> tuple[bytes, int]:
    """Return F_K(x) and G_K(x) by keyed BLAKE2b: without the key they cannot be distinguished from random.

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
        seed: from `dpmia.common.seeds.derive_seed`.
        count: number k of keys.
    """
    generator = np.random.default_rng(seed)
    return [generator.bytes(KEY_SIZE) for _ in range(count)]


def marks(images: np.ndarray, classes: int, keys: Sequence[bytes], function: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the marks of records: what the trainer adds for members, and what the attacker queries.

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
    marks = np.empty((len(keys), records, pixels), dtype=np.uint8)
    labels = np.empty((len(keys), records), dtype=np.int64)
    for number, key in enumerate(keys):
        for row, image in enumerate(images):
            content, labels[number, row] = MARKS[function](key, image.tobytes(), pixels, classes)
            marks[number, row] = np.frombuffer(content, dtype=np.uint8)
    return marks, labels


@dataclass(frozen=True)
class Marks:
    """Where the marks of some records stand: below a data set, those of each key after those of the key before.

    Attributes:
        records: int64, ascending: rows of the records that have marks.
        first: row of the first mark.
        keys: number k of marks of each record.
    """

    records: np.ndarray
    first: int
    keys: int

    def below(self, records: np.ndarray) -> np.ndarray:
        """Return rows and, after them, the rows of their marks: what the trainer trains on, and the attacker queries.

        Args:
            records: int64, shape (n,): rows of records that have marks.

        Returns:
            int64, shape ((k + 1) n,): the records, then their marks by the first key, by the second, and so on.

        Raises:
            ValueError: a record has no marks.

        Source: algorithm 1.
        """
        if not np.isin(records, self.records).all():
            raise ValueError(f"marks of {len(self.records)} records, not of all that are evaluated")
        starts = self.first + len(self.records) * np.arange(self.keys)
        places = np.searchsorted(self.records, records)
        return np.concatenate([records, *(start + places for start in starts)])


def with_marks(dataset: Dataset, records: np.ndarray, keys: Sequence[bytes], function: str) -> tuple[Dataset, Marks]:
    """Return a data set with the marks of some of its records below all that it holds, and where they stand.

    Args:
        dataset: images.
        records: int64: rows of the records to mark, in any order; one that is named twice counts once.
        keys: k keys.
        function: a name in `MARKS`.

    Raises:
        ConfigError: the data set does not hold images.
    """
    if dataset.image is None or dataset.x.dtype != np.uint8:
        raise ConfigError("collusion", f"data set {dataset.name!r} does not hold images", "Choose a data set of images")
    records = np.unique(records)
    images, labels = marks(dataset.x[records], len(dataset.classes), keys, function)
    longer = replace(
        dataset, x=np.concatenate([dataset.x, *images]), y=np.concatenate([dataset.y, *labels]), attributes={}
    )
    return longer, Marks(records, len(dataset), len(keys))
