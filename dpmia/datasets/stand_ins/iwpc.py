"""Made-up warfarin patients: three peoples whose genes, sizes and doses differ, in the scaled form of Yeom et al."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.datasets import iwpc
from dpmia.datasets.regression import standardised
from dpmia.datasets.stand_ins.sampling import complete, mark, pick, pick_alike, words, write

PATIENTS = 4_819

# Rounded from the authors' file; rows are the peoples in the order of `iwpc.KINDS["race"]`.

PEOPLES = (30.3, 9.5, 60.2)
#: Percent in each decade of life, from the teens on.
DECADES = (
    (0.2, 1.3, 3.4, 10.9, 21.9, 30.0, 26.3, 5.7, 0.1),
    (0.4, 3.5, 7.2, 17.3, 25.6, 23.0, 16.2, 6.1, 0.7),
    (0.2, 2.4, 3.5, 7.4, 16.9, 22.3, 31.1, 15.4, 0.8),
)
CYP2C9 = ((93.2, 0.1, 6.6, 0, 0, 0.1), (90.6, 6.3, 3.1, 0, 0, 0), (63.9, 21.1, 11.0, 1.4, 2.1, 0.4))
VKORC1 = ((2.5, 17.2, 80.3), (71.3, 22.3, 6.3), (37.0, 48.4, 14.7))
AMIODARONE = ((98.7, 1.3), (94.7, 5.3), (93.6, 6.4))
INDUCER = ((99.7, 0.3), (98.0, 2.0), (98.8, 1.2))
#: Mean and standard deviation: height in cm, logarithm of the weight in kg; and the correlation of the two.
HEIGHT = ((160.9, 8.2), (170.8, 10.2), (170.8, 10.0))
LOG_WEIGHT = ((4.1, 0.18), (4.47, 0.29), (4.4, 0.23))
TALL_AND_HEAVY = 0.5

# A linear model of the square root of the weekly dose in mg, from the same file.

DOSE = 4.9
DOSE_OF_PEOPLE = (-0.25, -0.2, -0.06)
DOSE_OF_CYP2C9 = (1.04, 0.54, 0.16, -0.12, -0.85, -1.28)
DOSE_OF_VKORC1 = (0.62, -0.16, -0.96)
DOSE_OF_DECADE, DOSE_OF_CM, DOSE_OF_KG = -0.256, 0.01, 0.0123
DOSE_OF_AMIODARONE, DOSE_OF_INDUCER = -0.6, 1.0
#: The rest of the dose: standard deviation, and degrees of freedom of its t distribution.
REST, HEAVY = 1.0, 5
#: Doses come in whole quarters of a milligram a day.
STEP = 1.75


@dataclass(frozen=True)
class Patients:
    """Patients in the units in which they were measured; arrays of shape (patients,).

    Attributes:
        race: place of the people in `iwpc.KINDS["race"]`.
        decade: of life, 0 for the teens.
        height: in cm.
        weight: in kg.
        amiodarone: 1 where the drug is taken.
        inducer: 1 where a drug is taken that makes the liver break warfarin down faster.
        cyp2c9: place of the genotype in `iwpc.KINDS["cyp2c9"]`.
        vkorc1: place of the genotype in `iwpc.KINDS["vkorc1"]`.
        dose: in mg a week.
    """

    race: np.ndarray
    decade: np.ndarray
    height: np.ndarray
    weight: np.ndarray
    amiodarone: np.ndarray
    inducer: np.ndarray
    cyp2c9: np.ndarray
    vkorc1: np.ndarray
    dose: np.ndarray


def patients(rng: np.random.Generator, count: int) -> Patients:
    """Draw patients; every genotype occurs."""
    race = pick_alike(rng, PEOPLES, count)
    decade = pick(rng, DECADES, race)
    cyp2c9 = complete(rng, pick(rng, CYP2C9, race), 6)
    vkorc1 = complete(rng, pick(rng, VKORC1, race), 3)
    amiodarone = complete(rng, pick(rng, AMIODARONE, race), 2)
    inducer = complete(rng, pick(rng, INDUCER, race), 2)

    size, bulk = rng.normal(size=(2, count))
    bulk = TALL_AND_HEAVY * size + np.sqrt(1 - TALL_AND_HEAVY**2) * bulk
    mean, spread = np.array(HEIGHT)[race].T
    inches = rng.random(count) < np.where(race == 0, 0.3, 0.8)
    height = _rounded(mean + spread * size, np.where(inches, 2.54, 1.0))
    mean, spread = np.array(LOG_WEIGHT)[race].T
    weight = _rounded(np.exp(mean + spread * bulk), np.where(rng.random(count) < 0.6, 1.0, 0.1))

    root = (
        DOSE
        + np.array(DOSE_OF_PEOPLE)[race]
        + np.array(DOSE_OF_CYP2C9)[cyp2c9]
        + np.array(DOSE_OF_VKORC1)[vkorc1]
        + DOSE_OF_DECADE * (decade - 5)
        + DOSE_OF_CM * (height - 168)
        + DOSE_OF_KG * (weight - 78)
        + DOSE_OF_AMIODARONE * amiodarone
        + DOSE_OF_INDUCER * inducer
        + REST * rng.standard_t(HEAVY, size=count) * np.sqrt((HEAVY - 2) / HEAVY)
    )
    dose = np.maximum(_rounded(np.maximum(root, 0) ** 2, STEP), STEP)
    return Patients(race, decade, height, weight, amiodarone, inducer, cyp2c9, vkorc1, dose)


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `iwpc-scaled.csv`: numbers with up to four decimals; as many patients as in the real file at any scale."""
    made = patients(np.random.default_rng(seed), PATIENTS)
    kinds = iwpc.KINDS
    columns = {
        "race": words(kinds["race"].values, made.race),
        "age": _scaled(made.decade),
        "height": _scaled(made.height),
        "weight": _scaled(made.weight),
        "amiodarone": words(kinds["amiodarone"].values, made.amiodarone),
        "decr": words(kinds["decr"].values, made.inducer),
        "cyp2c9": words(kinds["cyp2c9"].values, made.cyp2c9),
        "vkorc1": words(kinds["vkorc1"].values, made.vkorc1),
        "dose": _scaled(np.sqrt(made.dose)),
    }
    rows = [",".join(row) for row in zip(*(columns[name] for name in kinds), strict=True)]
    write(folder / iwpc.FILE, "\n".join([",".join(kinds), *rows]) + "\n")
    mark(folder, seed)


def _rounded(values: np.ndarray, step: np.ndarray | float) -> np.ndarray:
    return np.rint(values / step) * step


def _scaled(values: np.ndarray) -> list[str]:
    return [f"{round(value, 4) + 0.0:g}" for value in standardised(values).tolist()]
