"""What a black-box attacker sees of trained models, in one file format that opens without torch.

A file holds the models of one block. It is an `.npz` archive: `header` is JSON with the format's version, in a run the
place of the file, and one model card for each model; model i has the arrays `i/records`, `i/labels`, `i/membership`,
`i/logits` and, where there are any, `i/parameters`, `i/buffers`, `i/marks`, `i/accuracy_by_epoch` and `i/curve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.files import whole_file
from dpmia.common.reading.arrays import Arrays, arrays, header_array
from dpmia.common.reading.place import Stage
from dpmia.common.reading.source import made
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance

FORMAT = "dpmia-signals"
VERSION = 2

#: Folder of the target models of a run.
STAGE = "signals"
#: Its files stand below experiment, epsilons and block, those of shadow models below experiment and block.
_STAGE = Stage({STAGE: 3, "shadows": 2}, "the models")

#: Arrays with one entry for each query.
QUERY_ARRAYS = ("records", "labels", "membership", "logits")
#: Arrays that not every model has.
OPTIONAL = ("parameters", "buffers", "marks", "accuracy_by_epoch", "curve")

#: Type and shape of the optional ones that are not one for each query, and whether they may hold numbers that are not
#: finite, as the mask of a network's attention does.
_KINDS: dict[str, tuple[str, tuple[None], bool]] = {
    "parameters": ("float32", (None,), False),
    "buffers": ("float64", (None,), True),
    "accuracy_by_epoch": ("float64", (None,), True),
}

#: Columns of a training curve: where training stood; the means of loss, accuracy and share of clipped gradients over
#: the records met since the row before; the epsilon spent so far.
CURVE = ("epoch", "step", "loss", "accuracy", "clipped", "epsilon")

#: What a query record is to the model.
NONMEMBER, MEMBER, VALIDATION, POPULATION = 0, 1, 2, 3


@dataclass(frozen=True)
class Signal:
    """The outputs of one model on its query records.

    Attributes:
        card: what is known of the model.
        records: int64, shape (queries,): rows of the data set.
        labels: int64, shape (queries,): their classes.
        membership: uint8, shape (queries,): NONMEMBER, MEMBER, VALIDATION or POPULATION (what the attacker has).
        logits: float32, shape (queries, classes).
        parameters: float32, all weights and biases in one row; None where they were not kept.
        buffers: float64, all buffers of the network in one row, kept with the parameters; None where it has none.
        marks: bool, shape (queries, keys): whether the model knows each mark of the record (see
            `dpmia.training.collusion`); None where attacker and trainer share no keys.
        accuracy_by_epoch: float64, shape (epochs,): accuracy on the validation records after each epoch; None where
            it was not measured.
        curve: float64, shape (rows, len(CURVE)): its training curve, NaN where a value was not measured; None for most
            models, since of those trained together only the first is followed.
    """

    card: ModelCard
    records: np.ndarray
    labels: np.ndarray
    membership: np.ndarray
    logits: np.ndarray
    parameters: np.ndarray | None = None
    marks: np.ndarray | None = None
    accuracy_by_epoch: np.ndarray | None = None
    buffers: np.ndarray | None = None
    curve: np.ndarray | None = None

    def of(self, *memberships: int) -> Signal:
        """Return the outputs on records of the given memberships only."""
        keep = np.isin(self.membership, memberships)
        marks = None if self.marks is None else self.marks[keep]
        return replace(self, **{name: getattr(self, name)[keep] for name in QUERY_ARRAYS}, marks=marks)

    @property
    def is_member(self) -> np.ndarray:
        """bool, shape (queries,)."""
        return self.membership == MEMBER

    @property
    def is_nonmember(self) -> np.ndarray:
        """bool, shape (queries,)."""
        return self.membership == NONMEMBER

    @property
    def losses(self) -> np.ndarray:
        """Cross-entropy of the true class, float64, shape (queries,), in nats."""
        return cross_entropy(self.logits, self.labels)

    @property
    def correct(self) -> np.ndarray:
        """Whether the largest logit is that of the true class, bool, shape (queries,)."""
        return self.logits.argmax(axis=1) == self.labels


def cross_entropy(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return minus the log of the softmax of the true class, in nats: float64, shape (queries,).

    Args:
        logits: shape (queries, classes).
        labels: int, shape (queries,).
    """
    logits = logits.astype(np.float64)
    top = logits.argmax(axis=1)[:, None]
    below = logits - np.take_along_axis(logits, top, axis=1)
    # The largest class adds exp(0) = 1: left to log1p, it does not round away what confident outputs differ in.
    others = np.exp(below)
    np.put_along_axis(others, top, 0, axis=1)
    return np.log1p(others.sum(axis=1)) - np.take_along_axis(below, labels[:, None], axis=1)[:, 0]


def save_signals(path: Path | str, signals: Sequence[Signal], provenance: Provenance) -> None:
    """Write the models of a block; `provenance` says which data they were trained on."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "provenance": provenance.plain(),
        "place": _STAGE.place(path),
        "models": [signal.card.plain() for signal in signals],
    }
    content = {
        f"{i}/{name}": getattr(signal, name)
        for i, signal in enumerate(signals)
        for name in (*QUERY_ARRAYS, *OPTIONAL)
        if getattr(signal, name) is not None
    }
    with whole_file(path) as part:
        np.savez(part, header=header_array(header), **content)


def load_signals(path: Path | str, count: int | None = None) -> Iterator[Signal]:
    """Yield the models of a file one by one, so that a large block never stands in memory as a whole.

    Args:
        path: of the file.
        count: records of the data set, where it is known: queries on others are refused.

    Raises:
        DataError: the file is absent or damaged, or of another format or version.
    """
    with arrays(made(path)) as file:
        for i, card in enumerate(_cards(file)):
            signal = _signal(file, i, card)
            if count is not None and len(signal.records) and signal.records.max() >= count:
                problem = f"record {signal.records.max()} of {count}, from 0"
                raise file.source.error(problem, f", {i}/records")
            yield signal


def load_followed(path: Path | str) -> Iterator[tuple[ModelCard, np.ndarray]]:
    """Yield card and training curve of the models of a file that have one.

    Raises:
        DataError: the file is absent or damaged, or of another format or version.
    """
    with arrays(made(path)) as file:
        for i, card in enumerate(_cards(file)):
            if f"{i}/curve" in file:
                yield card, _curve(file, i)


def load_all(paths: Iterable[Path | str], count: int | None = None) -> Iterator[Signal]:
    """Yield the models of several files one by one: see `load_signals`."""
    for path in paths:
        yield from load_signals(path, count)


def load_model(paths: Sequence[Path | str], arm: str, replicate: int) -> Signal:
    """Return the model of an arm and a replicate, which one of several files holds.

    Raises:
        DataError: a file is damaged, or none of them holds the model.
    """
    for signal in load_all(paths):
        if (signal.card.arm, signal.card.replicate) == (arm, replicate):
            return signal
    raise made(paths[-1]).error(f"it holds no model of arm {arm}, replicate {replicate}")


def load_header(path: Path | str) -> dict[str, Any]:
    """Return the header alone: provenance and one model card for each model, as plain data.

    Raises:
        DataError: the file is absent or damaged, or of another format or version.
    """
    with arrays(made(path)) as file:
        return _header(file)


def _header(file: Arrays) -> dict[str, Any]:
    """Return the header of a file that stands where it was written to; those of earlier versions do not say where."""
    header = file.header((FORMAT, VERSION))
    _STAGE.check(file.source, header.get("place"))
    return header


def _cards(file: Arrays) -> list[ModelCard]:
    header = _header(file)
    with file.source.faults("a model card is damaged", ", header"):
        cards = [ModelCard.from_plain(card) for card in header["models"]]
    file.only({"header", *(f"{i}/{name}" for i in range(len(cards)) for name in (*QUERY_ARRAYS, *OPTIONAL))})
    return cards


def _signal(file: Arrays, i: int, card: ModelCard) -> Signal:
    """Return one model, whose arrays must fit together."""
    records = file.rows(f"{i}/records")
    queries = len(records)
    logits = file.array(f"{i}/logits", "float32", (queries, None))
    kept = {name: file.array(f"{i}/{name}", *kind) for name, kind in _KINDS.items() if f"{i}/{name}" in file}
    if f"{i}/marks" in file:
        kept["marks"] = file.array(f"{i}/marks", "bool", (queries, None))
    if f"{i}/curve" in file:
        kept["curve"] = _curve(file, i)
    labels = _numbers(file, f"{i}/labels", "int64", queries, logits.shape[1])
    membership = _numbers(file, f"{i}/membership", "uint8", queries, 1 + POPULATION)
    if queries and not {MEMBER, NONMEMBER} <= {*membership.tolist()}:
        raise file.source.error("there are no members, or no non-members", f", {i}/membership")
    for part in (NONMEMBER, MEMBER, VALIDATION, POPULATION):  # non-members may be validation records, too
        rows = records[membership == part]
        if len(np.unique(rows)) < len(rows):
            raise file.source.error("a record stands there twice", f", {i}/records")
    return Signal(card, records, labels, membership, logits, **kept)


def _numbers(file: Arrays, name: str, kind: str, queries: int, count: int) -> np.ndarray:
    """Return one number from 0 up to `count` for each query."""
    numbers = file.array(name, kind, (queries,))
    if queries and not 0 <= numbers.min() <= numbers.max() < count:
        raise file.source.error(f"{numbers.min()} to {numbers.max()} are not all from 0 to {count - 1}", f", {name}")
    return numbers


def _curve(file: Arrays, i: int) -> np.ndarray:
    return file.array(f"{i}/curve", "float64", (None, len(CURVE)), gaps=True)
