"""What may be wrong with a table of one's own, each told in one message: column, row, remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from dpmia.datasets.own_files import Fields, in_order, is_number, listed
from dpmia.datasets.parsing import DECIMAL, Category, Number
from dpmia.errors import DataError
from dpmia.registry import suggestion

KINDS = ("number", "category")

#: Share of the records from which on a column with other texts is one of numbers gone wrong.
MOSTLY = 0.5
#: More classes than this are no classes.
MOST_CLASSES = 200
#: A feature that is right about this share of the labels gives them away.
GIVEN_AWAY = 0.999

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d+,\d+")


def nothing_missing(fields: Fields, names: Iterable[str], marks: frozenset[str]) -> None:
    """Refuse a missing value among the features."""
    for name in names:
        for row, text in zip(fields.rows, fields.columns[name], strict=True):
            if text in marks:
                remedy = "Fill it in, or take missing: fill or missing: drop."
                raise DataError(_place(fields, name, row), _shown(text), "a value", remedy)


def labels(
    fields: Fields, name: str, marks: frozenset[str], positive: Any, positive_from: float | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the class of every record, int64, and the names of the classes.

    Raises:
        DataError: a label is missing or of a wrong kind, or there is one class only, or none of the asked.
    """
    texts = fields.columns[name]
    for row, text in zip(fields.rows, texts, strict=True):
        if text in marks:
            remedy = "Remove the row, or take missing: drop."
            raise DataError(_place(fields, name, row), _shown(text), "a label", remedy)
    known = list(dict.fromkeys(texts))
    if positive_from is not None:
        for text in known:
            if not is_number(text):
                row = fields.rows[list(texts).index(text)]
                raise DataError(_place(fields, name, row), _shown(text), "a number, for the key positive_from")
        classes = (f"below {positive_from:g}", f"{positive_from:g} and above")
        code = {text: int(float(text) >= positive_from) for text in known}
    elif positive is not None:
        wanted = [_named(value, known) for value in (positive if isinstance(positive, list) else [positive])]
        for value, found in zip(positive if isinstance(positive, list) else [positive], wanted, strict=True):
            if found is None:
                expected = f"the key positive to name one of {listed(list(map(repr, known)))}"
                raise DataError(_place(fields, name), f"no label {value!r}", expected, suggestion(value, known))
        classes = ("other", ", ".join(wanted))
        code = {text: int(text in wanted) for text in known}
    else:
        classes = tuple(in_order(known))
        code = {text: number for number, text in enumerate(classes)}
    if len(classes) > MOST_CLASSES:
        remedy = "Take another column, or make two classes with positive or positive_from."
        raise DataError(_place(fields, name), f"{len(classes)} different labels", f"{MOST_CLASSES} at most", remedy)
    y = np.fromiter((code[text] for text in texts), dtype=np.int64, count=len(texts))
    if len(np.unique(y)) < 2:
        raise DataError(_place(fields, name), f"one class ({classes[y[0]]})", "two or more", "Take another column.")
    return y, classes


def groups(fields: Fields, name: str, values: Sequence[str], y: np.ndarray) -> None:
    """Refuse groups that cannot say how records were collected."""
    known = len(set(values))
    where = _place(fields, name)
    if known == 1:
        raise DataError(where, f"one group ({values[0]})", "two or more", "Leave the key group out.")
    if known == len(values):
        raise DataError(where, "another group in every row", "groups of many records", "Take another column.")
    pairs = len(set(zip(values, y.tolist(), strict=True)))
    if pairs == known == len(np.unique(y)):
        remedy = "Take the column that says where records came from, or leave the key group out."
        raise DataError(where, "the label under another name", "groups that hold several classes", remedy)


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
        known = [text for text in dict.fromkeys(texts) if text not in marks]
        if len(known) < 2:
            useless[name] = f"{known[0]!r} only" if known else "no value"
            continue
        kind = types.get(name) or _kind(fields, name, known, marks)
        if kind == "category" and name not in types and len(known) > most_values:
            free.append(name)
        elif kind == "category":
            columns[name] = Category(tuple(in_order(known))).column(texts)
        else:
            parse = {text: np.nan if text in marks else _number(fields, name, text) for text in dict.fromkeys(texts)}
            columns[name] = Number().column([parse[text] for text in texts])
    if useless:
        told = ", ".join(f"{name!r} holds {what}" for name, what in list(useless.items())[:5])
        raise DataError(
            f"{fields.file}, column {next(iter(useless))!r}",
            f"columns that tell nothing, in all rows: {told}{_more(useless)}",
            "two values or more in every column",
            f"Leave them out: drop: [{', '.join(useless)}]",
        )
    if free:
        raise DataError(
            f"{fields.file}, column {free[0]!r}",
            f"free text, more than {most_values} different values in a column: "
            f"{', '.join(map(repr, free[:5]))}{_more(free)}",
            "numbers and categories",
            f"Leave them out (drop: [{', '.join(free[:5])}{', ...' if len(free) > 5 else ''}]), "
            "or say that they are categories (types, or a higher most_values).",
        )
    return columns


def described(fields: Fields, frame: pd.DataFrame, by: str | None, marks: frozenset[str]) -> list[dict[str, Any]]:
    """Return name, type, number of values and of missing ones of every feature: nothing of any record."""
    return [
        {
            "name": name,
            "type": "category" if isinstance(frame[name].dtype, pd.CategoricalDtype) else "number",
            "values": int(frame[name].nunique()),
            "missing": sum(text in marks for text in fields.columns[name]),
        }
        for name in frame.columns
        if name != by
    ]


def warnings(frame: pd.DataFrame, y: np.ndarray) -> list[str]:
    """Return what is suspicious and not wrong: labels given away, identifiers."""
    found = []
    usual = np.bincount(y).max() / len(y)
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            right = pd.crosstab(column.cat.codes.to_numpy(), y).max(axis=1).sum() / len(y)
        else:
            values = column.fillna(column.mean()).to_numpy()[:, None]
            if column.nunique() == len(column) and (values == np.round(values)).all():
                found.append(
                    f"Warning: column {name!r} holds another whole number in every row: is it an identifier? "
                    f"Then leave it out: drop: [{name}]."
                )
            tree = DecisionTreeClassifier(max_leaf_nodes=max(2, len(np.unique(y))), random_state=0)
            right = tree.fit(values, y).score(values, y)
        if right >= GIVEN_AWAY > usual:
            found.append(
                f"Warning: column {name!r} alone is right about {right:.1%} of the labels. If it is known only after "
                f"the label, models are not what you think they are: drop: [{name}]."
            )
    return found


def duplicates(x: np.ndarray, y: np.ndarray, rows: np.ndarray, keep: bool) -> tuple[np.ndarray, str]:
    """Return which records stay, bool, and what is told of those that repeat an earlier one."""
    both = np.ascontiguousarray(np.column_stack([x, y]).astype(np.float64))
    keys = pd.Index([row.tobytes() for row in both])
    again = np.asarray(keys.duplicated())
    if not again.any():
        return np.ones(len(x), dtype=bool), ""
    later = int(np.flatnonzero(again)[0])
    earlier = int(keys.get_indexer_for([keys[later]])[0])
    twins = (
        f"Rows that repeat the features and the label of an earlier one: {again.sum()} "
        f"(row {rows[later]} that of row {rows[earlier]})"
    )
    if keep:
        return np.ones(len(x), dtype=bool), f"Warning: {twins[0].lower()}{twins[1:]}; kept as asked."
    return ~again, f"{twins}; removed, so that no member has a twin among the non-members."


def _kind(fields: Fields, name: str, known: Sequence[str], marks: frozenset[str]) -> str:
    numbers = {text for text in known if is_number(text) or _infinite(text)}
    share = np.mean([text in numbers for text in fields.columns[name] if text not in marks])
    if len(numbers) == len(known):
        return "number"
    if share < MOSTLY:
        _no_decimal_commas(fields, name, known)
        return "category"
    odd = next(text for text in known if text not in numbers)
    row = fields.rows[list(fields.columns[name]).index(odd)]
    raise DataError(
        _place(fields, name, row),
        f"{_shown(odd)} in a column of numbers",
        "a number",
        f"Mend it, name it under missing_marks if it stands for a missing value, or say types: {{{name}: category}}.",
    )


def _no_decimal_commas(fields: Fields, name: str, known: Sequence[str]) -> None:
    """Refuse numbers with decimal commas, which would pass for categories."""
    commas = [text for text in known if _COMMA.fullmatch(text)]
    if len([*commas, *filter(is_number, known)]) / len(known) >= MOSTLY and commas:
        row = fields.rows[list(fields.columns[name]).index(commas[0])]
        remedy = f"Save the table with decimal points, or say types: {{{name}: category}} if these are no numbers."
        raise DataError(_place(fields, name, row), f"{_shown(commas[0])} in most rows", "a decimal point", remedy)


def _number(fields: Fields, name: str, text: str) -> float:
    if is_number(text):
        return float(text)
    row = fields.rows[list(fields.columns[name]).index(text)]
    remedy = "Mend it, or name it under missing_marks if it stands for a missing value."
    raise DataError(_place(fields, name, row), _shown(text), "a finite number", remedy)


def _infinite(text: str) -> bool:
    return bool(_INFINITE.fullmatch(text)) or bool(DECIMAL.fullmatch(text))


def _named(value: Any, known: Sequence[str]) -> str | None:
    """Return the text among `known` that a value of the settings means: numbers are compared by value."""
    if str(value) in known:
        return str(value)
    same = (text for text in known if isinstance(value, int | float) and is_number(text) and float(text) == value)
    return next(same, None)


def _place(fields: Fields, name: str, row: int | None = None) -> str:
    return f"{fields.file}{f', row {row}' if row is not None else ''}, column {name!r}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...") if text else "an empty field"


def _more(found: Sequence[str] | Mapping[str, str]) -> str:
    return f" and {len(found) - 5} more" if len(found) > 5 else ""
