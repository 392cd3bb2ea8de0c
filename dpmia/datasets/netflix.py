"""Netflix Prize: how a film was rated, told from which other films its raters rated.

The archive is no longer handed out; whoever has it puts `training_set.tar` in its place by hand. It holds one text
file for each film: the film's number and a colon, then `customer,rating,date` for each rating.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.datasets.parsing import STAND_IN_MARK
from dpmia.datasets.regression import standardised
from dpmia.datasets.table import Dataset
from dpmia.errors import ConfigError, DataError

FILE = "training_set.tar"
#: The film whose rating is predicted: Dragon Ball Z: Trunks Saga.
FILM = 11092
#: Films in the published archive.
FILMS = 17_770

_NAME = re.compile(r"(?:\./)?training_set/mv_(\d{7})\.txt")
_RATING = rb"\d+,[1-5],\d{4}-\d\d-\d\d\r?\n"
_CONTENT = re.compile(rb"(\d+):\r?\n(?:" + _RATING + rb")*+")
_CUSTOMERS = re.compile(rb"^(\d+),(\d)", re.MULTILINE)


@dataclass(frozen=True)
class Ratings:
    """The ratings of one film, and what else its raters rated.

    Attributes:
        ratings: float64, shape (raters,): 1 to 5.
        films: numbers of the other films.
        rated: bool, shape (raters, films).
        provenance: as of any raw table.
    """

    ratings: np.ndarray
    films: tuple[int, ...]
    rated: np.ndarray
    provenance: dict


def member_name(film: int) -> str:
    """Return the name of a film's file inside the archive."""
    return f"training_set/mv_{film:07d}.txt"


def read(folder: Path) -> Ratings:
    """Parse the archive, without unpacking it.

    Raises:
        DataError: the archive is absent or damaged, or films are missing from it.
    """
    path = folder / FILE
    if not path.exists():
        raise DataError(
            str(path), "no such file", "the archive of the Netflix Prize", "It cannot be downloaded: put a copy here."
        )
    stand_in = path.with_name(STAND_IN_MARK).exists()
    try:
        with tarfile.open(path) as archive:
            members = {
                int(match[1]): member for member in archive if (match := _NAME.fullmatch(member.name)) is not None
            }
            if FILM not in members or not (stand_in or len(members) == FILMS):
                found = f"{len(members)} films, {'with' if FILM in members else 'without'} number {FILM}"
                raise DataError(FILE, found, f"{FILMS} films", "The archive is not whole.")
            customers, ratings = zip(*_ratings(archive, members.pop(FILM), FILM), strict=True)
            place = {customer: row for row, customer in enumerate(customers)}
            films = tuple(sorted(members))
            rated = np.zeros((len(customers), len(films)), dtype=bool)
            for column, film in enumerate(films):
                for customer, _ in _ratings(archive, members[film], film):
                    if (row := place.get(customer)) is not None:
                        rated[row, column] = True
    except tarfile.TarError as error:
        raise DataError(FILE, f"a damaged archive ({error})", "a tar archive", "Copy it here again.") from None
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    file = {"name": FILE, "sha256": digest, "bytes": path.stat().st_size, "rows": len(ratings)}
    return Ratings(np.array(ratings, dtype=float), films, rated, {"files": [file], "stand_in": stand_in})


def encode(raw: Ratings, attributes: Sequence[str] = ()) -> Dataset:
    """Return one feature for each other film, 1 where the rater rated it, and the standardised rating to predict.

    Raises:
        ConfigError: attributes are asked for; there are none.
        DataError: all ratings are equal.
    """
    if attributes:
        raise ConfigError("attributes of netflix", repr(attributes[0]), "none: the raters are anonymous")
    if np.ptp(raw.ratings) == 0:
        raise DataError(FILE, f"equal ratings of film {FILM}", "ratings that differ, to be scaled to variance 1")
    return Dataset(
        name="netflix",
        x=raw.rated.astype(np.float32),
        y=standardised(raw.ratings).astype(np.float32),
        features=tuple(f"film={film}" for film in raw.films),
        classes=(),
        provenance=raw.provenance,
    )


def _ratings(archive: tarfile.TarFile, member: tarfile.TarInfo, film: int) -> Iterator[tuple[bytes, int]]:
    """Yield the number of each customer who rated a film, as written, with the rating."""
    file = archive.extractfile(member)
    content = file.read() if file is not None else b""
    whole = _CONTENT.fullmatch(content)
    if whole is None or int(whole[1]) != film:
        known = re.match(_CONTENT, content)
        row = content.count(b"\n", 0, known.end()) + 1 if known and int(known[1]) == film else 1
        line = content.splitlines()[row - 1 : row] or [b""]
        expected = f"'{film}:'" if row == 1 else "'customer,rating,date' with a rating from 1 to 5"
        raise DataError(f"{FILE}, {member.name}, row {row}", repr(line[0].decode(errors="replace")), expected)
    for customer, rating in _CUSTOMERS.findall(content):
        yield customer, int(rating)
