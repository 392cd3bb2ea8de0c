"""A file of one's own, written and read for a test."""

import numpy as np

from dpmia.datasets.own import table as own
from dpmia.settings.own_data import OwnData

ROWS = 60


def table(separator=",", **columns):
    """Return a table of `ROWS` rows as text; a column is a list, or a function of the row's number."""
    rng = np.random.default_rng(0)
    age, noise = rng.integers(20, 80, ROWS), rng.normal(size=ROWS)
    whole = {
        "site": lambda i: "ab"[i % 2],
        "age": lambda i: str(age[i]),
        "dose": lambda i: f"{noise[i]:.6f}",
        "colour": lambda i: ("red", "green", "blue")[i % 3],
        "ill": lambda i: "yes" if (i * 7) % 5 < 2 else "no",
        **columns,
    }
    whole = {name: column for name, column in whole.items() if column is not None}
    cells = {
        name: column if isinstance(column, list) else [column(i) for i in range(ROWS)] for name, column in whole.items()
    }
    return table_of(cells, separator)


def table_of(cells, separator=","):
    """Return columns of texts as a table."""
    lines = [separator.join(cells), *(separator.join(row) for row in zip(*cells.values(), strict=True))]
    return "\n".join(lines) + "\n"


def read(folder, content, name="own.csv", attributes=(), **settings):
    """Return the data set of a file with this content, text or bytes."""
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    settings = {"path": name, "label": "ill", "group": "site"} | settings
    reading = OwnData(**{key: value for key, value in settings.items() if value is not None}).reading
    return own.encode(own.read(folder, reading), attributes)
