"""Synthetic discharges of Texas hospitals: how the codes of `texas.toml`, stays and charges depend on each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, repeat
from pathlib import Path

import numpy as np

from dpmia.common.files import whole_file
from dpmia.datasets.published import texas
from dpmia.datasets.synthetic.draws import complete, pick, pick_alike
from dpmia.datasets.synthetic.sampler import mark, read_toml

#: Records with one of the 100 operations, of region 03 and of the others: just above twice 10 000 each, which the
#: paper's experiment takes for members, non-members and the attacker; at the paper's scale the published number.
SMALL, PAPER = (20_500, 20_500), (95_000, 255_280)
#: Further records by share of those: with a rare operation, with none.
RARE, NONE = 0.03, 0.05
#: Rows that are put into words at a time.
CHUNK = 20_000
#: The seed of what is the same in all synthetic files: which operation costs what, how regions differ.
WORLD = 2006

_TABLES = read_toml("texas")
REGION = "03"
#: The other regions and their weights.
OTHERS = _TABLES["regions"]
#: Major diagnostic category -> its frequent operations.
OPERATIONS = _TABLES["operations"]
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

#: Column -> code -> weight; the empty code is a missing one.
CODES = {name: _TABLES["codes"].get(name) for name in texas.CODES}
CODES |= {name: {"": 70, "A": 10, "X": 20} for name in CODES if name.startswith("FAC_")}
CODES |= {"FIRST_PAYMENT_SRC": _TABLES["payers"] | {"": 2}, "SECONDARY_PAYMENT_SRC": _TABLES["payers"] | {"": 1500}}
CODES |= dict.fromkeys(("HCFA_MDC", "APR_MDC"), {f"{number:02d}": 1 for number in range(26)} | {"": 0.5})
#: Share of patients whose age is published in wide bands only.
PROTECTED = 0.005
#: How far the logarithms of weights and charges go apart between kinds of operations, operations, and regions.
BETWEEN_KINDS, BETWEEN_OPERATIONS, BETWEEN_REGIONS = 0.6, 0.7, 0.25
#: Share of records whose diagnostic category is not that of the operation, and of those where the two differ.
ASTRAY, DIFFER = 0.2, 0.05
#: Share of records that a typical charge occurs in; its typical dollars, and the spread of their logarithm.
CHARGED, DOLLARS, SPREAD = 0.35, 600, 0.7
#: Charges for rooms; all others are for what is done there.
ROOMS = texas.AMOUNTS[:5]


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write the file: 255 columns between tabs, lines that end in CR LF, what nobody reads left empty."""
    columns = _columns(np.random.default_rng(seed), *(PAPER if scale in {"night", "paper"} else SMALL))
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
        "DISCHARGE_QTR": _decoded(["2006Q1"], np.zeros(records, dtype=np.int64)),
        "PROVIDER_NAME": _decoded([f"Synthetic hospital {number}" for number in range(10 * REGIONS)], hospital),
        **{name: _decoded(list(CODES[name]), values) for name, values in codes.items()},
        texas.REGION: _decoded([REGION, *OTHERS], region),
        texas.LABEL: _decoded(NAMES, operation),
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
    own = np.array([list(CODES["HCFA_MDC"]).index(category) for category in OPERATIONS])[kind]
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
    for category, typical_band in AGES.items():
        typical[list(OPERATIONS).index(category)] = typical_band
    centre = typical[kind] + world.normal(0, 2 * BETWEEN_REGIONS, REGIONS)[region]
    spread = np.where(typical[kind] > 0, 3, 0.3)
    band = np.clip(np.rint(rng.normal(centre, spread)), 0, 21).astype(np.int64)
    return np.where(rng.random(len(kind)) < PROTECTED, rng.integers(22, 27, len(kind)), band)


def _day(rng: np.random.Generator, world: np.random.Generator, operation: np.ndarray) -> np.ndarray:
    """Return the day of the operation as text, counted from the admission; empty where it is unknown."""
    day = rng.geometric(world.uniform(0.3, 0.95, len(NAMES))[operation]) - 1
    has_day = (operation < len(NAMES) - 1) & (rng.random(len(operation)) < 0.99)
    return np.where(has_day, _decoded([str(number) for number in range(day.max() + 1)], day), "")


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


def _decoded(values: Sequence[str], codes: np.ndarray) -> np.ndarray:
    """Return the texts that the codes number; each is one object, however often it occurs."""
    return np.array(values, dtype=object)[codes]


def _lines(columns: dict[str, np.ndarray]) -> str:
    """Return records as the file writes them; columns that are not given are empty."""
    fields: list[Iterable[str]] = []
    for given, run in groupby(texas.HEADER, columns.__contains__):
        names = list(run)
        # Empty fields beside each other are the tabs between them, the same in every record.
        fields.extend([_texts(columns[name]) for name in names] if given else [repeat("\t" * (len(names) - 1))])
    return "".join("\t".join(row) + "\r\n" for row in zip(*fields, strict=False))


def _texts(values: np.ndarray) -> list[str]:
    """Return texts as they are, whole numbers as such and dollars with cents."""
    if values.dtype.kind == "f":
        return [f"{value:.2f}" for value in values.tolist()]
    return [str(value) for value in values.tolist()]
