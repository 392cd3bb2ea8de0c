"""Do the fast engine and Opacus train the same models? Verdicts, and tables of them.

Two engines in float32 round differently, so their models differ a little. What counts is the difference that 99 % of
the parameters stay below, as a share of the largest change of any parameter in training.

- Rounding alone makes it about 2e-7, whatever the number of steps (3 to 200 steps of seven experiments).
- A clip norm that is 1 % off makes it 2e-4 or more, other faults more.
- Adam takes its first step in the direction of the gradient's sign. Where a gradient is zero but for rounding, one
  weight in some million starts the other way, and the models part: by up to 2e-3 where the most influential weight was
  turned round on purpose. That happens to a model by chance, and to all compared models of an experiment by a fault.
- Noise of another model makes the difference 0.5 or more (three experiments, 3 to 60 steps).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from dpmia.formats.rows import MissingRowsError
from dpmia.formats.stages import ACCOUNTING, DIFFERENCES, ENGINES
from dpmia.papers.artifact import RunSummary

#: Largest difference of one model at least of an experiment whose engines agree, and of all its models.
TOLERANCE, LARGEST_TOLERANCE = 1e-5, 5e-2

AGREES, DIFFERS, NOT_COMPARED = "agrees", "differs", "not compared"


def verdict(differences: Iterable[float]) -> str:
    """Return whether the engines of an experiment agree.

    Args:
        differences: of each compared model, what 99 % of its parameters and losses stay below; NaN differs.
    """
    values = np.array(list(differences))
    if not len(values):
        return NOT_COMPARED
    agree = (values <= LARGEST_TOLERANCE).all() and (values <= TOLERANCE).any()
    return AGREES if agree else DIFFERS


def tabulate(tables: Mapping[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each experiment: its largest differences, and whether its engines agree.

    Args:
        tables: as `dpmia.validation.retraining` writes them.
        run_summary: of the run.

    Raises:
        MissingRowsError: the tables are not about the experiments of the run.
    """
    rows = []
    for experiment, models in _models(tables, run_summary).groupby("experiment", sort=False):
        compared = models[models["verdict"] != NOT_COMPARED]
        steps = [
            f"{done:.0f} of {all_:.0f}"
            for done, all_ in zip(compared["steps_compared"], compared["steps"], strict=True)
        ]
        rows.append(
            {
                "experiment": experiment,
                "engine": models["engine"].iloc[0],
                "models": len(compared),
                "steps": ", ".join(dict.fromkeys(steps)),
                **{name: f"{value:.1e}" for name, value in compared[DIFFERENCES].max().items() if pd.notna(value)},
                "verdict": models["verdict"].iloc[0],
                "reason": models["reason"].iloc[0],
            }
        )
    rows += [
        {"experiment": name, "verdict": NOT_COMPARED, "reason": f"not run: {reason}"}
        for name, reason in run_summary.not_run.items()
    ]
    columns = ["experiment", "engine", "models", "steps", *DIFFERENCES, "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def tabulate_accountants(tables: Mapping[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return a row for each experiment and mechanism: epsilon by our accountant and by those of Opacus.

    Args:
        tables: as `dpmia.validation.retraining` writes them.
        run_summary: of the run.

    Raises:
        MissingRowsError: the tables are not about the experiments of the run.
    """
    models = _models(tables, run_summary)
    models = models[models["epsilon"].notna()]
    shown = models[["experiment", *ACCOUNTING, "accounting_reason"]].drop_duplicates()
    return shown.rename(columns={"accounted_steps": "steps", "accounting_reason": "reason"}).reset_index(drop=True)


def _models(tables: Mapping[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the rows of all tables; a file does not say which experiments it is about."""
    if not tables:
        return pd.DataFrame(columns=ENGINES)
    models = pd.concat(list(tables.values()), ignore_index=True)
    if wrong := set(models["experiment"]) ^ set(run_summary.checked):
        raise MissingRowsError(f"experiments that are missing, or not of this run: {', '.join(sorted(wrong))}")
    return models
