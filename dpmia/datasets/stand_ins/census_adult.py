"""Made-up records of two surveys: the census asks children and people without work too, Adult only earners."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets import adult, census_adult
from dpmia.datasets.stand_ins import adult as adult_stand_in
from dpmia.datasets.stand_ins.sampling import from_quantiles, highest, integers, pick, pick_alike, words, write

#: Records asked in 1994 and in 1995, and those with a high income, as in the real test part.
ASKED = (49_816, 49_946)
RICH = 6_186

# Frequencies in percent, read from cross tables of the real test part (1994) and rounded.
# Columns follow the orders of the values in `adult`, with the census's own value behind them.

SEX = (52, 48)
AGE_LEVELS = (0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
AGE = (0, 3, 6, 15, 33, 50, 68, 75, 85, 90.99)
#: First years of the age bands; the rows of the tables below.
BANDS = (0, 15, 18, 25, 35, 45, 55, 65, 75)
#: age band -> education, children last
EDUCATION = (
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100),
    (0.1, 0.2, 0.6, 19, 30.2, 29.9, 15.8, 2.8, 1.3, 0.1, 0, 0, 0, 0, 0, 0, 0),
    (0.4, 0.4, 1.1, 1.4, 2.3, 4.2, 8.9, 3.3, 30.1, 35.7, 2.3, 2.3, 7.2, 0.4, 0, 0, 0),
    (0.3, 0.6, 1.9, 2, 2, 2.9, 3.3, 1.3, 33.8, 19.8, 5, 3.8, 18, 3.7, 1, 0.5, 0),
    (0.3, 0.8, 1.6, 2, 1.8, 2, 2.6, 0.9, 33.6, 19.2, 4.9, 4, 17.3, 6.3, 1.8, 0.9, 0),
    (0.5, 1.1, 2.1, 3.1, 1.9, 2.7, 2.7, 1, 34.6, 17.7, 3.9, 2.8, 14.4, 7.9, 1.7, 1.8, 0),
    (0.5, 2.2, 2.6, 6.5, 3.4, 4.9, 3.4, 1.4, 37.7, 15, 2.7, 1.7, 10.6, 4.8, 1.4, 1.2, 0),
    (1.2, 2.6, 3.9, 11.2, 3.7, 5.7, 4, 1.6, 35.6, 12.8, 2.7, 1.3, 8.3, 3.6, 0.9, 0.8, 0),
    (1.6, 3.4, 5.5, 20.1, 5.6, 6, 3.5, 2.1, 29.1, 10.3, 1.3, 1.2, 6.9, 2.2, 0.7, 0.7, 0),
)
#: age band -> marital status
MARITAL = (
    (0, 0, 0, 0, 100, 0, 0),
    (0.1, 0, 0.7, 0.2, 98.8, 0.2, 0),
    (1.3, 0.7, 17.7, 0.8, 78.3, 1.1, 0.1),
    (7.3, 0.9, 56.6, 1, 30.8, 3, 0.3),
    (12.4, 0.6, 69.2, 1, 12.6, 3.3, 1),
    (13.7, 0.2, 73.7, 1.1, 6.1, 2.6, 2.6),
    (10.7, 0, 72.9, 1.1, 4.8, 2, 8.5),
    (6.5, 0, 63.6, 1, 4, 1.1, 23.9),
    (3.6, 0.1, 41.8, 1.3, 5.2, 0.7, 47.3),
)
#: sex and age band -> percent who work
WORKING = (
    (0, 29, 68.1, 74.4, 76.3, 76.2, 51.1, 12.4, 4.1),
    (0, 28.3, 75.6, 91, 92.2, 89.5, 68.2, 21.1, 9.2),
)
RACE = (1.2, 2.7, 10.4, 1.3, 84.4)
#: race -> percent born in the United States, percent not told; the rest as among Adult's people of that race
NATIVE = ((97.8, 0), (30, 7.7), (93.4, 2.1), (56.3, 3.6), (90.5, 1.5))
#: income -> share with a capital gain, with a capital loss where no gain
GAINS, LOSSES = (0.027, 0.202), (0.0145, 0.1)
MONEY_LEVELS = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, 1)
GAIN = (114, 1455, 2829, 5013, 9386, 15_024, 27_828, 99_999)
LOSS = (155, 1485, 1648, 1887, 1980, 2377, 2600, 4608)

#: What the columns that nobody reads hold: the most frequent value of the real file.
UNREAD = {
    "detailed industry": "0", "detailed occupation": "0", "wage per hour": "0", "enrolled last week": "Not in universe",
    "major industry": "Not in universe or children", "hispanic origin": "All other",
    "member of a labor union": "Not in universe", "reason for unemployment": "Not in universe",
    "full or part time": "Children or Armed Forces", "dividends from stocks": "0", "tax filer status": "Nonfiler",
    "region of previous residence": "Not in universe", "state of previous residence": "Not in universe",
    "detailed household status": "Householder", "household summary": "Householder", "migration code msa": "?",
    "migration code region": "?", "migration within region": "?",
    "in this house 1 year ago": "Not in universe under 1 year old", "migration from sunbelt": "?",
    "persons worked for employer": "0", "family members under 18": "Not in universe",
    "country of birth father": "United-States", "country of birth mother": "United-States",
    "citizenship": "Native- Born in the United States", "own business": "0",
    "veteran questionnaire": "Not in universe", "veterans benefits": "2", "weeks worked": "0",
}  # fmt: skip


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `census-income.test`, and Adult's two files, with as many records as the real ones at every scale."""
    columns = _columns(np.random.default_rng([seed, 1]))
    line = ", ".join(UNREAD.get(name, "%s") for name in census_adult.COLUMNS) + "\n"
    rows = zip(*(columns[name] for name in census_adult.COLUMNS if name not in UNREAD), strict=True)
    write(folder / census_adult.FILES[1], "".join(line % row for row in rows))
    adult_stand_in.write_files(folder, seed, scale)


def _columns(rng: np.random.Generator) -> dict[str, list[str]]:
    """Return the texts of every column that differs between records."""
    records = sum(ASKED)
    sex = pick_alike(rng, SEX, records)
    age = np.floor(from_quantiles(rng, AGE_LEVELS, (AGE,), np.zeros(records, dtype=np.int64)))
    band = np.digitize(age, BANDS) - 1
    education = pick(rng, EDUCATION, band)
    marital = pick(rng, MARITAL, band)
    race = pick_alike(rng, RACE, records)
    occupation, workclass = _work(rng, sex, band, education)
    income = _income(rng, sex, age, education, marital, occupation)
    gain, loss = _money(rng, income)
    codes = {
        "workclass": workclass,
        "education": education,
        "marital-status": marital,
        "occupation": occupation,
        "race": race,
        "sex": sex,
        "native-country": pick(rng, _countries(), race),
    }
    return {
        **{name: words(_spelling(name), values) for name, values in codes.items()},
        "age": integers(age),
        "capital-gain": integers(gain),
        "capital-loss": integers(loss),
        "instance weight": [f"{weight:.2f}" for weight in rng.gamma(3, 580, records).tolist()],
        census_adult.ASKED: words(census_adult.YEARS, rng.permutation(np.repeat([0, 1], ASKED))),
        census_adult.LABEL: words(census_adult.LAYOUT.kinds[census_adult.LABEL].values, income),
    }


def _spelling(name: str) -> list[str]:
    """Return how the census spells Adult's values of a column, and behind them the value that it alone has."""
    spelt = {word: value for value, word in census_adult.WORDS[name].items()}
    own = {
        "workclass": [census_adult.NOT_IN_UNIVERSE],
        "education": [census_adult.CHILDREN],
        "occupation": [census_adult.NOT_IN_UNIVERSE],
        "native-country": [census_adult.UNKNOWN],
    }
    return [spelt[word] for word in (*adult.KINDS[name].values, *own.get(name, ()))]


def _work(
    rng: np.random.Generator, sex: np.ndarray, band: np.ndarray, education: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return occupation and work class; those who work have them as Adult's people have, the others have none."""
    none = len(adult.OCCUPATIONS)
    working = 100 * rng.random(len(sex)) < np.array(WORKING)[sex, band]
    taught = adult_stand_in.BAND[np.minimum(education, len(adult.EDUCATIONS) - 1)]
    told = np.array(adult_stand_in.OCCUPATION)[:, :none]
    occupation = np.where(working, pick(rng, told, 6 * sex + taught), none)
    return occupation, pick(rng, adult_stand_in.WORKCLASS, occupation)


def _income(
    rng: np.random.Generator,
    sex: np.ndarray,
    age: np.ndarray,
    education: np.ndarray,
    marital: np.ndarray,
    occupation: np.ndarray,
) -> np.ndarray:
    """Return who earns more than 50K: as in Adult, but for weekly hours, which the census does not tell."""
    decades = np.minimum(age, 70) / 10
    married = np.array(["civ-spouse" in status for status in adult.MARITAL])[marital]
    odds = 0.3 * (education + 1) + 2.1 * decades - 0.2 * decades**2 + 1.2 * married + 0.9 * sex
    idle = occupation == len(adult.OCCUPATIONS)
    odds = odds + np.array(adult_stand_in.PAYS)[occupation] - 1.5 * idle
    odds[age < BANDS[2]] = -np.inf
    return highest(rng, odds, RICH).astype(np.int64)


def _money(rng: np.random.Generator, income: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return capital gains and losses; nobody has both."""
    alike = np.zeros(len(income), dtype=np.int64)
    gains = rng.random(len(income)) < np.array(GAINS)[income]
    losses = ~gains & (rng.random(len(income)) < np.array(LOSSES)[income])
    gain = np.where(gains, from_quantiles(rng, MONEY_LEVELS, (GAIN,), alike), 0)
    return gain, np.where(losses, from_quantiles(rng, MONEY_LEVELS, (LOSS,), alike), 0)


def _countries() -> np.ndarray:
    """Return the weights race -> country; the last column: not told."""
    weights = np.zeros((len(adult.RACES), len(adult.COUNTRIES) + 1))
    for race, ((native, untold), abroad) in enumerate(zip(NATIVE, adult_stand_in.ABROAD, strict=True)):
        weights[race, adult.COUNTRIES.index("United-States")] = native
        weights[race, -1] = untold
        for country, count in abroad.items():
            weights[race, adult.COUNTRIES.index(country)] = (100 - native - untold) * count / sum(abroad.values())
    return weights
