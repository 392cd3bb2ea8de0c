"""Studies on random splits of one set of records, as claims read them."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.claim import MissingRowsError, Tables

IWPC, EYEDATA = "studies/yeom_iwpc", "studies/yeom_eyedata"

#: Attackers on membership who know the errors of both kinds of records, or those of members only.
KNOWN, UNKNOWN = "threshold", "threshold_sigma_s"
MULTI = "multi_query_descending"
#: Genotype -> number of its values.
TARGETS = {"vkorc1": 3, "cyp2c9": 6}
#: Trees from this depth on overfit strongly.
DEEP = 15


class Splits:
    """A table `studies/<study>`: the advantage of each attack on each model, by split."""

    def __init__(self, table: pd.DataFrame) -> None:
        """Take a table as `dpmia.studies.regression.run` returns it."""
        self.ratio = table.groupby("parameter")["ratio"].first()
        self._values = {
            key: rows.set_index("replicate")["advantage"]
            for key, rows in table.groupby(["parameter", "adversary", "target"])
        }

    def __call__(self, parameter: float, adversary: str, target: str = "membership") -> pd.Series:
        """Return the advantages by split."""
        try:
            return self._values[parameter, adversary, target]
        except KeyError:
            raise MissingRowsError(f"the study has no {adversary} on {target} at parameter {parameter:g}") from None

    def parameters(self, least: float = 0) -> list[float]:
        """Return depths or penalties from `least` up."""
        found = [parameter for parameter in self.ratio.index if parameter >= least]
        if not found:
            raise MissingRowsError(f"the study has no parameter from {least:g} up")
        return found


def trees(tables: Tables) -> Splits:
    """Return the study of trees."""
    return Splits(tables[IWPC])


def ridge(tables: Tables) -> Splits:
    """Return the study of ridge regression."""
    return Splits(tables[EYEDATA])
