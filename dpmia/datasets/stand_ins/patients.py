"""Made-up patients of three hospitals, whose patients differ: the file of one's own by which the audit is shown.

`python -m dpmia.datasets.stand_ins.patients` writes `examples/patients.csv`, which is kept in the repository.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets.stand_ins.sampling import from_quantiles, highest, integers, mark, pick, words, write

#: Hospital -> patients; the last one is too small for an arm of its own.
PATIENTS = {"north": 520, "south": 440, "island": 60}

# By hospital: quantiles of numbers, percents of categories.
LEVELS = (0, 0.1, 0.5, 0.9, 1)
AGES = ((18, 34, 58, 79, 95), (18, 28, 45, 70, 92), (20, 40, 62, 80, 90))
STAYS = ((1, 2, 5, 11, 40), (1, 1, 3, 8, 30), (1, 1, 4, 9, 20))
PRESSURES = ((95, 112, 134, 160, 200), (90, 108, 126, 150, 190), (95, 110, 131, 158, 185))
CODES = {
    "sex": (("F", "M"), ((48, 52), (57, 43), (50, 50))),
    "insurance": (("none", "private", "public"), ((4, 31, 65), (15, 20, 65), (8, 12, 80))),
    "ward": (("general", "heart", "surgery"), ((40, 35, 25), (60, 10, 30), (85, 5, 10))),
    "smoker": (("no", "yes"), ((76, 24), (68, 32), (72, 28))),
}
#: Share of blood pressures that nobody wrote down, and of patients who come back.
UNKNOWN, BACK = 0.04, 0.34
NAMES = ("hospital", "age", *CODES, "stay_days", "blood_pressure", "earlier_stays", "readmitted")


def write_files(folder: Path, seed: int) -> None:
    """Write `patients.csv` and the mark of made-up records.

    Args:
        folder: where to.
        seed: of all records.
    """
    rng = np.random.default_rng(seed)
    hospital = np.repeat(np.arange(len(PATIENTS)), list(PATIENTS.values()))
    age, stay, pressure = (from_quantiles(rng, LEVELS, values, hospital) for values in (AGES, STAYS, PRESSURES))
    codes = {name: pick(rng, shares, hospital) for name, (_, shares) in CODES.items()}
    earlier = rng.poisson(0.4 + age / 60)
    sick = 0.03 * age + 0.12 * stay + 0.5 * earlier + 0.8 * (codes["ward"] == 1) + 0.6 * codes["smoker"]
    back = highest(rng, 1.5 * sick, round(BACK * len(hospital)))
    pressures = np.array(integers(pressure), dtype=object)
    pressures[rng.random(len(hospital)) < UNKNOWN] = ""
    columns = {
        "hospital": words(tuple(PATIENTS), hospital),
        "age": integers(age),
        **{name: words(values, codes[name]) for name, (values, _) in CODES.items()},
        "stay_days": integers(stay),
        "blood_pressure": pressures.tolist(),
        "earlier_stays": integers(earlier),
        "readmitted": words(("no", "yes"), back.astype(np.int64)),
    }
    rows = zip(*(columns[name] for name in NAMES), strict=True)
    order = rng.permutation(len(hospital))
    lines = [",".join(row) for row in rows]
    write(folder / "patients.csv", "\n".join([",".join(NAMES), *(lines[row] for row in order)]) + "\n")
    mark(folder, seed)


if __name__ == "__main__":
    write_files(Path(__file__).parents[3] / "examples", seed=1)
