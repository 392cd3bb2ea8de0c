"""Tables that belong to no paper: what a second opinion on the run says. Light: read whenever the workflow is."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import Reading

_HERE = "dpmia.validation.engines_agree"

ARTIFACTS = (
    Artifact(
        "engines_agree",
        "table",
        "Some private models of each experiment, trained again by Opacus with the same initial weights, batches and "
        "noise: the largest differences of parameters, losses (nats) and advantage (loss-threshold attack; where the "
        "whole training was repeated, against the stored outputs of the run). Relative: to the largest change of a "
        "parameter in training. The engines agree if the difference of 99 % of parameters and of losses is at most "
        "1e-5 for one model at least, and at most 0.05 for all. Rounding alone makes 2e-7; but Adam may send a weight "
        "whose gradient is zero but for rounding the other way, which by chance one model shows and not several.",
        f"{_HERE}:tabulate",
        ours=True,
        reading=Reading(
            "the same models trained by another engine",
            "Each row: the largest difference between outputs of models that two engines train from the same "
            "initial weights, batches and noise. Differences of the size of rounding mean that both do the same.",
        ),
    ),
    Artifact(
        "accountants_agree",
        "table",
        "Epsilon of some private models of each experiment by our accountant and by the two of Opacus, for the same "
        "sampler, sampling rate, noise multiplier, steps and delta. They differ since Renyi orders (rdp) give a looser "
        "bound than the privacy loss distribution (pld, prv), which is computed numerically: pld rounds it up, prv "
        "adds 0.01 for its error.",
        f"{_HERE}:tabulate_accountants",
        ours=True,
        reading=Reading(
            "the same ε from another accountant",
            "Each row: ε of one mechanism from two libraries. Equal means that both account for the same mechanism.",
        ),
    ),
)

#: Engines that are attacked.
TRIED = ("stacked", "opacus")

#: A table of its own target, as no part of a run changes it: attacks on the guarantees of the engines.
KEPT_EPSILON = Artifact(
    "engines_keep_epsilon",
    "table",
    "Lower bounds on epsilon, from attacks on tiny models that the engines train with and without the strongest record "
    "there is, by an auditor who sees every update. The first bound takes all of the mechanism as known but its noise, "
    "the second nothing; some bound is wrong with a probability of at most 5 %. A bound above the stated epsilon "
    "refutes the engine. Few models give low bounds: gross faults are found, and nothing is proved.",
    "dpmia.validation.engines_keep_epsilon:tabulate",
    tables=("guarantees/engines",),
    ours=True,
    reading=Reading(
        "whether attacks refute the epsilon of an engine",
        "Each row: one training of eight records, repeated with and without one of them. Compare the two lower bounds "
        "with the stated epsilon: above it, the engine adds less noise than it states.",
    ),
)
