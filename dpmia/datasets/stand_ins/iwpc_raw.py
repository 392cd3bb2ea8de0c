"""Made-up warfarin patients in the table of the consortium, where much was not measured or not written down."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from dpmia.datasets import iwpc_raw
from dpmia.datasets.stand_ins.iwpc import patients
from dpmia.datasets.stand_ins.sampling import mark, write

PATIENTS = 5_700
FIRST_ID = 135_312_261

#: Share of patients of whom a value is not known, rounded from the real table.
UNKNOWN = {
    iwpc_raw.RACE: 0.085,
    iwpc_raw.AGE: 0.007,
    iwpc_raw.HEIGHT: 0.2,
    iwpc_raw.WEIGHT: 0.05,
    iwpc_raw.DOSE: 0.03,
    iwpc_raw.AMIODARONE: 0.266,
    **dict.fromkeys(iwpc_raw.INDUCERS, 0.574),
    iwpc_raw.CYP2C9: 0.025,
    iwpc_raw.VKORC1: 0.263,
    iwpc_raw.VKORC1_NEAR: 0.37,
}
#: Percent of each drug among patients who take one that induces enzymes.
INDUCER_SHARES = (48, 44, 8)
#: How a column begins that was filled for a few patients only and is left empty for the others.
SPARSE = ("Genotyped QC", "Combined QC", "VKORC1 QC")


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `warfarin.csv`: `NA` where unknown, CR LF, and at the end a row of empty fields; 5700 patients."""
    rng = np.random.default_rng(seed)
    columns = _columns(rng)
    for name, share in UNKNOWN.items():
        word = "Unknown" if name == iwpc_raw.RACE else iwpc_raw.UNKNOWN
        columns[name] = np.where(rng.random(PATIENTS) < share, word, columns[name])
    nothing = {name: "" if not name or name.startswith(SPARSE) else iwpc_raw.UNKNOWN for name in iwpc_raw.HEADER}
    filled = [columns.get(name, np.full(PATIENTS, nothing[name])).tolist() for name in iwpc_raw.HEADER]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(iwpc_raw.HEADER)
    table.writerows(zip(*filled, strict=True))
    write(folder / iwpc_raw.FILE, "\ufeff" + text.getvalue() + "," * (len(iwpc_raw.HEADER) - 1))
    mark(folder, seed)


def _columns(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return the columns that are read, as texts, with every value known."""
    made = patients(rng, PATIENTS)
    which = rng.choice(len(iwpc_raw.INDUCERS), PATIENTS, p=np.array(INDUCER_SHARES) / 100)
    taken = {
        drug: np.where((made.inducer == 1) & (which == number), "1", "0")
        for number, drug in enumerate(iwpc_raw.INDUCERS)
    }
    return {
        "PharmGKB Subject ID": np.array([f"PA{FIRST_ID + number}" for number in range(PATIENTS)]),
        iwpc_raw.RACE: np.array(list(iwpc_raw.RACES))[made.race],
        iwpc_raw.AGE: np.array(iwpc_raw.AGES)[made.decade],
        iwpc_raw.HEIGHT: np.array([f"{value:.2f}" for value in made.height]),
        iwpc_raw.WEIGHT: np.array([f"{value:.1f}" for value in made.weight]),
        iwpc_raw.AMIODARONE: made.amiodarone.astype(str),
        **taken,
        iwpc_raw.DOSE: np.array([f"{value:.2f}" for value in made.dose]),
        iwpc_raw.CYP2C9: np.array(list(iwpc_raw.CYP2C9_GENOTYPES))[made.cyp2c9],
        iwpc_raw.VKORC1: np.array(list(iwpc_raw.VKORC1_GENOTYPES))[made.vkorc1],
        iwpc_raw.VKORC1_NEAR: np.array(list(iwpc_raw.VKORC1_NEAR_GENOTYPES))[made.vkorc1],
    }
