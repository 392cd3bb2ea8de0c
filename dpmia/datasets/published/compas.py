"""ProPublica's COMPAS records of Broward County, Florida: is a person arrested again within two years?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dpmia.common.errors import DataError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import prepared
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table
from dpmia.formats.provenance import Provenance

FILE = "compas-scores-two-years.csv"
LABEL = "two_year_recid"
CLASSES = ("no", "yes")

#: The publisher's header; `decile_score` and `priors_count` stand in it twice, with equal values.
HEADER = (
    "id", "name", "first", "last", "compas_screening_date", "sex", "dob", "age", "age_cat", "race", "juv_fel_count",
    "decile_score", "juv_misd_count", "juv_other_count", "priors_count", "days_b_screening_arrest", "c_jail_in",
    "c_jail_out", "c_case_number", "c_offense_date", "c_arrest_date", "c_days_from_compas", "c_charge_degree",
    "c_charge_desc", "is_recid", "r_case_number", "r_charge_degree", "r_days_from_arrest", "r_offense_date",
    "r_charge_desc", "r_jail_in", "r_jail_out", "violent_recid", "is_violent_recid", "vr_case_number",
    "vr_charge_degree", "vr_offense_date", "vr_charge_desc", "type_of_assessment", "decile_score", "score_text",
    "screening_date", "v_type_of_assessment", "v_decile_score", "v_score_text", "v_screening_date", "in_custody",
    "out_custody", "priors_count", "start", "end", "event", "two_year_recid",
)  # fmt: skip

AGE_CATEGORIES = ("25 - 45", "Greater than 45", "Less than 25")
RACES = ("African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other")
SEXES = ("Female", "Male")
#: O: ordinary traffic offences, which the filter leaves out.
DEGREES = ("F", "M", "O")

#: The columns that are read and may be features; all others hold names, dates and later events.
KINDS: dict[str, Number | Category] = {
    "age": Number(0, 150),
    "c_charge_degree": Category(DEGREES),
    "race": Category(RACES),
    "age_cat": Category(AGE_CATEGORIES),
    "sex": Category(SEXES),
    "priors_count": Number(0),
    "days_b_screening_arrest": Number(),
    "is_recid": Number(-1, 1),
}

LAYOUT = Layout(
    columns=HEADER,
    kinds={**KINDS, LABEL: Category(("0", "1"))},
    header=True,
    missing="",
    complete=(LABEL, "is_recid"),
)


def read(folder: Path) -> pd.DataFrame:
    """Parse the file; all records, before the filter of `encode`.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    return read_table(folder / FILE, LAYOUT)


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 15 features of the records that ProPublica's filter keeps; class 1 is arrested again.

    `is_recid`, which nearly gives the label away, is a feature, as in the paper.

    Raises:
        DataError: the filter keeps no record.
    """
    kept = frame[usable(frame)]
    if kept.empty:
        raise DataError(FILE, "no record passes the filter: none has an arrest near the screening")
    y = kept[LABEL].cat.codes.to_numpy()
    table = kept[list(KINDS)].assign(c_charge_degree=kept["c_charge_degree"].cat.remove_categories(["O"]))
    return prepared("compas", table, y, CLASSES, attributes, frame.attrs.get("provenance", Provenance()))


def usable(frame: pd.DataFrame) -> pd.Series:
    """Return which records ProPublica keeps: screened within 30 days of an arrest, no traffic offence, followed up."""
    near = frame["days_b_screening_arrest"].abs() <= 30
    return near & (frame["is_recid"] != -1) & (frame["c_charge_degree"] != "O")
