"""Plan a private training run by what it is for: how sure may anybody be that a record was trained on?

Precision is kept low by noise (a small epsilon) or by training on fewer of the records one has (a small
sampling rate). For a target bound the planner lists the pairs that keep it and the noise that each needs.
"""

from __future__ import annotations

import math

import pandas as pd

from dpmia.common.limits import MOST_STEPS
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.plan_request import PlanRequest
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


def plan(request: PlanRequest) -> pd.DataFrame:
    """Return the pairs of sampling rate and epsilon that keep a bound on the precision of attacks, with their noise.

    Returns:
        One row for each rate, columns `COLUMNS`. `epsilon` makes theorem 3.3 of Thudi et al. 2024 (corrected) equal
        to the bound, `noise_multiplier` keeps it in units of the clip norm, `batch_rate` is q and `steps` the number
        of optimiser steps. `exact_precision` is what the mechanism with this noise allows at most: the
        distance to `bound` is what the formula gives away. `deletion_capacity` is how many records may request to be
        deleted while none of them was trained on with probability `unlearning` (corollary 5.2, corrected, whole part;
        missing under `replace_one`, for which it is not proved): one bound leaves nearly the same at every rate.
        Numbers are missing where `remark` says why a rate is out of the question.
    """
    bound, records, batch_size, epochs = request.bound, request.records, request.batch_size, request.epochs
    delta, relation, acceptance = request.delta, request.relation, request.acceptance
    rates = tuple(share * bound for share in SHARES) if request.rates is None else request.rates
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
            row["deletion_capacity"] = int(deletion_capacity(request.unlearning, epsilon, rate, delta, acceptance))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"steps": "Int64", "deletion_capacity": "Int64"})
