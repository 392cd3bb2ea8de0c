"""The files that dpmia and a training program of the user's own exchange: training set, query records, outputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.probabilities import WrongOutputsError, logits_of
from dpmia.common.reading.arrays import arrays
from dpmia.common.reading.rows import rows
from dpmia.common.reading.source import Source, own
from dpmia.models.program import Program

#: The array of an `.npz` file that holds the outputs.
OUTPUTS = "outputs"


def write_records(path: Path, program: Program, x: np.ndarray, y: np.ndarray | None = None) -> None:
    """Write records for a program.

    An `.npz` file has the array `x`, images as (records, channels, height, width), and `y`, the class numbers from 0.
    A CSV has the columns `x0`, `x1`, ... and `y`, below a row with these names.

    Args:
        path: file to write.
        program: says in which format.
        x: float32, shape (records, features).
        y: int64, classes; None for query records.
    """
    if program.format == "npz":
        shaped = x if program.image is None else x.reshape(-1, *program.image)
        content: dict[str, Any] = {"x": shaped} if y is None else {"x": shaped, "y": y}
        np.savez(path, **content)
        return
    names = [f"x{number}" for number in range(x.shape[1])]
    columns = x.astype(np.float64)
    formats = ["%.9g"] * x.shape[1]  # a float32 is read back the same
    if y is not None:
        names, columns, formats = [*names, "y"], np.column_stack([columns, y]), [*formats, "%d"]
    np.savetxt(path, columns, formats, ",", header=",".join(names), comments="")


def read_outputs(path: Path, program: Program, records: int, where: str) -> np.ndarray:
    """Return the logits that a program wrote: float32, shape (records, classes); of probabilities, their logarithms.

    Args:
        path: the file that it was to write.
        program: says in which format, and what the numbers are.
        records: number of query records.
        where: the model, for messages.

    Raises:
        DataError: there is no file, it cannot be read, has another shape, or holds other numbers.
    """
    file = replace(own(path), shown=f"{where}, {path}", remedy="Mend what the program writes")
    if not path.exists():
        raise file.error("the program ended well and did not write this file", remedy="Write the outputs to {outputs}")
    outputs = _from_npz(file) if program.format == "npz" else _from_csv(file)
    wanted = (records, program.outputs)
    if outputs.shape != wanted:
        what = f"shape {_shape(outputs.shape)}, not {_shape(wanted)}"
        remedy = "Write a row for each query record, in their order, and a column for each class, in the order of y"
        raise file.error(what, remedy=remedy)
    wrong = ~(np.abs(outputs) <= np.finfo(np.float32).max)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        problem = f"{outputs[row, column]:g} is not a finite number of 32 bits"
        raise file.error(problem, f", row {row} and column {column} (from 0)", "Did training break down?")
    try:
        return logits_of(outputs, program.scale).astype(np.float32)
    except WrongOutputsError as error:
        row = "" if error.row is None else f", row {error.row} (from 0)"
        other = "logits" if program.scale == "probabilities" else "probabilities"
        remedy = error.remedy(f"Write {program.scale}, or set training.scale: {other}")
        raise file.error(str(error), row, remedy) from error


def _from_npz(file: Source) -> np.ndarray:
    with arrays(file) as opened:
        if OUTPUTS not in opened:
            problem = f"the array {OUTPUTS!r} is missing; there are {', '.join(opened.names) or 'none'}"
            raise file.error(problem, remedy=f"Save it as numpy.savez(file, {OUTPUTS}=...)")
        outputs = opened[OUTPUTS]
    if outputs.dtype.kind not in "fiu":
        raise file.error(f"{outputs.dtype} are no numbers", f", array {OUTPUTS!r}")
    return outputs.astype(np.float64)


def _from_csv(file: Source) -> np.ndarray:
    """Return the numbers below the row of names."""
    lines = [(line, row) for line, row in rows(file, file.text(), ",") if any(row)]
    if len(lines) < 2:
        raise file.error("there are no numbers below the row of names", remedy="Write a row of names, then the numbers")
    width = len(lines[0][1])
    numbers = np.empty((len(lines) - 1, width))
    for place, (line, row) in enumerate(lines[1:]):
        if len(row) != width:
            raise file.error(f"{len(row)} fields, not {width} as in the row of names", f", line {line}")
        for column, text in enumerate(row):
            try:
                numbers[place, column] = float(text.replace("_", "?"))  # Python alone reads 1_0 as 10.
            except ValueError:
                problem = f"{text!r} is not a number"
                raise file.error(problem, f", line {line}, field {column + 1}") from None
    return numbers


def _shape(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})"
