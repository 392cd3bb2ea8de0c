"""Warfarin patients as Yeom et al. released them: 4819 people; which dose a week keeps the blood thin?

Their file is made from the table of the International Warfarin Pharmacogenetics Consortium: rows without missing
values, numbers with mean 0 and variance 1. How it was made is not published, and it cannot be derived again from the
consortium's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published.regression import prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table
from dpmia.formats.provenance import Provenance

FILE = "iwpc-scaled.csv"
RESPONSE = "dose"

_NO_YES = Category(("0", "1"))

#: All columns, in the file's order. `decr` is a drug that makes the liver break warfarin down faster; the genotypes
#: are the two alleles of CYP2C9, and of VKORC1 at rs9923231 on the strand where C is the common base.
KINDS: dict[str, Number | Category] = {
    "race": Category(("asian", "black", "white")),
    "age": Number(),
    "height": Number(),
    "weight": Number(),
    "amiodarone": _NO_YES,
    "decr": _NO_YES,
    "cyp2c9": Category(("11", "12", "13", "22", "23", "33")),
    "vkorc1": Category(("CC", "CT", "TT")),
    RESPONSE: Number(),
}

LAYOUT = Layout(columns=tuple(KINDS), kinds=KINDS, header=True)


def read(folder: Path) -> pd.DataFrame:
    """Parse the file.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    return read_table(folder / FILE, LAYOUT)


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 17 features and the number to predict: the square root of the weekly dose, standardised as it comes.

    The genotypes that attackers infer are features: `cyp2c9=11` and five more, `vkorc1=CC` and two more.
    """
    table = frame.drop(columns=RESPONSE)
    return prepared("iwpc", table, frame[RESPONSE].to_numpy(), attributes, frame.attrs.get("provenance", Provenance()))
