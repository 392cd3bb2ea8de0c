"""Census-Income (KDD), people surveyed in 1994, beside UCI Adult in Adult's words: income above 50 000 dollars?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import fill, prepared
from dpmia.datasets.published import adult
from dpmia.datasets.raw.parsing import Category, Layout, read_table, stack
from dpmia.formats.provenance import Provenance

#: The publisher's two parts, the training part first. Whichever lie in the folder are read; the first one is optional.
FILES = ("census-income.data", "census-income.test")

LABEL = adult.LABEL
CLASSES = adult.CLASSES
GROUP = "source"
SOURCES = ("census", "adult")
GROUPS = {GROUP: SOURCES}
#: The census was taken in two years; Adult comes from the first.
YEAR_COLUMN, YEARS = "year", ("94", "95")
#: Decides which copy of a record stays where there are several.
SEED = 3

NOT_IN_UNIVERSE, CHILDREN, UNKNOWN = "Not-in-universe", "Children", "Unknown"

#: Column -> the census's word -> Adult's word. Where Adult has no such value the census's own is kept, in Adult's
#: spelling. Adult cut "South Korea" and "Hong Kong" at the blank.
WORDS: Mapping[str, Mapping[str, str]] = {
    "workclass": {
        "Federal government": "Federal-gov", "Local government": "Local-gov", "Never worked": "Never-worked",
        "Private": "Private", "Self-employed-incorporated": "Self-emp-inc",
        "Self-employed-not incorporated": "Self-emp-not-inc", "State government": "State-gov",
        "Without pay": "Without-pay", "Not in universe": NOT_IN_UNIVERSE,
    },
    "education": {
        "Less than 1st grade": "Preschool", "1st 2nd 3rd or 4th grade": "1st-4th", "5th or 6th grade": "5th-6th",
        "7th and 8th grade": "7th-8th", "9th grade": "9th", "10th grade": "10th", "11th grade": "11th",
        "12th grade no diploma": "12th", "High school graduate": "HS-grad",
        "Some college but no degree": "Some-college", "Associates degree-occup /vocational": "Assoc-voc",
        "Associates degree-academic program": "Assoc-acdm", "Bachelors degree(BA AB BS)": "Bachelors",
        "Masters degree(MA MS MEng MEd MSW MBA)": "Masters", "Prof school degree (MD DDS DVM LLB JD)": "Prof-school",
        "Doctorate degree(PhD EdD)": "Doctorate", "Children": CHILDREN,
    },
    "marital-status": {
        "Divorced": "Divorced", "Married-A F spouse present": "Married-AF-spouse",
        "Married-civilian spouse present": "Married-civ-spouse", "Married-spouse absent": "Married-spouse-absent",
        "Never married": "Never-married", "Separated": "Separated", "Widowed": "Widowed",
    },
    "occupation": {
        "Adm support including clerical": "Adm-clerical", "Armed Forces": "Armed-Forces",
        "Precision production craft & repair": "Craft-repair", "Executive admin and managerial": "Exec-managerial",
        "Farming forestry and fishing": "Farming-fishing",
        "Handlers equip cleaners etc ": "Handlers-cleaners",  # the blank at the end stands in the file
        "Machine operators assmblrs & inspctrs": "Machine-op-inspct", "Other service": "Other-service",
        "Private household services": "Priv-house-serv", "Professional specialty": "Prof-specialty",
        "Protective services": "Protective-serv", "Sales": "Sales", "Technicians and related support": "Tech-support",
        "Transportation and material moving": "Transport-moving", "Not in universe": NOT_IN_UNIVERSE,
    },
    "race": {
        "Amer Indian Aleut or Eskimo": "Amer-Indian-Eskimo", "Asian or Pacific Islander": "Asian-Pac-Islander",
        "Black": "Black", "Other": "Other", "White": "White",
    },
    "sex": {name: name for name in adult.SEXES},
    "native-country": {
        **{name: name for name in adult.COUNTRIES if name not in ("Hong", "Outlying-US(Guam-USVI-etc)", "South")},
        "Hong Kong": "Hong", "Outlying-U S (Guam USVI etc)": "Outlying-US(Guam-USVI-etc)", "South Korea": "South",
        "Panama": "Panama", "?": UNKNOWN,
    },
}  # fmt: skip

#: The columns that both publishers have, in Adult's order; all become features.
COMMON = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "capital-gain", "capital-loss",
    "native-country",
)  # fmt: skip

#: The census's columns: Adult's names for those of `COMMON`, the publisher's descriptions for the others.
COLUMNS = (
    "age", "workclass", "detailed industry", "detailed occupation", "education", "wage per hour", "enrolled last week",
    "marital-status", "major industry", "occupation", "race", "hispanic origin", "sex", "member of a labor union",
    "reason for unemployment", "full or part time", "capital-gain", "capital-loss", "dividends from stocks",
    "tax filer status", "region of previous residence", "state of previous residence", "detailed household status",
    "household summary", "instance weight", "migration code msa", "migration code region", "migration within region",
    "in this house 1 year ago", "migration from sunbelt", "persons worked for employer", "family members under 18",
    "country of birth father", "country of birth mother", "native-country", "citizenship", "own business",
    "veteran questionnaire", "veterans benefits", "weeks worked", YEAR_COLUMN, LABEL,
)  # fmt: skip

LAYOUT = Layout(
    columns=COLUMNS,
    kinds={
        **{name: Category(tuple(WORDS[name])) if name in WORDS else adult.KINDS[name] for name in COMMON},
        YEAR_COLUMN: Category(YEARS),
        LABEL: Category(("- 50000.", "50000+.")),
    },
)


def read(folder: Path) -> pd.DataFrame:
    """Parse what there is of the census, both years, and below it Adult, with the column `source` added.

    The census is read from `census-income.data`, `census-income.test` or both, whichever lie in the folder.

    Returns:
        One row per record and the columns of `COMMON`, `year`, `income` and `source`, all in Adult's words.

    Raises:
        DataError: neither part of the census, or a file of Adult, is there; or a file is damaged or of another format.
    """
    present = [name for name in FILES if (folder / name).exists()] or [FILES[1]]
    census = [_in_adults_words(read_table(folder / name, LAYOUT)) for name in present]
    other = adult.read(folder)
    other[YEAR_COLUMN] = pd.Categorical.from_codes(np.zeros(len(other), dtype=np.int64), categories=list(YEARS))
    for name in WORDS:
        other[name] = other[name].cat.set_categories(_vocabulary(name))
    columns = [*COMMON, YEAR_COLUMN, LABEL]
    joined = stack([frame[columns] for frame in (*census, other)])
    from_adult = np.arange(len(joined)) >= len(joined) - len(other)
    joined[GROUP] = pd.Categorical.from_codes(from_adult.astype(np.int64), categories=list(SOURCES))
    return joined


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 99 features of the records of 1994; class 1 earns more than 50K. The attribute `source` is always there.

    Adult's missing values are filled over Adult. Of records that are alike in all columns, label included, whichever
    their source, one stays, chosen by a shuffle from a fixed seed (Humphries et al. 2023, their code; another
    generator, so other copies). A value that nobody has is no feature. Their words keep South Korea, which Adult
    calls South, apart: 100 features.

    `provenance.records` holds, for each source, the records of 1994 and those that stay.
    """
    first_year = frame[frame[YEAR_COLUMN] == YEARS[0]].drop(columns=YEAR_COLUMN)
    filled = pd.concat([part.apply(fill) for _, part in first_year.groupby(GROUP, observed=True)])
    kept = distinct(filled, [*COMMON, LABEL])
    table = kept[[*COMMON, GROUP]].copy()
    for name in WORDS:
        table[name] = table[name].cat.remove_unused_categories()
    counts = {"of 1994": first_year[GROUP].value_counts(), "without duplicates": kept[GROUP].value_counts()}
    counted: dict[str, int | dict[str, int]] = {
        source: {what: int(count[source]) for what, count in counts.items()} for source in SOURCES
    }
    provenance = replace(frame.attrs.get("provenance", Provenance()), records=counted)
    y = kept[LABEL].cat.codes.to_numpy()
    return prepared("census_adult", table, y, CLASSES, (GROUP, *attributes), provenance)


def distinct(frame: pd.DataFrame, columns: Sequence[str], seed: int = SEED) -> pd.DataFrame:
    """Return one record of each that are alike in `columns`, a random one, so that no source is favoured.

    Args:
        frame: the records.
        columns: names of the columns that count.
        seed: of the shuffle that decides; the last copy in its order stays.

    Returns:
        The records that stay, in the order of `frame`.
    """
    order = np.random.default_rng(seed).permutation(len(frame))
    again = frame[list(columns)].iloc[order].duplicated(keep="last").to_numpy()
    return frame.iloc[np.sort(order[~again])]


def _in_adults_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a part of the census with Adult's values in the place of its own."""
    for name, translation in WORDS.items():
        vocabulary = _vocabulary(name)
        numbers = np.array([vocabulary.index(word) for word in translation.values()])
        frame[name] = pd.Categorical.from_codes(numbers[frame[name].cat.codes], categories=vocabulary)
    frame[LABEL] = frame[LABEL].cat.rename_categories(list(CLASSES))
    return frame


def _vocabulary(name: str) -> list[str]:
    """Return Adult's values of a column, and behind them those that the census alone has."""
    kind = adult.KINDS[name]
    assert isinstance(kind, Category), f"{name} holds numbers"
    return list(dict.fromkeys([*kind.values, *WORDS[name].values()]))
