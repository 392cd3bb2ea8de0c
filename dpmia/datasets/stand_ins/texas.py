"""Made-up discharges of Texas hospitals: the operation decides on codes and charges, the region shifts all of them.

No real file was at hand. The codes are those of the claim form of 2006 (UB-92) and of ICD-9-CM; how frequent they are
and what goes with what is made up. There are as many of them as give the 269 features of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, repeat
from pathlib import Path

import numpy as np

from dpmia.datasets import texas
from dpmia.datasets.stand_ins.sampling import complete, integers, mark, pick, pick_alike
from dpmia.files import whole_file

#: Records with one of the 100 operations, of region 03 and of the others: just above twice 10 000 each, which the
#: paper's experiment takes for members, non-members and the attacker; at the paper's scale the published number.
SMALL, PAPER = (20_500, 20_500), (95_000, 255_280)
#: Further records by share of those: with a rare operation, with none.
RARE, NONE = 0.03, 0.05
#: Rows that are put into words at a time.
CHUNK = 20_000
#: The seed of what is the same in all made-up files: which operation costs what, how regions differ.
WORLD = 2006

REGION = "03"
#: The other regions, the last for people from elsewhere, and their weights.
OTHERS = {
    "01": 40, "02": 27, "04": 52, "05": 38, "06": 250, "07": 95, "08": 105, "09": 28, "10": 36, "11": 90, "": 4,
}  # fmt: skip

#: Major diagnostic category -> its frequent operations.
OPERATIONS = {
    "01": ("0331", "0309", "0139", "0124", "8914"),
    "03": ("282", "283", "2169", "8659"),
    "04": ("9604", "9671", "9672", "9390", "3324", "3491", "3404", "9394", "311", "3229"),
    "05": (
        "3722", "3723", "0066", "3607", "3612", "3613", "3950", "8856", "8872", "3783", "3794", "3893", "3895", "3812",
        "9962",
    ),
    "06": ("4513", "4516", "4523", "4525", "4542", "4573", "4576", "4562", "5459", "4701", "4709", "966", "4311"),
    "07": ("5123", "5122", "5110", "5185", "5187", "5491"),
    "08": ("8154", "8151", "8152", "7935", "7936", "7939", "8051", "8108", "8162", "7915", "8147"),
    "09": ("8604", "8622", "8628", "8669", "8543"),
    "10": ("064", "4438"),
    "11": ("3995", "5794", "598", "5498", "5503"),
    "12": ("6029",),
    "13": ("6849", "6851", "6859", "7050", "6561"),
    "14": ("7359", "741", "7569", "734", "7309", "736", "7279"),
    "15": ("640", "9955", "9983"),
    "16": ("9904", "9905", "9907"),
    "17": ("9925",),
    "19": ("9427", "9438"),
    "20": ("9462", "9468"),
}  # fmt: skip
#: Operations beyond the hundred.
RARE_OPERATIONS = tuple(str(code) for code in range(9801, 9830))

#: All operations, the hundred before the rare ones before none, and the kind of each; the rare are of all kinds.
NAMES = (*(code for codes in OPERATIONS.values() for code in codes), *RARE_OPERATIONS, "")
KINDS, REGIONS = len(OPERATIONS), 1 + len(OTHERS)
KIND = np.array(
    [number for number, codes in enumerate(OPERATIONS.values()) for _ in codes]
    + [number % KINDS for number in range(len(RARE_OPERATIONS) + 1)]
)
#: Categories of women alone, and those of one age: newborns, and mothers in their twenties.
WOMEN, AGES = ("13", "14"), {"15": 0, "14": 7}

_INDICATOR = {"": 70, "A": 10, "X": 20}
_PAYERS = {
    "MA": 330, "MC": 190, "12": 120, "HM": 95, "BL": 90, "09": 70, "CI": 40, "16": 25, "CH": 8, "WC": 6, "13": 5,
    "15": 5, "OF": 4, "11": 4, "MB": 4, "ZZ": 4, "10": 2, "14": 2, "AM": 2, "LI": 2, "LM": 2, "VA": 2, "DS": 2, "TV": 2,
}  # fmt: skip
_DIAGNOSTIC = {f"{number:02d}": 1 for number in range(26)} | {"": 0.5}
#: Column -> code -> weight; the empty code is a missing one.
CODES = {
    **dict.fromkeys((name for name in texas.CODES if name.startswith("FAC_")), _INDICATOR),
    "SEX_CODE": {"F": 58, "M": 40, "U": 0.4, "": 1.6},
    "TYPE_OF_ADMISSION": {"1": 42, "2": 16, "3": 27, "4": 13, "5": 1, "9": 0.5, "": 0.5},
    "SOURCE_OF_ADMISSION": {
        "1": 55, "7": 31, "4": 5, "2": 3, "5": 1, "6": 1, "9": 1, "3": 0.8, "0": 0.6, "8": 0.6, "A": 0.5, "": 0.5,
    },
    "PAT_STATE": {"TX": 94, "ZZ": 1.2, "LA": 0.9, "NM": 0.8, "OK": 0.8, "AR": 0.8, "FC": 0.5, "XX": 0.5, "": 0.5},
    "PAT_COUNTRY": {
        "US": 80, "": 16, "MX": 1, "XX": 0.6, "CA": 0.4, "CO": 0.4, "GB": 0.4, "GT": 0.4, "HN": 0.4, "SV": 0.4,
    },
    "ADMIT_WEEKDAY": {"1": 17, "2": 17, "3": 16, "4": 15, "5": 15, "6": 10, "7": 10},
    "PAT_STATUS": {
        "01": 760, "06": 80, "03": 60, "62": 25, "20": 20, "02": 15, "05": 8, "63": 8, "07": 6, "51": 4, "50": 4,
        "04": 3, "61": 3, "08": 2, "64": 2, "65": 2, "70": 2, "71": 2, "72": 2, "09": 2, "30": 2, "40": 2, "41": 2,
        "42": 2, "43": 2,
    },
    "RACE": {"4": 66, "5": 17, "3": 12, "2": 2, "1": 1, "": 2},
    "ETHNICITY": {"2": 68, "1": 30, "": 2},
    "FIRST_PAYMENT_SRC": {**_PAYERS, "": 2},
    "SECONDARY_PAYMENT_SRC": {**_PAYERS, "": 1500},
    "TYPE_OF_BILL": {
        "111": 93, "112": 1, "113": 1, "114": 1, "117": 1, "115": 0.5, "116": 0.5, "118": 0.5, "121": 0.5, "181": 0.5,
    },
    "HCFA_MDC": _DIAGNOSTIC,
    "APR_MDC": _DIAGNOSTIC,
    "CERT_STATUS": {"1": 85, "2": 6, "3": 3, "4": 2, "5": 2, "6": 2},
}  # fmt: skip
#: Share of patients whose age is told in wide bands only.
PROTECTED = 0.005
#: How far the logarithms of weights and charges go apart between kinds of operations, operations, and regions.
BETWEEN_KINDS, BETWEEN_OPERATIONS, BETWEEN_REGIONS = 0.6, 0.7, 0.25
#: Share of records whose diagnostic category is not that of the operation, and of those where the two differ.
ASTRAY, DIFFER = 0.2, 0.05
#: Share of records that a typical charge occurs in; its typical dollars, and the spread of their logarithm.
CHARGED, DOLLARS, SPREAD = 0.35, 600, 0.7
#: Charges for rooms; all others are for what is done there.
ROOMS = texas.AMOUNTS[:5]


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write the file: 255 columns between tabs, lines that end in CR LF, what nobody reads left empty."""
    columns = _columns(np.random.default_rng(seed), *(PAPER if scale == "paper" else SMALL))
    records = len(columns[texas.LABEL])
    with whole_file(folder / texas.FILE) as part, part.open("w", encoding="ascii", newline="") as sink:
        sink.write("\t".join(texas.HEADER) + "\r\n")
        for start in range(0, records, CHUNK):
            sink.write(_lines({name: values[start : start + CHUNK] for name, values in columns.items()}))
    mark(folder, seed)


def _columns(rng: np.random.Generator, inside: int, outside: int) -> dict[str, np.ndarray]:
    """Return each column that is not left empty: texts, whole numbers, or dollars."""
    world = np.random.default_rng(WORLD)
    region, operation = _patients(rng, world, inside, outside)
    records = len(region)
    kind = KIND[operation]
    codes = _codes(rng, world, kind, region)
    for name, values in codes.items():
        # The features are counted over the records that the paper keeps.
        kept = operation < texas.CLASSES
        values[kept] = complete(rng, values[kept], len(CODES[name]))
    severity = np.clip(np.rint(rng.normal(world.uniform(1, 3, KINDS)[kind], 0.8)), 0, 4).astype(np.int64)
    risk = np.clip(severity + pick_alike(rng, (30, 50, 20), records) - 1, 0, 4)
    hospital = 10 * region + rng.integers(0, 10, records)
    return {
        "DISCHARGE_QTR": _words(["2006Q1"], np.zeros(records, dtype=np.int64)),
        "PROVIDER_NAME": _words([f"Made-up hospital {number}" for number in range(10 * REGIONS)], hospital),
        **{name: _words(list(CODES[name]), values) for name, values in codes.items()},
        texas.REGION: _words([REGION, *OTHERS], region),
        texas.LABEL: _words(NAMES, operation),
        "ENCOUNTER_INDICATOR": np.minimum(rng.geometric(0.97, records), 9),
        "LENGTH_OF_STAY": _stay(rng, world, operation, severity),
        "PAT_AGE": _age(rng, world, kind, region),
        "PRINC_SURG_PROC_DAY": _day(rng, world, operation),
        "RISK_MORTALITY": risk,
        "ILLNESS_SEVERITY": severity,
        **_charges(rng, world, operation, region, severity),
        "RECORD_ID": 120_060_000_000 + np.arange(records),
    }


def _patients(
    rng: np.random.Generator, world: np.random.Generator, inside: int, outside: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return region, 0 for `REGION`, and operation (a position in `NAMES`) of each record, in random order."""
    popular = np.exp(world.normal(0, BETWEEN_REGIONS, (REGIONS, texas.CLASSES))) / (
        20 + world.permutation(texas.CLASSES)
    )
    elsewhere = 1 + pick_alike(rng, list(OTHERS.values()), outside)
    region = np.concatenate([np.zeros(inside, dtype=np.int64), elsewhere])
    operation = pick(rng, popular, region)
    rare, none = round(RARE * len(region)), round(NONE * len(region))
    seldom = texas.CLASSES + pick_alike(rng, np.ones(len(RARE_OPERATIONS)), rare)
    region = np.concatenate([region, rng.choice(region, rare + none)])
    operation = np.concatenate([operation, seldom, np.full(none, len(NAMES) - 1)])
    order = rng.permutation(len(region))
    return region[order], operation[order]


def _apart(world: np.random.Generator, weights: np.ndarray) -> np.ndarray:
    """Return weights for each kind of operation and region, shape (kinds * regions, codes), around those given."""
    by_kind = world.normal(0, BETWEEN_KINDS, (KINDS, 1, len(weights)))
    by_region = world.normal(0, BETWEEN_REGIONS, (1, REGIONS, len(weights)))
    return (weights * np.exp(by_kind + by_region)).reshape(-1, len(weights))


def _codes(
    rng: np.random.Generator, world: np.random.Generator, kind: np.ndarray, region: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the codes of each column, as positions in `CODES`."""
    codes = {
        name: pick(rng, _apart(world, np.array(list(weights.values()))), kind * REGIONS + region)
        for name, weights in CODES.items()
    }
    women = np.isin(kind, [list(OPERATIONS).index(category) for category in WOMEN])
    codes["SEX_CODE"][women] = list(CODES["SEX_CODE"]).index("F")
    own = np.array([list(_DIAGNOSTIC).index(category) for category in OPERATIONS])[kind]
    astray = rng.random(len(kind)) < ASTRAY
    codes["HCFA_MDC"] = np.where(astray, codes["HCFA_MDC"], own)
    differ = rng.random(len(kind)) < DIFFER
    codes["APR_MDC"] = np.where(differ, codes["APR_MDC"], codes["HCFA_MDC"])
    return codes


def _stay(
    rng: np.random.Generator, world: np.random.Generator, operation: np.ndarray, severity: np.ndarray
) -> np.ndarray:
    """Return days in hospital, at least one."""
    mean = np.exp(world.normal(1.2, BETWEEN_OPERATIONS, len(NAMES)))[operation] * (0.5 + 0.3 * severity)
    return 1 + rng.poisson(rng.gamma(2, mean / 2))


def _age(rng: np.random.Generator, world: np.random.Generator, kind: np.ndarray, region: np.ndarray) -> np.ndarray:
    """Return the number of the age band: 0 newborn, 21 ninety and older, from 22 on wide bands to protect patients."""
    typical = world.uniform(9, 17, KINDS)
    for category, band in AGES.items():
        typical[list(OPERATIONS).index(category)] = band
    centre = typical[kind] + world.normal(0, 2 * BETWEEN_REGIONS, REGIONS)[region]
    spread = np.where(typical[kind] > 0, 3, 0.3)
    band = np.clip(np.rint(rng.normal(centre, spread)), 0, 21).astype(np.int64)
    return np.where(rng.random(len(kind)) < PROTECTED, rng.integers(22, 27, len(kind)), band)


def _day(rng: np.random.Generator, world: np.random.Generator, operation: np.ndarray) -> np.ndarray:
    """Return the day of the operation as text, counted from the admission; empty where it is not told."""
    day = rng.geometric(world.uniform(0.3, 0.95, len(NAMES))[operation]) - 1
    told = (operation < len(NAMES) - 1) & (rng.random(len(operation)) < 0.99)
    return np.where(told, _words([str(number) for number in range(day.max() + 1)], day), "")


def _charges(
    rng: np.random.Generator,
    world: np.random.Generator,
    operation: np.ndarray,
    region: np.ndarray,
    severity: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the dollars of each kind of charge and their totals."""
    charges = {}
    for name in texas.AMOUNTS:
        usual = 1 / (1 + np.exp(-world.normal(np.log(CHARGED / (1 - CHARGED)), 2 * BETWEEN_OPERATIONS, len(NAMES))))
        level = np.log(DOLLARS) + world.normal(0, BETWEEN_OPERATIONS, len(NAMES))
        price = world.normal(0, BETWEEN_REGIONS, REGIONS)
        logarithm = rng.normal(level[operation] + price[region] + 0.2 * severity, SPREAD)
        charges[name] = np.where(rng.random(len(operation)) < usual[operation], np.exp(logarithm), 0)
    rooms = np.sum([charges[name] for name in ROOMS], axis=0)
    care = np.sum([charges[name] for name in texas.AMOUNTS if name not in ROOMS], axis=0)
    # What no insurer covers, for few patients.
    own_rooms, own_care = (part * rng.beta(1, 6, len(part)) * (rng.random(len(part)) < 0.1) for part in (rooms, care))
    totals = (rooms + care, own_rooms + own_care, rooms, own_rooms, care, own_care)
    return charges | dict(zip(texas.TOTALS, totals, strict=True))


def _words(values: Sequence[str], codes: np.ndarray) -> np.ndarray:
    """Return the texts that the codes number; each is one object, however often it occurs."""
    return np.array(values, dtype=object)[codes]


def _lines(columns: dict[str, np.ndarray]) -> str:
    """Return records as the file writes them; columns that are not given are empty."""
    fields = []
    for given, run in groupby(texas.HEADER, columns.__contains__):
        names = list(run)
        # Empty fields beside each other are the tabs between them, the same in every record.
        fields.extend([_texts(columns[name]) for name in names] if given else [repeat("\t" * (len(names) - 1))])
    return "".join("\t".join(row) + "\r\n" for row in zip(*fields, strict=False))


def _texts(values: np.ndarray) -> list[str]:
    """Return texts as they are, whole numbers as such and dollars with cents."""
    if values.dtype.kind == "f":
        return [f"{value:.2f}" for value in values.tolist()]
    return integers(values) if values.dtype.kind == "i" else values.tolist()
