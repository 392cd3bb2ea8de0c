"""What a figure or table is about in a few words, and how to read it: the texts that several share. Light."""

from __future__ import annotations

from dataclasses import dataclass

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class Reading(PlainData):
    """How to read an artifact.

    Attributes:
        topic: what it is about, for headings.
        how: axes, what is good and bad, what to compare; with the words of the report's glossary.
        first: of a table, columns that carry its point, behind those that name a row: pages show them first.
    """

    topic: str
    how: str
    first: tuple[str, ...] = ()


BY_EPSILON = (
    "Horizontal: the privacy budget ε; smaller is more private, ∞ is training without privacy. Vertical: the advantage "
    "of an attack; 0 is guessing, 1 is every member identified without a false positive. Both upper bounds hold for "
    "independent records: attacks on the IID arm stay below them. A non-IID arm above them does not refute the bound, "
    "it shows distribution shift. Compare it with the blind baseline, which never queries the model: an attack "
    "below that shows neither leakage from the model nor its absence."
)
WITH_ACCURACY = f"{BY_EPSILON} The accuracy panel shows the price of privacy."
_RATE = (
    "Horizontal: the sampling rate p, the probability that a record is in the training set; it is also the precision "
    "of predicting every record a member. Vertical: the precision of the attack's positive predictions. "
)
BY_RATE = _RATE + (
    "The diagonal is guessing; what matters is the height above it. An attack that finds at least 1 % of the members "
    "stays below the bound of its own ε."
)
BEST_BY_RATE = _RATE + (
    "The threshold is chosen with the membership labels: so a random ranking reaches the dotted line, and only what "
    "lies above that is the attack's. Bounds, where drawn, hold for attacks that do not see the labels."
)
BOUND = (
    "Computed from formulas, no model is trained. A lower curve is a stronger guarantee: no attack on a mechanism with "
    "this privacy budget can do better."
)
ROC_CURVES = (
    "Horizontal: false positive rate, the share of non-members that the attack predicts members. Vertical: true "
    "positive rate, the share of members identified. The diagonal is guessing; up and to the left is a stronger "
    "attack. On logarithmic axes the left end counts: members identified with hardly any false positive."
)
LOSSES = (
    "Each panel: the losses that an attack takes for those of a non-member, of other records (S, P) or of this record "
    "under other models (R, D), and the threshold that follows from them. A record whose loss is below the threshold "
    "is predicted a member. The further the threshold adapts to record and model, the fewer wrong predictions."
)
OVERFITTING = (
    "Horizontal: overfitting, the error on new records over the error on members; 1 is none. Vertical: the advantage "
    "of the attack; 0 is guessing. Points that rise along the curve support the theorem that it is drawn from."
)
AUC = (
    "Each row is one measure in one configuration, with a column for each attack. AUC: how often the attack ranks a "
    "member above a non-member; 0.5 is guessing, 1 is no mistake. Compare ours with the paper's value beside it; a "
    "difference within two spreads is within the scatter of target models."
)
ACCURACY = (
    "Horizontal: the sampling rate p of the training set. Vertical: test accuracy. Each curve keeps the precision of "
    "any attack below one bound; the smaller p, the larger the ε that this allows. A maximum at small p means that "
    "less data with less noise is better."
)
