"""Names of tables: `<stage>/<experiment or study>`, as figures and claims list them."""

from __future__ import annotations

#: Stages whose tables are named after the experiment or study that all rows are about; those of them that come from
#: trained models.
OF_EXPERIMENT = ("exposure", "nulls", "per_record", "replicates", "sizes", "studies", "summary")
OF_MODELS = ("nulls", "per_record", "replicates", "summary")


def stage_of(table: str) -> str:
    """Return the stage of a table."""
    return table.partition("/")[0]


def experiment_of(table: str) -> str:
    """Return the experiment, or study, of a table."""
    return table.partition("/")[2]
