"""What may be wrong with a table of one's own, each reported in one message: column, row, remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpmia.common.errors import DataError
from dpmia.common.registry import suggestion
from dpmia.datasets.own.files import Fields, in_order, is_number, shortened, why_no_number
from dpmia.datasets.own.label_auc import label_auc
from dpmia.datasets.raw.parsing import DECIMAL, Category, Number
from dpmia.formats.detected import Column

KINDS = ("number", "category")

#: Share of the records from which on a column with other texts is one of numbers gone wrong.
MOSTLY = 0.5
#: More classes than this are no classes.
MOST_CLASSES = 200
#: More different numbers than this are classes only where the settings say so: ten digits are, ages are not.
MOST_NUMBERS = 10
#: AUC of one column from which on it is pointed out, and from which on it nearly is the label. Of the features of the
#: Adult, COMPAS, student and heart data none known before the label passes .82, and those known after it reach .93 to
#: .97 (the grade of the period before, the end of the time at risk).
SUSPICIOUS, GIVEN_AWAY = 0.9, 0.99

#: Names that a message lists, at most.
SHOWN = 5

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d+,\d+")


def nothing_missing(fields: Fields, names: Iterable[str], marks: frozenset[str]) -> None:
    """Refuse a missing value among the features."""
    for name in names:
        for row, text in zip(fields.rows, fields.columns[name], strict=True):
            if text in marks:
                remedy = "Fill it in, or set missing: fill or missing: drop."
                raise DataError(_place(fields, name, row), f"{_shown(text)} is a missing value", remedy)


def labels(
    fields: Fields, name: str, marks: frozenset[str], positive: Any, positive_from: float | None, kind: str | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the class of every record, int64, and the names of the classes.

    Args:
        fields: the table.
        name: of the column.
        marks: texts that stand for a missing value.
        positive: the texts that are class 1; None for a class of each text.
        positive_from: the number from which on labels are class 1; None for no such number.
        kind: `category` where numbers are classes, however many there are; `number` where they are not; None where
            the settings do not say.

    Raises:
        DataError: a label is missing or of a wrong kind, there is one class only, or none of the requested, or many
            numbers are labels and the settings do not state whether they are classes.
    """
    texts = fields.columns[name]
    for row, text in zip(fields.rows, texts, strict=True):
        if text in marks:
            remedy = "Remove the row, or set missing: drop; if it is a class, take it out of missing_marks."
            raise DataError(_place(fields, name, row), f"{_shown(text)} is a missing label", remedy)
    unique = list(dict.fromkeys(texts))
    if positive_from is not None:
        classes, code = _by_threshold(fields, name, unique, positive_from)
    elif positive is not None:
        classes, code = _by_positive(fields, name, unique, positive if isinstance(positive, list) else [positive])
    else:
        classes, code = _by_text(fields, name, unique, kind)
    y = np.fromiter((code[text] for text in texts), dtype=np.int64, count=len(texts))
    if len(np.unique(y)) < 2:
        raise DataError(_place(fields, name), f"all labels are of one class ({classes[y[0]]})", "Choose another column")
    return y, classes


#: Names of classes, and the class of each text.
_Coded = tuple[tuple[str, ...], dict[str, int]]


def _by_threshold(fields: Fields, name: str, unique: Sequence[str], positive_from: float) -> _Coded:
    """Return two classes: numbers from `positive_from` on, and those below."""
    for text in unique:
        if not is_number(text):
            row = _first_row(fields, name, text)
            problem = f"{_shown(text)} is not a number, as positive_from requires"
            raise DataError(_place(fields, name, row), problem, "Correct it, or name the texts of class 1 in positive")
    code = {text: int(float(text) >= positive_from) for text in unique}
    return (f"below {positive_from:g}", f"{positive_from:g} and above"), code


def _by_positive(fields: Fields, name: str, unique: Sequence[str], positive: Sequence[Any]) -> _Coded:
    """Return two classes: the texts that `positive` names, and all others."""
    _one_spelling(fields, name, unique, capitals=False)
    wanted = []
    for value in positive:
        match = _named(value, unique)
        if match is None:
            problem = f"{value!r} of the key positive is not one of the labels {shortened(list(map(repr, unique)))}"
            raise DataError(_place(fields, name), problem, suggestion(value, unique))
        wanted.append(match)
    for text in unique:
        alike = next((label for label in wanted if label.casefold() == text.casefold()), None)
        if text not in wanted and alike is not None:
            problem = f"the labels {_shown(alike)} and {_shown(text)} differ in capitals alone"
            raise DataError(_place(fields, name), problem, "Write them alike, or name both under positive")
    return ("other", ", ".join(wanted)), {text: int(text in wanted) for text in unique}


def _by_text(fields: Fields, name: str, unique: Sequence[str], kind: str | None) -> _Coded:
    """Return a class of each text; see `labels` for `kind`."""
    _one_spelling(fields, name, unique, capitals=True)
    if kind == "number" or (kind is None and len(unique) > MOST_NUMBERS and all(map(is_number, unique))):
        numbers = [float(text) for text in fields.columns[name] if is_number(text)]
        middle = f"{np.median(numbers):g}" if numbers else "NUMBER"
        arrays = fields.file.lower().endswith(".npz")
        as_classes = "save y as integers" if arrays else f"set types: {{{name}: category}}"
        raise DataError(
            _place(fields, name),
            f"the labels are {len(unique)} different numbers, and regression cannot be audited",
            f"For two classes, set the smallest label of class 1 (positive_from: {middle}). If each number is a "
            f"class, {as_classes}.",
        )
    if len(unique) > MOST_CLASSES:
        remedy = "Choose another column, or make two classes with positive or positive_from."
        problem = f"{len(unique)} different labels are more than {MOST_CLASSES}"
        raise DataError(_place(fields, name), problem, remedy)
    classes = tuple(in_order(unique))
    return classes, {text: number for number, text in enumerate(classes)}


def groups(fields: Fields, name: str, values: Sequence[str], y: np.ndarray) -> None:
    """Refuse groups that cannot say how records were collected."""
    count = len(set(values))
    where = _place(fields, name)
    if count == 1:
        raise DataError(where, f"all records are of one group ({values[0]})", "Remove the key group")
    if count == len(values):
        raise DataError(where, "every row has its own group", "Choose a column with groups of many records")
    pairs = len(set(zip(values, y.tolist(), strict=True)))
    if pairs == count == len(np.unique(y)):
        remedy = "Choose the column that says where records came from, or remove the key group."
        raise DataError(where, "the groups are the classes of the label", remedy)


def parsed(
    fields: Fields, names: Iterable[str], types: Mapping[str, str], marks: frozenset[str], most_values: int
) -> dict[str, pd.Series]:
    """Return the features: float64 with NaN, or categoricals, by what their texts are.

    Raises:
        DataError: a column is constant, empty, mixed, infinite, or free text.
    """
    columns: dict[str, pd.Series] = {}
    useless: dict[str, str] = {}
    free: list[str] = []
    for name in names:
        texts = fields.columns[name]
        unique = [text for text in dict.fromkeys(texts) if text not in marks]
        if len(unique) < 2:
            useless[name] = f"{unique[0]!r} only" if unique else "no value"
            continue
        kind = types.get(name) or _kind(fields, name, unique, marks)
        if kind == "category" and name not in types and len(unique) > most_values:
            free.append(name)
        elif kind == "category":
            columns[name] = Category(tuple(in_order(unique))).column(texts)
        else:
            parse = {text: np.nan if text in marks else _number(fields, name, text) for text in dict.fromkeys(texts)}
            columns[name] = Number().column([parse[text] for text in texts])
    if useless:
        shown = ", ".join(f"{name!r} holds {what}" for name, what in list(useless.items())[:SHOWN])
        raise DataError(
            f"{fields.file}, column {next(iter(useless))!r}",
            f"{shown}{_more(useless)}",
            f"Leave them out: {_drop(useless)}.",
        )
    if free:
        raise DataError(
            f"{fields.file}, column {free[0]!r}",
            f"columns of free text, with more than {most_values} different values: "
            f"{', '.join(map(repr, free[:SHOWN]))}{_more(free)}",
            f"Leave them out ({_drop(free)}), or declare them categories (types, or a higher most_values). Dates and "
            "times are texts, too: turn them into numbers.",
        )
    return columns


def _drop(names: Iterable[str]) -> str:
    """Return how columns are left out, in settings and by the command."""
    shown = list(names)
    more = ["..."] if len(shown) > SHOWN else []
    options = " ".join([*map(shlex.quote, shown[:SHOWN]), *more])
    return f"drop: [{', '.join([*shown[:SHOWN], *more])}], or dpmia audit --drop {options}"


def described(fields: Fields, frame: pd.DataFrame, by: str | None, marks: frozenset[str]) -> list[Column]:
    """Return name, type, number of values and of missing ones of every feature: nothing of any record."""
    return [
        Column(
            name=name,
            type="category" if isinstance(frame[name].dtype, pd.CategoricalDtype) else "number",
            values=int(frame[name].nunique()),
            missing=sum(text in marks for text in fields.columns[name]),
        )
        for name in frame.columns
        if name != by
    ]


def warnings(frame: pd.DataFrame, y: np.ndarray, classes: Sequence[str]) -> list[str]:
    """Return what is suspicious and not wrong: columns that predict the label, identifiers."""
    messages = []
    for name in frame.columns:
        column = frame[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            values = column.to_numpy()
            if column.nunique() == len(column) and (values == np.round(values)).all():
                messages.append(
                    f"Warning: column {name!r} holds another whole number in every row: is it an identifier? "
                    f"Then leave it out: {_drop([name])}."
                )
        auc, best = label_auc(column, y)
        if auc >= SUSPICIOUS:
            of_class = f" (class {classes[best]} against all others)" if len(classes) > 2 else ""
            digits = 3 if auc >= GIVEN_AWAY else 2
            messages.append(
                f"{'Warning' if auc >= GIVEN_AWAY else 'Note'}: column {name!r} alone predicts the label with AUC "
                f"{np.floor(auc * 10**digits) / 10**digits:.{digits}f}{of_class}: is it known only after the label? "
                f"Then leave it out: {_drop([name])}."
            )
    return messages


#: Of the labels beside the features, in a column that no file has.
_LABEL = "\0label"


def duplicates(
    x: np.ndarray, y: np.ndarray, rows: np.ndarray, keep: bool, frame: pd.DataFrame | None = None
) -> tuple[np.ndarray, str]:
    """Return which records stay, bool, and a note on those that repeat an earlier one.

    Args:
        x: float32 (records, features), as a model sees them: rows that are equal there are twins.
        y: labels.
        rows: of the file, for the note.
        keep: whether twins stay.
        frame: the features as they were read, to note twins that differ there.
    """
    keys = pd.Index([row.tobytes() + label.tobytes() for row, label in zip(np.ascontiguousarray(x), y, strict=True)])
    again = np.asarray(keys.duplicated())
    if not again.any():
        return np.ones(len(x), dtype=bool), ""
    later = int(np.flatnonzero(again)[0])
    earlier = int(keys.get_indexer_for([keys[later]])[0])
    twins = (
        f"Rows that repeat the features and the label of an earlier one: {again.sum()} "
        f"(row {rows[later]} that of row {rows[earlier]})"
    )
    differ = 0 if frame is None else int((again & ~frame.assign(**{_LABEL: y}).duplicated().to_numpy()).sum())
    if differ:
        twins += (
            f", {differ} of them by rounding alone: scaled features have 32 bits, too few beside a value that lies far "
            "from all others (a date of 0?)"
        )
    if keep:
        return np.ones(len(x), dtype=bool), f"Warning: {twins[0].lower()}{twins[1:]}; kept, as the settings require."
    return ~again, f"{twins}; removed, so that no member has a twin among the non-members."


def _kind(fields: Fields, name: str, unique: Sequence[str], marks: frozenset[str]) -> str:
    numbers = {text for text in unique if is_number(text) or _infinite(text)}
    share = np.mean([text in numbers for text in fields.columns[name] if text not in marks])
    if len(numbers) == len(unique):
        return "number"
    if share < MOSTLY:
        _no_decimal_commas(fields, name, unique)
        return "category"
    odd = next(text for text in unique if text not in numbers)
    row = _first_row(fields, name, odd)
    raise DataError(
        _place(fields, name, row),
        f"{_shown(odd)} is not a number, as the other values of the column are",
        f"Correct it, add it to missing_marks if it is a missing value, or set types: {{{name}: category}}.",
    )


def _no_decimal_commas(fields: Fields, name: str, unique: Sequence[str]) -> None:
    """Refuse numbers with decimal commas, which would pass for categories."""
    commas = [text for text in unique if _COMMA.fullmatch(text)]
    if len([*commas, *filter(is_number, unique)]) / len(unique) >= MOSTLY and commas:
        row = _first_row(fields, name, commas[0])
        advice = "Save numbers with decimal points, and without separators of thousands"
        remedy = f"{advice}, or set types: {{{name}: category}} if these are not numbers."
        raise DataError(_place(fields, name, row), f"{_shown(commas[0])} has a comma, as most rows do", remedy)


def _number(fields: Fields, name: str, text: str) -> float:
    if is_number(text):
        return float(text)
    row = _first_row(fields, name, text)
    remedy = "Correct it, or add it to missing_marks if it is a missing value."
    raise DataError(_place(fields, name, row), f"{_shown(text)} {why_no_number(text)}", remedy)


def _infinite(text: str) -> bool:
    return bool(_INFINITE.fullmatch(text)) or bool(DECIMAL.fullmatch(text))


def _one_spelling(fields: Fields, name: str, unique: Sequence[str], capitals: bool) -> None:
    """Refuse labels in several spellings, as 1 and 1.0, or `capitals` Yes and yes: they would be several classes."""
    first: dict[float | str, str] = {}
    for text in unique if capitals else filter(is_number, unique):
        if (same := first.setdefault(float(text) if is_number(text) else text.casefold(), text)) != text:
            how = "are one number" if is_number(text) else "differ in capitals alone"
            problem = f"the labels {_shown(same)} and {_shown(text)} {how}"
            raise DataError(_place(fields, name), problem, "Write it in one way")


def _named(value: Any, texts: Sequence[str]) -> str | None:
    """Return the text among `texts` that a value of the settings means: numbers are compared by value."""
    if str(value) in texts:
        return str(value)
    same = (text for text in texts if isinstance(value, int | float) and is_number(text) and float(text) == value)
    return next(same, None)


def _place(fields: Fields, name: str, row: int | None = None) -> str:
    return f"{fields.file}{f', row {row}' if row is not None else ''}, column {name!r}"


def _first_row(fields: Fields, name: str, text: str) -> int:
    return fields.rows[list(fields.columns[name]).index(text)]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...") if text else "an empty field"


def _more(items: Sequence[str] | Mapping[str, str]) -> str:
    return f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
