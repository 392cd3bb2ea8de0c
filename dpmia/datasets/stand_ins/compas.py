"""Made-up COMPAS records: race, age and earlier offences go together, and decide on the next arrest."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from dpmia.datasets import compas
from dpmia.datasets.stand_ins.sampling import (
    complete,
    from_quantiles,
    highest,
    integers,
    mark,
    pick,
    pick_alike,
    words,
    write,
)

RECORDS, KEPT = 7214, 6172
#: Of the records that the filter drops, those without any arrest; the others' lies too far from the screening.
WITHOUT_ARREST = 307
AGAIN = 0.455
#: Share of those not arrested again within two years who were arrested again later.
LATER = 0.054

# Frequencies in percent or counts, read from cross tables of the real file and rounded.
# Rows and columns follow the orders of the values in `compas`.

RACE = (51.4, 0.5, 34.1, 8.3, 0.2, 5.5)
#: race -> share of men, mean number of earlier offences, percent of felonies
MEN = (0.827, 0.93, 0.771, 0.839, 0.8, 0.831)
PRIORS = (4.2, 1.4, 2.3, 2.1, 4.5, 1.75)
FELONY = (71, 60, 57, 55, 62, 60)
#: race -> age category
AGE_CATEGORY = ((59.5, 13.5, 27), (45, 35, 20), (54.5, 31, 14.5), (57, 21.5, 21.5), (60, 20, 20), (56.5, 22, 21.5))
AGE_LEVELS = (0, 0.25, 0.5, 0.75, 0.95, 1)
#: age category -> quantiles of age
AGE = ((25, 27.5, 31, 36, 43.5, 44.9), (45, 48, 52, 57, 65, 97), (18, 21.3, 22.6, 23.8, 24.9, 24.99))
#: age category -> factor of the mean number of earlier offences
EXPERIENCE = (1.15, 1.35, 0.4)
#: Shape of the spread of earlier offences around their mean: small is wide.
SPREAD = 0.75
#: age category -> log odds of another arrest
YOUTH = (0, -0.75, 1.0)
DAYS = tuple(range(-30, 31))
#: Decile -> percent of people; its word.
DECILES = (20.8, 13.3, 10.8, 10.5, 9.4, 8.6, 8, 6.8, 6.8, 5)
SCORE_TEXT = ("Low",) * 4 + ("Medium",) * 3 + ("High",) * 3
CHARGES = ("Made-up battery", "Made-up theft", "Made-up possession", "Made-up charge, with a comma", "")
FIRST_DAY, DAYS_OF_SCREENING, LAST_DAY = np.datetime64("2013-01-01"), 700, np.datetime64("2016-04-01")


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `compas-scores-two-years.csv`: the publisher's 53 columns, two names twice, rows that end in CR LF."""
    columns = _columns(np.random.default_rng(seed))
    text = io.StringIO(newline="")
    sheet = csv.writer(text, lineterminator="\r\n")
    sheet.writerow(compas.HEADER)
    sheet.writerows(zip(*(columns[name] for name in compas.HEADER), strict=True))
    write(folder / compas.FILE, text.getvalue())
    mark(folder, seed)


def _columns(rng: np.random.Generator) -> dict[str, list[str]]:
    """Return the texts of every column by its name in the header."""
    race = complete(rng, pick_alike(rng, RACE, RECORDS), len(compas.RACES))
    sex = (rng.random(RECORDS) < np.array(MEN)[race]).astype(np.int64)
    age_category = pick(rng, AGE_CATEGORY, race)
    age = np.floor(from_quantiles(rng, AGE_LEVELS, AGE, age_category))
    mean = np.array(PRIORS)[race] * np.array(EXPERIENCE)[age_category]
    priors = np.minimum(rng.poisson(rng.gamma(SPREAD, mean / SPREAD)), 38)
    misdemeanour = (100 * rng.random(RECORDS) >= np.array(FELONY)[race]).astype(np.int64)
    risk = np.array(YOUTH)[age_category] + 0.85 * np.log1p(priors) + 0.4 * sex - 0.5 * misdemeanour + 0.13 * (race == 0)
    again = highest(rng, risk, round(AGAIN * RECORDS))
    ever = again | (rng.random(RECORDS) < LATER)
    decile = _deciles(risk + rng.logistic(size=RECORDS))
    violent_decile = _deciles(0.6 * risk + rng.logistic(size=RECORDS))
    columns = {
        **_people(age),
        "sex": words(compas.SEXES, sex),
        "age": integers(age),
        "age_cat": words(compas.AGE_CATEGORIES, age_category),
        "race": words(compas.RACES, race),
        "juv_fel_count": integers(rng.random(RECORDS) < 0.04),
        "juv_misd_count": integers(rng.random(RECORDS) < 0.06),
        "juv_other_count": integers(rng.random(RECORDS) < 0.07),
        "priors_count": integers(priors),
        "decile_score": integers(decile),
        "score_text": words(SCORE_TEXT, decile - 1),
        "v_decile_score": integers(violent_decile),
        "v_score_text": words(SCORE_TEXT, violent_decile - 1),
        "type_of_assessment": ["Risk of Recidivism"] * RECORDS,
        "v_type_of_assessment": ["Risk of Violence"] * RECORDS,
        "c_charge_degree": words(compas.DEGREES, misdemeanour),
        "c_charge_desc": words(CHARGES, pick_alike(rng, (30, 25, 25, 19, 1), RECORDS)),
        "is_recid": integers(ever),
        "two_year_recid": integers(again),
    }
    return {**columns, **_events(rng, ever, again)}


def _people(age: np.ndarray) -> dict[str, list[str]]:
    """Return numbers, names that nobody bears, and birthdays that fit the ages."""
    numbers = [str(number) for number in range(1, RECORDS + 1)]
    return {
        "id": numbers,
        "name": [f"person {number}" for number in numbers],
        "first": ["person"] * RECORDS,
        "last": numbers,
        "dob": _dates(LAST_DAY - (365.25 * age + 100).astype("timedelta64[D]")),
    }


def _events(rng: np.random.Generator, ever: np.ndarray, again: np.ndarray) -> dict[str, list[str]]:
    """Return the columns of screening, jail and next arrest, which agree with each other."""
    screened = FIRST_DAY + rng.integers(0, DAYS_OF_SCREENING, RECORDS).astype("timedelta64[D]")
    offset = _arrest_days(rng)
    known = ~np.isnan(offset)
    arrested = screened + np.nan_to_num(offset).astype("timedelta64[D]")
    stay = rng.geometric(0.1, RECORDS)
    released = np.maximum(arrested, screened) + stay.astype("timedelta64[D]")
    wait = np.where(again, rng.integers(1, 731, RECORDS), rng.integers(731, 1000, RECORDS))
    next_arrest = screened + wait.astype("timedelta64[D]")
    end = np.where(ever, wait, rng.integers(731, 1186, RECORDS))
    violent = ever & (rng.random(RECORDS) < 0.24)
    degree = pick_alike(rng, (60, 40), RECORDS)
    case = np.array([f"made-up-{number}" for number in range(1, RECORDS + 1)], dtype=object)
    later = {
        "case_number": np.char.add(case.astype(str), "-r"),
        "charge_degree": np.array(["(M1)", "(F3)"])[degree],
        "offense_date": np.datetime_as_string(next_arrest),
        "charge_desc": np.array(CHARGES)[degree],
    }
    columns = {f"r_{name}": _only(ever, texts) for name, texts in later.items()}
    columns |= {f"vr_{name}": _only(violent, texts) for name, texts in later.items()}
    return columns | {
        "compas_screening_date": _dates(screened),
        "screening_date": _dates(screened),
        "v_screening_date": _dates(screened),
        "days_b_screening_arrest": _only(known, np.array(integers(np.nan_to_num(offset)))),
        "c_jail_in": _only(known, np.char.add(np.datetime_as_string(arrested), " 12:00:00")),
        "c_jail_out": _only(known, np.char.add(np.datetime_as_string(released), " 12:00:00")),
        "c_case_number": case.tolist(),
        "c_offense_date": _dates(arrested),
        "c_arrest_date": [""] * RECORDS,
        "c_days_from_compas": integers(np.abs(np.nan_to_num(offset))),
        "r_days_from_arrest": _only(ever, np.full(RECORDS, "0")),
        "r_jail_in": _only(ever, np.datetime_as_string(next_arrest)),
        "r_jail_out": _only(ever, np.datetime_as_string(next_arrest + stay.astype("timedelta64[D]"))),
        "violent_recid": [""] * RECORDS,
        "is_violent_recid": integers(violent),
        "in_custody": _dates(arrested),
        "out_custody": _dates(released),
        "start": integers(stay),
        "end": integers(end),
        "event": integers(ever),
    }


def _arrest_days(rng: np.random.Generator) -> np.ndarray:
    """Return days from screening to arrest; exactly `KEPT` lie within 30, and `WITHOUT_ARREST` are missing."""
    weights = [64 if day == -1 else 22 if day == 0 else 2 * 0.85 ** abs(day) if day < 0 else 0.1 for day in DAYS]
    days = np.array(DAYS, dtype=np.float64)[pick_alike(rng, weights, RECORDS)]
    dropped = rng.permutation(RECORDS)[: RECORDS - KEPT]
    far = rng.geometric(0.01, len(dropped)) + 30
    days[dropped] = np.where(rng.random(len(dropped)) < 0.5, -far, far)
    days[dropped[:WITHOUT_ARREST]] = np.nan
    return days


def _deciles(risk: np.ndarray) -> np.ndarray:
    """Return the decile 1 to 10 of each risk, with the shares of `DECILES`."""
    rank = np.argsort(np.argsort(risk, kind="stable"), kind="stable") / len(risk)
    return np.searchsorted(np.cumsum(DECILES) / sum(DECILES), rank, side="right") + 1


def _dates(days: np.ndarray) -> list[str]:
    return np.datetime_as_string(days.astype("datetime64[D]")).tolist()


def _only(where: np.ndarray, texts: np.ndarray) -> list[str]:
    """Return the texts where the condition holds, and empty ones elsewhere."""
    return np.where(where, texts, "").tolist()
