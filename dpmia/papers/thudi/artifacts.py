"""The figures of Thudi et al. 2024, and the numbers behind its theorems."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.thudi.names import BUDGETS, CIFAR10, DATASETS, MNIST

_HERE = "dpmia.papers.thudi"
_ALL = tuple(f"replicates/{experiment}" for experiment in DATASETS)
_TWO = tuple(f"replicates/{experiment}" for experiment in (CIFAR10, MNIST))
_BUDGETS = tuple(f"replicates/{experiment}" for experiment in BUDGETS)


def _figure(number: int, caption: str, module: str, name: str = "", tables: tuple[str, ...] = ()) -> Artifact:
    tabulate, draw = (f"{_HERE}.{module}:{verb}{name and '_' + name}" for verb in ("tabulate", "draw"))
    return Artifact(f"thudi_fig{number}", "figure", caption, tabulate, draw, tables, each=True)


def _precision(number: int, caption: str, tables: tuple[str, ...]) -> Artifact:
    return _figure(number, caption, "precision_by_rate", f"fig{number}", tables)


ARTIFACTS = (
    Artifact(
        "thudi_theory",
        "table",
        "Numbers of the theorems, as printed and corrected: bound, budgets, deletion capacity, the example of figure "
        "8, and what the best of forty quantiles gains on random rankings.",
        f"{_HERE}.theory:tabulate",
    ),
    _figure(
        1,
        "Bound on positive accuracy against the probability that a record is drawn into the training set, without "
        "delta.",
        "rates",
        "fig1",
    ),
    _figure(2, "The terms by which epsilon and the sampling rate enter the bound.", "rates", "fig2"),
    _precision(3, "Positive accuracy of LiRA against private models, by sampling rate and epsilon.", _ALL),
    _figure(4, "What LiRA gains in positive accuracy over calling everybody a member.", "gain", tables=_ALL),
    _figure(
        5,
        "Best test accuracy against the sampling rate where epsilon is what a fixed bound on positive accuracy leaves.",
        "budgets",
        "best",
        _BUDGETS,
    ),
    _figure(6, "As figure 5, with the test accuracy after the last epoch.", "budgets", "final", _BUDGETS),
    _figure(
        7,
        "Deletion requests that need no retraining, against the expected size of the training set, beside linear "
        "growth.",
        "capacity",
    ),
    _figure(
        8,
        "A private step of logistic regression: positive accuracy and accuracy of a threshold on the final weight.",
        "counter_example",
    ),
    _figure(9, "Three bounds on accuracy at sampling rate 1/2.", "earlier_bounds", "fig9"),
    _figure(
        10, "Two bounds on positive accuracy against the sampling rate, for three epsilons.", "earlier_bounds", "fig10"
    ),
    _figure(11, "ROC of LiRA against private models, by sampling rate.", "roc", tables=_TWO),
    _precision(12, "Positive accuracy of LiRA against models trained without privacy.", _TWO),
    _precision(13, "Positive accuracy of LiRA at epsilon 3, by the sampling rate of its shadow models.", _TWO),
    _precision(14, "Positive accuracy of attack P with a threshold for a false positive rate of .1.", _TWO),
    _precision(15, "Positive accuracy of attack R with thresholds for a false positive rate of .1.", _TWO),
    _precision(16, "As figure 15, for four other false positive rates.", _TWO),
    _precision(17, "As figure 15, with shadow models at the sampling rate of the target model.", _TWO),
)
