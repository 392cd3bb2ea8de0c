"""Invented tables and run summaries for the artifacts of Thudi et al."""

import itertools
from functools import cache

import numpy as np
import pandas as pd

from dpmia.common.registry import load
from dpmia.formats.rows import COLUMNS, NO_ATTACK
from dpmia.jobs.describing import ExperimentDescription
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import budgets, names
from dpmia.papers.thudi.artifacts import ARTIFACTS
from dpmia.planning.precision_budgets import budget_rows
from dpmia.settings.precision_budgets import PrecisionBudgets

BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
FIGURES = [name for name, artifact in BY_NAME.items() if artifact.draw]
OF_MODELS = [name for name in FIGURES if BY_NAME[name].tables]
#: Laying out a figure takes most of the time of these tests.
LAID_OUT_LIKE_ANOTHER = ("thudi_fig6", "thudi_fig9", "thudi_fig14", "thudi_fig15", "thudi_fig17")
PRECISION = [name for name in OF_MODELS if "precision_by_rate" in BY_NAME[name].draw]
EXPERIMENTS = [*names.DATASETS, *names.CONTROLS.values()]
ATTACKS = [
    *names.LIRA_BY_RATE.values(),
    *(names.LIRA_PER_POINT, names.POPULATION, *names.REFERENCE.values(), names.REFERENCE_OWN_RATE),
]
SHIFTS = (-0.02, 0.0, 0.02)
#: Half of the 95 % t interval of three values .02 apart: t = 4.303 with two degrees of freedom.
HALF = 4.303 * 0.02 / np.sqrt(3)
DESCRIPTION = ExperimentDescription(
    dataset="mnist",
    architecture="mlp 32",
    sizes="2,000 candidate records, each a member with probability p",
    passes="20 epochs, batch 32",
    replicates=3,
    optimiser="sgd",
    clip_norm=0.1,
    references=20,
    relation="add_remove",
    accountant="rdp",
    precision_budgets=budget_rows(
        PrecisionBudgets(epsilons=budgets.TARGET_EPSILONS), {names.arm_of(rate): rate for rate in names.RATES}, 1e-5
    ),
)


def height(experiment, attack, epsilon, rate):
    """Return the precision that invented models have: no two of them alike."""
    place = 0.01 * EXPERIMENTS.index(experiment) + 0.001 * ATTACKS.index(attack)
    return 0.8 * rate + place + 0.003 * min(epsilon, 20)


def ceiling(epsilon, rate):
    """Return what no attack on a invented mechanism exceeds."""
    return rate + (1 - rate) * 0.2 * epsilon / (1 + epsilon)


def metrics(experiment, epsilons=None, attacks=ATTACKS, rates=names.RATES):
    """Return a table of measurements in three replicates."""
    rows = []
    epsilons = epsilons or ((np.inf,) if experiment in names.CONTROLS.values() else names.EPSILONS)
    for rate, epsilon, attack, (replicate, shift) in itertools.product(rates, epsilons, attacks, enumerate(SHIFTS)):
        best = height(experiment, attack, epsilon, rate)
        values = {"precision_best": best + 0.05 + shift, "precision": best + shift}
        values |= {"precision_baseline": 0.8 * rate + shift / 2, "precision_control": 0.8 * rate + 0.04}
        if attack == names.LIRA:
            # In one replicate there are too few non-members for the smallest false positive rate.
            values |= {f"tpr@{fpr:g}": min(fpr + shift + 0.1 * rate, 1) for fpr in ROC_RATES}
            values["tpr@0.001"] = np.nan if replicate == 1 else 0.5
        key = [experiment, names.arm_of(rate), True, epsilon, attack, False]
        rows += [[*key, metric, replicate, value] for metric, value in values.items()]
    for rate, epsilon, replicate in itertools.product(rates, filter(np.isfinite, epsilons), range(3)):
        key = [experiment, names.arm_of(rate), True, epsilon, NO_ATTACK, False]
        values = {"precision_ceiling": ceiling(epsilon, rate), "accuracy_members": 0.9}
        values |= {f"tpr_ceiling@{fpr:g}": min(fpr + 0.2 + 0.1 * rate, 1) for fpr in ROC_RATES}
        rows += [[*key, metric, replicate, value] for metric, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def accuracies(experiment):
    """Return the accuracies of models trained with the budgets, rounded down as a settings file would."""
    rows = []
    for cell, (replicate, shift) in itertools.product(budgets.budgets().dropna().itertuples(), enumerate(SHIFTS)):
        key = [experiment, cell.arm, True, np.floor(1000 * cell.epsilon) / 1000, NO_ATTACK, False]
        best = 0.5 + 0.1 * cell.bound + 0.1 * cell.rate + shift
        values = {budgets.BEST: best, budgets.FINAL: best - 0.1, "accuracy_members": 0.99}
        values["precision_ceiling"] = ceiling(np.floor(1000 * cell.epsilon) / 1000, cell.rate)
        rows += [[*key, metric, replicate, value] for metric, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


TABLES = {f"replicates/{experiment}": metrics(experiment) for experiment in EXPERIMENTS}
TABLES |= {f"replicates/{experiment}": accuracies(experiment) for experiment in names.BUDGETS}


def wilson(share):
    """Return the 95 % limits of a share whose three values are .02 apart."""
    # (p - share)^2 = (t error)^2 p (1 - p) / (share (1 - share)), solved for p.
    times = HALF**2 / (share * (1 - share))
    return sorted(np.roots([1 + times, -2 * share - times, share**2]))


def run_summary_of(artifact, synthetic=True):
    experiments = {name.partition("/")[2]: DESCRIPTION for name in artifact.tables}
    return RunSummary(synthetic and bool(experiments), "laptop", experiments)


@cache
def tidy(name):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)({table: TABLES[table] for table in artifact.tables}, run_summary_of(artifact))


@cache
def picture(name):
    artifact = BY_NAME[name]
    return load(artifact.draw)(tidy(name), run_summary_of(artifact))


def lines(axes):
    """Return what is drawn with a label: label -> points; error bars by the label of their container."""
    curves = {line.get_label(): line.get_xydata() for line in axes.get_lines() if not line.get_label().startswith("_")}
    return curves | {bars.get_label(): bars.lines[0].get_xydata() for bars in axes.containers}
