"""Invented tables of the configurations of Ye et al., of which no two are alike, and the summaries on them."""

import itertools

import numpy as np
import pandas as pd

from dpmia.formats.rows import COLUMNS, NO_ATTACK
from dpmia.formats.stages import NULLS, PER_RECORD
from dpmia.jobs.describing import ArmDescription, ExperimentDescription
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye import names

ATTACKS = tuple(names.ATTACKS.values())
SHIFTS = (-0.02, 0.0, 0.02)

#: Experiment -> its arms, as the paper names them.
ARMS = {
    "ye_purchase": ("Ia", "Ib", "IIa", "IIb", "III"),
    "ye_purchase_clipped": ("IV",),
    "ye_cifar10": ("I", "II"),
    "ye_cifar10_vgg": ("III",),
    "ye_cifar100": ("Ia", "Ib", "IIa", "IIb"),
    "ye_mnist": ("Ia", "Ib", "IIa", "IIb"),
}
PLACES = [(experiment, arm) for experiment, arms in ARMS.items() for arm in arms]
BY_PLACE = {(row.experiment, row.arm): row for row in names.CONFIGURATIONS}

#: Artifact -> experiment and arm of the configurations that it shows, in its order.
SHOWN = {
    "ye_table1": PLACES[:6],
    "ye_table2": [("ye_purchase", "IIa")],
    "ye_table2_heatmap": [("ye_purchase", "IIa")],
    "ye_table3": PLACES[6:9],
    "ye_table4": PLACES[9:13],
    "ye_table5": PLACES[13:],
    "ye_fig1": [("ye_purchase", "IIa")],
    "ye_fig2": [("ye_purchase", "Ia")],
    "ye_fig3": [("ye_purchase", "Ia"), ("ye_purchase", "IIa")],
    "ye_fig4": [("ye_cifar10_vgg", "III"), ("ye_purchase_clipped", "IV")],
    "ye_fig5": [("ye_purchase", "IIa")],
    "ye_roc_mnist": [("ye_mnist", "Ia"), ("ye_mnist", "IIa")],
}


def auc(experiment, arm, attack):
    """Return the AUC that invented attacks have: no two of them alike."""
    return 0.5 + 0.001 * PLACES.index((experiment, arm)) + 0.03 * ATTACKS.index(attack)


def own(experiment, arm):
    """Return the settings of one arm: no two of them alike."""
    place = PLACES.index((experiment, arm))
    return ArmDescription(500 + place, place / 100, 50 + place, 20 + place, place / 1000)


def described(experiment, arms=None):
    """Return the description of an experiment; what arms have of their own is 9999 or 99, and shown nowhere."""
    return ExperimentDescription(
        dataset=experiment.split("_")[1],
        architecture="vgg",
        sizes="",
        passes="",
        replicates=3,
        optimiser="sgd",
        references=7,
        **dict.fromkeys(("members", "batch_size", "epochs"), 9999),
        **dict.fromkeys(("learning_rate", "l2"), 99.0),
        arms={arm: own(experiment, arm) for arm in arms or ARMS[experiment]},
    )


def replicates(experiment, attacks=ATTACKS, resolution=0.002, shifts=SHIFTS, arms=None):
    """Return the table of an experiment, with TPR = FPR ** (1 / AUC - 1) in the middle target model of each arm."""
    rows = []
    for arm, (replicate, shift) in itertools.product(arms or ARMS[experiment], enumerate(shifts)):
        values = {(NO_ATTACK, "accuracy_members"): 0.9 + shift, (NO_ATTACK, "accuracy_nonmembers"): 0.4 + shift}
        values |= {(NO_ATTACK, "loss_members"): 3.0}  # in no artifact
        for attack in attacks:
            height = auc(experiment, arm, attack)
            values[attack, "auc"] = height + shift
            low = {"tpr_at_1pct_fpr": 0.01, "tpr_at_0.1pct_fpr": 0.001}
            for metric, rate in {**low, **{f"tpr@{rate:g}": rate for rate in ROC_RATES}}.items():
                values[attack, metric] = rate ** (1 / height - 1) + shift / 2 if rate >= resolution else np.nan
        key = [experiment, arm, False, np.inf]
        rows += [[*key, attack, False, metric, replicate, value] for (attack, metric), value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def per_record(experiment, arms=("Ia", "IIa")):
    """Return members and non-members of two arms, the same records.

    Of those of IIa the attacks call an eighth, a quarter, ... members; of those of Ia in the other order, and more.
    """
    rows = []
    parts = [("member", 0), ("nonmember", 100)]
    for arm, target, (part, shift), record in itertools.product(arms, range(2), parts, range(8)):
        for place, attack in enumerate(names.PAPER.values(), start=1):
            for alpha in (0.1, 0.3):
                eighths = place if arm == "IIa" else 8 - place
                loss, threshold = record / 8, eighths / 8 + alpha - 0.3 - 1 / 16
                key = [experiment, arm, target, record + shift, 3, part, attack, alpha]
                rows.append([*key, loss, threshold, loss <= threshold])
    return pd.DataFrame(rows, columns=PER_RECORD)


#: Arm -> two records under one target model, two under two, and by how much thresholds are below an attack's number.
LOOKED_AT = {"Ia": ((17, 19), (5, 4), 0.25), "IIa": ((7, 9), (15, 14), 0.5)}


def nulls(experiment, arms=("Ia", "IIa")):
    """Return losses around the number of the attack, of two records under one target model and under two."""
    rows = []
    for arm in arms:
        of_one, of_two, below = LOOKED_AT[arm]
        places = [(1, 0, record) for record in of_one]
        places += [(2, target, record) for target in (1, 2) for record in of_two]
        for (targets, target, record), (place, attack) in itertools.product(
            places, enumerate(names.PAPER.values(), start=1)
        ):
            key = [experiment, arm, targets, target, record, 3, attack, 0.1, record / 10, place - below, 20]
            rows += [[*key, place + step] for step in np.linspace(-0.5, 0.5, 20) / place]
    return pd.DataFrame(rows, columns=NULLS)


MAKE = {"replicates": replicates, "per_record": per_record, "nulls": nulls}


def tables_of(artifact):
    """Return the tables that an artifact is made of."""
    return {name: MAKE[name.partition("/")[0]](name.partition("/")[2]) for name in artifact.tables}


def run_summary_of(artifact, synthetic=True):
    """Return the `RunSummary` of an artifact."""
    experiments = [name.partition("/")[2] for name in artifact.tables]
    return RunSummary(synthetic, "laptop", {experiment: described(experiment) for experiment in experiments})


def sentence(experiment, arm):
    """Return what a caption says about the models of a configuration."""
    reported = own(experiment, arm)
    how = f"VGG, trained by SGD, {reported.epochs} epochs, batch {reported.batch_size}"
    return f"{BY_PLACE[experiment, arm].label}: {how}, {reported.members} records, 3 targets, 7 reference models."
