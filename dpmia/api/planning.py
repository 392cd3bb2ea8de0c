"""Noise, sampling rate or number of steps for a wanted bound on attacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from dpmia.api.arrays import number
from dpmia.api.bounding import UpperBound, upper_bound
from dpmia.api.mechanism import (
    COUNTED,
    RELATIONS,
    SAMPLERS,
    check_counted,
    checked_count,
    checked_noise,
    checked_sampling,
    epsilon_of,
    one_of,
    require,
    require_acceptance,
    require_prior,
)
from dpmia.common.errors import ArgumentError, TrainingError, shown
from dpmia.common.formatting import format_significant, rounded_up
from dpmia.common.limits import DELTAS
from dpmia.common.registry import suggestion

if TYPE_CHECKING:
    import pandas as pd

Target = Literal["advantage", "auc", "tpr_at_fpr", "precision", "epsilon"]

#: From it on, an epsilon is computed in coarser steps.
LARGE_EPSILON = 20.0

TARGETS: tuple[Target, ...] = ("advantage", "auc", "tpr_at_fpr", "precision", "epsilon")


@dataclass(frozen=True, repr=False)
class NoisePlan:
    """A training run whose bound on attacks has a wanted value.

    Attributes:
        target: what is bounded.
        value: that was wanted.
        solved_for: `noise_multiplier`, `sampling_rate`, `steps` or `epochs`: what was left out and found.
        noise_multiplier: sigma, in units of the clip norm.
        sampling_rate: q, probability that a record is in a batch.
        steps: number of optimiser steps.
        epochs: passes over the data; counts for the sampler `shuffle` only.
        sampler: `poisson`, `full` or `shuffle`.
        delta: of the guarantee; None where none was given.
        epsilon: of the guarantee at `delta`; None without.
        relation: of the guarantee.
        bound: the exact upper bound of this run.
    """

    target: Target
    value: float
    solved_for: str
    noise_multiplier: float
    sampling_rate: float
    steps: int
    epochs: int
    sampler: str
    delta: float | None
    epsilon: float | None
    relation: str
    bound: UpperBound

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the run, its guarantee and its bounds."""
        import pandas as pd

        row: dict[str, Any] = {name: value for name, value in vars(self).items() if name != "bound"}
        values = self.bound.to_frame()
        row |= dict(zip("bound_" + values["metric"], values["bound"], strict=True))
        return pd.DataFrame([row])

    def __repr__(self) -> str:
        head = f"NoisePlan: {self.target} of at most {self.value:g}, solved for {self.solved_for}"
        privacy = ""
        if self.epsilon is not None:
            epsilon, delta = rounded_up(self.epsilon, 4), format_significant(self.delta)
            privacy = f"\nGuarantee ({self.relation}): epsilon {epsilon} at delta {delta}"
        return f"{head}{privacy}\n{self.bound!r}"


def plan_noise(
    *,
    target: Target,
    value: float,
    noise_multiplier: float | None = None,
    sampling_rate: float | None = None,
    steps: int | None = None,
    epochs: int | None = None,
    sampler: str | None = None,
    compares: str = "replace_one",
    delta: float | None = None,
    relation: str | None = None,
    fpr: float = 0.01,
    prior: float = 0.5,
    acceptance: float = 0.01,
) -> NoisePlan:
    """Return the training run whose exact upper bound on attacks has a wanted value: `upper_bound` inverted.

    Of noise multiplier, sampling rate and steps (with the sampler `shuffle`: noise multiplier and epochs) one is left
    out and found: the least noise, the largest sampling rate, or the most steps that keep the bound.

    Args:
        target: `advantage`, `auc`, `tpr_at_fpr` (at `fpr`), `precision` (see `upper_bound`), or `epsilon` (at `delta`).
        value: that the bound may have.
        noise_multiplier: sigma, > 0, in units of the clip norm.
        sampling_rate: q, batch size / records.
        steps: number of optimiser steps.
        epochs: passes over the data; with `shuffle` only.
        sampler: see `upper_bound`; `poisson` where left out.
        compares: see `upper_bound`.
        delta: of the (epsilon, delta) to report with the plan; needed for the target `epsilon`.
        relation: of (epsilon, delta): `add_remove`, that of Opacus, where left out; `replace_one` with `shuffle`.
        fpr: false positive rate of the target `tpr_at_fpr`.
        prior: see `upper_bound`.
        acceptance: see `upper_bound`.

    Raises:
        ArgumentError: an argument is out of its range, not exactly one is left out, or nothing within reach keeps the
            bound.

    Examples:
        >>> from dpmia import plan_noise
        >>> plan = plan_noise(target="advantage", value=0.1, sampling_rate=0.01, steps=1000, delta=1e-5)
        >>> plan
        NoisePlan: advantage of at most 0.1, solved for noise_multiplier
        Guarantee (add_remove): epsilon 0.4677 at delta 1e-5
        UpperBound: noise multiplier 2.5196, sampling rate 0.01, 1000 steps (replace_one)
          advantage          0.1000
          auc                0.5706
          tpr_at_1pct_fpr    0.0190
          tpr_at_0.1pct_fpr  0.0023
          precision          0.6679  (prior 0.5, of attacks that find 1 % of the members)

        More steps with the same noise would exceed the bound:

        >>> plan_noise(target="advantage", value=0.1, sampling_rate=0.01, noise_multiplier=plan.noise_multiplier).steps
        1000
    """
    where = "plan_noise"
    if not isinstance(target, str) or target not in TARGETS:
        problem = f"{shown(target)} is not one of {', '.join(TARGETS)}"
        raise ArgumentError(f"{where}, target", problem, suggestion(target, TARGETS))
    if target == "epsilon" and delta is None:
        raise ArgumentError(f"{where}, delta", "missing", "An epsilon needs a delta, such as 1 / (10 * records)")
    value, fpr, prior = number(value, f"{where}, value"), number(fpr, f"{where}, fpr"), number(prior, f"{where}, prior")
    delta = None if delta is None else float(number(delta, f"{where}, delta"))
    least, most = DELTAS
    require(f"{where}, delta", delta is None or least <= delta <= most, delta, f"a number from {least:g} to {most:g}")
    require(f"{where}, fpr", 0 < fpr < 1, fpr, "a number between 0 and 1")
    require_prior(where, prior)
    require_acceptance(where, number(acceptance, f"{where}, acceptance"))
    _check_value(target, value, fpr, prior)

    sampler = "poisson" if sampler is None else sampler
    one_of(f"{where}, sampler", sampler, SAMPLERS)
    relation = ("replace_one" if sampler == "shuffle" else "add_remove") if relation is None else relation
    one_of(f"{where}, relation", relation, RELATIONS)
    given = {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate, "steps": steps, "epochs": epochs}
    if noise_multiplier is not None:
        checked_noise(f"{where}, noise_multiplier", noise_multiplier)
    for name, count in (("steps", steps), ("epochs", epochs)):
        if count is not None:
            checked_count(f"{where}, {name}", count)
    checked_sampling(where, sampler, 1.0 if sampling_rate is None else sampling_rate, compares)
    missing = check_counted(where, sampler, given)
    if len(missing) != 1:
        what = f"{', '.join(missing)} are left out" if missing else "nothing is left out to solve for"
        raise ArgumentError(where, what, f"Leave out exactly one of {', '.join(COUNTED[sampler])}")
    (unknown,) = missing

    # At a large epsilon, fine steps of the privacy loss take a minute and change nothing that one would read.
    near = value if target == "epsilon" and value > LARGE_EPSILON else 1.0

    run: dict[str, Any] = {name: amount for name, amount in given.items() if amount is not None}

    @cache
    def bound_at(number: float) -> UpperBound:
        rates = sorted({fpr, 0.01, 0.001}, reverse=True)
        options: dict[str, Any] = {"compares": compares, "prior": prior, "acceptance": acceptance}
        return upper_bound(sampler=sampler, **{**run, unknown: number}, **options, fprs=rates)

    @cache
    def epsilon_at(number: float) -> float:
        run_settings = {"sampling_rate": 1.0, "steps": 1, "epochs": 1} | run | {unknown: number}
        return epsilon_of(sampler, **run_settings, delta=delta or 0.0, relation=relation, near=near)

    def measured(number: float) -> float:
        if target == "epsilon":
            return epsilon_at(number)
        upper = bound_at(number)
        return upper.tpr_at_fpr[fpr] if target == "tpr_at_fpr" else float(getattr(upper, target))

    try:
        solution = _solve(unknown, measured, value)
    except TrainingError as error:
        raise ArgumentError(where, error.problem, error.remedy) from None
    bound = bound_at(solution)
    return NoisePlan(
        target=target,
        value=float(value),
        solved_for=unknown,
        noise_multiplier=bound.noise_multiplier,
        sampling_rate=bound.sampling_rate,
        steps=bound.steps,
        epochs=bound.epochs,
        sampler=sampler,
        delta=delta,
        epsilon=None if delta is None else epsilon_at(solution),
        relation=relation,
        bound=bound,
    )


def _solve(unknown: str, measured: Callable[[Any], float], value: float) -> float:
    from dpmia.privacy.inversion import largest_rate, most_steps, smallest_noise

    if unknown == "noise_multiplier":
        return smallest_noise(measured, value)
    return largest_rate(measured, value) if unknown == "sampling_rate" else most_steps(measured, value)


def _check_value(target: Target, value: float, fpr: float, prior: float) -> None:
    """Refuse a value that guessing exceeds, or that nothing can exceed."""
    where = "plan_noise, value"
    if target == "epsilon":
        require(where, 0 < value < float("inf"), value, "a finite number above 0")
        return
    least = {"advantage": 0.0, "auc": 0.5, "tpr_at_fpr": fpr, "precision": prior}[target]
    remedy = f"Give a share, {value / 100:g} for {value:g} %" if 1 < value <= 100 else ""
    require(where, least < value < 1, value, f"above {least:g}, which guessing reaches, and below 1", remedy)
