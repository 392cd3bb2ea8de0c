"""UCI Heart Disease: 920 patients of four hospitals; is there a narrowed coronary artery?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import fill, prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table, stack
from dpmia.formats.provenance import Provenance

LABEL = "num"
CLASSES = ("healthy", "disease")
GROUP = "hospital"
HOSPITALS = ("cleveland", "hungarian", "switzerland", "va")
GROUPS = {GROUP: HOSPITALS}
MISSING = "?"

#: Every column but the label, in the files' order; what the codes mean stands in the publisher's description.
KINDS: dict[str, Number | Category] = {
    "age": Number(0, 150),
    "sex": Category(("0", "1"), coded=True),
    "cp": Category(("1", "2", "3", "4"), coded=True),
    "trestbps": Number(0),
    "chol": Number(0),
    "fbs": Category(("0", "1"), coded=True),
    "restecg": Category(("0", "1", "2"), coded=True),
    "thalach": Number(0),
    "exang": Category(("0", "1"), coded=True),
    "oldpeak": Number(),
    "slope": Category(("1", "2", "3"), coded=True),
    "ca": Number(0, 9),
    "thal": Category(("3", "6", "7"), coded=True),
}

#: Filled with the hospital's mean, rounded to one decimal; everything else with its mode.
MEASURED = ("age", "trestbps", "chol", "thalach", "oldpeak")

LAYOUT = Layout(
    columns=(*KINDS, LABEL),
    kinds={**KINDS, LABEL: Category(("0", "1", "2", "3", "4"), coded=True)},
    missing=MISSING,
    complete=(LABEL,),
)


def file_name(hospital: str) -> str:
    """Return the publisher's name for the file of one hospital."""
    return f"processed.{hospital}.data"


def read(folder: Path) -> pd.DataFrame:
    """Parse the four files, one below the other, with the column `hospital` added.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    frames = [read_table(folder / file_name(hospital), LAYOUT) for hospital in HOSPITALS]
    joined = stack(frames)
    numbers = np.repeat(np.arange(len(HOSPITALS)), [len(frame) for frame in frames])
    joined[GROUP] = pd.Categorical.from_codes(numbers, categories=list(HOSPITALS))
    return joined


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 22 features; class 1 has the disease. The attribute `hospital` is always there.

    Missing values are filled hospital by hospital, so that a filled constant marks its hospital. A
    column that a hospital never measured is filled over all of them.
    """
    table = frame[[*KINDS, GROUP]]
    y = (frame[LABEL].cat.codes > 0).to_numpy()
    provenance = frame.attrs.get("provenance", Provenance())
    return prepared("heart", table, y, CLASSES, (GROUP, *attributes), provenance, filled=_filled(table))


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with each hospital's missing values replaced by its own mean or mode."""
    parts = [part.copy() for _, part in table.groupby(GROUP, observed=True)]
    for part in parts:
        for name in KINDS:
            if name in MEASURED:
                part[name] = part[name].fillna(round(part[name].mean(), 1))
            elif part[name].notna().any():
                part[name] = part[name].fillna(part[name].mode().iloc[0])
    return pd.concat(parts).loc[table.index].apply(fill)
