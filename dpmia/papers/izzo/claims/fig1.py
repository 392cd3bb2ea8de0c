"""Claims about figure 1: the scale of noise by eta."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import theorem
from dpmia.claims.claim import Finding, Tables
from dpmia.claims.comparisons import above, at_most, near
from dpmia.claims.decisions import Condition
from dpmia.papers.izzo.fig1 import ETAS, RECORDS, SIGMA
from dpmia.theory.mip import COROLLARY_8_CONSTANT, corollary_8_scale, epsilon_from_eta, theorem_7_scale
from dpmia.theory.reciprocal_sum import ReciprocalSum

#: Where the noise of both is compared, and the numbers of records between which that for DP grows.
ETA, FEWER, MORE = 0.1, 30, 36


def _scales() -> np.ndarray:
    return corollary_8_scale(ETAS, 2) * SIGMA


def _slope(tables: Tables) -> float:
    return np.polyfit(np.log(ETAS), np.log(_scales()), 1)[0]


def _distance_from_formula(tables: Tables) -> float:
    printed = (COROLLARY_8_CONSTANT / ETAS) ** 2 * SIGMA
    return np.abs(_scales() / printed - 1).max()


def _mip() -> float:
    return float(corollary_8_scale(ETA, 2) * SIGMA)


def _dp() -> dict[int, float]:
    """Return the noise for DP by number of records."""
    return {records: ReciprocalSum(records).sensitivity / float(epsilon_from_eta(ETA)) for records in RECORDS}


def _growth(tables: Tables) -> float:
    scales = _dp()
    return scales[MORE] / scales[FEWER]


def _noise_note(tables: Tables, finding: Finding) -> str:
    scales = ", ".join(f"{scale:.4g} (n = {records})" for records, scale in _dp().items())
    by_theorem_7 = float(theorem_7_scale(ETA, 2) * SIGMA)
    return f"exact; MIP {_mip():.4g} (by theorem 7, which the text names, {by_theorem_7:.4g}), DP {scales}"


_claim = partial(theorem, artifact="izzo_fig1")

CLAIMS = (
    _claim(
        "izzo-fig1-mip-flat",
        "Noise for MIP does not depend on the number of records and falls with the square of eta.",
        Condition("slope of the logarithm of the scale in that of eta", near(-2, 1e-6), _slope),
        Condition(
            f"relative distance of the scale from ({COROLLARY_8_CONSTANT:g} / eta)^2 sigma, largest over eta",
            at_most(1e-6),
            _distance_from_formula,
        ),
        expected="-2",
        note="exact; n does not enter",
    ),
    _claim(
        "izzo-fig1-crossing",
        "For moderate n and eta MIP needs less noise than DP, whose noise grows exponentially in n.",
        Condition(f"noise for DP with n = {MORE} divided by that with n = {FEWER}", above(5), _growth),
        Condition(
            f"noise for DP minus that for MIP at eta = {ETA:g}, for each n",
            above(0),
            lambda tables: {records: scale - _mip() for records, scale in _dp().items()},
        ),
        note=_noise_note,
    ),
)
