"""Arrays as users have them: numpy, torch, data frames, lists. torch is never imported; tensors bring it along."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from dpmia.common.errors import ArgumentError, shown
from dpmia.metrics.ranking import tpr_name

#: What to do about values that are no numbers.
NUMBERS = "Give numbers, and none missing; turn names of classes into numbers from 0"


def array_of(value: Any, where: str, remedy: str = NUMBERS) -> np.ndarray:
    """Return a value as a numpy array.

    Args:
        value: an array, a tensor on any device, a data frame or a series, or nested lists.
        where: the argument, for the message.
        remedy: what to do about values that are no numbers.

    Raises:
        ArgumentError: it holds something else than numbers and truth values.
    """
    if hasattr(value, "detach"):
        value = _of_tensor(value, where)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        problem = f"{int(np.ma.getmaskarray(value).sum())} values are masked"
        raise ArgumentError(where, problem, "Fill them in, or leave these records out of all arguments")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(where, "rows of different lengths", "Give one row for each record") from error
    except Exception as error:  # whatever an object's own conversion raises
        problem = f"its own conversion to an array fails ({type(error).__name__}: {error})"
        raise ArgumentError(where, problem, remedy) from error
    if array.dtype == object:
        array = _plain(array, where, remedy)
    if array.dtype.kind not in "biuf":
        problem = f"it holds values of type {array.dtype}, not numbers"
        raise ArgumentError(where, problem, remedy)
    return array


def numbers(value: Any, where: str, axes: tuple[str, ...], remedy: str = "", infinite: bool = False) -> np.ndarray:
    """Return numbers, float64, finite ones unless `infinite`.

    Args:
        value: see `array_of`.
        where: the argument, for the message.
        axes: what the dimensions are, such as records and classes.
        remedy: what to do about another number of dimensions, where there is more to say than what they are.
        infinite: whether numbers may be infinite, where their order alone counts.

    Raises:
        ArgumentError: the shape is another, or a number is not finite.
    """
    array = array_of(value, where).astype(np.float64)
    if array.ndim != len(axes):
        wanted = f"({', '.join(axes)}{',' * (len(axes) == 1)})"
        problem = f"an array of shape {array.shape} in place of {wanted}"
        raise ArgumentError(where, problem, remedy or f"Give {len(axes)} dimension{'s' * (len(axes) > 1)}")
    if not array.size:
        raise ArgumentError(where, f"an array of shape {array.shape} is empty", f"Give one row of {axes[-1]} at least")
    wrong = np.isnan(array) if infinite else ~np.isfinite(array)
    if wrong.any():
        row, count = int(np.argwhere(wrong)[0][0]), int(wrong.sum())
        kind = "number" if infinite else "finite number"
        problem = f"{count} values are no {kind}s" if count > 1 else f"a value is no {kind}"
        remedy = "Leave these records out of all arguments, or find out why values are missing or too large"
        raise ArgumentError(f"{where}, row {row}", problem, remedy)
    return array


def class_numbers(value: Any, where: str, classes: int) -> np.ndarray:
    """Return numbers of classes, int64, shape (records,).

    Raises:
        ArgumentError: they are no whole numbers from 0 to `classes` - 1.
    """
    array = array_of(value, where)
    remedy = f"Give one number for each record; {_ONE_COLUMN if array.shape[1:] == (1,) else _ONE_HOT}"
    labels = numbers(array, where, ("records",), remedy)
    wrong = (labels != np.rint(labels)) | (labels < 0) | (labels >= classes)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        problem = f"{labels[row]:g} is not one of the class numbers 0 to {classes - 1}"
        raise ArgumentError(f"{where}, row {row}", problem, "A class number is a column of the outputs, from 0")
    return labels.astype(np.int64)


def truth_values(value: Any, where: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return truth values, bool, of this shape.

    Raises:
        ArgumentError: the shape is another, or a value is neither true nor false, 1 nor 0.
    """
    remedy = "Give True or 1 for yes, False or 0 for no"
    array = array_of(value, where, remedy)
    if array.shape != shape:
        problem = f"an array of shape {array.shape} in place of {shape}"
        raise ArgumentError(where, problem, f"Give one truth value for each {'record' if len(shape) == 1 else _BOTH}")
    if not (right := np.isin(array, (0, 1))).all():
        wrong = array[~right].flat[0]
        raise ArgumentError(where, f"some values are neither true nor false, 1 nor 0: {wrong:g}", remedy)
    return array.astype(bool)


def number(value: Any, where: str) -> int | float:
    """Return one number as Python has it; infinity and NaN are numbers, too.

    Raises:
        ArgumentError: it is none, as texts and truth values are, or larger than a float.
    """
    scalar = value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        try:
            scalar = value.item()
        except RuntimeError as error:  # a tensor of the device "meta" has no number
            raise ArgumentError(where, "no number can be read from this tensor", "Give one number") from error
    if isinstance(scalar, bool) or not isinstance(scalar, Real):
        raise ArgumentError(where, f"{shown(value)} is not a number", "Give one number")
    try:
        float(scalar)
    except OverflowError:
        raise ArgumentError(where, "the number is larger than a float may be", "Give a smaller one") from None
    return int(scalar) if isinstance(scalar, Integral) else float(scalar)


def several(values: Any, where: str) -> tuple[float, ...]:
    """Return some numbers, none of them for none: see `number`."""
    try:
        items = list(values)
    except TypeError:
        raise ArgumentError(where, f"{shown(values)} is not a list of numbers", "Give a list such as [0.01]") from None
    return tuple(float(number(item, where)) for item in items)


def false_positive_rates(values: Any, where: str) -> tuple[float, ...]:
    """Return rates between 0 and 1 at which true positive rates are named (`dpmia.metrics.ranking.tpr_name`).

    Raises:
        ArgumentError: one is out of range, or two have one name.
    """
    rates = several(values, where)
    if not all(0 < rate < 1 for rate in rates):
        raise ArgumentError(where, f"{rates} are not all between 0 and 1", "Give rates such as 0.01")
    if len({tpr_name(rate) for rate in rates}) < len(rates):
        raise ArgumentError(where, f"two of {rates} are shown alike", "Give rates that differ in six digits")
    return rates


def integer(value: Any, where: str, least: int | None = None) -> int:
    """Return one integer, of at least `least`: see `number`."""
    real = number(value, where)
    if real != real or real in (math.inf, -math.inf) or real != int(real) or (least is not None and real < least):
        kind = "an integer" if least is None else "a positive integer" if least == 1 else f"an integer from {least} up"
        raise ArgumentError(where, f"{shown(value)} is not {kind}")
    return int(real)


def same_rows(function: str, given: Mapping[str, Any]) -> None:
    """Refuse data frames and series whose rows have different names: matched by position, records would be mixed up.

    Args:
        function: that takes the arguments, for the message.
        given: arguments with one row for each record; only those of pandas have names of rows.

    Raises:
        ArgumentError: two have different indexes.
    """
    named = {name: value.index for name, value in given.items() if hasattr(value, "iloc")}
    first = next(iter(named), "")
    for name, index in named.items():
        if len(index) == len(named[first]) and not index.equals(named[first]):
            problem = f"its index is not that of {first}, and rows are matched by position"
            remedy = f"Give it by .loc[{first}.index]; or, if row i is the same record in both, by .to_numpy()"
            raise ArgumentError(f"{function}, {name}", problem, remedy)


#: How labels of other shapes become one number for each record.
_ONE_COLUMN = "of an array with one column, that is np.ravel(labels)"
_ONE_HOT = "of one-hot labels, that is labels.argmax(axis=1)"

#: What a row and a column of truth values of several models are.
_BOTH = "model and record"


def _of_tensor(value: Any, where: str) -> np.ndarray:
    """Return a tensor as an array: it may track gradients, lie on a GPU, or be of a type that numpy lacks.

    Raises:
        ArgumentError: it holds no numbers that can be read, as a nested, a quantised or a meta tensor.
    """
    try:
        value = value.detach().cpu()
        return (value.float() if value.is_floating_point() else value).numpy()
    except (RuntimeError, TypeError) as error:  # NotImplementedError is a RuntimeError
        raise ArgumentError(
            where, "no numbers can be read from this tensor", "Give a dense tensor of numbers"
        ) from error


def _plain(values: np.ndarray, where: str, remedy: str) -> np.ndarray:
    """Return an array of Python objects as one of numbers, where all of them are."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(where, "some values are not numbers", remedy) from error
