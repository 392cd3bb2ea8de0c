"""UCI Adult: 48 842 people of the US census of 1994; does a person earn more than 50 000 dollars a year?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table, stack
from dpmia.formats.provenance import Provenance

LABEL = "income"
CLASSES = ("<=50K", ">50K")
MISSING = "?"

WORKCLASSES = (
    "Federal-gov", "Local-gov", "Never-worked", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov",
    "Without-pay",
)  # fmt: skip
#: In the order of `education-num`, which counts them from 1.
EDUCATIONS = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
    "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip
MARITAL = (
    "Divorced", "Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent", "Never-married", "Separated",
    "Widowed",
)  # fmt: skip
OCCUPATIONS = (
    "Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing", "Handlers-cleaners",
    "Machine-op-inspct", "Other-service", "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales",
    "Tech-support", "Transport-moving",
)  # fmt: skip
RELATIONSHIPS = ("Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife")
RACES = ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White")
SEXES = ("Female", "Male")
COUNTRIES = (
    "Cambodia", "Canada", "China", "Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador", "England",
    "France", "Germany", "Greece", "Guatemala", "Haiti", "Holand-Netherlands", "Honduras", "Hong", "Hungary", "India",
    "Iran", "Ireland", "Italy", "Jamaica", "Japan", "Laos", "Mexico", "Nicaragua", "Outlying-US(Guam-USVI-etc)",
    "Peru", "Philippines", "Poland", "Portugal", "Puerto-Rico", "Scotland", "South", "Taiwan", "Thailand",
    "Trinadad&Tobago", "United-States", "Vietnam", "Yugoslavia",
)  # fmt: skip

#: Every column but the label, in the file's order.
KINDS: dict[str, Number | Category] = {
    "age": Number(0, 150),
    "workclass": Category(WORKCLASSES),
    "fnlwgt": Number(),
    "education": Category(EDUCATIONS),
    "education-num": Number(1, 16),
    "marital-status": Category(MARITAL),
    "occupation": Category(OCCUPATIONS),
    "relationship": Category(RELATIONSHIPS),
    "race": Category(RACES),
    "sex": Category(SEXES),
    "capital-gain": Number(),
    "capital-loss": Number(),
    "hours-per-week": Number(0, 168),
    "native-country": Category(COUNTRIES),
}


def read(folder: Path) -> pd.DataFrame:
    """Parse `adult.data` and, below it, `adult.test`, whose labels end in a dot.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    return stack([_read(folder / "adult.data", ""), _read(folder / "adult.test", ".")])


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return all 14 columns as 104 features (fewer where some are attributes); class 1 earns more than 50K.

    Missing values are filled over the whole table; duplicates stay.
    """
    y = frame[LABEL].cat.codes.to_numpy()
    return prepared("adult", frame[list(KINDS)], y, CLASSES, attributes, frame.attrs.get("provenance", Provenance()))


def _read(path: Path, dot: str) -> pd.DataFrame:
    labels = tuple(name + dot for name in CLASSES)
    layout = Layout(
        columns=(*KINDS, LABEL),
        kinds={**KINDS, LABEL: Category(labels)},
        comment="|",
        missing=MISSING,
        complete=(LABEL,),
    )
    frame = read_table(path, layout)
    frame[LABEL] = frame[LABEL].cat.rename_categories(list(CLASSES))
    return frame
