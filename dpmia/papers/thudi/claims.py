"""What Thudi et al. 2024 claim, and what a random ranking under the same rule adds to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.papers.thudi import claim_checks as checks
from dpmia.papers.thudi import names

_ALL = tuple(f"replicates/{experiment}" for experiment in names.DATASETS)
_TWO = tuple(f"replicates/{experiment}" for experiment in (names.CIFAR10, names.MNIST))
_BUDGETS = tuple(f"replicates/{experiment}" for experiment in names.BUDGETS)


def _exact(
    name: str, artifact: str, statement: str, criterion: str, check: Callable[[Tables], Finding], **more: object
) -> Claim:
    return Claim(f"thudi-{name}", f"thudi_{artifact}", statement, criterion, check, about_data=False, **more)


def _models(
    name: str,
    artifact: str,
    statement: str,
    criterion: str,
    check: Callable[[Tables], Finding],
    tables: Iterable[str],
    **more: object,
) -> Claim:
    tables = tuple(tables)
    return Claim(
        f"thudi-{name}", f"thudi_{artifact}", statement, criterion, check,
        tables=tables, each=len(tables) > 1, **more,
    )  # fmt: skip


def _budget(experiment: str) -> tuple[str]:
    return (f"replicates/{experiment}_budget",)


def _no_gain(number: int, statement: str, attacks: Iterable[str], epsilons: Iterable[float], tolerance: float) -> Claim:
    return _models(
        {14: "fig14-p-null", 15: "fig15-r-null", 16: "fig16-r-fpr", 17: "fig17-r-same-rate"}[number],
        f"fig{number}",
        statement,
        f"positive accuracy less baseline at most {tolerance:g} at every rate and epsilon",
        checks.no_gain(tuple(attacks), tuple(epsilons), tolerance),
        _TWO,
    )


CLAIMS = (
    _exact(
        "thm33-labels",
        "theory",
        "The bounds that figures 5 and 6 keep are theorem 3.3 at rate 1/2 and epsilon 1, 2 and 3.",
        "0.731, 0.881, 0.953, all +- 0.001",
        checks.labels,
        paper_value="0.731, 0.881, 0.953",
    ),
    _exact(
        "thm33-equals-humphries",
        "theory",
        "At rate 1/2 without delta the theorem is the bound of Humphries et al. as accuracy.",
        "largest distance below 1e-12",
        checks.as_humphries,
    ),
    _exact(
        "fig1-limits",
        "fig1",
        "The bound falls to 0 with the sampling rate, and to the rate with epsilon.",
        "below 0.02 at rate 0.0001, epsilon 5; within 1e-5 of the rate at epsilon 1e-6; rising in both",
        checks.limits,
    ),
    _exact(
        "fig2-order",
        "fig2",
        "Lowering the sampling rate helps without end, lowering epsilon only up to a factor.",
        "terms cross once, at 0.66 +- 0.02; at 0.05 the one of the rate is more than ten times the other",
        checks.terms,
        paper_value="about 0.66",
    ),
    _models(
        "fig3-baseline",
        "fig3",
        "LiRA against private models is hardly more precise than calling everybody a member.",
        "positive accuracy less baseline, mean over epsilon, at most 0.15 at every rate",
        checks.near_baseline,
        _ALL,
    ),
    _models(
        "fig3-sampling-dominates",
        "fig3",
        "The sampling rate matters far more than epsilon.",
        "range over rates less three times the widest range over epsilon above 0",
        checks.rate_dominates,
        _ALL,
    ),
    _models(
        "fig3-below-bound",
        "fig3",
        "LiRA's own decisions keep to theorem 3.3.",
        "positive accuracy less bound at most 0 at every rate and epsilon",
        checks.keeps_bound,
        _ALL,
        ours=True,
    ),
    _models(
        "fig3-below-ceiling",
        "fig3",
        "LiRA's own decisions keep to the exact ceiling of the trained mechanism, which is lower.",
        "positive accuracy less ceiling at most 0 at every rate and epsilon",
        checks.keeps_ceiling,
        _ALL,
        ours=True,
    ),
    _models(
        "fig4-hump",
        "fig4",
        "LiRA gains most at middle sampling rates.",
        "gain at 0.5 less those at 0.1 and 0.9 above 0",
        checks.hump,
        _ALL,
    ),
    _exact(
        "fig4-null-control",
        "fig4",
        "A random ranking under the same rule gains most at middle rates, too.",
        "0.036, 0.055, 0.059, 0.055, 0.035 at the five rates, all +- 0.006",
        checks.random_hump,
        ours=True,
    ),
    _models(
        "fig4-beyond-control",
        "fig4",
        "LiRA gains more than a random ranking under the same rule.",
        "positive accuracy less that of random rankings, mean over epsilon, above 0 at every rate",
        checks.beyond_control,
        _ALL,
        ours=True,
    ),
    _exact(
        "fig5-eps-grid",
        "theory",
        "The epsilon that keeps a bound grows as the sampling rate falls; above the bound no epsilon keeps it.",
        "for 0.731: 3.198, 1.847, 1, 0.153 at rates 0.1 to 0.7, +- 0.01; none at 0.9, nor for 0.881",
        checks.budget_grid,
        paper_value="3.198, 1.847, 0.153",
    ),
    _models(
        "fig5-lower-p-better-cifar",
        "fig5",
        "CIFAR10 is learned best at a sampling rate below 1/2.",
        "best test accuracy at rate 0.1 or 0.3 for the bounds 0.731 and 0.881",
        checks.cifar_prefers_low,
        _budget(names.CIFAR10),
        paper_value="0.3",
    ),
    _models(
        "fig5-mnist-half",
        "fig5",
        "MNIST is learned best near rate 1/2 for the loosest bound.",
        "best test accuracy at rate 0.3, 0.5 or 0.7 for the bound 0.953",
        checks.mnist_prefers_half,
        _budget(names.MNIST),
        paper_value="0.5",
    ),
    _models(
        "fig5-mnist-tight",
        "fig5",
        "MNIST prefers no higher rate for the tightest bound than for the loosest.",
        "best rate for 0.731 at most that for 0.953",
        checks.tight_prefers_lower(names.MNIST),
        _budget(names.MNIST),
    ),
    _models(
        "fig5-svhn",
        "fig5",
        "SVHN prefers a low rate for the tightest bound.",
        "best test accuracy at rate 0.1 or 0.3 for the bound 0.731",
        checks.svhn_prefers_low,
        _budget(names.SVHN),
    ),
    _models(
        "fig5-svhn-tight",
        "fig5",
        "SVHN prefers no higher rate for the tightest bound than for the loosest.",
        "best rate for 0.731 at most that for 0.953",
        checks.tight_prefers_lower(names.SVHN),
        _budget(names.SVHN),
    ),
    _models(
        "fig5-bound-order",
        "fig5",
        "A looser bound never costs accuracy.",
        "no step from a tighter to a looser bound is shown to lose test accuracy",
        checks.loose_is_better,
        _BUDGETS,
    ),
    _models(
        "fig6-final-cifar",
        "fig6",
        "After the last epoch CIFAR10 prefers the lowest rate for the tight bounds.",
        "no rate is shown to be better than 0.1 for the bounds 0.731 and 0.881",
        checks.lowest_rate_last,
        _budget(names.CIFAR10),
        paper_value="0.1",
    ),
    _models(
        "fig6-final-lower",
        "fig6",
        "After the last epoch CIFAR10 prefers no higher rate than it does with the best epoch.",
        "best rate for final accuracy at most that for best accuracy, for each bound",
        checks.final_prefers_lower,
        _budget(names.CIFAR10),
    ),
    _exact(
        "fig7-capacity",
        "fig7",
        "By the printed formula deletion capacity falls with the training set, from far above its size to below it.",
        "6065, 606 and 29.8 at 1, 10 and 200 records, +- 1 %; as many as records between 70 and 90",
        checks.capacities,
        paper_value="6065, 606, 29.8",
    ),
    _exact(
        "fig8-positive-accuracy",
        "fig8",
        "Positive accuracy tends to 1 at low thresholds while accuracy stays near chance.",
        "0.998, 0.955, 0.545 at -100, -50, 0; best accuracy 0.549 at -0.5, all +- 0.002",
        checks.counter_example,
        paper_value="0.998; 0.549",
    ),
    _exact(
        "fig9-order",
        "fig9",
        "The bound is below those of Erlingsson et al. and Sablayrolles et al. at rate 1/2.",
        "nowhere above either; smallest distance from epsilon 0.5 up above 0",
        checks.lowest,
    ),
    _exact(
        "fig10-order",
        "fig10",
        "The bound is at or below that of Sablayrolles et al. at every rate.",
        "smallest distance at epsilon 0.1, 1 and 2 at least 0",
        checks.below_sablayrolles,
    ),
    _models(
        "fig11-near-diagonal",
        "fig11",
        "Against private models LiRA's ROC is close to guessing.",
        "at epsilon 3 AUC within 0.05 of 1/2 and TPR at most 0.05 at FPR 0.01 where 100 non-members can show it",
        checks.near_diagonal,
        _TWO,
    ),
    _models(
        "fig12-no-dp",
        "fig12",
        "Without privacy LiRA gains more than with it.",
        "gain on CIFAR10 at rate 0.5 without privacy less that at epsilon 3 above 0",
        checks.more_without_privacy,
        (f"replicates/{names.CIFAR10}",),
    ),
    _models(
        "fig12-depends-on-p",
        "fig12",
        "Without privacy the gain depends on the sampling rate.",
        "gains at some two rates differ by more than 0.05",
        checks.depends_on_rate,
        _TWO,
    ),
    _models(
        "fig13-shadow-rate",
        "fig13",
        "The sampling rate of the shadow models makes no difference to LiRA.",
        "no two shadow rates are shown to differ in positive accuracy at epsilon 3, at any rate",
        checks.shadow_rate_alike,
        _TWO,
    ),
    _no_gain(
        14, "Attack P is no more precise than calling everybody a member.", (names.POPULATION,), (1, 3, 5, 9, 15), 0.06
    ),
    _no_gain(
        15,
        "Attack R is no more precise than calling everybody a member.",
        (names.REFERENCE[0.1],),
        (1, 3, 9, 15),
        0.06,
    ),
    _no_gain(
        16,
        "Other false positive rates do not help attack R.",
        (names.REFERENCE[fpr] for fpr in (0.05, 0.2, 0.3, 0.5)),
        (1, 3, 9, 15),
        0.08,
    ),
    _no_gain(
        17,
        "Shadow models at the target's own rate do not help attack R.",
        (names.REFERENCE_OWN_RATE,),
        (3, 7),
        0.08,
    ),
    _models(
        "cor54-generalisation",
        "theory",
        "The generalisation gap of private models keeps to corollary 5.4.",
        "accuracy on members less that on others, less tanh(epsilon / 2), at most 0.01 at rate 1/2 and every epsilon",
        checks.generalises,
        _TWO,
    ),
)
