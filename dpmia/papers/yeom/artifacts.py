"""The figures and tables of Yeom et al. 2018."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import OVERFITTING, Reading
from dpmia.papers.yeom.names import COLLUDING, HONEST

_HERE = "dpmia.papers.yeom"
_HONEST = tuple(f"summary/{experiment}" for experiment in HONEST)
_COLLUDING = tuple(f"summary/{experiment}" for experiment in COLLUDING)
_REPLICATES = tuple(f"replicates/{experiment}" for experiment in (*COLLUDING, *HONEST))

ARTIFACTS = (
    Artifact(
        "yeom_theory",
        "table",
        "The theorems at a few ratios of standard deviations (new records over members); the threshold attack also "
        "simulated on a million normal errors of either kind.",
        f"{_HERE}.theory:tabulate",
        ours=True,
        reading=Reading(
            "theorems at a few ratios of errors",
            "Each row is one ratio of errors: what theorem 3 and its variants give, beside what was simulated. "
            "Simulated values lie within their error.",
        ),
    ),
    Artifact(
        "yeom_fig1",
        "figure",
        "Attribute advantage against the influence of a target of two values, for several amounts of overfitting.",
        f"{_HERE}.fig1:tabulate",
        f"{_HERE}.fig1:draw",
        reading=Reading(
            "attribute advantage against influence",
            "Horizontal: the influence of the hidden feature on the prediction, in units of the error on members. "
            "Vertical: how much better the attack infers it for members than for others; 0 is no leak about "
            "membership. More overfitting, a higher curve.",
        ),
    ),
    Artifact(
        "yeom_fig2a",
        "figure",
        "Membership advantage on linear regression and trees against overfitting; the attacker knows the errors of "
        "members and of new records.",
        f"{_HERE}.fig2a:tabulate",
        f"{_HERE}.fig2a:draw",
        ("studies/yeom_eyedata", "studies/yeom_iwpc"),
        reading=Reading("regression and trees, errors of both groups known", OVERFITTING),
    ),
    Artifact(
        "yeom_fig2b",
        "figure",
        "Membership advantage on linear regression and trees against overfitting; the attacker knows the errors of "
        "members only.",
        f"{_HERE}.fig2b:tabulate",
        f"{_HERE}.fig2b:draw",
        ("studies/yeom_eyedata", "studies/yeom_iwpc"),
        reading=Reading("regression and trees, errors of members known", OVERFITTING),
    ),
    Artifact(
        "yeom_fig2c",
        "figure",
        "Membership advantage on convolutional networks against overfitting; the attacker knows the mean training "
        "loss.",
        f"{_HERE}.fig2c:tabulate",
        f"{_HERE}.fig2c:draw",
        _HONEST,
        some_suffice=True,
        reading=Reading("convolutional networks, mean training loss known", OVERFITTING),
    ),
    Artifact(
        "yeom_fig3",
        "figure",
        "Two genotypes of warfarin patients: membership and attribute inference, and the reductions between them, "
        "against overfitting.",
        f"{_HERE}.fig3:tabulate",
        f"{_HERE}.fig3:draw",
        ("studies/yeom_iwpc",),
        reading=Reading(
            "warfarin patients, membership and attribute inference",
            "Horizontal: overfitting; 1 is none. Vertical: the advantage of each attack. The uniform attack, made from "
            "membership inference by theorem 7, has the m-th part of its advantage for a genotype of m values; "
            "multi-query evaluates all values and comes closer to it.",
        ),
    ),
    Artifact(
        "yeom_fig4a",
        "figure",
        "Advantage of an attacker who colludes with the trainer, against the size of the network.",
        f"{_HERE}.fig4a:tabulate",
        f"{_HERE}.fig4a:draw",
        _COLLUDING,
        some_suffice=True,
        reading=Reading(
            "colluding trainer, advantage against size",
            "Horizontal: the size of the network. Vertical: the advantage of an attacker who shares a key with the "
            "trainer; 1 is every member identified.",
        ),
    ),
    Artifact(
        "yeom_fig4b",
        "figure",
        "Generalisation error of networks trained by a colluding and by an honest trainer, against their size.",
        f"{_HERE}.fig4b:tabulate",
        f"{_HERE}.fig4b:draw",
        _REPLICATES,
        some_suffice=True,
        reading=Reading(
            "colluding trainer, generalisation error against size",
            "Horizontal: the size of the network. Vertical: the generalisation error. Equal heights of the "
            "colluding and the honest trainer: this error does not reveal the collusion.",
        ),
    ),
    Artifact(
        "yeom_table1",
        "table",
        "Precision and recall of the attack with the mean training loss as its threshold, beside what the paper and "
        "Shokri et al. print. Our choice: s = 32, or the largest size that was trained. `low` and `high`: 95 % "
        "limits; the column interval says over what.",
        f"{_HERE}.table1:tabulate",
        tables=_HONEST,
        some_suffice=True,
        reading=Reading(
            "precision and recall of the attack",
            "Precision: how often a positive prediction is right, 0.5 is guessing where half of the records are "
            "members. Recall: the share of members identified. Compare ours with what both papers print.",
        ),
    ),
)
