"""Numbers and names of an audit as people read them."""

from __future__ import annotations

import re

from dpmia.audit.entries import Cell
from dpmia.common.formatting import MISSING, format_interval
from dpmia.jobs.auditing import AuditedDescription

#: After the point, where a limit nearly equals what it is compared with.
MOST_DIGITS = 6

#: AUC of guessing, and its share of 100 pairs.
GUESSING, GUESSING_OF_HUNDRED = 0.5, 50

#: Where a model is known by its predictions, and nobody said how the members were drawn.
POOL_UNKNOWN = "it is not known whether members and non-members were drawn from the same pool"

#: Words of attacks' names that are spelled in another way.
ACRONYMS = {"lira": "LiRA", "rmia": "RMIA"}

#: Metrics that limits are for -> their names.
METRICS = {
    "advantage": "advantage",
    "auc": "AUC",
    "tpr_at_1pct_fpr": "TPR at 1 % FPR",
    "tpr_at_0.1pct_fpr": "TPR at 0.1 % FPR",
    "advantage_excess": "advantage beyond the baseline",
    "auc_excess": "AUC beyond the baseline",
}


def metric_name(metric: str) -> str:
    """Return the name of a metric as readers see it."""
    return METRICS[metric]


def interval(cell: Cell | None, digits: int = 2, guessing: float | None = None) -> str:
    """Return a mean and its interval: `0.53 [0.50, 0.56]`; a dash where there is none.

    Args:
        cell: the mean.
        digits: after the point.
        guessing: what a limit is compared with: more digits show on which side of it a limit lies that rounds to it.
    """
    if cell is None:
        return MISSING
    return _with_limits(cell.mean, cell.low, cell.high, digits, guessing)


def of_hundred(cell: Cell, guessing: float | None = None) -> str:
    """Return a share and its interval as numbers of 100: `53 [50, 56]`; see `interval`."""
    low, high = (None if limit is None else 100 * limit for limit in (cell.low, cell.high))
    return _with_limits(100 * cell.mean, low, high, 0, guessing)


def _with_limits(mean: float, low: float | None, high: float | None, digits: int, guessing: float | None) -> str:
    limits = [value for value in (low, high) if value is not None and value != guessing]
    while digits < MOST_DIGITS and any(round(value, digits) == guessing for value in limits):
        digits += 1
    return format_interval(mean, low, high, digits)


def below_resolution(resolution: float) -> str:
    """Return what stands in the place of a rate that so few non-members cannot show: `(< 1/46)`."""
    return f"(< 1/{round(1 / resolution)})"


def attack_name(attack: str) -> str:
    """Return the name of an attack as readers see it."""
    return " ".join(ACRONYMS.get(word, word) for word in attack.split("_"))


def format_models(experiment: str, arm: str, epsilon: str) -> str:
    """Return which models a message is about; without an epsilon where there is none, or nobody stated one."""
    return ", ".join([experiment, arm, *([] if epsilon == "inf" else [f"epsilon {epsilon}"])])


def describe_model(description: AuditedDescription, epsilon: str) -> str:
    """Describe a model: `perceptron 64-64 with epsilon 1`; with predictions only, no more than is known."""
    model = description.model  # of predictions, the name of the user's file
    if not description.predictions_only:
        model = re.sub(r"\bmlp(?= \d)", "perceptron", model)
    if epsilon != "inf":
        return f"{model} with epsilon {epsilon}{' (stated by the user)' if description.stated else ''}"
    return model if description.predictions_only else f"{model} without privacy"
