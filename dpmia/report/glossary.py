"""The glossary of the report: words that figures and claims use, each in one or two sentences."""

from __future__ import annotations

#: Word -> what it means.
GLOSSARY = {
    "membership inference attack": "decides whether a record was in the training set of a model, from the model's "
    "outputs on it.",
    "member, non-member": "a record that was in the training set; one that was not.",
    "advantage": "true positive rate minus false positive rate of an attack. 0 is guessing, 1 is every member "
    "identified without a false positive.",
    "precision": "the share of predictions \N{LEFT DOUBLE QUOTATION MARK}member\N{RIGHT DOUBLE QUOTATION MARK} that "
    "are right (Thudi et al.: positive accuracy).",
    "AUC": "how often an attack ranks a random member above a random non-member. 0.5 is guessing.",
    "privacy guarantee, privacy budget": "(ε, δ) of differential privacy: how much one record can change the "
    "distribution of the trained model. Smaller ε is more private; ∞ is training without privacy.",
    "(ε, δ) bound": "what any attack can gain at most against any mechanism with this privacy budget, if members and "
    "non-members are drawn alike.",
    "exact upper bound": "the same for the trained mechanism itself, from its privacy loss distribution: tighter "
    "than the (ε, δ) bound.",
    "IID": "members and non-members are drawn from one pool, so that the bounds hold.",
    "distribution shift": "members and non-members come from different populations, as those of two hospitals: a "
    "non-IID arm. The bounds do not hold there.",
    "arm": "one way to draw members and non-members within an experiment.",
    "blind baseline": "a classifier that sees the records and never the model. What it reaches is no leakage from the "
    "model.",
    "dependence index": "AUC of the blind baseline: how well members and non-members can be separated without a model.",
    "oracle": "an attack that picks its threshold with the membership labels: an upper limit, no attack.",
    "reference models, shadow models": "models that the attacker trains on other records to learn how members and "
    "non-members score.",
    "replicate": "one draw of members with its own trained models. Intervals are over replicates, unless a caption "
    "names another source.",
    "sampling rate": "the probability that a record is drawn into the training set (p), or into one batch (q).",
    "synthetic data": "records that this library draws in the publishers' file formats. They show that the workflow "
    "runs, and nothing about people.",
    "power": "how often a claim is reproduced in draws with the measured scatter, if the effect is as measured or "
    "printed; and the margin from its threshold that is shown so often (minimal detectable effect).",
    "undecided": "the limits include both outcomes: more replicates are needed (snakemake decide).",
    "too few records": "undecided, and more replicates would hardly change that: all of them share these records.",
    "met by random scores": "random scores and equal accuracies satisfy the criterion, too: no evidence about attacks.",
    "other network": "not reproduced, on networks that are not those of the paper.",
    "settings lost": "measured, but our text of the paper has lost its settings: no outcome would decide.",
}
