"""A program of the user's own: it trains a model on one file, and writes the model's outputs on the records of another.

It stands where an architecture stands: what it is, is stored beside each model that it trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A program, and what it exchanges with dpmia.

    Attributes:
        outputs: number of classes.
        image: shape of a record, where it is no flat row: channels, height and width of an image.
        command: its command line, with placeholders (see `dpmia.settings.own_program`).
        files: files that it consists of -> digest of each.
        format: of the files that it reads and writes: `npz` or `csv`.
        scale: of what it writes: `probabilities` or `logits`.
        timeout: seconds that it may take for one model.
    """

    outputs: int
    image: tuple[int, ...] | None
    command: str
    files: Mapping[str, str]
    format: str
    scale: str
    timeout: float


def program(
    inputs: int,
    outputs: int,
    image: tuple[int, ...] | None,
    command: str,
    files: Mapping[str, str],
    format: str,
    scale: str,
    timeout: float,
) -> Program:
    """Return a program for the records of a data set."""
    return Program(outputs, image, command, files, format, scale, timeout)
