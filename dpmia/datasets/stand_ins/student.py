"""Made-up pupils of two schools: one urban and strong, one rural, with homes that help less and lower grades."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets import student
from dpmia.datasets.parsing import Category
from dpmia.datasets.stand_ins.sampling import integers, mark, pick, words, write

#: GP, then MS, as in the real file.
PUPILS = (423, 226)

# Percents by school, rounded from cross tables of the real file, in the order of the values in `student.KINDS`.

CODES = {
    "sex": ((56, 44), (65, 35)),
    "address": ((18, 82), (53, 47)),
    "famsize": ((71, 29), (69, 31)),
    "Pstatus": ((13, 87), (11, 89)),
    "Mjob": ((15, 9, 38, 25, 13), (32, 5, 42, 14, 7)),
    "Fjob": ((4, 4, 59, 26, 7), (11, 2, 52, 32, 3)),
    "reason": ((39, 27, 6, 28), (52, 15, 20, 13)),
    "guardian": ((22, 71, 7), (27, 67, 6)),
    "schoolsup": ((87, 13), (95, 5)),
    "famsup": ((36, 64), (43, 57)),
    "paid": ((94, 6), (94, 6)),
    "activities": ((48, 52), (58, 42)),
    "nursery": ((20, 80), (19, 81)),
    "higher": ((8, 92), (16, 84)),
    "internet": ((16, 84), (37, 63)),
    "romantic": ((66, 34), (58, 42)),
}
#: Name -> lowest value, and percent of each from there on.
NUMBERS = {
    "age": (15, ((20, 27, 29, 19, 4, 1, 0, 0), (9, 28, 30, 27, 5, 1, 0, 0))),
    "Medu": (0, ((1, 14, 29, 24, 32), (1, 37, 28, 16, 18))),
    "Fedu": (0, ((1, 22, 30, 23, 24), (2, 36, 35, 14, 13))),
    "traveltime": (1, ((66, 26, 5, 3), (37, 46, 15, 2))),
    "studytime": (1, ((28, 49, 17, 6), (41, 43, 12, 4))),
    "failures": (0, ((89, 7, 2, 2), (77, 17, 3, 3))),
    "famrel": (1, ((2, 4, 17, 50, 27), (6, 5, 12, 48, 29))),
    "freetime": (1, ((5, 17, 43, 26, 9), (10, 15, 32, 29, 14))),
    "goout": (1, ((7, 25, 30, 23, 15), (9, 17, 34, 20, 20))),
    "Dalc": (1, ((71, 19, 5, 3, 2), (67, 19, 9, 2, 3))),
    "Walc": (1, ((40, 22, 18, 13, 7), (35, 26, 19, 13, 7))),
    "health": (1, ((13, 11, 20, 17, 39), (16, 14, 18, 16, 36))),
}
#: Share of pupils who are never absent, and the mean number of absences of the others.
PRESENT, ABSENCES = (0.35, 0.42), (6.5, 4.5)
#: What decides on the grades: name -> weight of a number, or of the second value of a category.
ABILITY = {
    "Medu": 0.3, "Fedu": 0.15, "studytime": 0.45, "failures": -1.5, "Dalc": -0.25, "absences": -0.04, "goout": -0.1,
    "traveltime": -0.1, "higher": 1.8, "address": 0.35, "internet": 0.2, "sex": -0.3, "romantic": -0.25,
}  # fmt: skip
NOISE = 1.6
GRADE_LEVELS = (0, 0.06, 0.075, 0.25, 0.3, 0.5, 0.75, 0.9, 1)
#: school -> quantiles of the final grade: 7.6 percent fail in GP, 30 in MS.
FINAL = ((5, 9, 9.49, 10.9, 11, 12.5, 14.4, 16.3, 18.4), (0, 0.4, 5, 9, 9.49, 10.9, 13.3, 15.4, 19))


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write `student-por.csv`: semicolons, texts in quotes, and so the first two grades but not the last."""
    columns = _columns(np.random.default_rng(seed))
    quoted = {name for name, kind in student.KINDS.items() if isinstance(kind, Category)} | {"G1", "G2"}
    texts = [[f'"{text}"' for text in columns[name]] if name in quoted else columns[name] for name in student.KINDS]
    rows = [";".join(row) + "\n" for row in zip(*texts, strict=True)]
    write(folder / student.FILE, ";".join(student.KINDS) + "\n" + "".join(rows))
    mark(folder, seed)


def _columns(rng: np.random.Generator) -> dict[str, list[str]]:
    """Return the texts of every column."""
    school = np.repeat([0, 1], PUPILS)
    codes = {name: pick(rng, shares, school) for name, shares in CODES.items()}
    numbers = {name: low + pick(rng, shares, school) for name, (low, shares) in NUMBERS.items()}
    away = rng.random(len(school)) >= np.array(PRESENT)[school]
    numbers["absences"] = away * np.minimum(rng.geometric(1 / np.array(ABSENCES)[school]), 32)
    known = {**codes, **numbers}
    ability = sum(weight * known[name] for name, weight in ABILITY.items()) + rng.normal(0, NOISE, len(school))
    return {
        "school": words(student.KINDS["school"].values, school),
        **{name: words(student.KINDS[name].values, values) for name, values in codes.items()},
        **{name: integers(values) for name, values in numbers.items()},
        **_grades(rng, school, ability),
    }


def _grades(rng: np.random.Generator, school: np.ndarray, ability: np.ndarray) -> dict[str, list[str]]:
    """Return three grades: the last by the rank of the ability in the school, the others near it."""
    final = np.empty(len(school))
    for number, quantiles in enumerate(FINAL):
        here = school == number
        rank = np.argsort(np.argsort(ability[here], kind="stable"), kind="stable")
        final[here] = np.interp((rank + 0.5) / here.sum(), GRADE_LEVELS, quantiles)
    final = np.rint(final)
    second = np.clip(np.rint(np.maximum(final, 6) + rng.normal(-0.3, 1, len(school))), 0, 19)
    first = np.clip(np.rint(np.maximum(final, 6) + rng.normal(-0.5, 1.4, len(school))), 0, 19)
    return {"G1": integers(first), "G2": integers(second), "G3": integers(final)}
