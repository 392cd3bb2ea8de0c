"""Names of tables: `<stage>/<experiment or study>`, as figures and claims list them."""

from __future__ import annotations


def stage_of(table: str) -> str:
    """Return the stage of a table."""
    return table.partition("/")[0]


def experiment_of(table: str) -> str:
    """Return the experiment, or study, of a table."""
    return table.partition("/")[2]
