"""Made-up Adult records: family decides on age and schooling, these on work, and all of them on income."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets import adult
from dpmia.datasets.stand_ins.sampling import (
    complete,
    from_quantiles,
    highest,
    integers,
    mark,
    pick,
    words,
    write,
)

TRAIN, TEST = 32_561, 16_281
RICH = 11_687
#: Groups that members are drawn from: as many as in the real files.
MEN, GRADUATES = 32_650, 15_772

# Frequencies in percent or counts, read from cross tables of the real files and rounded.
# Rows and columns follow the orders of the values in `adult`.

#: sex -> relationship
RELATIONSHIP = ((0, 36, 4.5, 21, 24, 14.5), (60, 21, 2.5, 13, 3.5, 0))
#: relationship -> marital status
MARITAL = (
    (0, 0.1, 99.9, 0, 0, 0, 0),
    (29, 0, 0.2, 2.5, 57, 5, 6.3),
    (12, 0, 13, 3.5, 61, 5.5, 5),
    (6, 0, 2, 1, 89, 2, 0.4),
    (46, 0, 0, 3.5, 26, 13, 11.5),
    (0, 1, 99, 0, 0, 0, 0),
)
AGE_LEVELS = (0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1)
#: relationship -> quantiles of age
AGE = (
    (18, 23, 29, 35, 43, 52, 61, 75, 90),
    (17, 19, 23, 27, 36, 47, 58, 77, 90),
    (17, 17, 19, 22, 29, 42, 55, 72, 90),
    (17, 17, 18, 19, 22, 28, 36, 54, 90),
    (17, 20, 25, 31, 39, 48, 56, 72, 90),
    (17, 21, 26, 31, 39, 47, 56, 70, 90),
)
#: relationship -> education
EDUCATION = (
    (0.1, 0.6, 1.2, 2.6, 1.5, 2.4, 2.4, 0.8, 32, 19, 4.5, 2.9, 18, 6.8, 2.8, 1.9),
    (0.3, 0.5, 0.8, 1.7, 1.3, 2.4, 2.6, 1, 31, 22, 4.3, 3.8, 20, 6.6, 1.4, 1.1),
    (0.4, 1.5, 4, 3, 3, 4, 6, 2.5, 40, 20, 2.5, 2, 9, 1.3, 0.5, 0.3),
    (0.1, 0.1, 0.3, 1, 1.4, 4, 8, 3, 32, 24, 2.8, 2.6, 15, 1.6, 0.3, 0.2),
    (0.1, 0.6, 1.3, 2, 2, 3.5, 4, 1.3, 38, 23, 5.3, 4, 10, 4, 0.6, 0.6),
    (0.1, 0.3, 1, 1.2, 1.5, 2, 2, 1, 31, 20, 5, 4.6, 20, 7.7, 1.6, 1.1),
)
#: Education -> its band: below high school, high school, some college, associate, bachelor, higher.
BAND = np.repeat(np.arange(6), (8, 1, 1, 2, 1, 3))
#: sex and band -> occupation; the last column: not told
OCCUPATION = (
    (8, 0, 2.4, 2.4, 1.3, 3, 12, 33, 4.8, 1.8, 0.8, 16, 0.8, 1, 13),
    (28, 0, 3, 7.5, 0.5, 2.7, 8, 22, 1.7, 2.8, 0.6, 12, 2, 1.4, 7.4),
    (31, 0, 1.5, 10.5, 0.7, 1, 2.8, 16, 0.6, 6, 1, 14, 4.5, 0.6, 10),
    (29, 0, 2.3, 12.5, 0.4, 0.7, 1.8, 11, 0.5, 18, 0.7, 8, 8.7, 0.5, 6),
    (17, 0, 0.8, 20, 0.3, 0.3, 0.8, 5, 0.4, 36, 1, 11, 4.7, 0.2, 4),
    (4.7, 0, 0.4, 19, 0.1, 0, 0.4, 2.2, 0.2, 65, 0.1, 4, 1.7, 0, 2.6),
    (2.3, 0, 21.5, 3, 9, 12, 11, 13.5, 0.2, 1.2, 1, 5, 0.3, 11, 8.5),
    (5.6, 0.05, 25, 7.6, 5, 7.5, 10.6, 8, 0, 2, 2.7, 9, 1.5, 11, 4),
    (8, 0.1, 17.3, 12.6, 3.3, 5.3, 5.6, 7.7, 0, 5.8, 4, 14, 3.5, 5.7, 6.3),
    (7, 0, 22, 13, 4.5, 3, 5.3, 5.3, 0, 9, 4.7, 11, 7.8, 3.7, 3),
    (6.3, 0, 5.2, 27, 2, 1.3, 1.4, 2.5, 0, 26.5, 2.2, 17.5, 4, 1.6, 2.7),
    (2.4, 0.1, 1.4, 24, 0.7, 0.2, 0.3, 0.7, 0, 57, 0.7, 6.7, 2, 0.6, 2.7),
)
#: occupation (the last: not told) -> work class; the last column: not told
WORKCLASS = (
    (8.7, 7.5, 0, 75, 0.8, 1.2, 6.7, 0.1, 0),
    (100, 0, 0, 0, 0, 0, 0, 0, 0),
    (1.5, 3.5, 0, 78, 2.7, 13, 1.5, 0, 0),
    (4.4, 5.4, 0, 66, 10, 9.6, 4.7, 0, 0),
    (0.6, 3, 0, 45, 5.5, 44, 1.7, 0.5, 0),
    (1.7, 3, 0, 93, 0.3, 1, 1, 0.1, 0),
    (0.6, 0.8, 0, 95, 0.6, 2, 0.6, 0.1, 0),
    (1, 6, 0, 82, 1, 5.6, 4, 0, 0),
    (0, 0, 0, 100, 0, 0, 0, 0, 0),
    (4, 17, 0, 55, 4, 9.3, 10, 0, 0),
    (4.8, 46, 0, 30, 0.5, 0.7, 18, 0, 0),
    (0.3, 0.3, 0, 81, 7.6, 11, 0.4, 0, 0),
    (6.6, 4, 0, 80, 0.6, 3, 6, 0, 0),
    (1.6, 6.6, 0, 80, 1.6, 7.8, 2.5, 0, 0),
    (0, 0, 0.4, 0, 0, 0, 0, 0, 99.6),
)
#: relationship -> race
RACE = (
    (0.7, 3, 5, 0.6, 91),
    (1, 2.6, 9.7, 0.8, 86),
    (1.5, 8, 16, 2.7, 72),
    (0.9, 3.3, 11, 0.8, 84),
    (1.8, 2.5, 22, 1.1, 72),
    (1.2, 4.4, 9.7, 1, 84),
)
#: race -> percent born in the United States, percent not told; the rest by the counts below
NATIVE = ((96, 0), (28, 8.4), (91, 2.8), (47, 6), (92, 1.4))
EASTERN = {
    "Philippines": 280, "India": 140, "China": 120, "Japan": 70, "Vietnam": 85, "South": 110, "Taiwan": 63, "Iran": 10,
    "Hong": 28, "Cambodia": 26, "Laos": 22, "Thailand": 28,
}  # fmt: skip
CARIBBEAN = {
    "Jamaica": 100, "Haiti": 73, "Trinadad&Tobago": 23, "Dominican-Republic": 15, "Outlying-US(Guam-USVI-etc)": 10,
    "England": 8,
}  # fmt: skip
WESTERN = {
    "Mexico": 870, "Germany": 200, "Canada": 180, "Puerto-Rico": 150, "El-Salvador": 140, "Cuba": 130, "England": 115,
    "Italy": 105, "Dominican-Republic": 60, "Guatemala": 80, "Poland": 87, "Columbia": 75, "Portugal": 66, "Greece": 49,
    "Iran": 50, "Nicaragua": 40, "Peru": 40, "Ecuador": 37, "France": 37, "Ireland": 37, "Yugoslavia": 23,
    "Scotland": 21, "Hungary": 19, "Honduras": 17, "India": 10, "Holand-Netherlands": 1,
    "Outlying-US(Guam-USVI-etc)": 10,
}  # fmt: skip
ABROAD = (WESTERN, EASTERN, CARIBBEAN, WESTERN, WESTERN)
HOUR_LEVELS = (0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1)
#: relationship -> quantiles of weekly hours
HOURS = (
    (1, 25, 36, 40, 40, 50, 60, 65, 99),
    (1, 18, 25, 40, 40, 45, 53, 60, 99),
    (1, 17, 22, 32, 40, 40, 48, 54, 99),
    (1, 10, 16, 24, 38, 40, 45, 50, 99),
    (1, 20, 26, 36, 40, 40, 50, 56, 99),
    (1, 14, 20, 32, 40, 40, 50, 54, 99),
)
#: Share of people who tell their hours in steps of five.
ROUNDED = 0.85
#: What occupations add to the log odds of a high income.
PAYS = (0, 0.3, 0, 0.7, -0.9, -0.7, -0.3, -0.8, -1, 0.6, 0.5, 0.3, 0.6, -0.1, -0.5)
#: income -> share with a capital gain, with a capital loss where no gain
GAINS, LOSSES = (0.042, 0.213), (0.032, 0.124)
MONEY_LEVELS = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)
GAIN = ((114, 1409, 2202, 3325, 4386, 5013, 34_000), (3103, 4787, 7298, 7688, 15_024, 27_828, 30_000))
LOSS = ((155, 1408, 1590, 1726, 1996, 2205, 4356), (1500, 1848, 1887, 1902, 1977, 2415, 3683))
#: The highest gain the census writes, and its share among the rich.
TOP_GAIN, TOP_SHARE = 99_999, 0.021


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `adult.data` and `adult.test` with as many records as the real ones, a comma and a blank between fields."""
    rows = _rows(np.random.default_rng(seed))
    lines = [", ".join(row) for row in rows]
    write(folder / "adult.data", "\n".join(lines[:TRAIN]) + "\n\n")
    write(folder / "adult.test", "|1x3 Cross validator\n" + "".join(f"{line}.\n" for line in lines[TRAIN:]) + "\n")
    mark(folder, seed)


def _rows(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Return the records, each a tuple of texts in the file's order."""
    records = TRAIN + TEST
    sex = rng.permutation((np.arange(records) < MEN).astype(np.int64))
    relationship = complete(rng, pick(rng, RELATIONSHIP, sex), len(adult.RELATIONSHIPS))
    marital = complete(rng, pick(rng, MARITAL, relationship), len(adult.MARITAL))
    age = np.floor(from_quantiles(rng, AGE_LEVELS, AGE, relationship))
    education = complete(rng, _schooling(pick(rng, EDUCATION, relationship), age), len(adult.EDUCATIONS))
    education = _graduated(rng, education, age)
    # Code 14 of the occupations and 8 of the work classes: not told.
    occupation = complete(rng, pick(rng, OCCUPATION, 6 * sex + BAND[education]), len(PAYS))
    workclass = complete(rng, pick(rng, WORKCLASS, occupation), len(adult.WORKCLASSES) + 1)
    hours = from_quantiles(rng, HOUR_LEVELS, HOURS, relationship)
    hours = np.where(rng.random(records) < ROUNDED, np.clip(5 * np.rint(hours / 5), 1, 99), np.rint(hours))
    race = complete(rng, pick(rng, RACE, relationship), len(adult.RACES))
    country = complete(rng, pick(rng, _countries(), race), len(adult.COUNTRIES) + 1)
    married = np.isin(relationship, [adult.RELATIONSHIPS.index(name) for name in ("Husband", "Wife")])
    decades = np.minimum(age, 70) / 10
    odds = 0.3 * (education + 1) + 2.1 * decades - 0.2 * decades**2 + 0.023 * hours + 2.2 * married + 0.13 * sex
    income = highest(rng, odds + np.array(PAYS)[occupation], RICH).astype(np.int64)
    gain, loss = _money(rng, income)
    weight = np.clip(np.exp(rng.normal(12.03, 0.52, records)), 12_285, 1_490_400)
    columns = (
        integers(age),
        words((*adult.WORKCLASSES, adult.MISSING), workclass),
        integers(weight),
        words(adult.EDUCATIONS, education),
        integers(education + 1),
        words(adult.MARITAL, marital),
        words((*adult.OCCUPATIONS, adult.MISSING), occupation),
        words(adult.RELATIONSHIPS, relationship),
        words(adult.RACES, race),
        words(adult.SEXES, sex),
        integers(gain),
        integers(loss),
        integers(hours),
        words((*adult.COUNTRIES, adult.MISSING), country),
        words(adult.CLASSES, income),
    )
    return list(zip(*columns, strict=True))


def _schooling(education: np.ndarray, age: np.ndarray) -> np.ndarray:
    """Return the education with nobody further than their age allows."""
    some_college, high_school_begun = adult.EDUCATIONS.index("Some-college"), adult.EDUCATIONS.index("11th")
    education = np.where(age < 22, np.minimum(education, some_college), education)
    return np.where(age < 18, np.minimum(education, high_school_begun), education)


def _graduated(rng: np.random.Generator, education: np.ndarray, age: np.ndarray) -> np.ndarray:
    """Return the education with exactly `GRADUATES` records above some college: the nearest levels make up for it."""
    some_college, associate = adult.EDUCATIONS.index("Some-college"), adult.EDUCATIONS.index("Assoc-voc")
    missing = GRADUATES - int((education > some_college).sum())
    old, new = (some_college, associate) if missing > 0 else (associate, some_college)
    education = education.copy()
    education[rng.choice(np.flatnonzero((education == old) & (age >= 22)), abs(missing), replace=False)] = new
    return education


def _countries() -> np.ndarray:
    """Return the weights race -> country; the last column: not told."""
    weights = np.zeros((len(adult.RACES), len(adult.COUNTRIES) + 1))
    for race, ((native, untold), abroad) in enumerate(zip(NATIVE, ABROAD, strict=True)):
        weights[race, adult.COUNTRIES.index("United-States")] = native
        weights[race, -1] = untold
        for country, count in abroad.items():
            weights[race, adult.COUNTRIES.index(country)] = (100 - native - untold) * count / sum(abroad.values())
    return weights


def _money(rng: np.random.Generator, income: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return capital gains and losses; nobody has both."""
    chance = rng.random(len(income))
    gains = chance < np.array(GAINS)[income]
    losses = ~gains & (rng.random(len(income)) < np.array(LOSSES)[income])
    gain = np.where(gains, from_quantiles(rng, MONEY_LEVELS, GAIN, income), 0)
    gain[(income == 1) & (chance < TOP_SHARE)] = TOP_GAIN
    return gain, np.where(losses, from_quantiles(rng, MONEY_LEVELS, LOSS, income), 0)
