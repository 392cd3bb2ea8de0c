"""Plan a private training run by what it is for: how sure may anybody be that a record was trained on?

Precision is kept low by noise (a small epsilon) or by training on fewer of the records one has (a small
sampling rate). For a target bound the planner lists the pairs that keep it and the noise that each needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dpmia.common.errors import ConfigError
from dpmia.common.limits import DELTAS, MOST_STEPS
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.sampling import optimiser_steps, sampling_rate
from dpmia.privacy.upper_bounds import precision_ceiling, trade_off
from dpmia.theory.precision_bounds import epsilon_for_bound
from dpmia.theory.unlearning import deletion_capacity

#: Sampling rates that are tried where none are named, as shares of the bound: at it and above, nothing keeps it.
SHARES = (0.02, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95)

#: Models with less are noise, and accountants lose their precision there.
SMALLEST_PLANNED = 1e-3

#: Why a rate is out of the question.
TOO_HIGH = "cannot be met: predicting every record a member is more precise"
DELTA = "cannot be met: delta is too large beside acceptance"
TOO_FEW = "cannot be trained: the batch is larger than the training set"
TOO_STRICT = "cannot be trained: an epsilon below 0.001 leaves nothing but noise"
TOO_MANY = f"not planned: more than {MOST_STEPS:,} steps"

COLUMNS = [
    *("bound", "rate", "members", "epsilon", "noise_multiplier", "batch_rate", "steps"),
    *("exact_precision", "deletion_capacity", "remark"),
]


def plan(
    *,
    bound: float,
    records: int,
    batch_size: int,
    epochs: int,
    delta: float,
    relation: str = "add_remove",
    acceptance: float = 0.01,
    unlearning: float = 0.8,
    rates: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Return the pairs of sampling rate and epsilon that keep a bound on the precision of attacks, with their noise.

    Args:
        bound: largest probability, in (0, 1), that a record which an attack predicts a member was one.
        records: n, the records there are; at rate p about p * n of them are trained on.
        batch_size: expected number of records in a batch of DP-SGD with Poisson sampling; the same at every rate.
        epochs: passes over the training set.
        delta: of the privacy guarantee, at least 1e-11 and less than `acceptance`.
        relation: `add_remove`: each record is drawn on its own with probability p; `replace_one`: exactly p * n
            records are drawn.
        acceptance: the bound holds for attacks that predict "member" of a member at least this often, in (0, 1].
        unlearning: B, least probability that none of the records to be deleted was trained on, in (0, 1).
        rates: sampling rates to try, in (0, 1); None for twelve below the bound.

    Returns:
        One row for each rate, columns `COLUMNS`. `epsilon` makes theorem 3.3 of Thudi et al. 2024 (corrected) equal
        to the bound, `noise_multiplier` keeps it in units of the clip norm, `batch_rate` is q and `steps` the number
        of optimiser steps. `exact_precision` is what the mechanism with this noise allows at most: the
        distance to `bound` is what the formula gives away. `deletion_capacity` is how many records may request to be
        deleted while none of them was trained on with probability `unlearning` (corollary 5.2, corrected, whole part;
        missing under `replace_one`, for which it is not proved): one bound leaves nearly the same at every rate.
        Numbers are missing where `remark` says why a rate is out of the question.

    Raises:
        ConfigError: an argument is out of its range.
    """
    rates = tuple(share * bound for share in SHARES) if rates is None else rates
    _check(bound, records, batch_size, epochs, delta, relation, acceptance, unlearning, rates)
    rows = []
    for members in sorted({max(1, min(records - 1, round(rate * records))) for rate in rates}):
        rate = members / records
        row = {"bound": bound, "rate": rate, "members": members, "remark": ""}
        rows.append(row)
        epsilon = float(epsilon_for_bound(bound, rate, delta, acceptance))
        if math.isnan(epsilon):
            row["remark"] = TOO_HIGH if rate >= bound else DELTA
            continue
        row["epsilon"] = epsilon
        if members < batch_size or epsilon < SMALLEST_PLANNED:
            row["remark"] = TOO_FEW if members < batch_size else TOO_STRICT
            continue
        steps, batch_rate = optimiser_steps(batch_size, members, epochs), sampling_rate(batch_size, members)
        if steps > MOST_STEPS:
            row["remark"] = TOO_MANY
            continue
        noise = Mechanism("poisson", batch_rate, steps, epochs, relation, delta, "pld").noise_multiplier(epsilon)
        curve = trade_off(
            sampler="poisson", rate=batch_rate, steps=steps, epochs=epochs, noise_multiplier=noise, relation=relation
        )
        row |= {"batch_rate": batch_rate, "steps": steps, "noise_multiplier": noise}
        row["exact_precision"] = float(precision_ceiling(curve, rate, acceptance))
        if relation == "add_remove":
            row["deletion_capacity"] = int(deletion_capacity(unlearning, epsilon, rate, delta, acceptance))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"steps": "Int64", "deletion_capacity": "Int64"})


def _check(
    bound: float,
    records: int,
    batch_size: int,
    epochs: int,
    delta: float,
    relation: str,
    acceptance: float,
    unlearning: float,
    rates: Sequence[float],
) -> None:
    for name, value in (("bound", bound), ("unlearning", unlearning), *(("rates", rate) for rate in rates)):
        _require(0 < value < 1, name, value, "a number between 0 and 1")
    for name, value, least in (("records", records, 2), ("batch_size", batch_size, 1), ("epochs", epochs, 1)):
        _require(int(value) == value and value >= least, name, value, f"an integer of at least {least}")
    _require(len(rates) > 0, "rates", rates, "a list of at least one sampling rate")
    _require(0 < acceptance <= 1, "acceptance", acceptance, "a number greater than 0 and at most 1")
    _require(
        DELTAS[0] <= delta < acceptance,
        "delta",
        delta,
        f"a number from {DELTAS[0]:g} up and less than acceptance ({acceptance:g})",
    )
    _require(relation in ("add_remove", "replace_one"), "relation", relation, "add_remove or replace_one")


def _require(holds: bool, key: str, value: object, valid: str) -> None:
    if not holds:
        raise ConfigError(f"plan.{key}", f"{value!r} is not {valid}")
