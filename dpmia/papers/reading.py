"""What each figure and table is about in a few words, and how to read it. Light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How to read an artifact.

    Attributes:
        topic: what it is about, for headings.
        how: axes, what is good and bad, what to compare; with the words of the report's glossary.
        first: of a table, columns that carry its point, behind those that name a row: pages show them first.
    """

    topic: str
    how: str
    first: tuple[str, ...] = ()


_BY_EPSILON = (
    "Horizontal: the privacy budget ε; smaller is more private, ∞ is training without privacy. Vertical: the advantage "
    "of an attack; 0 is guessing, 1 is every member identified without a false positive. Both upper bounds hold for "
    "independent records: attacks on the IID arm stay below them. A non-IID arm above them does not refute the bound, "
    "it shows distribution shift. Compare it with the blind baseline, which never queries the model: only what an "
    "attack gains beyond that can come from the model. The accuracy panel shows the price of privacy."
)
_BY_RATE = (
    "Horizontal: the sampling rate p, the probability that a record is in the training set; it is also the precision "
    "of predicting every record a member. Vertical: the precision of the attack's positive predictions. The diagonal "
    "is guessing; what matters is the height above it. An attack stays below the bound of its own ε."
)
_BOUND = (
    "Computed from formulas, no model is trained. A lower curve is a stronger guarantee: no attack on a mechanism with "
    "this privacy budget can do better."
)
_ROC = (
    "Horizontal: false positive rate, the share of non-members that the attack predicts members. Vertical: true "
    "positive rate, the share of members identified. The diagonal is guessing; up and to the left is a stronger "
    "attack. On logarithmic axes the left end counts: members identified with hardly any false positive."
)
_LOSSES = (
    "Each panel: losses of a model on records of known membership, and the threshold that the attack takes from them. "
    "A record whose loss is below the threshold is predicted a member. The further the threshold adapts to record and "
    "model, the fewer wrong predictions."
)
_OVERFITTING = (
    "Horizontal: overfitting, the error on new records over the error on members; 1 is none. Vertical: the advantage "
    "of the attack; 0 is guessing. Points that rise along the curve support the theorem that it is drawn from."
)
_AUC = (
    "Each row is one attack or property in one configuration. AUC: how often the attack ranks a member above a non- "
    "member; 0.5 is guessing, 1 is no mistake. Compare ours with the paper's value beside it; a difference within two "
    "spreads is within the scatter of target models."
)
_ACCURACY = (
    "Horizontal: the sampling rate p of the training set. Vertical: test accuracy. Each curve keeps the precision of "
    "any attack below one bound; the smaller p, the larger the ε that this allows. A maximum at small p means that "
    "less data with less noise is better."
)
_THEOREMS = "Each row is one number of one theorem: the bound beside the value that was computed or simulated. "

READING = {
    "humphries_fig1": Reading("bounds for independent records", _BOUND),
    "humphries_fig2": Reading("Adult, members and non-members from different clusters", _BY_EPSILON),
    "humphries_fig2_reverse": Reading("Adult, members from the other cluster", _BY_EPSILON),
    "humphries_fig2_nearest": Reading("Adult, clusters paired nearest", _BY_EPSILON),
    "humphries_fig2_guarantees": Reading("Adult, other neighbouring relations and noise", _BY_EPSILON),
    "humphries_fig3": Reading("COMPAS, members and non-members from different clusters", _BY_EPSILON),
    "humphries_fig3_nearest": Reading("COMPAS, clusters paired nearest", _BY_EPSILON),
    "humphries_fig4": Reading("Adult, share of men differs", _BY_EPSILON),
    "humphries_fig5": Reading("Adult, share of little education differs", _BY_EPSILON),
    "humphries_fig5_text": Reading("Adult, education grouped as in the paper's text", _BY_EPSILON),
    "humphries_fig6": Reading("heart disease, members from one hospital", _BY_EPSILON),
    "humphries_fig7": Reading("students, members from one school", _BY_EPSILON),
    "humphries_fig8": Reading("Texas, members from one region", _BY_EPSILON),
    "humphries_fig9": Reading("census and Adult, members from another year", _BY_EPSILON),
    "humphries_dependence": Reading(
        "advantage against the dependence index",
        "Each marker is one experiment. Horizontal: the dependence index, the AUC of a blind baseline; 0.5 means that "
        "members and non-members cannot be separated without the model. Vertical: the advantage of the attack. "
        "Markers that rise to the right exploit distribution shift.",
    ),
    "humphries_limits": Reading(
        "attacks beside upper bound and blind baseline",
        "Each row is one arm at one ε. The attack on the IID arm should lie below the exact upper bound. Where the "
        "attack on the non-IID arm exceeds it, compare the blind baseline: if that is higher still, the attack "
        "exploits the distribution shift, not leakage from the model.",
        first=("experiment", "epsilon", "attack, non-IID", "blind baseline", "exact upper bound"),
    ),
    "humphries_strong": Reading("attacks with reference models", _BY_EPSILON),
    "humphries_strong_limits": Reading(
        "the strongest attack beside the upper bounds",
        "Each row is one arm at one ε. On the IID arm, the strongest attack should lie below both exact upper bounds, "
        "of advantage and of the true positive rate at 1 % false positives: above one it would reveal an error in the "
        "training or in its accounting. Without privacy (ε = ∞) it shows what the attacks can do.",
        first=("experiment", "epsilon", "best attack, IID", "exact upper bound", "best attack, non-IID"),
    ),
    "humphries_canaries": Reading(
        "worst-case records",
        "Each row is an attack at one ε on records that are built to be as exposed as possible. The lower bound on ε "
        "is what the guesses prove; above the ε of the privacy guarantee it would reveal an error in the training.",
    ),
    "humphries_table2": Reading(
        "sizes of the experiments",
        "Each cell: ours / the paper's. Where they differ, a claim below states the reason.",
        first=("experiment",),
    ),
    "humphries_sampling": Reading(
        "shuffled epochs or Poisson batches",
        "Each row compares two ways to sample batches, from the same initial weights; intervals of a difference that "
        "hold 0 show none.",
    ),
    "izzo_theory": Reading(
        "bounds on the best attacker", _THEOREMS + "A measured value above its bound would refute it."
    ),
    "izzo_fig1": Reading(
        "noise for MIP and for DP",
        "Horizontal: η, the gain over 1/2 that the best attacker may have; smaller is more private. Vertical: the "
        "scale of the noise that each guarantee needs; less noise is more useful. Compare the curves at one η: the "
        "two guarantees differ, and membership inference privacy (MIP) is the weaker one.",
    ),
    "izzo_fig2": Reading(
        "error of a covariance matrix",
        "Horizontal: the gain of the best attacker over guessing. Vertical: the error of the learned matrix; lower is "
        "more useful. A curve below the other one gives the same protection at a lower price.",
    ),
    "bounds_all": Reading("bounds of all five papers", _BOUND),
    "thudi_theory": Reading("numbers of the theorems", _THEOREMS + "Printed and corrected values stand apart."),
    "thudi_controls": Reading(
        "LiRA with and without clipping and noise",
        "The first models have no protection: there LiRA must work, or its failure on private models shows nothing. "
        "Then clipping, then noise are added; watch the advantage fall.",
    ),
    "thudi_fig1": Reading("bound on precision against the sampling rate", _BOUND),
    "thudi_fig2": Reading("terms of the bound", _BOUND),
    "thudi_fig3": Reading("precision of LiRA by sampling rate and ε", _BY_RATE),
    "thudi_fig4": Reading(
        "gain of LiRA over predicting every record a member",
        "Vertical: precision minus the sampling rate p; 0 is guessing. The random control shows how far chance alone "
        "goes.",
    ),
    "thudi_fig5": Reading("best test accuracy against the sampling rate", _ACCURACY),
    "thudi_fig6": Reading("last test accuracy against the sampling rate", _ACCURACY),
    "thudi_fig7": Reading(
        "deletion requests without retraining",
        "Horizontal: the expected size of the training set. Vertical: how many deletion requests can be served before "
        "the model must be trained anew; more is better.",
    ),
    "thudi_fig8": Reading(
        "one private step of logistic regression",
        "Horizontal: the threshold on the final weight. Vertical: how often the attack that uses it is right. The "
        "bounds are drawn across; the highest point of a curve is what the best threshold reaches.",
    ),
    "thudi_fig9": Reading("bounds on accuracy at sampling rate 1/2", _BOUND),
    "thudi_fig10": Reading("bounds on precision for three ε", _BOUND),
    "thudi_fig11": Reading("ROC of LiRA by sampling rate", _ROC),
    "thudi_fig12": Reading("precision of LiRA without privacy", _BY_RATE),
    "thudi_fig13": Reading("precision of LiRA by the rate of its shadow models", _BY_RATE),
    "thudi_fig14": Reading("precision of attack P", _BY_RATE),
    "thudi_fig15": Reading("precision of attack R", _BY_RATE),
    "thudi_fig16": Reading("precision of attack R at four false positive rates", _BY_RATE),
    "thudi_fig17": Reading("precision of attack R, shadow models at the target's rate", _BY_RATE),
    "ye_table1": Reading("AUC on Purchase100", _AUC),
    "ye_table2": Reading(
        "agreement of attacks on Purchase100",
        "Each number is the share of records on which two attacks decide alike; 1 is always. GT is the true "
        "membership: agreement with it on members is the true positive rate, on non-members 1 minus the false "
        "positive rate.",
    ),
    "ye_table2_heatmap": Reading(
        "agreement of attacks as a heatmap",
        "Each cell is the share of records on which two attacks decide alike, the paper's in parentheses; darker is "
        "more.",
    ),
    "ye_table3": Reading("AUC on CIFAR10", _AUC),
    "ye_table4": Reading("AUC on CIFAR100", _AUC),
    "ye_table5": Reading("AUC on MNIST", _AUC),
    "ye_fig1": Reading("losses behind each threshold, two members", _LOSSES),
    "ye_fig2": Reading("losses behind each threshold, two target models", _LOSSES),
    "ye_fig3": Reading("ROC on Purchase100", _ROC),
    "ye_fig4": Reading("ROC on CIFAR10 and Purchase100", _ROC),
    "ye_roc_mnist": Reading("ROC on MNIST", _ROC),
    "ye_fig5": Reading(
        "loss minus threshold of members, by two attacks",
        "Each marker is one member. Below 0 an attack predicts it a member, rightly. Markers on one side of a zero "
        "line only are members that one of the two attacks misses.",
    ),
    "yeom_theory": Reading(
        "theorems at a few ratios of errors", _THEOREMS + "Simulated values lie within their error."
    ),
    "yeom_fig1": Reading(
        "attribute advantage against influence",
        "Horizontal: the influence of the hidden feature on the prediction, in units of the error on members. "
        "Vertical: how much better the attack infers it for members than for others; 0 is no leak about membership. "
        "More overfitting, a higher curve.",
    ),
    "yeom_fig2a": Reading("regression and trees, errors of both groups known", _OVERFITTING),
    "yeom_fig2b": Reading("regression and trees, errors of members known", _OVERFITTING),
    "yeom_fig2c": Reading("convolutional networks, mean training loss known", _OVERFITTING),
    "yeom_fig3": Reading(
        "warfarin patients, membership and attribute inference",
        "Horizontal: overfitting; 1 is none. Vertical: the advantage of each attack. An attack made from the other "
        "one by a reduction of the paper lies close to it where the theorem is tight.",
    ),
    "yeom_fig4a": Reading(
        "colluding trainer, advantage against size",
        "Horizontal: the size of the network. Vertical: the advantage of an attacker who shares a key with the "
        "trainer; 1 is every member identified.",
    ),
    "yeom_fig4b": Reading(
        "colluding trainer, generalisation error against size",
        "Horizontal: the size of the network. Vertical: the generalisation error. Equal heights of the colluding and "
        "the honest trainer: this error does not reveal the collusion.",
    ),
    "yeom_table1": Reading(
        "precision and recall of the attack",
        "Precision: how often a positive prediction is right, 0.5 is guessing where half of the records are members. "
        "Recall: the share of members identified. Compare ours with what both papers print.",
    ),
    "engines_agree": Reading(
        "the same models trained by another engine",
        "Each row: the largest difference between outputs of models that two engines train from the same initial "
        "weights, batches and noise. Differences of the size of rounding mean that both do the same.",
    ),
    "accountants_agree": Reading(
        "the same ε from another accountant",
        "Each row: ε of one mechanism from two libraries. Equal means that both account for the same mechanism.",
    ),
}
