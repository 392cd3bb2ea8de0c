"""Synthetic COMPAS records: names that nobody bears, and dates, beside the columns of `compas.toml`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dpmia.datasets.synthetic.draws import pick_alike
from dpmia.datasets.synthetic.sampler import Records, mark, read_toml, write_table

#: Records that the publisher's filter keeps; of the others, those without any arrest.
KEPT, WITHOUT_ARREST = 6172, 307
#: Days from the screening to the arrest, and their weights.
DAYS = np.arange(-30, 31)
DAY_WEIGHTS = np.where(DAYS < -1, 2 * 0.85 ** np.abs(DAYS), np.where(DAYS == -1, 64, np.where(DAYS == 0, 22, 0.1)))
FIRST_DAY, DAYS_OF_SCREENING, LAST_DAY = np.datetime64("2013-01-01"), 700, np.datetime64("2016-04-01")


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write `compas-scores-two-years.csv`: the publisher's 53 columns, two names twice, rows that end in CR LF."""
    (file,) = read_toml("compas")["file"]
    rng = np.random.default_rng(seed)
    records = Records(file, rng, {"experience": lambda _, records: np.log1p(records["priors_count"])})
    write_table(folder, file, records | _people(records) | _events(rng, records))
    mark(folder, seed)


def _people(records: Records) -> dict[str, np.ndarray]:
    """Return numbers, names, and birthdays that fit the ages."""
    numbers = np.arange(1, len(records["age"]) + 1)
    return {
        "id": numbers,
        "name": np.char.add("person ", numbers.astype(str)),
        "last": numbers,
        "dob": _dates(LAST_DAY - _days(365.25 * records["age"] + 100)),
    }


def _events(rng: np.random.Generator, records: Records) -> dict[str, np.ndarray]:
    """Return the columns of screening, jail and next arrest, which agree with each other."""
    rows = len(records["age"])
    ever, again = records["is_recid"] == "1", records["two_year_recid"] == "1"
    screened = FIRST_DAY + _days(rng.integers(0, DAYS_OF_SCREENING, rows))
    offset = _arrest_days(rng, rows)
    has_arrest = ~np.isnan(offset)
    arrested = screened + _days(np.nan_to_num(offset))
    stay = rng.geometric(0.1, rows)
    released = np.maximum(arrested, screened) + _days(stay)
    wait = np.where(again, rng.integers(1, 731, rows), rng.integers(731, 1000, rows))
    next_arrest = screened + _days(wait)
    end = np.where(ever, wait, rng.integers(731, 1186, rows))
    violent = ever & (rng.random(rows) < 0.24)
    degree = pick_alike(rng, (60, 40), rows)
    case = np.char.add("synthetic-", np.arange(1, rows + 1).astype(str))
    later = {
        "case_number": np.char.add(case, "-r"),
        "charge_degree": np.array(["(M1)", "(F3)"])[degree],
        "offense_date": _dates(next_arrest),
        "charge_desc": np.array(records.category("c_charge_desc").categories[:2], dtype=np.str_)[degree],
    }
    return {
        **{f"r_{name}": np.where(ever, texts, "") for name, texts in later.items()},
        **{f"vr_{name}": np.where(violent, texts, "") for name, texts in later.items()},
        **dict.fromkeys(("compas_screening_date", "screening_date", "v_screening_date"), _dates(screened)),
        "days_b_screening_arrest": offset,
        "c_jail_in": np.where(has_arrest, np.char.add(_dates(arrested), " 12:00:00"), ""),
        "c_jail_out": np.where(has_arrest, np.char.add(_dates(released), " 12:00:00"), ""),
        "c_case_number": case,
        "c_offense_date": _dates(arrested),
        "c_days_from_compas": np.abs(np.nan_to_num(offset)),
        "r_days_from_arrest": np.where(ever, "0", ""),
        "r_jail_in": np.where(ever, _dates(next_arrest), ""),
        "r_jail_out": np.where(ever, _dates(next_arrest + _days(stay)), ""),
        "is_violent_recid": violent.astype(np.int64),
        "in_custody": _dates(arrested),
        "out_custody": _dates(released),
        "start": stay,
        "end": end,
        "event": np.asarray(ever, dtype=np.int64),
    }


def _arrest_days(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Return days from screening to arrest; exactly `KEPT` lie within 30, and `WITHOUT_ARREST` are missing."""
    days = DAYS[pick_alike(rng, DAY_WEIGHTS, rows)].astype(np.float64)
    dropped = rng.permutation(rows)[: rows - KEPT]
    far = rng.geometric(0.01, len(dropped)) + 30
    days[dropped] = np.where(rng.random(len(dropped)) < 0.5, -far, far)
    days[dropped[:WITHOUT_ARREST]] = np.nan
    return days


def _days(numbers: ArrayLike) -> np.ndarray:
    return np.asarray(numbers).astype("timedelta64[D]")


def _dates(days: np.ndarray) -> np.ndarray:
    return np.datetime_as_string(days.astype("datetime64[D]"))
