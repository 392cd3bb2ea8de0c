r"""Synthetic records from a TOML file: columns drawn one after another, each given columns before it.

`dpmia/datasets/synthetic/<data set>.toml` lists the publisher's files. A `[[file]]` has

* `name`, `rows` and `columns`: those written, in the file's order (default: all columns);
* `header` (default false), `separator` (","), `line_end` ("\n"), `missing` (""), `quoted` (columns in quotes) and
  `shuffle` (records in random order; default false).

`[file.column]` holds the columns in the order of drawing; one that is not written may still decide on others.
A table by `given`, the name of a category drawn before (or a list of them), has an entry for each of its values.

A category has `values` and
* `percent`: proportions, which need not add up to 100, by `given`. Groups keep to them as closely as whole records can;
  with `independent`, each record is drawn on its own. With `complete`, every value occurs;
* or `counts`: exact numbers of records, in this order, or in random order (`shuffle`), or in the order of the number
  `rank`, lowest first;
* or `groups` of the values of the category `of`, in place of `values`.
Values that are numbers make a number.

A number has
* `levels` and `quantiles`, by `given`; with `rank`, a number, records have its order within their group;
* or `mean`, by `given`, and `effects`, which are added: number -> weight, by `given`; category -> value -> effect.
  `distribution` is "normal" (the default where there is a `spread`, by `given`), "lognormal", "logistic", "student t",
  "poisson", "geometric", "gamma" or "gamma-poisson", some with a `shape`; see `draws.draw`. Default: the mean itself.
Then it is rounded (`whole_years` down, to `decimals`, or to a multiple of `step`, by `given`) and kept `within` two
numbers. It is written by `format` (default: rounded to a whole number); with `leading_zero = false`, .7 for 0.7.

`constant` is a text that all records have. `instead` has, for each category that it names and value of that, what
stands in its place; nan is missing. `computed` columns come from the code beside the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from dpmia.common.errors import ConfigError
from dpmia.common.files import whole_file
from dpmia.common.registry import suggestion
from dpmia.datasets.synthetic.draws import DISTRIBUTIONS, complete, draw, evenly, from_quantiles, pick, ranks
from dpmia.formats.provenance import SYNTHETIC_MARK

#: A category, numbers (NaN where missing), or texts as they are written.
Column: TypeAlias = pd.Categorical | np.ndarray
Compute = Callable[[np.random.Generator, "Records"], Column]

KEYS = (
    *("given", "values", "percent", "independent", "complete", "counts", "shuffle", "rank", "of", "groups", "constant"),
    *("levels", "quantiles", "mean", "effects", "distribution", "spread", "shape", "whole_years", "decimals", "step"),
    *("within", "format", "leading_zero", "instead", "computed"),
)


def read_toml(name: str) -> dict:
    """Return the TOML file of a data set."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def write_files(name: str, folder: Path, seed: int, scale: str = "") -> None:
    """Write the raw files of a data set that needs nothing but its TOML file: as many records at any scale.

    Args:
        name: of the TOML file.
        folder: where to.
        seed: of all records.
        scale: not used.
    """
    rng = np.random.default_rng(seed)
    for file in read_toml(name)["file"]:
        write_table(folder, file, Records(file, rng))
    mark(folder, seed)


def write_table(folder: Path, file: Mapping, records: Mapping[str, Column]) -> None:
    """Write the columns of one file as its publisher does."""
    end = file.get("line_end", "\n")
    write(folder / file["name"], "".join(line + end for line in lines(file, records)))


def lines(file: Mapping, records: Mapping[str, Column]) -> Iterator[str]:
    """Return the lines of one file, without their ends."""
    names, separator = file.get("columns", list(file["column"])), file.get("separator", ",")
    texts = [_texts(file, name, records[name]) for name in names]
    yield from [separator.join(names)] * file.get("header", False)
    yield from map(separator.join, zip(*texts, strict=True))


def write(path: Path, content: str) -> None:
    """Write one file, whole or not at all, with line ends as they are given."""
    with whole_file(path) as part:
        part.write_text(content, encoding="utf-8", newline="")


def mark(folder: Path, seed: int) -> None:
    """Say in the folder, to people and to `parsing.read_table`, that its records are synthetic."""
    text = (
        "The files in this folder are synthetic. They have the names and the format of published data,\n"
        f"but a random generator drew every record (seed {seed}).\n"
        "No record describes a real person. Do not draw conclusions about the world from them.\n"
    )
    write(folder / SYNTHETIC_MARK, text)


class Records(dict[str, Column]):
    """Synthetic records: column -> category or numbers."""

    def __init__(
        self, file: Mapping, rng: np.random.Generator, computed: Mapping[str, Compute] = MappingProxyType({})
    ) -> None:
        """Draw all columns of a file.

        Args:
            file: its part of the TOML file.
            rng: source of randomness.
            computed: column -> function of `rng` and the columns before it that returns it; where the column has
                `values`, their codes.

        Raises:
            ConfigError: a column is described wrongly.
        """
        super().__init__()
        self._rng, self._rows = rng, file["rows"]
        for name, column in file["column"].items():
            self._where = f"synthetic {file['name']}, column {name!r}"
            for key in column.keys() - set(KEYS):
                remedy = f"Valid keys: {', '.join(KEYS)}. {suggestion(key, KEYS)}".strip()
                raise self._wrong(f"unknown key {key!r}", remedy)
            if column.get("computed"):
                drawn = computed[name](rng, self)
            else:
                drawn = self._category(column) if _is_category(column) else self._number(column)
            self[name] = _labelled(column, drawn)
            self._replace(file["column"], name)
        if file.get("shuffle"):
            order = rng.permutation(self._rows)
            self.update({name: values[order] for name, values in self.items()})

    def __missing__(self, name: str) -> Column:
        raise self._wrong(f"{name!r} is not a column before this one", suggestion(name, self))

    def category(self, name: str) -> pd.Categorical:
        """Return a column of categories.

        Raises:
            ConfigError: it holds numbers.
        """
        column = self[name]
        if not isinstance(column, pd.Categorical):
            raise self._wrong(f"numbers in column {name!r}", "a category")
        return column

    def _wrong(self, *parts: str) -> ConfigError:
        return ConfigError(self._where, *parts)

    def _category(self, column: Mapping) -> np.ndarray:
        """Return the codes of a category."""
        if "constant" in column:
            return np.zeros(self._rows, dtype=np.int64)
        if "groups" in column:
            group = {value: code for code, values in enumerate(column["groups"].values()) for value in values}
            source = self.category(column["of"])
            return np.array([group[value] for value in source.categories])[source.codes]
        if "counts" in column:
            counts = column["counts"]
            if sum(counts) != self._rows or len(counts) != len(column["values"]):
                raise self._wrong(
                    f"counts {counts} are not {len(column['values'])} numbers that add up to {self._rows}"
                )
            codes = np.repeat(np.arange(len(counts)), counts)
            if "rank" in column:
                codes[np.argsort(self[column["rank"]], kind="stable")] = codes.copy()
            return self._rng.permutation(codes) if column.get("shuffle") else codes
        weights, groups = self._by_group(column, "percent", len(column["values"]))
        codes = pick(self._rng, weights, groups, independent=column.get("independent", False))
        return complete(self._rng, codes, len(column["values"])) if column.get("complete") else codes

    def _number(self, column: Mapping) -> np.ndarray:
        """Return numbers."""
        if "quantiles" in column:
            quantiles, groups = self._by_group(column, "quantiles", len(column["levels"]))
            places = ranks(self[column["rank"]], groups) if "rank" in column else evenly(self._rng, groups)
            drawn = from_quantiles(column["levels"], quantiles, groups, places)
        else:
            effects = (self._effect(column, name) for name in column.get("effects", {}))
            drawn = sum(effects, self._by_record(column, "mean"))
            if distribution := column.get("distribution", "normal" if "spread" in column else ""):
                if distribution not in DISTRIBUTIONS:
                    problem = f"distribution {distribution!r} is not one of {', '.join(DISTRIBUTIONS)}"
                    raise self._wrong(problem, suggestion(distribution, DISTRIBUTIONS))
                drawn = draw(
                    self._rng, distribution, drawn, self._by_record(column, "spread"), column.get("shape", 0.0)
                )
        if column.get("whole_years"):
            drawn = np.floor(drawn)
        if "decimals" in column:
            drawn = np.round(drawn, column["decimals"])
        if "step" in column:
            step = self._by_record(column, "step")
            drawn = np.rint(drawn / step) * step
        return np.clip(drawn, *column.get("within", (-np.inf, np.inf)))

    def _effect(self, column: Mapping, name: str) -> np.ndarray:
        """Return what the column `name` adds to the mean of another, record by record."""
        effect, values = column["effects"][name], self[name]
        if isinstance(values, pd.Categorical):
            return np.array([effect.get(value, 0.0) for value in values.categories], dtype=np.float64)[values.codes]
        return self._by_record({**column, name: effect}, name) * values

    def _by_record(self, column: Mapping, key: str) -> np.ndarray:
        """Return a number by `given`, or 0 where there is none, for each record."""
        numbers, groups = self._by_group(column, key)
        return numbers[groups]

    def _by_group(self, column: Mapping, key: str, length: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return what a table by `given` has for each group, numbers or lists of a length, and each record's group."""
        given = column.get("given", [])
        parents = [self.category(name) for name in ([given] if isinstance(given, str) else given)]
        groups = np.zeros(self._rows, dtype=np.int64)
        for parent in parents:
            groups = len(parent.categories) * groups + parent.codes
        entries = []
        for values in product(*(parent.categories for parent in parents)):
            entry: Any = column.get(key, 0.0 if length is None else None)
            for value in values:
                entry = entry.get(value) if isinstance(entry, Mapping) else entry
            if (length is None) != isinstance(entry, int | float) or (length and len(entry or ()) != length):
                where = "".join(f" for {value!r}" for value in values)
                valid = "a number" if length is None else f"{length} numbers"
                value = "nothing" if entry is None else repr(entry)
                raise self._wrong(f"{key}{where} is {value}, not {valid}")
            entries.append(entry)
        return np.array(entries, dtype=np.float64), groups

    def _replace(self, columns: Mapping[str, Mapping], new: str) -> None:
        """Put in place what stands `instead` of values now that the column `new` is drawn."""
        for name in self:
            for flag, others in columns[name].get("instead", {}).items():
                if flag in self and new in (name, flag):
                    for value, other in others.items():
                        self[name][self[flag] == value] = other


def _is_category(column: Mapping) -> bool:
    return bool({"values", "groups", "constant"} & column.keys())


def _labelled(column: Mapping, drawn: Column) -> Column:
    """Return a category with its values in the place of codes; numbers as they are."""
    if isinstance(drawn, pd.Categorical):
        return drawn
    if not _is_category(column):
        return np.asarray(drawn, dtype=np.float64)
    values = column.get("values") or list(column.get("groups", [column.get("constant")]))
    if isinstance(values[0], str):
        return pd.Categorical.from_codes(drawn, values)
    return np.array(values, dtype=np.float64)[drawn]


def _texts(file: Mapping, name: str, values: Column) -> list[str]:
    """Return a column as its publisher writes it."""
    column = file["column"].get(name, {})
    missing, quoted = file.get("missing", ""), name in file.get("quoted", [])
    if isinstance(values, pd.Categorical):
        texts = [_quoted(value, quoted or file.get("separator", ",") in value) for value in values.categories]
        return np.array([*texts, missing], dtype=object)[values.codes].tolist()
    if values.dtype.kind not in "fi":
        return values.tolist()
    if "format" in column:
        texts = [f"{value:{column['format']}}" for value in values.tolist()]
    else:
        texts = [str(value) for value in np.rint(np.nan_to_num(values)).astype(np.int64).tolist()]
    if not column.get("leading_zero", True):
        texts = [text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text for text in texts]
    present = ~np.isnan(values)
    return [_quoted(text, quoted) if here else missing for text, here in zip(texts, present.tolist(), strict=True)]


def _quoted(text: str, quoted: bool) -> str:
    return f'"{text}"' if quoted else text
