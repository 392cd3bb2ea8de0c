"""Settings of a data set from the user's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dpmia.common.slug import slug
from dpmia.jobs.own_reading import OwnReading
from dpmia.settings.base import Name, PathOfFile, Settings

Value = str | int | Annotated[float, Field(allow_inf_nan=False)]

#: Name of a column.
Column = Annotated[str, Field(min_length=1)]

#: Texts that stand for a missing value, unless the settings name others.
MISSING_MARKS = ["", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"]


class OwnData(Settings):
    """A data set from a file of one's own, in the place of a data set's name.

    A table with a row of column names (CSV, plain or gzipped, or Parquet), or arrays (`.npz` with `x` of shape
    (records, features), `y` and perhaps `group`), which are taken as they are. Images have `x` of shape (records,
    channels, height, width); pixels of type uint8 reach models between 0 and 1.
    """

    path: PathOfFile
    """The file: `.csv`, `.tsv`, `.txt`, `.data` (each also with `.gz`), `.parquet` or `.npz`; relative to the working
    folder."""
    label: Column | None = None
    """Column to predict. Required for tables."""
    group: Column | None = None
    """Column that says how records were collected (hospital, school, branch). Never a feature."""
    columns: Annotated[list[str], Field(min_length=1)] | None = None
    """CSV: names of all columns, for a file without a row of names."""
    drop: list[str] = []
    """Columns to leave out: names, identifiers, free text, what is known only after the label."""
    types: dict[str, Literal["number", "category"]] = {}
    """Types of columns that are detected wrongly: codes that look like numbers are categories. Of the label: `category`
    where each number is a class, however many there are."""
    missing: Literal["fill", "drop", "refuse"] = "fill"
    """Missing values of features: `fill` takes the mean or the most frequent value, `drop` leaves their rows out,
    `refuse` stops."""
    missing_marks: list[str] = MISSING_MARKS
    """Texts that stand for a missing value."""
    positive: Value | Annotated[list[Value], Field(min_length=1)] | None = None
    """Values of the label that are class 1, all others being class 0. Default: every value is a class."""
    positive_from: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Labels that are numbers: class 1 from this number on."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Character between fields. Default: detected."""
    duplicates: Literal["remove", "keep"] = "remove"
    """Rows with the features and label of an earlier row: with a copy on both sides, membership is undefined."""
    most_values: Annotated[int, Field(ge=2)] = 50
    """A column of text with more different values than this is taken for free text, and refused."""
    name: Name | None = None
    """Name in file names and reports. Default: that of the file."""

    @model_validator(mode="after")
    def _fits_together(self) -> OwnData:
        if self.form is None:
            raise ValueError(f"path {self.path!r} does not end in one of {', '.join(ENDINGS)}")
        if self.form != "npz" and self.label is None:
            raise ValueError("required key label is missing. Name the column to predict")
        if self.positive is not None and self.positive_from is not None:
            raise ValueError("positive cannot be combined with positive_from. Keep one of them")
        if self.group is not None and self.group == self.label:
            raise ValueError(
                f"group and label are the same column {self.label!r}. Choose the column that says how records were "
                "collected as group"
            )
        if self.form == "npz":
            of_tables = {"label", "group", "drop", "types", "separator", "columns"}
            meant = sorted(self.model_fields_set & (of_tables | {"missing", "missing_marks", "most_values"}))
            if meant:
                raise ValueError(
                    f"{', '.join(meant)} cannot be combined with .npz: its arrays are x, y and perhaps group"
                )
        else:
            if self.form == "parquet" and (meant := sorted(self.model_fields_set & {"separator", "columns"})):
                raise ValueError(f"{', '.join(meant)} cannot be combined with Parquet: its columns have names")
            named = [column for column in (self.label, self.group) if column in self.drop]
            if named:
                raise ValueError(f"drop cannot hold {named[0]!r}, which is the label or group. Remove it from one")
        return self

    @property
    def form(self) -> str | None:
        """`csv`, `parquet` or `npz`, by the file's ending; None where it is another."""
        return next((form for ending, form in ENDINGS.items() if self.path.lower().endswith(ending)), None)

    @property
    def title(self) -> str:
        """A name of letters, digits and underscores."""
        return name_of_file(self.path) if self.name is None else self.name

    @property
    def by(self) -> str | None:
        """The attribute that holds the groups."""
        return "group" if self.form == "npz" else self.group

    @property
    def key(self) -> str:
        """The name and a digest of all settings."""
        return f"{self.title}.{self.reading.digest}"

    @property
    def reading(self) -> OwnReading:
        """How the file is read."""
        return OwnReading.from_plain(self.model_dump() | {"name": self.title, "form": self.form})


def name_of_file(path: str) -> str:
    """Return the name of the data set in a file, unless settings give it another: that of the file without endings."""
    return slug(Path(path).name.partition(".")[0], "data")


#: Ending of a file's name -> its form.
ENDINGS = {
    **{f".{ending}{packed}": "csv" for ending in ("csv", "tsv", "txt", "data") for packed in ("", ".gz")},
    ".parquet": "parquet",
    ".npz": "npz",
}
