"""Texas hospital discharges, first quarter of 2006 (THCIC): which of the 100 most frequent operations was done?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.common.errors import DataError
from dpmia.common.reading.rows import frame as frame_of
from dpmia.common.reading.rows import lines_of
from dpmia.common.reading.source import raw
from dpmia.common.registry import suggestion
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import prepared
from dpmia.datasets.raw.parsing import Number
from dpmia.formats.provenance import Provenance, SourceFile, marked_synthetic

FILE = "PUDF_base1q2006_tab.txt"
LABEL = "PRINC_SURG_PROC_CODE"
#: As many operations are classes.
CLASSES = 100
#: The attribute, and the column that it is read from.
GROUP, REGION = "region", "PUBLIC_HEALTH_REGION"
#: What stands for a code that is missing; a missing number is 0.
MISSING = "NA"

_KINDS = ("TEACHING", "PSYCH", "REHAB", "ACUTE_CARE", "SNF", "LONG_TERM_AC", "OTHER_LTC", "PEDS")
_FACILITY = tuple(f"FAC_{kind}_IND" for kind in _KINDS)
#: Charges by revenue code.
AMOUNTS = tuple(
    f"{kind}_AMOUNT"
    for kind in (
        "PRIVATE", "SEMI_PRIVATE", "WARD", "ICE", "CCU", "OTHER", "PHARM", "MEDSURG", "DME", "USED_DME", "PT", "OT",
        "SPEECH", "IT", "BLOOD", "BLOOD_ADM", "OR", "LITH", "CARD", "ANES", "LAB", "RAD", "MRI", "OP", "ER",
        "AMBULANCE", "PRO_FEE", "ORGAN", "ESRD", "CLINIC",
    )
)  # fmt: skip
TOTALS = (
    "TOTAL_CHARGES", "TOTAL_NON_COV_CHARGES", "TOTAL_CHARGES_ACCOMM", "TOTAL_NON_COV_CHARGES_ACCOMM",
    "TOTAL_CHARGES_ANCIL", "TOTAL_NON_COV_CHARGES_ANCIL",
)  # fmt: skip


def _numbered(names: Sequence[str], count: int) -> list[str]:
    """Return `A_1, B_1, A_2, B_2, ...` for the names A and B."""
    return [f"{name}_{number}" for number in range(1, count + 1) for name in names]


#: The publisher's header.
HEADER = (
    "DISCHARGE_QTR", "THCIC_ID", "PROVIDER_NAME", *_FACILITY, "SPEC_UNIT", "ENCOUNTER_INDICATOR", "SEX_CODE",
    "TYPE_OF_ADMISSION", "SOURCE_OF_ADMISSION", "PAT_STATE", "PAT_ZIP", "PAT_COUNTRY", "COUNTY", REGION,
    "ADMIT_WEEKDAY", "LENGTH_OF_STAY", "PAT_AGE", "PAT_STATUS", "RACE", "ETHNICITY", "FIRST_PAYMENT_SRC",
    "SECONDARY_PAYMENT_SRC", "TYPE_OF_BILL", *AMOUNTS, *TOTALS, "ADMITTING_DIAGNOSIS", "PRINC_DIAG_CODE",
    *_numbered(["OTH_DIAG_CODE"], 24), LABEL, "PRINC_SURG_PROC_DAY", "PRINC_ICD9_CODE",
    *_numbered(["OTH_SURG_PROC_CODE", "OTH_SURG_PROC_DAY", "OTH_ICD9_CODE"], 24), *_numbered(["E_CODE"], 10),
    *_numbered(["CONDITION_CODE"], 8), *_numbered(["OCCUR_CODE", "OCCUR_DAY"], 12),
    *_numbered(["OCCUR_SPAN_CODE", "OCCUR_SPAN_FROM", "OCCUR_SPAN_THRU"], 4),
    *_numbered(["VALUE_CODE", "VALUE_AMOUNT"], 12), "HCFA_MDC", "APR_MDC", "HCFA_DRG", "APR_DRG", "RISK_MORTALITY",
    "ILLNESS_SEVERITY", "ATTENDING_PHYS_UNIF_ID", "OPERATING_PHYS_UNIF_ID", "CERT_STATUS", "RECORD_ID",
)  # fmt: skip

#: Columns of codes that become features.
CODES = (
    *_FACILITY, "SEX_CODE", "TYPE_OF_ADMISSION", "SOURCE_OF_ADMISSION", "PAT_STATE", "PAT_COUNTRY", "ADMIT_WEEKDAY",
    "PAT_STATUS", "RACE", "ETHNICITY", "FIRST_PAYMENT_SRC", "SECONDARY_PAYMENT_SRC", "TYPE_OF_BILL", "HCFA_MDC",
    "APR_MDC", "CERT_STATUS",
)  # fmt: skip
#: Columns of numbers, all of them features; ages are written as numbers of age bands.
NUMBERS = (
    "ENCOUNTER_INDICATOR", "LENGTH_OF_STAY", "PAT_AGE", *AMOUNTS, *TOTALS, "PRINC_SURG_PROC_DAY", "RISK_MORTALITY",
    "ILLNESS_SEVERITY",
)  # fmt: skip


_NUMBER = Number()
#: Bytes of a row: 255 codes, numbers and names have less.
_LONGEST = 1 << 16
_REMEDY = "Get the file again if it was not edited on purpose."


def read(folder: Path) -> pd.DataFrame:
    """Parse the file; all records, before the choice of operations by `encode`.

    The paper reads the hospital's name too, and drops it; here it stays in the file.

    Returns:
        One row per record: categoricals for `CODES`, the region and the operation, float64 for `NUMBERS`; NaN where
        missing. There is no list of the codes to check them against: those that occur are the categories.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    path = folder / FILE
    file = _checked(path)
    codes = (*CODES, REGION, LABEL)
    try:
        frame = frame_of(
            raw(path, _REMEDY),
            path,
            sep="\t",
            usecols=[*codes, *NUMBERS],
            # Not "category" at once, which would read the codes 0331 and 331 as one number.
            dtype={**dict.fromkeys(codes, str), **dict.fromkeys(NUMBERS, np.float64)},
            keep_default_na=False,
            na_values=[""],
            quoting=3,  # none
            # Codes and numbers are ASCII. The names of hospitals need not be, and nobody reads them.
            encoding="latin-1",
        )
    except DataError as error:
        raise _fault(path, str(error)) from None
    if np.isinf(frame[list(NUMBERS)].to_numpy()).any():
        raise _fault(path, "an infinite number")
    frame = frame.astype(dict.fromkeys(codes, "category"))
    frame.attrs["provenance"] = Provenance([file], marked_synthetic(folder))
    return frame


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return the records of the 100 most frequent operations; an operation's class is its rank, from 0.

    Of equally frequent operations the one with the lower code comes first. Missing codes become a value of their own,
    `NA`, and missing numbers 0. Each code that occurs among these records is a feature: 269 features in the paper
    (Humphries et al. 2023, table II). The attribute `region` is always there and never a feature.

    `provenance.records` counts the records of the file and those that stay.

    Raises:
        DataError: there are fewer than 100 operations.
    """
    counts = frame[LABEL].value_counts()
    counts = counts[counts > 0]
    if len(counts) < CLASSES:
        raise DataError(f"{FILE}, column {LABEL!r}", f"{len(counts)} operations are fewer than {CLASSES}", _REMEDY)
    classes = tuple(sorted(counts.index, key=lambda code: (-counts[code], code))[:CLASSES])
    kept = frame[frame[LABEL].isin(classes)]
    y = kept[LABEL].cat.set_categories(list(classes)).cat.codes
    table = pd.DataFrame(
        {
            GROUP: _with_missing(kept[REGION]),
            **{name: _with_missing(kept[name]) for name in CODES},
            **{name: kept[name].fillna(0) for name in NUMBERS},
        }
    )
    counted: dict[str, int | dict[str, int]] = {"all": len(frame), "of the classes": len(kept)}
    provenance = replace(frame.attrs.get("provenance", Provenance()), records=counted)
    return prepared("texas", table, y, classes, (GROUP, *attributes), provenance)


def _with_missing(column: pd.Series) -> pd.Series:
    """Return the codes that occur, in their order, with `NA` among them where one is missing."""
    codes = set(column.dropna().unique())
    if column.isna().any():
        codes.add(MISSING)
    return column.cat.set_categories(sorted(codes)).fillna(MISSING)


def _checked(path: Path) -> SourceFile:
    """Return what identifies the file.

    Raises:
        DataError: it is absent, has another header or a row with more or fewer fields, or has no records.
    """
    digest, size, rows, file = hashlib.sha256(), 0, 0, raw(path, _REMEDY)
    with file.packed() as stream:
        for number, line in enumerate(lines_of(file, stream, _LONGEST), start=1):
            digest.update(line)
            size += len(line)
            if number == 1:
                _check_header(line.decode("latin-1").rstrip("\r\n").split("\t"))
            elif line.strip(b"\r\n"):
                _check_width(line, number)
                rows += 1
    if not rows:
        raise DataError(FILE, "the file has no records", _REMEDY)
    return SourceFile(FILE, digest.hexdigest(), size, rows)


def _check_header(header: list[str]) -> None:
    for position, (is_, should) in enumerate(zip(header, HEADER, strict=False), start=1):
        if is_ != should:
            near = "" if is_ in HEADER else suggestion(is_, HEADER)
            where = f"{FILE}, row 1, column {position}"
            raise DataError(where, f"the column name {is_!r} should be {should!r}", near or _REMEDY)
    if len(header) != len(HEADER):
        raise DataError(f"{FILE}, row 1", f"{len(header)} column names instead of {len(HEADER)}", _REMEDY)


def _check_width(line: bytes, number: int) -> None:
    fields = line.count(b"\t") + 1
    if fields != len(HEADER):
        problem = f"{fields} fields instead of {len(HEADER)}, separated by tabs"
        raise DataError(f"{FILE}, row {number}", problem, _REMEDY)


def _fault(path: Path, error: str) -> DataError:
    """Return where the first field stands that should be a number and is none."""
    positions = {name: HEADER.index(name) for name in NUMBERS}
    with path.open(encoding="latin-1", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.rstrip("\r\n").split("\t")
            for name, position in positions.items() if number > 1 and fields != [""] else ():
                text = fields[position]
                if text and _NUMBER.parse(text) is None:
                    where = f"{FILE}, row {number}, column {name!r}"
                    return DataError(where, f"{text!r} is not {_NUMBER} (or nothing where missing)", _REMEDY)
    return DataError(FILE, f"not a table of codes and numbers separated by tabs ({error})", _REMEDY)
