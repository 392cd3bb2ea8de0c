"""The figures of Thudi et al. 2024, and the numbers behind its theorems."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.thudi.names import BUDGETS, CIFAR10, CONTROLS, DATASETS, MNIST

_HERE = "dpmia.papers.thudi"
_ALL = tuple(f"replicates/{experiment}" for experiment in DATASETS)
_TWO = tuple(f"replicates/{experiment}" for experiment in (CIFAR10, MNIST))
_CONTROLS = tuple(f"summary/{experiment}" for both in CONTROLS.items() for experiment in both)
_BUDGETS = tuple(f"replicates/{experiment}" for experiment in BUDGETS)


def _figure(name: str, caption: str, tabulate: str, draw: str, tables: tuple[str, ...] = ()) -> Artifact:
    return Artifact(name, "figure", caption, f"{_HERE}.{tabulate}", f"{_HERE}.{draw}", tables, each=True)


ARTIFACTS = (
    Artifact(
        "thudi_theory",
        "table",
        "Numbers of the theorems, as printed and corrected: bound, budgets, deletion capacity, the example of figure "
        "8, and what the best of forty quantiles gains on random rankings.",
        f"{_HERE}.theory:tabulate",
    ),
    Artifact(
        "thudi_controls",
        "table",
        "Ours: LiRA on models that are trained without clipping and noise (positive control), with clipping, and with "
        "clipping and noise (and the Poisson batches that its accountant requires), at a sampling rate of 0.5. An "
        "attack that finds nothing in the first is no evidence about privacy. In brackets: 95 % intervals; "
        "the last column says over what.",
        f"{_HERE}.controls:tabulate",
        tables=_CONTROLS,
        each=True,
    ),
    _figure(
        "thudi_fig1",
        "Bound on positive accuracy (precision) against the sampling rate of the training set, at delta = 0.",
        "rates:tabulate_fig1",
        "rates:draw_fig1",
    ),
    _figure(
        "thudi_fig2",
        "The terms by which epsilon and the sampling rate enter the bound.",
        "rates:tabulate_fig2",
        "rates:draw_fig2",
    ),
    _figure(
        "thudi_fig3",
        "Positive accuracy of LiRA against private models, by sampling rate and epsilon.",
        "precision_by_rate:tabulate_fig3",
        "precision_by_rate:draw_fig3",
        _ALL,
    ),
    _figure(
        "thudi_fig4",
        "Gain of LiRA in positive accuracy over predicting every record a member.",
        "gain:tabulate",
        "gain:draw",
        _ALL,
    ),
    _figure(
        "thudi_fig5",
        "Best test accuracy against the sampling rate; epsilon is what a fixed bound on positive accuracy allows.",
        "budgets:tabulate_best",
        "budgets:draw_best",
        _BUDGETS,
    ),
    _figure(
        "thudi_fig6",
        "As figure 5, with the test accuracy after the last epoch.",
        "budgets:tabulate_final",
        "budgets:draw_final",
        _BUDGETS,
    ),
    _figure(
        "thudi_fig7",
        "Deletion requests that need no retraining, against the expected size of the training set, beside linear "
        "growth.",
        "capacity:tabulate",
        "capacity:draw",
    ),
    _figure(
        "thudi_fig8",
        "A private step of logistic regression: positive accuracy and accuracy of a threshold on the final weight.",
        "counter_example:tabulate",
        "counter_example:draw",
    ),
    _figure(
        "thudi_fig9",
        "Three bounds on accuracy at sampling rate 1/2.",
        "earlier_bounds:tabulate_fig9",
        "earlier_bounds:draw_fig9",
    ),
    _figure(
        "thudi_fig10",
        "Two bounds on positive accuracy against the sampling rate, for three epsilons.",
        "earlier_bounds:tabulate_fig10",
        "earlier_bounds:draw_fig10",
    ),
    _figure(
        "thudi_fig11",
        "ROC of LiRA against private models, by sampling rate.",
        "roc:tabulate",
        "roc:draw",
        _TWO,
    ),
    _figure(
        "thudi_fig12",
        "Positive accuracy of LiRA against models trained without privacy.",
        "precision_by_rate:tabulate_fig12",
        "precision_by_rate:draw_fig12",
        _TWO,
    ),
    _figure(
        "thudi_fig13",
        "Positive accuracy of LiRA at epsilon 3, by the sampling rate of its shadow models.",
        "precision_by_rate:tabulate_fig13",
        "precision_by_rate:draw_fig13",
        _TWO,
    ),
    _figure(
        "thudi_fig14",
        "Positive accuracy of attack P with a threshold for a false positive rate of .1.",
        "precision_by_rate:tabulate_fig14",
        "precision_by_rate:draw_fig14",
        _TWO,
    ),
    _figure(
        "thudi_fig15",
        "Positive accuracy of attack R with thresholds for a false positive rate of .1.",
        "precision_by_rate:tabulate_fig15",
        "precision_by_rate:draw_fig15",
        _TWO,
    ),
    _figure(
        "thudi_fig16",
        "As figure 15, for four other false positive rates.",
        "precision_by_rate:tabulate_fig16",
        "precision_by_rate:draw_fig16",
        _TWO,
    ),
    _figure(
        "thudi_fig17",
        "As figure 15, with shadow models at the sampling rate of the target model.",
        "precision_by_rate:tabulate_fig17",
        "precision_by_rate:draw_fig17",
        _TWO,
    ),
)
