"""Outputs of the attacker's own models, cut down to what attacks need: one loss for each model and record.

A file holds groups of models; those of a group are evaluated on the same records. It is an `.npz` archive: `header` is
JSON with the format's version, in a run the place of the file, and, for each group, one model card for each model;
group i has the arrays `i/records`, `i/losses` and `i/trained_on`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.common.errors import KnowledgeError
from dpmia.common.files import whole_file
from dpmia.common.reading.arrays import Arrays, arrays, header_array
from dpmia.common.reading.place import Stage
from dpmia.common.reading.source import made
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance

FORMAT = "dpmia-losses"
VERSION = 1

ARRAYS = ("records", "losses", "trained_on")

#: Below experiment and epsilons stand files of reference models by block, those of distilled ones by block of target
#: models and block; those that leave one record out below experiment, arm, target model and block.
_STAGE = Stage({"references": 3, "distilled": 4, "leave_one_out": 4}, "the models")


def misplaced(problem: str) -> KnowledgeError:
    """Return the error for files of different runs that somebody put beside each other."""
    remedy = "Delete their files and those of the target models, and start again"
    return KnowledgeError("models of the attacker", problem, remedy)


@dataclass(frozen=True)
class References:
    """Losses of the attacker's own models on the queries of one target model.

    Attributes:
        losses: float64, shape (models, queries): cross-entropy of the true class, in nats.
        trained_on: bool, shape (models, queries): whether the training set of the model held the record.
    """

    losses: np.ndarray
    trained_on: np.ndarray

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit together."""
        if self.losses.shape != self.trained_on.shape or self.losses.ndim != 2:
            raise ValueError(f"losses of shape {self.losses.shape}, trained_on of shape {self.trained_on.shape}")


@dataclass(frozen=True)
class Losses:
    """The losses of some models on the same records.

    Attributes:
        cards: what is known of each model.
        records: int64, shape (records,): rows of the data set, ascending.
        losses: float64, shape (models, records): cross-entropy of the true class, in nats; as precise as those of the
            target model, or equal outputs would have unequal losses.
        trained_on: bool, shape (models, records): whether the record was in the model's training set.
    """

    cards: Sequence[ModelCard]
    records: np.ndarray
    losses: np.ndarray
    trained_on: np.ndarray

    def on(self, records: np.ndarray, models: np.ndarray) -> References:
        """Return the losses of some of the models on some of the records, in the given order.

        Args:
            records: rows of the data set.
            models: bool, shape (models,).

        Raises:
            KnowledgeError: a model was not evaluated on a record.
        """
        places = np.searchsorted(self.records, records)
        rows = np.minimum(places, len(self.records) - 1)
        if not np.array_equal(self.records[rows], records):
            raise misplaced("they were not evaluated on all records of the target model")
        return References(self.losses[np.ix_(models, rows)].astype(np.float64), self.trained_on[np.ix_(models, rows)])


def together(parts: Iterable[Losses]) -> Losses:
    """Return the models of several blocks as one.

    Raises:
        KnowledgeError: the blocks were evaluated on different records.
    """
    parts = list(parts)
    if any(not np.array_equal(part.records, parts[0].records) for part in parts):
        raise misplaced("blocks of them were evaluated on different records")
    return Losses(
        [card for part in parts for card in part.cards],
        parts[0].records,
        np.concatenate([part.losses for part in parts]),
        np.concatenate([part.trained_on for part in parts]),
    )


def digest_of(outputs: np.ndarray) -> bytes:
    """Return what only equal outputs share: a model given twice would count as two."""
    return hashlib.sha256(np.ascontiguousarray(outputs).data).digest()


def save_losses(path: Path | str, groups: Sequence[Losses], provenance: Provenance) -> None:
    """Write groups of models, each evaluated on records of its own; `provenance` says which data they know."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "provenance": provenance.plain(),
        "place": _STAGE.place(path),
        "models": [[card.plain() for card in group.cards] for group in groups],
    }
    content = {f"{i}/{name}": getattr(group, name) for i, group in enumerate(groups) for name in ARRAYS}
    with whole_file(path) as part:
        np.savez(part, header=header_array(header), **content)


def load_cards(path: Path | str) -> list[list[ModelCard]]:
    """Return the model cards of each group of a file, without reading losses.

    Raises:
        DataError: the file is absent or damaged, or of another format or version.
    """
    with arrays(made(path)) as file:
        return _cards(file)


def load_losses(path: Path | str, places: Collection[int] | None = None) -> list[Losses]:
    """Read what `save_losses` wrote.

    Args:
        path: the file.
        places: numbers of the groups to read; None for all.

    Raises:
        DataError: the file is absent or damaged, or of another format or version.
    """
    with arrays(made(path)) as file:
        return [
            _group(file, place, cards) for place, cards in enumerate(_cards(file)) if places is None or place in places
        ]


def _cards(file: Arrays) -> list[list[ModelCard]]:
    header = file.header((FORMAT, VERSION))
    _STAGE.check(file.source, header.get("place"))
    with file.source.faults("a model card is damaged", ", header"):
        cards = [[ModelCard.from_plain(card) for card in group] for group in header["models"]]
    if not all(cards):
        raise file.source.error("a group holds no models", ", header")
    file.only({"header", *(f"{place}/{name}" for place in range(len(cards)) for name in ARRAYS)})
    return cards


def _group(file: Arrays, place: int, cards: list[ModelCard]) -> Losses:
    """Return one group, whose arrays must fit together."""
    records = file.rows(f"{place}/records")
    shape = len(cards), len(records)
    if (np.diff(records) <= 0).any():
        raise file.source.error("records are not in ascending order", f", array '{place}/records'")
    losses = file.array(f"{place}/losses", "float64 or float32", shape)  # the latter of an earlier version
    losses = losses.astype(np.float64, copy=False)
    return Losses(cards, records, losses, file.array(f"{place}/trained_on", "bool", shape))
