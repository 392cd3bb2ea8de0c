"""Tidy tables: made of rows (see `dpmia.formats.rows`), and read from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpmia.common.reading.rows import frame
from dpmia.common.reading.source import made
from dpmia.formats.rows import MEASURED


def table_of(rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return rows of `dpmia.formats.rows` as a table with the columns `MEASURED`."""
    return pd.DataFrame(rows, columns=MEASURED)


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a tidy table: an empty cell is missing, and a text stays a text, `NA` and `null` too."""
    return frame(made(path), Path(path), keep_default_na=False, na_values=[""], dtype={"epsilon": float})
