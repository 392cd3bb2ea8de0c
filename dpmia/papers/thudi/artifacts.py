"""The figures of Thudi et al. 2024, and the numbers behind its theorems."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.reading import ACCURACY, BEST_BY_RATE, BOUND, BY_RATE, ROC_CURVES, Reading
from dpmia.papers.thudi.names import ALL, BUDGETS, CLIPPED, CONTROLS, NOT_PRIVATE, TWO

_HERE = "dpmia.papers.thudi"
_STEPS = tuple(f"summary/{kind}" for name in CONTROLS for kind in (CONTROLS[name], CLIPPED[name], name))
_BUDGETS = tuple(f"replicates/{experiment}" for experiment in BUDGETS)


def _figure(
    name: str, caption: str, tabulate: str, draw: str, tables: tuple[str, ...] = (), *, reading: Reading
) -> Artifact:
    return Artifact(
        name, "figure", caption, f"{_HERE}.{tabulate}", f"{_HERE}.{draw}", tables, some_suffice=True, reading=reading
    )


ARTIFACTS = (
    Artifact(
        "thudi_theory",
        "table",
        "Numbers of the theorems, as printed and corrected: bound, budgets, deletion capacity, the example of figure "
        "8, and what the best of forty quantiles gains on random rankings.",
        f"{_HERE}.theory:tabulate",
        ours=True,
        reading=Reading(
            "numbers of the theorems",
            "Each row is one number of one theorem, computed or simulated. Printed and corrected values stand apart.",
        ),
    ),
    Artifact(
        "thudi_controls",
        "table",
        "Ours: LiRA on models that are trained without clipping and noise (positive control), with clipping, and with "
        "clipping and noise (and the Poisson batches that its accountant requires), at a sampling rate of 0.5. An "
        "attack that finds nothing in the first is no evidence about privacy. In brackets: 95 % intervals; "
        "the last column says over what.",
        f"{_HERE}.controls:tabulate",
        tables=_STEPS,
        some_suffice=True,
        ours=True,
        reading=Reading(
            "LiRA with and without clipping and noise",
            "The first models have no protection: there LiRA must work, or its failure on private models shows "
            "nothing. Then clipping comes with a larger learning rate, then noise. Compare how well models fit their "
            "members, too: what fits them less also reveals less.",
        ),
    ),
    _figure(
        "thudi_fig1",
        "Bound on precision against the sampling rate of the training set, at delta = 0.",
        "rates:tabulate_fig1",
        "rates:draw_fig1",
        reading=Reading("bound on precision against the sampling rate", BOUND),
    ),
    _figure(
        "thudi_fig2",
        "The terms by which epsilon and the sampling rate enter the bound.",
        "rates:tabulate_fig2",
        "rates:draw_fig2",
        reading=Reading(
            "terms of the bound",
            "Computed from formulas, no model is trained. Higher is safer: the larger a term, the lower the bound. The "
            "sampling rate lowers it without end, epsilon only to a factor.",
        ),
    ),
    _figure(
        "thudi_fig3",
        "Precision of LiRA against private models, by sampling rate and epsilon.",
        "precision_by_rate:tabulate_fig3",
        "precision_by_rate:draw_fig3",
        ALL,
        reading=Reading("precision of LiRA by sampling rate and ε", BEST_BY_RATE),
    ),
    _figure(
        "thudi_fig4",
        "Gain of LiRA in precision over predicting every record a member.",
        "gain:tabulate",
        "gain:draw",
        ALL,
        reading=Reading(
            "gain of LiRA over predicting every record a member",
            "Vertical: precision minus that of predicting every record a member, which is 0. The random ranking shows "
            "how far chance alone goes under the same rule; only what lies above it is the attack's.",
        ),
    ),
    _figure(
        "thudi_fig5",
        "Best test accuracy against the sampling rate; epsilon is what a fixed bound on precision allows.",
        "budgets:tabulate_best",
        "budgets:draw_best",
        _BUDGETS,
        reading=Reading("best test accuracy against the sampling rate", ACCURACY),
    ),
    _figure(
        "thudi_fig6",
        "As figure 5, with the test accuracy after the last epoch.",
        "budgets:tabulate_final",
        "budgets:draw_final",
        _BUDGETS,
        reading=Reading("last test accuracy against the sampling rate", ACCURACY),
    ),
    _figure(
        "thudi_fig7",
        "Deletion requests that need no retraining, against the expected size of the training set, beside linear "
        "growth.",
        "capacity:tabulate",
        "capacity:draw",
        reading=Reading(
            "deletion requests without retraining",
            "Horizontal: the expected size of the training set. Vertical: how many deletion requests can be served "
            "before the model must be trained anew; more is better.",
        ),
    ),
    _figure(
        "thudi_fig8",
        "A private step of logistic regression: precision and accuracy of a threshold on the final weight.",
        "counter_example:tabulate",
        "counter_example:draw",
        reading=Reading(
            "one private step of logistic regression",
            "Horizontal: the threshold on the final weight. Vertical: how often the attack that uses it is right. "
            "The bounds are drawn across; the highest point of a curve is what the best threshold reaches.",
        ),
    ),
    _figure(
        "thudi_fig9",
        "Three bounds on accuracy at sampling rate 1/2.",
        "earlier_bounds:tabulate_fig9",
        "earlier_bounds:draw_fig9",
        reading=Reading("bounds on accuracy at sampling rate 1/2", BOUND),
    ),
    _figure(
        "thudi_fig10",
        "Two bounds on precision against the sampling rate, for three epsilons.",
        "earlier_bounds:tabulate_fig10",
        "earlier_bounds:draw_fig10",
        reading=Reading("bounds on precision for three ε", BOUND),
    ),
    _figure(
        "thudi_fig11",
        "ROC of LiRA against private models, by sampling rate.",
        "roc:tabulate",
        "roc:draw",
        TWO,
        reading=Reading("ROC of LiRA by sampling rate", ROC_CURVES),
    ),
    _figure(
        "thudi_fig12",
        "Precision of LiRA against models trained without clipping and noise, by sampling rate.",
        "precision_by_rate:tabulate_fig12",
        "precision_by_rate:draw_fig12",
        NOT_PRIVATE,
        reading=Reading("precision of LiRA without privacy", BEST_BY_RATE),
    ),
    _figure(
        "thudi_fig13",
        "Precision of LiRA at epsilon 3, by the sampling rate of its shadow models.",
        "precision_by_rate:tabulate_fig13",
        "precision_by_rate:draw_fig13",
        TWO,
        reading=Reading("precision of LiRA by the rate of its shadow models", BEST_BY_RATE),
    ),
    _figure(
        "thudi_fig14",
        "Precision of attack P with a threshold for a false positive rate of .1.",
        "precision_by_rate:tabulate_fig14",
        "precision_by_rate:draw_fig14",
        TWO,
        reading=Reading("precision of attack P", BY_RATE),
    ),
    _figure(
        "thudi_fig15",
        "Precision of attack R with thresholds for a false positive rate of .1.",
        "precision_by_rate:tabulate_fig15",
        "precision_by_rate:draw_fig15",
        TWO,
        reading=Reading("precision of attack R", BY_RATE),
    ),
    _figure(
        "thudi_fig16",
        "As figure 15, for four other false positive rates.",
        "precision_by_rate:tabulate_fig16",
        "precision_by_rate:draw_fig16",
        TWO,
        reading=Reading("precision of attack R at four false positive rates", BY_RATE),
    ),
    _figure(
        "thudi_fig17",
        "As figure 15, with shadow models at the sampling rate of the target model.",
        "precision_by_rate:tabulate_fig17",
        "precision_by_rate:draw_fig17",
        TWO,
        reading=Reading("precision of attack R, shadow models at the target's rate", BY_RATE),
    ),
)
