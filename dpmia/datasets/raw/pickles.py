"""Pickles that hold arrays and plain values: opened without running anything that they name."""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from dpmia.common.errors import DataError
from dpmia.common.reading.source import ReadLimits
from dpmia.datasets.raw import origin

#: Bytes of a pickle, several times those of any that is published.
LARGEST = 1 << 30

_AGAIN = "Delete the file and fetch it again."
#: Stands for the class of arrays, which a pickle must name but needs no access to.
_ARRAY = "numpy.ndarray"


def unpickled(path: Path) -> dict:
    """Return the dictionary in a pickle that holds numpy arrays of whole numbers and plain values, nothing else.

    Texts of Python 2 come as bytes.

    Raises:
        DataError: the file is absent or damaged, names any other type or function, or holds no dictionary.
    """
    source = replace(origin.source(path), limits=ReadLimits(bytes=LARGEST))
    content = source.content()
    with source.faults("the pickle is damaged"):
        try:
            _check_memo(content)
            loaded = _Unpickler(io.BytesIO(content), encoding="bytes").load()
        except _RefusedError as error:
            problem = f"the pickle holds {error}; only numpy arrays of bytes and plain values are allowed"
            raise DataError(path.name, problem, "Do not open this file") from None
    if not isinstance(loaded, dict):
        raise DataError(path.name, f"the pickle holds a {type(loaded).__name__}, not a dictionary", _AGAIN)
    return loaded


def _check_memo(content: bytes) -> None:
    """Refuse numbers of the memo beyond those that are needed: memory is taken for all up to the largest."""
    for count, (operation, argument, _) in enumerate(pickletools.genops(content)):
        if operation.name in ("PUT", "BINPUT", "LONG_BINPUT") and (argument or 0) > count:
            raise ValueError(f"memo {argument} at operation {count}")


class _RefusedError(Exception):
    """A pickle names what it must not."""


def _empty(kind: str, shape: tuple, dtype: bytes) -> np.ndarray:
    """Stand for numpy's private function of this purpose: the array that the pickled state then fills."""
    if kind != _ARRAY:
        raise _RefusedError(f"an array of type {kind!r}")
    return np.ndarray((0,), dtype=np.uint8)


def _byte(code: bytes | str, *of_copy: object) -> np.dtype:
    """Return numpy's own dtype of a whole number of one byte, never a copy: that would take flags from the pickle."""
    kind = np.dtype(code.decode("ascii") if isinstance(code, bytes) else code)
    if kind.kind not in "bui" or kind.itemsize != 1:
        raise _RefusedError(f"an array of {kind}")
    return kind


#: What pickled arrays of bytes name, under the modules of numpy 1 and 2.
_KNOWN: dict[tuple[str, str], Callable | str] = {
    ("numpy.core.multiarray", "_reconstruct"): _empty,
    ("numpy._core.multiarray", "_reconstruct"): _empty,
    ("numpy", "dtype"): _byte,
    ("numpy", "ndarray"): _ARRAY,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable | str:
        """Return what a pickle names, if it may."""
        if (module, name) not in _KNOWN:
            raise _RefusedError(f"the name {module}.{name}")
        return _KNOWN[module, name]
