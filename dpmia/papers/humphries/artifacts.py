"""The figures and tables of Humphries et al. 2023."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact

_HERE = "dpmia.papers.humphries"

ARTIFACTS = (
    Artifact(
        "humphries_fig1",
        "figure",
        "Three bounds on membership advantage that differential privacy gives for independent records (delta = 1e-5).",
        f"{_HERE}.bounds:tabulate",
        f"{_HERE}.bounds:draw",
    ),
    Artifact(
        "humphries_fig2",
        "figure",
        "Adult, members and non-members from different clusters, against the same records shuffled (IID).",
        f"{_HERE}.epsilon_curves:tabulate",
        f"{_HERE}.fig2:draw",
        ("adult_cluster",),
    ),
    Artifact(
        "humphries_fig3",
        "figure",
        "COMPAS, members and non-members from different clusters, against the same records shuffled (IID).",
        f"{_HERE}.epsilon_curves:tabulate",
        f"{_HERE}.fig3:draw",
        ("compas_cluster",),
    ),
    Artifact(
        "humphries_fig6",
        "figure",
        "Heart disease: members from one hospital, non-members from the three others; one panel for each hospital.",
        f"{_HERE}.epsilon_curves:tabulate",
        f"{_HERE}.fig6:draw",
        ("heart",),
    ),
    Artifact(
        "humphries_fig7",
        "figure",
        "Students: members from the school Gabriel Pereira, non-members from Mousinho da Silveira.",
        f"{_HERE}.epsilon_curves:tabulate",
        f"{_HERE}.fig7:draw",
        ("student",),
    ),
    Artifact(
        "humphries_table2",
        "table",
        "Features, classes and numbers of records of every experiment, beside those that the paper prints.",
        f"{_HERE}.table2:tabulate",
        experiments=("adult_cluster", "compas_cluster", "heart", "student"),
        stage="sizes",
    ),
)
