"""What Ye et al. 2022 claim about attacks from one hypothesis test."""

from __future__ import annotations

from dpmia.claims.claim import Claim
from dpmia.papers.ye import claim_checks as checks
from dpmia.papers.ye.names import CIFAR10, CIFAR100, MNIST, PURCHASE, Configuration

_REDUCED = "perceptrons on fewer records, and on averaged pixels, in the place of the paper's networks"
_POINTS, _NULLS = ("points/ye_purchase_2a",), ("nulls/ye_purchase_2a",)


def _tables(*experiments: str) -> tuple[str, ...]:
    return tuple(f"replicates/ye_{name}" for name in experiments)


def _of(configurations: tuple[Configuration, ...]) -> tuple[str, ...]:
    return tuple(f"replicates/{row.experiment}" for row in configurations)


def _printed(number: int, dataset: str, title: str, configurations: tuple[Configuration, ...]) -> Claim:
    """Return the claim that we find the numbers of a table."""
    return Claim(
        id=f"ye-table{number}-{dataset}-auc",
        artifact=f"ye_table{number}",
        statement=f"On {title} attacks and target models reach the AUCs and accuracies of table {number}.",
        criterion="each AUC within 0.05 and each accuracy within 5 points of the print",
        paper_value=f"table {number}",
        tables=_of(configurations),
        each=True,
        check=checks.printed(configurations),
        reduced=_REDUCED,
    )


CLAIMS = (
    _printed(1, "purchase", "Purchase100", PURCHASE),
    _printed(3, "cifar10", "CIFAR10", CIFAR10),
    _printed(4, "cifar100", "CIFAR100", CIFAR100),
    _printed(5, "mnist", "MNIST", MNIST),
    Claim(
        id="ye-table1-d-best",
        artifact="ye_table1",
        statement="Attack D has the highest AUC on every configuration of Purchase100.",
        criterion="D less each of S, P, R at least -0.005",
        tables=_of(PURCHASE),
        each=True,
        check=checks.d_best,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table1-r-beats-sp",
        artifact="ye_table1",
        statement="Without L2 penalty attack R, which knows the record, does better than S and P, which do not.",
        criterion="R less S and R less P above 0 on Ia, IIa, III, IV",
        tables=_tables("purchase_1a", "purchase_2a", "purchase_3", "purchase_4"),
        each=True,
        check=checks.r_over_s_and_p,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table1-l2-lowers-auc",
        artifact="ye_table1",
        statement="An L2 penalty lowers the AUC of every attack.",
        criterion="Ia less Ib and IIa less IIb above 0 for S, P, R, D",
        tables=_tables("purchase_1a", "purchase_1b", "purchase_2a", "purchase_2b"),
        check=checks.falls(("ye_purchase_1a", "ye_purchase_1b"), ("ye_purchase_2a", "ye_purchase_2b")),
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table1-more-data-lowers-auc",
        artifact="ye_table1",
        statement="The more members, the lower the AUC of every attack.",
        criterion="Ia less IIa and IIa less III above 0 for S, P, R, D",
        tables=_tables("purchase_1a", "purchase_2a", "purchase_3"),
        check=checks.falls(("ye_purchase_1a", "ye_purchase_2a"), ("ye_purchase_2a", "ye_purchase_3")),
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table5-r-best-mnist",
        artifact="ye_table5",
        statement="On MNIST attack R is the best, and S and P do not tell members from non-members.",
        criterion="R less each of S, P, D at least 0; S and P within 0.02 of 0.5",
        tables=_of(MNIST),
        each=True,
        check=checks.r_best_others_chance,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table2-gt-train",
        artifact="ye_table2",
        statement="Of members D finds the most, then L, R, S and P.",
        criterion="true positive rates: D less L, L less R, R less S above 0, S less P at least 0; over records",
        paper_value="0.992, 0.968, 0.772, 0.696, 0.662",
        tables=_POINTS,
        check=checks.members_found,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table2-gt-test",
        artifact="ye_table2",
        statement="About non-members D is wrong the most often, and L next.",
        criterion="true negative rates: L less D, and S, P, R less L, above 0; over records",
        paper_value="D 0.372, L 0.41, S 0.656, P 0.664, R 0.656",
        tables=_POINTS,
        check=checks.nonmembers_missed,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table2-d-closest-l",
        artifact="ye_table2",
        statement="Of all attacks D agrees the most with L; S and P agree the most with each other.",
        criterion="agreement DL less SL, PL, RL on both parts, SP less other pairs on non-members, at least 0",
        paper_value="DL 0.968 and 0.822, SP 0.948",
        tables=_POINTS,
        check=checks.d_nearest_l,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-table2-fpr-control",
        artifact="ye_table2",
        statement="S, P and R keep about to the false positive rate aimed at, D and L pass it.",
        criterion="aimed at 0.3: S, P, R within 0.1 of it, D and L above 0.45; over records",
        paper_value="S 0.344, P 0.336, R 0.344, D 0.628, L 0.59",
        tables=_POINTS,
        check=checks.false_positives,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-fig1-concentration",
        artifact="ye_fig1",
        statement="The losses from which R and D take thresholds are more concentrated than those of S.",
        criterion="interquartile range of R and of D less that of S below 0 for both records",
        tables=_NULLS,
        check=checks.concentrated,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-fig2-model-dependence",
        artifact="ye_fig2",
        statement="From one target model to another the thresholds of R stay, and those of P and D change.",
        criterion="thresholds of both records: of R the same, of P and D others",
        tables=("nulls/ye_purchase_1a",),
        check=checks.follows_model,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-fig3-roc",
        artifact="ye_fig3",
        statement="On Purchase100 Ia and IIa attack D has the highest AUC, and finds no fewer members than P.",
        criterion="D less S, P, R at least 0; TPR at a false positive rate of 0.2, D less P, at least 0",
        tables=_tables("purchase_1a", "purchase_2a"),
        each=True,
        check=checks.roc,
        reduced=_REDUCED,
    ),
    Claim(
        id="ye-fig4-p-near-chance-iv",
        artifact="ye_fig4",
        statement="Where gradients are clipped (IV) P is near guessing, while R and D are not.",
        criterion="P below S below R, D less R at least 0, on models that are clipped",
        paper_value="P 0.55, D 0.70",
        tables=_tables("purchase_4"),
        check=checks.clipped,
    ),
    Claim(
        id="ye-fig5-r-vs-d",
        artifact="ye_fig5",
        statement="Most members are further below the threshold of D than below that of R; S and P are alike.",
        criterion="share of members above 0.5, over records; correlation of S and P above 0.8",
        tables=_POINTS,
        check=checks.r_against_d,
        reduced=_REDUCED,
    ),
)
