"""`dpmia plan`: noise, sampling rate or steps for a wanted bound."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dpmia.api.mechanism import RELATIONS, SAMPLERS
from dpmia.api.planning import TARGETS, plan_noise
from dpmia.cli.settings_file import write_settings
from dpmia.common.errors import ArgumentError, UserError
from dpmia.common.files import is_file
from dpmia.common.registry import suggestion
from dpmia.planning.yaml_file import read_keys


def integer(value: Any) -> int:
    """Return a whole number, which may be written as 1e4.

    Raises:
        ValueError: it is none.
    """
    if not float(value).is_integer():
        raise ValueError(f"{value!r} is not an integer")
    return int(float(value))


#: Argument of `plan_noise` -> its type, and what `--help` prints.
NUMBERS: dict[str, tuple[Callable[[Any], float], str]] = {
    "value": (float, "the bound that is wanted"),
    "noise_multiplier": (float, "sigma, in units of the clip norm"),
    "sampling_rate": (float, "batch size / records"),
    "steps": (integer, "optimiser steps"),
    "epochs": (integer, "passes over the data; with --sampler shuffle"),
    "delta": (float, "of (epsilon, delta)"),
    "fpr": (float, "of the target tpr_at_fpr (default: 0.01)"),
    "prior": (float, "probability of membership (default: 0.5)"),
    "acceptance": (float, "least TPR of attacks that the bound on precision is for (default: 0.01)"),
}
#: Argument of `plan_noise` -> its values, and what `--help` prints.
CHOICES: dict[str, tuple[Sequence[str], str]] = {
    "target": (TARGETS, "what is bounded"),
    "sampler": (SAMPLERS, "how batches are drawn (default: poisson)"),
    "compares": (RELATIONS, "how the training sets differ that an attack compares (default: replace_one)"),
    "relation": (RELATIONS, "of (epsilon, delta) (default: add_remove; with --sampler shuffle replace_one)"),
}


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dpmia plan`."""
    parser.description = "Of --noise-multiplier, --sampling-rate and --steps leave out the one to find."
    parser.add_argument("file", metavar="FILE", nargs="?", help="a plan.yaml; options on the command line count more")
    for name, (choices, text) in CHOICES.items():
        parser.add_argument(_option(name), choices=choices, help=text)
    for name, (kind, text) in NUMBERS.items():
        parser.add_argument(_option(name), type=_typed(kind), help=text, metavar="N")
    parser.add_argument("--overwrite", action="store_true", help="replace a plan.yaml that was edited")


def plan(options: argparse.Namespace) -> None:
    """Print the plan and write `plan.yaml`."""
    arguments = _from_file(options.file) if options.file else {}
    arguments |= {name: value for name in (*CHOICES, *NUMBERS) if (value := getattr(options, name)) is not None}
    for needed in ("target", "value"):
        if needed not in arguments:
            raise UserError(f"dpmia plan, {_option(needed)}", "missing", "Such as: --target advantage --value 0.1")
    try:
        planned = plan_noise(**arguments)
    except ArgumentError as error:
        if options.file:
            raise
        _, comma, name = error.where.partition(", ")
        where = f"dpmia plan{comma}{_option(name) if name else ''}"
        raise UserError(where, _as_typed(error.problem), _as_typed(error.remedy)) from None
    print(planned)
    if not options.file:
        write_settings(Path("plan.yaml"), arguments, "dpmia plan plan.yaml", options.overwrite)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _as_typed(text: str) -> str:
    """Return a message about arguments of `plan_noise` with the options that stand for them."""
    return re.sub(rf"\b(?:{'|'.join(name for name in NUMBERS if '_' in name)})\b", lambda at: _option(at[0]), text)


def _typed(kind: Callable[[Any], float]) -> Callable[[str], float]:
    """Return the type of an option, whose message says what to write."""

    def parse(text: str) -> float:
        try:
            return kind(text)
        except (ValueError, OverflowError):
            wanted = "an integer. Write 1000 or 1e3" if kind is integer else "a number. Write 0.1 or 1e-5"
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}") from None

    return parse


def _from_file(path: str) -> dict[str, Any]:
    if not is_file(path):
        raise UserError(path, "there is no such file", "Options alone do, too: dpmia plan --help")
    arguments = read_keys(Path(path), path, "target: advantage")
    allowed = (*CHOICES, *NUMBERS)
    for name, value in arguments.items():
        if name not in allowed:
            raise UserError(
                f"{path}, {name}", "unknown key", suggestion(name, allowed) or f"Keys: {', '.join(allowed)}"
            )
        if name in NUMBERS:
            arguments[name] = _number(value, NUMBERS[name][0], f"{path}, {name}")
    return arguments


def _number(value: Any, kind: Callable[[Any], float], where: str) -> Any:
    """Return a number of YAML, which takes 1e-5 for text."""
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool):
        raise UserError(where, f"{value!r} is not {'an integer' if kind is integer else 'a number'}")
    return number
