"""Arrays as users have them: numpy, torch, data frames, lists. torch is never imported; tensors bring it along."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpmia.common.errors import ArgumentError


def array_of(value: Any, where: str) -> np.ndarray:
    """Return a value as a numpy array.

    Args:
        value: an array, a tensor on any device, a data frame or a series, or nested lists.
        where: the argument, for the message.

    Raises:
        ArgumentError: it holds something else than numbers and truth values.
    """
    if hasattr(value, "detach"):  # a tensor, which may track gradients, lie on a GPU, or be of a type numpy lacks
        value = value.detach().cpu()
        value = value.float() if value.is_floating_point() else value
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(where, "rows of different lengths", "Give one row for each record") from error
    if found.dtype == object:
        found = _plain(found, where)
    if found.dtype.kind not in "biuf":
        problem = f"it holds values of type {found.dtype}, not numbers"
        raise ArgumentError(where, problem, "Give numbers; turn names of classes into numbers from 0")
    return found


def numbers(value: Any, where: str, dimensions: tuple[int, ...]) -> np.ndarray:
    """Return finite numbers, float64.

    Args:
        value: see `array_of`.
        where: the argument, for the message.
        dimensions: numbers of dimensions that are allowed.

    Raises:
        ArgumentError: the shape is another, or a number is not finite.
    """
    found = array_of(value, where).astype(np.float64)
    if found.ndim not in dimensions or not found.size:
        wanted = " or ".join(map(str, dimensions))
        raise ArgumentError(where, f"an array of shape {found.shape} is empty, or has not {wanted} dimension(s)")
    if not np.isfinite(found).all():
        row = int(np.argwhere(~np.isfinite(found))[0][0])
        raise ArgumentError(f"{where}, row {row}", f"{(~np.isfinite(found)).sum()} values are not finite numbers")
    return found


def class_numbers(value: Any, where: str, classes: int) -> np.ndarray:
    """Return numbers of classes, int64, shape (records,).

    Raises:
        ArgumentError: they are no whole numbers from 0 to `classes` - 1.
    """
    found = numbers(value, where, (1,))
    wrong = (found != np.rint(found)) | (found < 0) | (found >= classes)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        problem = f"{found[row]:g} is not one of the class numbers 0 to {classes - 1}"
        raise ArgumentError(f"{where}, row {row}", problem, "A class number is a column of the outputs, from 0")
    return found.astype(np.int64)


def truth_values(value: Any, where: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return truth values, bool, of this shape.

    Raises:
        ArgumentError: the shape is another, or a value is neither true nor false, 1 nor 0.
    """
    found = array_of(value, where)
    if found.shape != shape:
        raise ArgumentError(where, f"an array of shape {found.shape} in place of {shape}")
    if not np.isin(found, (0, 1)).all():
        raise ArgumentError(where, "some values are neither true nor false, 1 nor 0")
    return found.astype(bool)


def _plain(values: np.ndarray, where: str) -> np.ndarray:
    """Return an array of Python objects as one of numbers, where all of them are."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(where, "some values are not numbers", "Give numbers, and none missing") from error
