"""Made-up heart patients: four hospitals that differ in who comes, what is measured and what is written down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.datasets import heart
from dpmia.datasets.stand_ins.sampling import mark, pick, write

Pair = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class Hospital:
    """What is known of one hospital; pairs and rows are for the healthy and the ill.

    Attributes:
        counts: patients by degree of disease, 0 to 4.
        numbers: name -> (mean, standard deviation) of each of the two, and lowest, highest.
        codes: name -> percent of each value in the order of `heart.KINDS`; the last for `?`.
        untested: share of patients without the tests on the ergometer.
        no_cholesterol: share of patients whose cholesterol is written as 0, and as missing.
    """

    counts: tuple[int, ...]
    numbers: dict[str, tuple[tuple[float, float], tuple[float, float], float, float]]
    codes: dict[str, Pair]
    untested: float = 0.0
    no_cholesterol: tuple[float, float] = (0, 0)


#: Rounded from the real files: counts of degrees, means and spreads, percents.
HOSPITALS = {
    "cleveland": Hospital(
        counts=(164, 55, 36, 35, 13),
        numbers={
            "age": ((52.6, 9.5), (56.6, 7.9), 29, 77),
            "trestbps": ((129, 16), (134.5, 19), 94, 200),
            "chol": ((243, 53), (251, 50), 126, 564),
            "thalach": ((158.5, 19), (139, 22.5), 71, 202),
            "oldpeak": ((0.4, 0.9), (1.6, 1.35), 0, 6.2),
        },
        codes={
            "sex": ((44, 56, 0), (18, 82, 0)),
            "cp": ((10, 25, 41, 24, 0), (5, 6, 13, 76, 0)),
            "fbs": ((86, 14, 0), (84, 16, 0)),
            "restecg": ((58, 1, 41, 0), (40, 2, 58, 0)),
            "exang": ((86, 14, 0), (45, 55, 0)),
            "slope": ((65, 30, 5, 0), (26, 65, 9, 0)),
            "ca": ((79, 13, 4, 2, 2), (33, 32, 22, 12, 1)),
            "thal": ((79, 4, 16.5, 0.5), (27, 9, 63, 1)),
        },
    ),
    "hungarian": Hospital(
        counts=(188, 106, 0, 0, 0),
        numbers={
            "age": ((47, 8), (49.5, 7.5), 28, 66),
            "trestbps": ((131, 16.5), (136, 18.5), 92, 200),
            "chol": ((240, 57), (269, 80), 85, 603),
            "thalach": ((145, 22), (129, 22.5), 82, 190),
            "oldpeak": ((-0.5, 0.9), (1.2, 1.2), 0, 5),
        },
        codes={
            "sex": ((37, 63, 0), (11, 89, 0)),
            "cp": ((4, 52, 23, 21, 0), (4, 8, 10, 78, 0)),
            "fbs": ((93, 4, 3), (86, 12, 2)),
            "restecg": ((79.6, 17.5, 2.5, 0.4), (80.6, 18, 1, 0.4)),
            "exang": ((89.5, 10, 0.5), (34, 66, 0)),
            "slope": ((6, 10, 0.3, 83.7), (0.3, 68, 1, 30.7)),
            "ca": ((1, 0, 0, 0, 99), (1, 0, 0, 0, 99)),
            "thal": ((3.6, 1.9, 2.5, 92), (0.4, 4.5, 8.1, 87)),
        },
        no_cholesterol=(0, 0.08),
    ),
    "switzerland": Hospital(
        counts=(8, 48, 32, 30, 5),
        numbers={
            "age": ((54.5, 10), (55.5, 9), 32, 74),
            "trestbps": ((124.5, 26), (130.5, 22), 80, 200),
            "chol": ((0, 0), (0, 0), 0, 0),
            "thalach": ((136.5, 26), (120.5, 26), 60, 182),
            "oldpeak": ((0.4, 1), (0.65, 1.1), -2.6, 3.7),
        },
        codes={
            "sex": ((2, 98, 0), (9, 91, 0)),
            "cp": ((2, 25, 48, 25, 0), (3, 2, 12, 83, 0)),
            "fbs": ((14, 1, 85), (37, 4, 59)),
            "restecg": ((63, 25, 12, 0), (70, 24, 5, 1)),
            "exang": ((87, 13, 0), (53.5, 46, 0.5)),
            "slope": ((50, 25, 25, 0), (25, 51, 9, 15)),
            "ca": ((0, 0, 12, 0, 88), (0, 2, 2, 0, 96)),
            "thal": ((2, 2, 12, 84), (16, 9, 36, 39)),
        },
        untested=0.015,
        no_cholesterol=(1, 0),
    ),
    "va": Hospital(
        counts=(51, 56, 41, 42, 10),
        numbers={
            "age": ((57, 9), (60, 7), 35, 77),
            "trestbps": ((130, 18), (135, 20), 80, 190),
            "chol": ((236, 50), (238, 52), 100, 458),
            "thalach": ((125, 27), (122, 20), 69, 180),
            "oldpeak": ((0.6, 1), (1.45, 1.15), -0.5, 4),
        },
        codes={
            "sex": ((6, 94, 0), (2, 98, 0)),
            "cp": ((6, 18, 31, 45, 0), (3, 4, 21, 72, 0)),
            "fbs": ((71, 27, 2), (60, 36, 4)),
            "restecg": ((35, 49, 16, 0), (42, 45, 13, 0)),
            "exang": ((62, 38, 0), (27, 73, 0)),
            "slope": ((8, 25, 8, 59), (12, 40, 23, 25)),
            "ca": ((2, 0, 0, 0, 98), (1, 0, 0, 0, 99)),
            "thal": ((4, 2, 10, 84), (1, 5, 11, 83)),
        },
        untested=0.27,
        no_cholesterol=(0.245, 0.035),
    ),
}
#: The vessels that `ca` counts; all other codes stand in `heart.KINDS`.
VESSELS = ("0", "1", "2", "3")
#: Missing together where a patient was not tested.
TESTED = ("trestbps", "thalach", "exang", "oldpeak", "slope")
#: How much higher the ergometer's numbers go per degree of disease beyond the first.
WORSE = 0.25


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write the four files: no header, `?` where missing, and each hospital's way to write numbers."""
    rng = np.random.default_rng(seed)
    for name in heart.HOSPITALS:
        columns = _columns(rng, HOSPITALS[name])
        rows = zip(*(_texts(name, column, columns[column]) for column in heart.LAYOUT.columns), strict=True)
        write(folder / heart.file_name(name), "".join(",".join(row) + "\n" for row in rows))
    mark(folder, seed)


def _columns(rng: np.random.Generator, hospital: Hospital) -> dict[str, np.ndarray]:
    """Return each column as numbers, NaN where missing."""
    degree = rng.permutation(np.repeat(np.arange(5), hospital.counts))
    ill = (degree > 0).astype(np.int64)
    columns: dict[str, np.ndarray] = {heart.LABEL: degree.astype(np.float64)}
    for name, (*moments, low, high) in hospital.numbers.items():
        mean, spread = np.array(moments)[ill].T
        drawn = rng.normal(mean, spread)
        drawn = np.round(drawn + WORSE * np.maximum(degree - 2, -0.5) * ill, 1) if name == "oldpeak" else np.rint(drawn)
        columns[name] = np.clip(drawn, low, high)
    for name, shares in hospital.codes.items():
        values = VESSELS if name == "ca" else heart.KINDS[name].values
        columns[name] = np.array([*map(float, values), np.nan])[pick(rng, shares, ill)]
    untested = rng.random(len(degree)) < hospital.untested
    for name in TESTED:
        columns[name][untested] = np.nan
    zero, missing = hospital.no_cholesterol
    cholesterol = rng.random(len(degree))
    columns["chol"][cholesterol < zero + missing] = np.nan
    columns["chol"][cholesterol < zero] = 0
    return columns


def _texts(hospital: str, name: str, values: np.ndarray) -> list[str]:
    """Return numbers as the hospital writes them: `63.0`, `63` or, below one, `.7`."""
    if hospital == "cleveland" and name != heart.LABEL:
        texts = [f"{value:.1f}" for value in values]
    else:
        texts = [f"{value + 0.0:g}" for value in values]
    if hospital == "switzerland":
        texts = [text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text for text in texts]
    return [heart.MISSING if np.isnan(value) else text for value, text in zip(values, texts, strict=True)]
