"""Made-up raters of films, and one film that they love or hate; what else they rated tells a little of which."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np

from dpmia.datasets import netflix
from dpmia.datasets.stand_ins.sampling import mark
from dpmia.files import whole_file

#: scale -> raters of the film, films, other customers. The largest are the published numbers of raters and films.
SIZES = {"smoke": (150, 300, 50), "laptop": (400, 1_500, 100), "paper": (2_416, netflix.FILMS, 1_000)}
#: Percent of the ratings 1 to 5: most people give the lowest or the highest.
SHARES = (27, 9, 11, 13, 40)
#: Mean share of the films that a customer rated, and how much customers and films differ (sd of the logit).
RATED, CUSTOMERS_DIFFER, FILMS_DIFFER = 0.015, 1.2, 1.6
#: What a taste shared with a film adds to the logit of having rated it.
TASTE = 1.0
LAST_CUSTOMER = 2_649_429


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `training_set.tar`: a text file for each film, in the order of their numbers."""
    rng = np.random.default_rng(seed)
    raters, films, others = SIZES[scale]
    numbers = np.arange(1, netflix.FILMS + 1)
    chosen = rng.choice(numbers[numbers != netflix.FILM], films - 1, replace=False)
    ids = rng.choice(np.arange(1, LAST_CUSTOMER + 1), raters + others, replace=False)
    love = rng.normal(size=raters + others)

    levels = np.cumsum(SHARES)[:-1] / np.sum(SHARES)
    rank = np.argsort(np.argsort(love[:raters])) / raters
    texts = {netflix.FILM: _text(rng, netflix.FILM, ids[:raters], 1 + np.searchsorted(levels, rank, side="right"))}
    active = rng.normal(np.log(RATED / (1 - RATED)), CUSTOMERS_DIFFER, raters + others)
    for film in sorted(chosen):
        logits = active + rng.normal(0, FILMS_DIFFER) + rng.normal(0, TASTE) * love
        rated = np.flatnonzero(rng.random(len(ids)) < 1 / (1 + np.exp(-logits)))
        texts[int(film)] = _text(rng, film, ids[rated], rng.integers(1, 6, len(rated)))
    with whole_file(folder / netflix.FILE) as part, tarfile.open(part, "w", format=tarfile.USTAR_FORMAT) as archive:
        for film in sorted(texts):
            member = tarfile.TarInfo(netflix.member_name(film))
            member.size = len(texts[film])
            archive.addfile(member, io.BytesIO(texts[film]))
    mark(folder, seed)


def _text(rng: np.random.Generator, film: int, customers: np.ndarray, ratings: np.ndarray) -> bytes:
    """Return the content of one film's file."""
    days = np.datetime64("1999-11-11") + rng.integers(0, 2_240, len(customers))
    rows = zip(customers.tolist(), ratings.tolist(), days.astype(str).tolist(), strict=True)
    return (f"{film}:\n" + "".join(f"{customer},{rating},{day}\n" for customer, rating, day in rows)).encode()
