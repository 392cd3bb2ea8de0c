"""What an audit's verdicts mean and what its words are, for readers who protect data and train no models."""

from __future__ import annotations

from dpmia.audit.verdicts import APART, LEAKS, OPEN, QUIET, REVERSED, SHIFT

#: What stands above everything that a run at scale `smoke` finds.
TRIAL = "Scale smoke: a short trial that shows that all works; no number here is a result."

#: Kind of verdict (`dpmia.audit.verdicts.MODEL_VERDICTS`) -> what it means for the persons in the data.
MEANING = {
    LEAKS: "Whoever can query this model learns more about who is in its training data than by chance. Treat "
    "membership as disclosed to them, above all where membership itself is sensitive: the patients of a clinic, the "
    "debtors of a bank.",
    SHIFT: "Training records and other records can be separated, and that the groups differ may be the whole reason. "
    "Whether the model adds to it was not shown. The risk stands all the same for an attacker who knows both groups.",
    APART: "Members can be separated from non-members by the model's outputs. Whether the model does that cannot be "
    "said, or whether the two sets of records differ by themselves: how members were chosen is not known. Where they "
    "were drawn at random from the same pool as the non-members, the model reveals membership.",
    REVERSED: "An attack ranks members below non-members. An attacker who turns its ranking round separates them, so "
    "this is no sign of safety. Most likely the two are marked the wrong way round, or the attack does not fit.",
    QUIET: "No attack that was run is shown to do better than guessing: on all records (AUC, advantage), and on "
    "those that it is surest of (TPR at 1 % FPR, which takes 100 non-members). This is evidence, no proof: only a "
    "privacy guarantee holds against attacks that nobody has thought of.",
    OPEN: "The data do not allow an answer in either direction. Take more records, or more replicates, before you "
    "decide.",
}

#: Word -> what it means.
GLOSSARY = {
    "member, non-member": "a record that the model was trained on; one that it was not trained on. In this table a "
    "record stands for a person, unless the table says otherwise.",
    "membership inference": "to decide from a model's outputs whether a record was in its training data.",
    "attack": "a method for that. The audit plays the attacker: it knows the truth and counts how often an attack is "
    "right.",
    "ranked above, of 100 pairs": "the attack sees one member and one non-member, and names the member. 50 of 100 is "
    "guessing, 100 is no mistake. Tables print it as a share: AUC, 0.5 to 1.",
    "false positive rate": "the share of non-members that the attack takes for members. An attack that finds many "
    "members at 1 % is dangerous: its few claims are mostly right.",
    "TPR": "true positive rate: the share of members that the attack finds at that false positive rate.",
    "advantage": "true positive rate minus false positive rate. 0 is guessing, 1 is every member found without a "
    "mistake.",
    "epsilon": "the budget of differential privacy: the smaller, the less any single record can change the model. "
    "Without it there is no limit (∞).",
    "bounds": "what no attack can exceed, by the mathematics of differential privacy, if records are independent.",
    "IID": "members and non-members are drawn from the same distribution, so that only the model can distinguish them.",
    "blind baseline": "a classifier that sees the records and never the model. What it separates is a difference "
    "between groups, no leakage from the model.",
    "interval": "in brackets: where the value lies with 95 % confidence (in the table of limits: one-sided limits). A "
    "wide interval means too few records or replicates.",
    "replicate": "one more training run, with other members. The spread over replicates is in the interval.",
}
