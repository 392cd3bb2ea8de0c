"""The figures and theorems of Izzo et al. 2024, and all bounds of the five papers on common axes."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import BOUND, Reading

_HERE = "dpmia.papers.izzo"

ARTIFACTS = (
    Artifact(
        "izzo_theory",
        "table",
        "The theorems' bounds on the best attacker beside the values it reaches, by enumeration of all halves of a few "
        "records; and the two numbers of proposition 9.",
        f"{_HERE}.theory:tabulate",
        ours=True,
        reading=Reading(
            "bounds on the best attacker",
            "Each row is one number of one theorem: the bound beside the value that was computed. A value above its "
            "bound would refute it.",
        ),
    ),
    Artifact(
        "izzo_fig1",
        "figure",
        "Noise scale in the example of proposition 9: constant in the number of records for membership inference "
        "privacy (MIP), growing with it for differential privacy (DP).",
        f"{_HERE}.fig1:tabulate",
        f"{_HERE}.fig1:draw",
        reading=Reading(
            "noise for MIP and for DP",
            "Horizontal: η, the gain over 1/2 that the best attacker may have; smaller is more private. Vertical: "
            "the scale of the noise that each guarantee needs; less noise is more useful. Compare the curves at one "
            "η: the two guarantees differ, and membership inference privacy (MIP) is the weaker one.",
        ),
    ),
    Artifact(
        "izzo_fig2",
        "figure",
        "Error of a covariance matrix learned from Gaussian data with membership inference privacy (MIP) and with "
        "differentially private gradient descent (DP), against the gain of the best attacker.",
        f"{_HERE}.fig2:tabulate",
        f"{_HERE}.fig2:draw",
        ("studies/izzo_fig2",),
        reading=Reading(
            "error of a covariance matrix",
            "Horizontal: the gain of the best attacker over guessing. Vertical: the error of the learned matrix; "
            "lower is more useful. A curve below the other one gives the same protection at a lower price.",
        ),
    ),
    Artifact(
        "bounds_all",
        "figure",
        "Bounds of all five papers on membership inference under differential privacy, on common axes.",
        f"{_HERE}.bounds_all:tabulate",
        f"{_HERE}.bounds_all:draw",
        ours=True,
        reading=Reading("bounds of all five papers", BOUND),
    ),
)
