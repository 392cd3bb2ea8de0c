"""The figures and tables of Ye et al. 2022."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import AUC, LOSSES, ROC_CURVES, Reading
from dpmia.papers.ye.names import CIFAR10, CIFAR100, MNIST, PURCHASE, ROC, Configuration, tables_of

_HERE = "dpmia.papers.ye"

_READING = (
    "In each cell: ours [95 %] / paper, with intervals over target models and the records that they share; of "
    "settings: here / paper, which states neither learning rate, momentum, batch size nor epochs. Accuracies in "
    "percent; their spreads, which the paper prints as fractions, are left out. R and D assume Gaussian losses of "
    "each record on the logit scale. The mean training loss ranks records as attack P does."
)
_CLIPPED = "In configuration IV gradients are clipped: those of single records here, the paper does not say which."


def _table(name: str, what: str, rows: dict[str, Configuration], note: str = "") -> Artifact:
    caption = f"AUC of the attacks on {what}, and how the target models were trained. {_READING} {note}".strip()
    tables, tabulate = tables_of(rows.values()), f"{_HERE}.auc_tables:tabulate"
    reading = Reading(f"AUC on {what}", AUC, first=("configuration", "measure", "S", "P", "R", "D"))
    return Artifact(name, "table", caption, tabulate, tables=tables, some_suffice=True, reading=reading)


def _roc(name: str, caption: str, panels: str, *, topic: str) -> Artifact:
    tabulate, draw = (f"{_HERE}.roc:{verb}_{panels}" for verb in ("tabulate", "draw"))
    reading = Reading(topic, ROC_CURVES)
    return Artifact(name, "figure", caption, tabulate, draw, tables_of(ROC[panels]), some_suffice=True, reading=reading)


def _losses(name: str, caption: str, records: str, *, topic: str) -> Artifact:
    tabulate, draw = (f"{_HERE}.histograms:{verb}_{records}" for verb in ("tabulate", "draw"))
    return Artifact(name, "figure", caption, tabulate, draw, ("nulls/ye_purchase",), reading=Reading(topic, LOSSES))


ARTIFACTS = (
    _table("ye_table1", "Purchase100", PURCHASE, _CLIPPED),
    Artifact(
        "ye_table2",
        "table",
        "How often two attacks agree on Purchase100 IIa, at a false positive rate of .3: on members above the "
        "diagonal, on non-members below it. Ours / paper. Brackets: 95 % over target models; with fewer than three, or "
        "equal rates, over the records of one of them. GT is the true membership; L (leave-one-out) is evaluated on "
        "few records (column records: the fewest of a row). R, D and L assume Gaussian losses of each record on the "
        "logit scale.",
        f"{_HERE}.agreement:tabulate_matrix",
        tables=("per_record/ye_purchase",),
        reading=Reading(
            "agreement of attacks on Purchase100",
            "Each number is the share of records on which two attacks decide alike; 1 is always. GT is the true "
            "membership: agreement with it on members is the true positive rate, on non-members 1 minus the false "
            "positive rate.",
        ),
    ),
    Artifact(
        "ye_table2_heatmap",
        "figure",
        "Ours: table 2 as a heatmap, our rates of agreement with those of the paper in parentheses.",
        f"{_HERE}.agreement:tabulate",
        f"{_HERE}.agreement:draw",
        ("per_record/ye_purchase",),
        ours=True,
        reading=Reading(
            "agreement of attacks as a heatmap",
            "Each cell is the share of records on which two attacks decide alike, the paper's in parentheses; "
            "darker is more.",
        ),
    ),
    _table("ye_table3", "CIFAR-10", CIFAR10),
    _table("ye_table4", "CIFAR-100", CIFAR100),
    _table("ye_table5", "MNIST", MNIST),
    _losses(
        "ye_fig1",
        "The losses from which each attack takes its threshold, for two members of Purchase100 IIa.",
        "fig1",
        topic="losses behind each threshold, two members",
    ),
    _losses(
        "ye_fig2",
        "As figure 1, for two members of two target models of Purchase100 Ia.",
        "fig2",
        topic="losses behind each threshold, two target models",
    ),
    _roc(
        "ye_fig3",
        "ROC of the attacks on Purchase100, configurations Ia and IIa.",
        "fig3",
        topic="ROC on Purchase100",
    ),
    _roc(
        "ye_fig4",
        f"ROC of the attacks on CIFAR-10, configuration III, and Purchase100, configuration IV. {_CLIPPED}",
        "fig4",
        topic="ROC on CIFAR-10 and Purchase100",
    ),
    _roc(
        "ye_roc_mnist",
        "Ours: ROC of the attacks on MNIST, configurations Ia and IIa, for which the paper has AUCs only.",
        "roc_mnist",
        topic="ROC on MNIST",
    ),
    Artifact(
        "ye_fig5",
        "figure",
        "Loss minus threshold for members of Purchase100 IIa, by two attacks each: S and P, R and D.",
        f"{_HERE}.margins:tabulate",
        f"{_HERE}.margins:draw",
        ("per_record/ye_purchase",),
        ours=True,
        reading=Reading(
            "loss minus threshold of members, by two attacks",
            "Each marker is one member. Below 0 an attack predicts it a member, rightly. Markers on one side of a "
            "zero line only are members that one of the two attacks misses.",
        ),
    ),
)
