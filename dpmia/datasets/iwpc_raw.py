"""Warfarin patients as the consortium published them (PharmGKB): 5700 people, many with values missing.

The features of `iwpc`, made by rules that are stated here. They are not the records of that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.datasets.parsing import Category, Layout, Number, read_table
from dpmia.datasets.regression import prepared, standardised
from dpmia.datasets.table import Dataset
from dpmia.errors import DataError

FILE = "warfarin.csv"
UNKNOWN = "NA"


@dataclass(frozen=True)
class _Measured(Number):
    """A number, or `NA` where it was not measured."""

    def parse(self, text: str) -> float | None:
        return np.nan if text == UNKNOWN else super().parse(text)


def _either(*values: str) -> Category:
    return Category((*values, UNKNOWN))


#: The header of the table as exported to CSV; its last three columns are empty and have no name.
HEADER = (
    "PharmGKB Subject ID", "Gender", "Race", "Ethnicity", "Age", "Height (cm)", "Weight (kg)",
    "Indication for Warfarin Treatment", "Comorbidities", "Diabetes",
    "Congestive Heart Failure and/or Cardiomyopathy", "Valve Replacement", "Medications", "Aspirin",
    "Acetaminophen or Paracetamol (Tylenol)", "Was Dose of Acetaminophen or Paracetamol (Tylenol) >1300mg/day",
    "Simvastatin (Zocor)", "Atorvastatin (Lipitor)", "Fluvastatin (Lescol)", "Lovastatin (Mevacor)",
    "Pravastatin (Pravachol)", "Rosuvastatin (Crestor)", "Cerivastatin (Baycol)", "Amiodarone (Cordarone)",
    "Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin", "Sulfonamide Antibiotics",
    "Macrolide Antibiotics", "Anti-fungal Azoles", "Herbal Medications, Vitamins, Supplements", "Target INR",
    "Estimated Target INR Range Based on Indication", "Subject Reached Stable Dose of Warfarin",
    "Therapeutic Dose of Warfarin", "INR on Reported Therapeutic Dose of Warfarin", "Current Smoker",
    "Cyp2C9 genotypes", "Genotyped QC Cyp2C9*2", "Genotyped QC Cyp2C9*3", "Combined QC CYP2C9",
    "VKORC1 genotype: -1639 G>A (3673); chr16:31015190; rs9923231; C/T",
    "VKORC1 QC genotype: -1639 G>A (3673); chr16:31015190; rs9923231; C/T",
    "VKORC1 genotype: 497T>G (5808); chr16:31013055; rs2884737; A/C",
    "VKORC1 QC genotype: 497T>G (5808); chr16:31013055; rs2884737; A/C",
    "VKORC1 genotype: 1173 C>T(6484); chr16:31012379; rs9934438; A/G",
    "VKORC1 QC genotype: 1173 C>T(6484); chr16:31012379; rs9934438; A/G",
    "VKORC1 genotype: 1542G>C (6853); chr16:31012010; rs8050894; C/G",
    "VKORC1 QC genotype: 1542G>C (6853); chr16:31012010; rs8050894; C/G",
    "VKORC1 genotype: 3730 G>A (9041); chr16:31009822; rs7294;  A/G",
    "VKORC1 QC genotype: 3730 G>A (9041); chr16:31009822; rs7294;  A/G",
    "VKORC1 genotype: 2255C>T (7566); chr16:31011297; rs2359612; A/G",
    "VKORC1 QC genotype: 2255C>T (7566); chr16:31011297; rs2359612; A/G",
    "VKORC1 genotype: -4451 C>A (861); Chr16:31018002; rs17880887; A/C",
    "VKORC1 QC genotype: -4451 C>A (861); Chr16:31018002; rs17880887; A/C",
    "CYP2C9 consensus", "VKORC1 -1639 consensus", "VKORC1 497 consensus", "VKORC1 1173 consensus",
    "VKORC1 1542 consensus", "VKORC1 3730 consensus", "VKORC1 2255 consensus", "VKORC1 -4451 consensus",
    "", "", "",
)  # fmt: skip

RACE, AGE, HEIGHT, WEIGHT, DOSE = "Race", "Age", "Height (cm)", "Weight (kg)", "Therapeutic Dose of Warfarin"
AMIODARONE = "Amiodarone (Cordarone)"
INDUCERS = ("Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin")
CYP2C9, VKORC1, VKORC1_NEAR = "CYP2C9 consensus", "VKORC1 -1639 consensus", "VKORC1 1173 consensus"

RACES = {"Asian": "asian", "Black or African American": "black", "White": "white"}
#: Ages are decades; the feature is a decade's number.
AGES = (*(f"{low} - {low + 9}" for low in range(10, 90, 10)), "90+")
CYP2C9_GENOTYPES = {"*1/*1": "11", "*1/*2": "12", "*1/*3": "13", "*2/*2": "22", "*2/*3": "23", "*3/*3": "33"}
#: Rare alleles, which the features leave out.
CYP2C9_RARE = ("*1/*5", "*1/*6", "*1/*11", "*1/*13", "*1/*14")
#: Bases at -1639 on the one strand -> on the other, which `iwpc` writes.
VKORC1_GENOTYPES = {"G/G": "CC", "A/G": "CT", "A/A": "TT"}
#: The site 1173 is inherited together with -1639.
VKORC1_NEAR_GENOTYPES = {"C/C": "CC", "C/T": "CT", "T/T": "TT"}

_TAKEN = _either("0", "1")
LAYOUT = Layout(
    columns=HEADER,
    kinds={
        RACE: Category((*RACES, "Unknown")),
        AGE: _either(*AGES),
        HEIGHT: _Measured(0, 300),
        WEIGHT: _Measured(0, 500),
        AMIODARONE: _TAKEN,
        **dict.fromkeys(INDUCERS, _TAKEN),
        DOSE: _Measured(0),
        CYP2C9: _either(*CYP2C9_GENOTYPES, *CYP2C9_RARE),
        VKORC1: _either(*VKORC1_GENOTYPES),
        VKORC1_NEAR: _either(*VKORC1_NEAR_GENOTYPES),
    },
    header=True,
    missing="",
)


def read(folder: Path) -> pd.DataFrame:
    """Parse the file, all patients.

    Raises:
        DataError: the file is absent, damaged or of another kind.
    """
    frame = read_table(folder / FILE, LAYOUT)
    patients = frame.dropna(how="all").reset_index(drop=True)  # the export ends in a row without any value
    (file,) = frame.attrs["provenance"]["files"]
    patients.attrs["provenance"] = frame.attrs["provenance"] | {"files": [file | {"rows": len(patients)}]}
    return patients


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 17 features and the standardised square root of the weekly dose (mg) of patients with all values.

    A patient must have race, age, height, weight, dose and both genotypes, of which CYP2C9 is one of six. Where
    VKORC1 was not read at -1639, the site 1173 tells it. A drug that is not written down was not taken.

    Raises:
        DataError: no patient has all values.
    """
    ages = {age: float(number) for number, age in enumerate(AGES)}
    vkorc1 = _words(frame[VKORC1], VKORC1_GENOTYPES).fillna(_words(frame[VKORC1_NEAR], VKORC1_NEAR_GENOTYPES))
    table = pd.DataFrame(
        {
            "race": _category(_words(frame[RACE], RACES), RACES),
            "age": _words(frame[AGE], ages).astype(float),
            "height": frame[HEIGHT],
            "weight": frame[WEIGHT],
            "amiodarone": _taken(frame[[AMIODARONE]]),
            "decr": _taken(frame[list(INDUCERS)]),
            "cyp2c9": _category(_words(frame[CYP2C9], CYP2C9_GENOTYPES), CYP2C9_GENOTYPES),
            "vkorc1": _category(vkorc1, VKORC1_GENOTYPES),
            "dose": np.sqrt(frame[DOSE]),
        }
    ).dropna()
    numbers = ["age", "height", "weight", "dose"]
    if any(table[name].nunique() < 2 for name in numbers):
        raise DataError(FILE, f"{len(table)} patients with all values", "several, with different ages, sizes and doses")
    table[numbers] = standardised(table[numbers].to_numpy())
    response = table.pop("dose").to_numpy()
    return prepared("iwpc_raw", table, response, attributes, frame.attrs.get("provenance", {}))


def _words(column: pd.Series, translation: Mapping[str, str | float]) -> pd.Series:
    """Return what each value means, missing where it means nothing."""
    return column.astype(object).map(translation)


def _category(column: pd.Series, translation: Mapping[str, str]) -> pd.Series:
    """Return a categorical of all meanings, in their order, whether they occur or not."""
    return column.astype(pd.CategoricalDtype(list(translation.values())))


def _taken(drugs: pd.DataFrame) -> pd.Series:
    """Return whether one of the drugs is taken, as a categorical of `0` and `1`."""
    taken = (drugs == "1").any(axis=1).to_numpy()
    return pd.Series(pd.Categorical.from_codes(taken.astype(int), ["0", "1"]), index=drugs.index)
