"""The figures and tables of Humphries et al. 2023."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.humphries.names import STRONG
from dpmia.papers.reading import BOUND, BY_EPSILON, WITH_ACCURACY, Reading

_HERE = "dpmia.papers.humphries"
_CURVES = f"{_HERE}.epsilon_curves:tabulate"
_BLIND = (
    *("summary/adult_cluster", "summary/adult_cluster_reverse", "summary/adult_cluster_nearest"),
    *(
        "summary/compas_cluster",
        "summary/compas_cluster_nearest",
        "summary/adult_gender",
        "summary/adult_education",
        "summary/heart",
        "summary/student",
    ),
    *("summary/texas", "summary/census_adult"),
)
_SHUFFLED = "beside the same records shuffled (IID)"

ARTIFACTS = (
    Artifact(
        "humphries_fig1",
        "figure",
        "Three bounds on membership advantage that differential privacy gives for independent records (delta = 1e-5).",
        f"{_HERE}.bounds:tabulate",
        f"{_HERE}.bounds:draw",
        reading=Reading("bounds for independent records", BOUND),
    ),
    Artifact(
        "humphries_fig2",
        "figure",
        f"Adult, members and non-members from different clusters, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_four",
        ("summary/adult_cluster",),
        reading=Reading("Adult, members and non-members from different clusters", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig2_reverse",
        "figure",
        f"As figure 2 with members from the other cluster, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_four",
        ("summary/adult_cluster_reverse",),
        ours=True,
        reading=Reading("Adult, members from the other cluster", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig2_nearest",
        "figure",
        f"As figure 2 with the clusters of the two classes paired the other way, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_two",
        ("summary/adult_cluster_nearest",),
        ours=True,
        reading=Reading("Adult, clusters paired nearest", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig2_guarantees",
        "figure",
        "Figure 2 under both neighbouring relations and with the noise of the published code.",
        f"{_HERE}.guarantees:tabulate",
        f"{_HERE}.guarantees:draw",
        ("summary/adult_cluster", "summary/adult_cluster_add_remove", "summary/adult_cluster_published"),
        ours=True,
        reading=Reading("Adult, other neighbouring relations and noise", BY_EPSILON),
    ),
    Artifact(
        "humphries_fig3",
        "figure",
        f"COMPAS, members and non-members from different clusters, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_two",
        ("summary/compas_cluster",),
        reading=Reading("COMPAS, members and non-members from different clusters", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig3_nearest",
        "figure",
        f"As figure 3 with the clusters of the two classes paired the other way, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_two",
        ("summary/compas_cluster_nearest",),
        ours=True,
        reading=Reading("COMPAS, clusters paired nearest", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig4",
        "figure",
        "Adult with a gender-biased training set: p = share of men among members (1/2 among non-members).",
        _CURVES,
        f"{_HERE}.shares:draw_gender",
        ("summary/adult_gender",),
        reading=Reading("Adult, share of men differs", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig5",
        "figure",
        "Adult with an education-biased training set: p = share of people with little education among members (1/2 "
        "among non-members).",
        _CURVES,
        f"{_HERE}.shares:draw_education",
        ("summary/adult_education",),
        reading=Reading("Adult, share of little education differs", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig5_text",
        "figure",
        "As figure 5, with 'some college' grouped as in the paper's text (high education), not as in its code.",
        _CURVES,
        f"{_HERE}.shares:draw_education",
        ("summary/adult_education_text",),
        ours=True,
        reading=Reading("Adult, education grouped as in the paper's text", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig6",
        "figure",
        "Heart disease: members from one hospital, non-members from the three others; one panel for each hospital.",
        _CURVES,
        f"{_HERE}.groups:draw_arms",
        ("summary/heart",),
        reading=Reading("heart disease, members from one hospital", BY_EPSILON),
    ),
    Artifact(
        "humphries_fig7",
        "figure",
        "Students: members from the school Gabriel Pereira, non-members from Mousinho da Silveira.",
        _CURVES,
        f"{_HERE}.groups:draw_two",
        ("summary/student",),
        reading=Reading("students, members from one school", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig8",
        "figure",
        f"Texas: members from public health region 3, non-members from the others, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_four",
        ("summary/texas",),
        reading=Reading("Texas, members from one region", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_fig9",
        "figure",
        f"Members from the KDD census data of 1994, non-members from Adult, {_SHUFFLED}.",
        _CURVES,
        f"{_HERE}.groups:draw_four",
        ("summary/census_adult",),
        reading=Reading("census and Adult, two selections from one census", WITH_ACCURACY),
    ),
    Artifact(
        "humphries_dependence",
        "figure",
        "All experiments: advantage of an attack against the dependence index, which needs no trained model.",
        f"{_HERE}.dependence:tabulate",
        f"{_HERE}.dependence:draw",
        _BLIND,
        ours=True,
        reading=Reading(
            "advantage against the dependence index",
            "Each marker is one arm of an experiment. Horizontal: the dependence index, the AUC of a blind baseline; "
            "0.5 means that members and non-members cannot be separated without the model. Vertical: the advantage of "
            "the attack. Markers that rise to the right exploit distribution shift.",
        ),
    ),
    Artifact(
        "humphries_limits",
        "table",
        "Advantage of the average threshold, beside the exact upper bound (valid for independent records) and the "
        "blind baseline (which sees only the records, and is supervised on other records of both groups); the true "
        "positive rate of the average threshold's ranking at 1 % false positives, with the exact upper bound of that. "
        "Differences to the blind baseline are means over the replicates that have one. "
        "In brackets: 95 % intervals; the last column says over what that of the attack, non-IID, is.",
        f"{_HERE}.limits:tabulate",
        tables=_BLIND,
        ours=True,
        reading=Reading(
            "attacks beside upper bound and blind baseline",
            "Each row is one arm at one ε. The attack on the IID arm should lie below the exact upper bound. Where "
            "the attack on the non-IID arm exceeds it, compare the blind baseline: an attack below that shows neither "
            "leakage from the model nor its absence. The gain of blind from losses is an upper limit on what the model "
            "adds.",
            ("experiment", "epsilon", "attack, non-IID", "blind baseline", "exact upper bound"),
        ),
    ),
    Artifact(
        "humphries_strong",
        "figure",
        "Figures 2 and 7 under attacks with reference models and quantile regression (ours): the best at each epsilon.",
        f"{_HERE}.strong:tabulate",
        f"{_HERE}.strong:draw",
        ("summary/adult_cluster_strong", "summary/student_strong"),
        ours=True,
        reading=Reading(
            "attacks with reference models",
            "Horizontal: the privacy budget ε; smaller is more private, ∞ is training without privacy. Vertical: the "
            "advantage, or the true positive rate at 1 % false positives, of the best attack at each ε. Upper bounds "
            "hold for independent records: a non-IID arm above them does not refute them.",
        ),
    ),
    Artifact(
        "humphries_strong_limits",
        "table",
        "The strongest of LiRA, RMIA (online and offline), quantile regression and the average threshold (ours), which "
        "the largest mean picks, beside the exact upper bounds of advantage and of the true positive rate at 1 % false "
        "positives, which hold for IID records. Limits hold for all attacks together, by Bonferroni. Non-IID, online "
        "attacks count for students and hospitals only: elsewhere more reference models hold a record of the smaller "
        "group, which alone separates members.",
        f"{_HERE}.strong_limits:tabulate",
        tables=tuple(f"summary/{name}" for name in STRONG),
        some_suffice=True,
        ours=True,
        reading=Reading(
            "the strongest attack beside the upper bounds",
            "Each row is one arm at one ε. On the IID arm, the strongest attack should lie below both exact upper "
            "bounds, of advantage and of the true positive rate at 1 % false positives: above one it would reveal "
            "an error in the training or in its accounting. Without privacy (ε = ∞) it shows what the attacks can "
            "do.",
            ("experiment", "epsilon", "best attack, IID", "exact upper bound", "best attack, non-IID"),
        ),
    ),
    Artifact(
        "humphries_canaries",
        "table",
        "Worst-case records (ours), trained on or not by the toss of a coin: attacks on them, the exact upper bound, "
        "and the lower bound on epsilon from guesses of their membership (95 %, all attacks of an epsilon together).",
        f"{_HERE}.canaries:tabulate",
        tables=("replicates/adult_canaries", "replicates/student_canaries"),
        ours=True,
        reading=Reading(
            "worst-case records",
            "Each row is an attack at one ε on records that are built to be as exposed as possible. The lower bound "
            "on ε is what the guesses prove; above the ε of the privacy guarantee it would reveal an error in the "
            "training.",
        ),
    ),
    Artifact(
        "humphries_table2",
        "table",
        "Features, classes and numbers of records of every experiment, beside the paper's.",
        f"{_HERE}.table2:tabulate",
        tables=(
            "sizes/adult_cluster",
            "sizes/compas_cluster",
            "sizes/adult_education",
            "sizes/adult_gender",
            "sizes/heart",
            "sizes/student",
            "sizes/texas",
            "sizes/census_adult",
        ),
        reading=Reading(
            "sizes of the experiments",
            "Each cell: ours / the paper's. Where they differ, a claim below states the reason.",
            ("experiment",),
        ),
    ),
    Artifact(
        "humphries_sampling",
        "table",
        "Ours: heart disease models without privacy, trained in shuffled epochs (as published) and on Poisson batches, "
        "from the same initial weights. In brackets: 95 % intervals; the last column says over what.",
        f"{_HERE}.sampling:tabulate",
        tables=("summary/heart", "summary/heart_poisson"),
        ours=True,
        reading=Reading(
            "shuffled epochs or Poisson batches",
            "Each row compares two ways to sample batches, from the same initial weights; intervals of a difference "
            "that hold 0 show none.",
        ),
    ),
)
