"""UCI Student Performance, Portuguese language: 649 pupils of two schools; does a pupil pass the year?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table
from dpmia.formats.provenance import Provenance

FILE = "student-por.csv"
GRADE = "G3"
PASS = 10
CLASSES = ("fail", "pass")
GROUP = "school"

_YES_NO = Category(("no", "yes"))
_JOBS = Category(("at_home", "health", "other", "services", "teacher"))
_SCALE = Number(1, 5)
_GRADE = Number(0, 20)

#: All columns, in the file's order.
KINDS: dict[str, Number | Category] = {
    "school": Category(("GP", "MS")),
    "sex": Category(("F", "M")),
    "age": Number(0, 150),
    "address": Category(("R", "U")),
    "famsize": Category(("GT3", "LE3")),
    "Pstatus": Category(("A", "T")),
    "Medu": Number(0, 4),
    "Fedu": Number(0, 4),
    "Mjob": _JOBS,
    "Fjob": _JOBS,
    "reason": Category(("course", "home", "other", "reputation")),
    "guardian": Category(("father", "mother", "other")),
    "traveltime": Number(1, 4),
    "studytime": Number(1, 4),
    "failures": Number(0, 4),
    "schoolsup": _YES_NO,
    "famsup": _YES_NO,
    "paid": _YES_NO,
    "activities": _YES_NO,
    "nursery": _YES_NO,
    "higher": _YES_NO,
    "internet": _YES_NO,
    "romantic": _YES_NO,
    "famrel": _SCALE,
    "freetime": _SCALE,
    "goout": _SCALE,
    "Dalc": _SCALE,
    "Walc": _SCALE,
    "health": _SCALE,
    "absences": Number(0),
    "G1": _GRADE,
    "G2": _GRADE,
    "G3": _GRADE,
}
GRADES = ("G1", "G2", GRADE)

LAYOUT = Layout(columns=tuple(KINDS), kinds=KINDS, header=True, delimiter=";")


def read(folder: Path) -> pd.DataFrame:
    """Parse the file.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    return read_table(folder / FILE, LAYOUT)


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 42 features; class 1 passes: a final grade of 10 or more out of 20.

    No grade is a feature. The attribute `school` is always there.
    """
    y = (frame[GRADE] >= PASS).to_numpy()
    provenance = frame.attrs.get("provenance", Provenance())
    return prepared("student", frame.drop(columns=list(GRADES)), y, CLASSES, (GROUP, *attributes), provenance)
