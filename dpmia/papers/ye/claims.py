"""What Ye et al. 2022 claim about attacks from one hypothesis test."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import above, at_least
from dpmia.papers.ye import claim_checks as checks
from dpmia.papers.ye.names import CIFAR10, CIFAR100, MNIST, PURCHASE, ROC, Configuration, tables_of

_MODELS, _POINTS, _NULLS = ("replicates/ye_purchase",), ("points/ye_purchase",), ("nulls/ye_purchase",)


def _claim(
    name: str,
    statement: str,
    criterion: str,
    check: Callable[[Tables], Finding],
    tables: tuple[str, ...],
    **more: object,
) -> Claim:
    """Return a claim about the figure or table that its name begins with."""
    artifact = f"ye_{name.partition('-')[0]}"
    return Claim(f"ye-{name}", artifact, statement, criterion, check, tables=tables, **more)


def _each(
    name: str,
    statement: str,
    criterion: str,
    configurations: Iterable[Configuration],
    cells_of: checks.Cells,
    **more: object,
) -> Claim:
    """Return a claim about each of some configurations by itself."""
    configurations = tuple(configurations)
    check = checks.each(configurations, cells_of)
    return _claim(name, statement, criterion, check, tables_of(configurations), each=True, **more)


def _printed(number: int, dataset: str, title: str, configurations: dict[str, Configuration]) -> Claim:
    """Return the claim that we find the numbers of a table."""
    return _claim(
        f"table{number}-{dataset}-auc",
        f"On {title} attacks and target models reach the AUCs and accuracies of table {number}.",
        "each AUC within 0.05 and each accuracy within 5 points of the print",
        checks.printed(configurations.values()),
        tables_of(configurations.values()),
        each=True,
        paper_value=f"table {number}",
    )


CLAIMS = (
    _printed(1, "purchase", "Purchase100", PURCHASE),
    _printed(3, "cifar10", "CIFAR10", CIFAR10),
    _printed(4, "cifar100", "CIFAR100", CIFAR100),
    _printed(5, "mnist", "MNIST", MNIST),
    _each(
        "table1-d-best",
        "Attack D has the highest AUC on every configuration of Purchase100.",
        "D less each of S, P, R at least -0.005",
        PURCHASE.values(),
        checks.ahead("D", "SPR", at_least(-0.005)),
    ),
    _each(
        "table1-r-beats-sp",
        "Without L2 penalty attack R, which knows the record, does better than S and P, which do not.",
        "R less S and R less P above 0 on Ia, IIa, III, IV",
        [PURCHASE[name] for name in ("Ia", "IIa", "III", "IV")],
        checks.ahead("R", "SP", above(0)),
    ),
    _claim(
        "table1-l2-lowers-auc",
        "An L2 penalty lowers the AUC of every attack.",
        "Ia less Ib and IIa less IIb above 0 for S, P, R, D",
        checks.falls((PURCHASE["Ia"], PURCHASE["Ib"]), (PURCHASE["IIa"], PURCHASE["IIb"])),
        _MODELS,
    ),
    _claim(
        "table1-more-data-lowers-auc",
        "The more members, the lower the AUC of every attack.",
        "Ia less IIa and IIa less III above 0 for S, P, R, D",
        checks.falls((PURCHASE["Ia"], PURCHASE["IIa"]), (PURCHASE["IIa"], PURCHASE["III"])),
        _MODELS,
    ),
    _each(
        "table5-r-best-mnist",
        "On MNIST attack R is the best, and S and P do not tell members from non-members.",
        "R less each of S, P, D at least 0; S and P within 0.02 of 0.5",
        MNIST.values(),
        checks.r_best_others_chance,
    ),
    _claim(
        "table2-gt-train",
        "Of members D finds the most, then L, R, S and P.",
        "true positive rates: D less L, L less R, R less S above 0, S less P at least 0; over records",
        checks.members_found,
        _POINTS,
        paper_value="0.992, 0.968, 0.772, 0.696, 0.662",
    ),
    _claim(
        "table2-gt-test",
        "About non-members D is wrong the most often, and L next.",
        "true negative rates: L less D, and S, P, R less L, above 0; over records",
        checks.nonmembers_missed,
        _POINTS,
        paper_value="D 0.372, L 0.41, S 0.656, P 0.664, R 0.656",
    ),
    _claim(
        "table2-d-closest-l",
        "Of all attacks D agrees the most with L; S and P agree the most with each other.",
        "agreement DL less SL, PL, RL on both parts, SP less other pairs on non-members, at least 0",
        checks.d_nearest_l,
        _POINTS,
        paper_value="DL 0.968 and 0.822, SP 0.948",
    ),
    _claim(
        "table2-fpr-control",
        "S, P and R keep about to the false positive rate aimed at, D and L pass it.",
        "aimed at 0.3: S, P, R within 0.1 of it, D and L above 0.45; over records",
        checks.false_positives,
        _POINTS,
        paper_value="S 0.344, P 0.336, R 0.344, D 0.628, L 0.59",
    ),
    _claim(
        "fig1-concentration",
        "The losses from which R and D take thresholds are more concentrated than those of S.",
        "interquartile range of R and of D less that of S below 0 for both records",
        checks.concentrated,
        _NULLS,
    ),
    _claim(
        "fig2-model-dependence",
        "From one target model to another the thresholds of R stay, and those of P and D change.",
        "thresholds of both records: of R the same, of P and D others",
        checks.follows_model,
        _NULLS,
    ),
    _each(
        "fig3-roc",
        "On Purchase100 Ia and IIa attack D has the highest AUC, and finds no fewer members than P.",
        "D less S, P, R at least 0; TPR at a false positive rate of 0.2, D less P, at least 0",
        ROC["fig3"],
        checks.roc,
    ),
    _each(
        "fig4-p-near-chance-iv",
        "Where gradients are clipped (IV) P is near guessing, while R and D are not.",
        "AUC of S less P and of R less S above 0, of D less R at least 0",
        [PURCHASE["IV"]],
        checks.clipped,
        paper_value="P 0.55, D 0.70",
    ),
    _claim(
        "fig5-r-vs-d",
        "Most members are further below the threshold of D than below that of R; S and P are alike.",
        "share of members above 0.5, over records; correlation of S and P above 0.8",
        checks.r_against_d,
        _POINTS,
    ),
)
