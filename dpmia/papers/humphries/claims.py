"""What Humphries et al. 2023 claim, and what the exact ceiling adds to it."""

from __future__ import annotations

import numpy as np

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import above, at_least, mean
from dpmia.claims.rows import Replicates
from dpmia.papers.humphries import claim_checks as checks
from dpmia.papers.humphries.claim_checks import AVERAGE, GRID, HOSPITALS, OPTIMAL, SHADOW
from dpmia.papers.humphries.table2 import PRINTED
from dpmia.settings.arms import IID_SUFFIX


def _of(experiment: str, check: checks.Experiment) -> dict:
    """Return which table a claim about one experiment reads, and its check."""
    name = f"replicates/{experiment}"
    return {"tables": (name,), "check": lambda tables: check(Replicates(tables[name]))}


def _ceiling(figure: str, experiment: str, arms: tuple[str, ...], attacks: tuple[str, ...] = (AVERAGE,)) -> Claim:
    """Return the claim that attacks on independent records stay below the exact ceiling of the mechanism."""
    return Claim(
        id=f"humphries-{figure}-iid-below-ceiling",
        artifact=f"humphries_{figure}",
        statement="Of independent records no attack finds more than the mechanism's exact ceiling.",
        criterion="advantage minus ceiling at most 0 at every finite epsilon; of the oracle what exceeds random scores",
        ours=True,
        **_of(experiment, checks.iid_below_ceiling(arms, attacks)),
    )


CLAIMS = (
    Claim(
        id="humphries-fig1-tightest",
        artifact="humphries_fig1",
        statement="The paper's bound lies at or below those of Yeom et al. and of Erlingsson et al. at every epsilon.",
        criterion="smallest distance to the lower of the two at least 0",
        paper_value="tightest of the three",
        about_data=False,
        check=checks.tightest,
    ),
    Claim(
        id="humphries-fig1-max-gap",
        artifact="humphries_fig1",
        statement="What the bound gains on that of Erlingsson et al. is largest near epsilon 0.88.",
        criterion="largest gap 0.1716 +- 0.002 at epsilon 0.881 +- 0.02 (computed; the print rounds generously)",
        paper_value="almost 0.2",
        about_data=False,
        check=checks.largest_gap,
    ),
    Claim(
        id="humphries-fig1-regimes",
        artifact="humphries_fig1",
        statement="Epsilon up to 0.1 leaves an attacker next to nothing, epsilon 10 bounds nothing.",
        criterion="bound at most 0.051 at 0.1, 0.462 +- 0.002 at 1, at least 0.999 at 10",
        about_data=False,
        check=checks.regimes,
    ),
    Claim(
        id="humphries-table2-sizes",
        artifact="humphries_table2",
        statement="Features, classes and numbers of records of every experiment are those of Table II.",
        criterion="no number differs, but for three that the public files explain (named in the note)",
        paper_value="Table II",
        tables=tuple(f"sizes/{name}" for name in dict.fromkeys(name for name, _ in PRINTED)),
        each=True,
        check=checks.sizes,
    ),
    Claim(
        id="humphries-adult-cluster-sizes",
        artifact="humphries_table2",
        statement="k-means within each class cuts Adult into groups of 15 132 and 33 710 records.",
        criterion="both sizes within 2 %",
        paper_value="15132 and 33710",
        tables=("sizes/adult_cluster",),
        check=checks.cluster_sizes,
    ),
    Claim(
        id="humphries-fig2-noniid-near-one",
        artifact="humphries_fig2",
        statement="On clusters of Adult the optimal threshold is nearly perfect from epsilon 1 up.",
        criterion="mean advantage over epsilon >= 1 at least 0.8",
        paper_value="close to 1",
        **_of("adult_cluster", checks.near_one),
    ),
    Claim(
        id="humphries-fig2-noniid-above-iid",
        artifact="humphries_fig2",
        statement="On clusters of Adult every attack does better than on the same records shuffled.",
        criterion="advantage non-IID less IID at least 0.05 for all three attacks, epsilon >= 0.1",
        **_of("adult_cluster", checks.over_iid(("cluster",), (AVERAGE, OPTIMAL, SHADOW), GRID, at_least(0.05))),
    ),
    Claim(
        id="humphries-fig2-iid-below-bound",
        artifact="humphries_fig2",
        statement="On shuffled records the average threshold keeps to the bound.",
        criterion="advantage less bound at most 0 at every epsilon",
        **_of("adult_cluster", checks.iid_below_bound),
    ),
    Claim(
        id="humphries-fig2-noniid-breaks-bound",
        artifact="humphries_fig2",
        statement="On clusters the attack passes the bound that holds for independent records.",
        criterion="advantage of the optimal threshold less bound above 0 at epsilon 0.1 or 1",
        **_of("adult_cluster", checks.above_bound("cluster", OPTIMAL, (0.1, 1))),
    ),
    Claim(
        id="humphries-fig2-noniid-breaks-ceiling",
        artifact="humphries_fig2",
        statement="On clusters even the average threshold, no oracle, passes the exact ceiling for IID records.",
        criterion="advantage less ceiling above 0 at some epsilon up to 1",
        ours=True,
        **_of("adult_cluster", checks.above_ceiling),
    ),
    Claim(
        id="humphries-fig2-grows-with-eps",
        artifact="humphries_fig2",
        statement="On clusters the advantage grows with epsilon.",
        criterion="rank correlation of epsilon and the optimal threshold's advantage at least 0.8",
        **_of("adult_cluster", checks.grows),
    ),
    Claim(
        id="humphries-fig2-acc-flat-adv-rises",
        artifact="humphries_fig2",
        statement="Without privacy accuracy is that of epsilon 1, and yet the average threshold gains.",
        criterion="accuracy on members changes by at most 0.05 from epsilon 1 to infinity, advantage rises",
        **_of("adult_cluster", checks.rises_again),
    ),
    Claim(
        id="humphries-fig2-reverse-similar",
        artifact="humphries_fig2_reverse",
        statement="With members from the other cluster the attack does about as well.",
        criterion="advantage of the optimal threshold within 0.1 of figure 2's at each epsilon >= 1",
        paper_value="similar",
        tables=("replicates/adult_cluster", "replicates/adult_cluster_reverse"),
        check=checks.reverse,
    ),
    Claim(
        id="humphries-fig3-compas-eps10",
        artifact="humphries_fig3",
        statement="On clusters of COMPAS the optimal threshold is nearly perfect at epsilon 10.",
        criterion="mean advantage at epsilon 10 at least 0.9",
        paper_value="about 1",
        **_of("compas_cluster", lambda rows: mean(rows("cluster", 10, OPTIMAL), at_least(0.9))),
    ),
    Claim(
        id="humphries-fig3-order",
        artifact="humphries_fig3",
        statement="On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        criterion="advantage non-IID less IID above 0.1 at every epsilon >= 0.1",
        **_of("compas_cluster", checks.over_iid(("cluster",), (OPTIMAL,), GRID, above(0.1))),
    ),
    *(
        Claim(
            id=f"humphries-fig4-monotone-p{suffix}",
            artifact="humphries_fig4",
            statement=f"The more men among the members, the worse the {name} threshold does.",
            criterion="advantage at p = 0 above that at p = 1, and no step up shown between, at each epsilon >= 1",
            **_of("adult_gender", checks.falls_with_men(attack)),
        )
        for name, attack, suffix in (("average", AVERAGE, ""), ("optimal", OPTIMAL, "-optimal"))
    ),
    Claim(
        id="humphries-fig4-negative",
        artifact="humphries_fig4",
        statement="Where most members are men the average threshold takes non-members for members.",
        criterion="mean advantage over epsilon >= 1 below 0 at p = 1, not shown to be above 0 at p = 0.75",
        paper_value="negative from p = 0.75",
        **_of("adult_gender", checks.negative),
    ),
    Claim(
        id="humphries-fig4-bias-vs-privacy",
        artifact="humphries_fig4",
        statement="Members without men leak at epsilon 0.1 about what members without bias leak without privacy.",
        criterion="advantage at p = 0, epsilon 0.1 within 0.05 of that at p = 0.5, epsilon infinity",
        paper_value="similar",
        **_of("adult_gender", checks.bias_as_leaky),
    ),
    Claim(
        id="humphries-fig4-validation",
        artifact="humphries_fig4",
        statement="Members are classified as well as other records drawn like them: what is learnt is the bias.",
        criterion="mean distance of the two accuracies over shares and epsilon <= 1 at most 0.02",
        **_of("adult_gender", checks.same_accuracy),
    ),
    Claim(
        id="humphries-fig4-p1-nonmember-acc",
        artifact="humphries_fig4",
        statement="Where all members are men, non-members are classified better than members.",
        criterion="accuracy on non-members less that on members above 0 at every epsilon <= 1",
        **_of("adult_gender", checks.nonmembers_better("p100")),
    ),
    Claim(
        id="humphries-fig5-monotone-p",
        artifact="humphries_fig5",
        statement="The more members with little education, the better the optimal threshold does.",
        criterion="p = 1 above p = 0.5, and p = 0.75 not shown to be below it, at each epsilon >= 1",
        paper_value="better for large p",
        **_of("adult_education", checks.rises_with_education),
    ),
    Claim(
        id="humphries-fig5-breaks-bound",
        artifact="humphries_fig5",
        statement="Members of little education only are told beyond the bound for independent records.",
        criterion="advantage of the optimal threshold at p = 1 less bound above 0 at epsilon 0.1 or 1",
        **_of("adult_education", checks.above_bound("p100", OPTIMAL, (0.1, 1))),
    ),
    Claim(
        id="humphries-fig5-p0-nonmember-acc",
        artifact="humphries_fig5",
        statement="Where all members are of much education, non-members are classified better than members.",
        criterion="accuracy on non-members less that on members above 0 at every epsilon <= 1",
        **_of("adult_education", checks.nonmembers_better("p0")),
    ),
    Claim(
        id="humphries-fig6-order",
        artifact="humphries_fig6",
        statement="In each hospital the optimal threshold does better than on shuffled records.",
        criterion="advantage non-IID less IID above 0 in all four at each epsilon >= 1",
        **_of("heart", checks.over_iid(HOSPITALS, (OPTIMAL,), (1, 10, 100, 1000, np.inf), above(0))),
    ),
    Claim(
        id="humphries-fig6-iid-over-bound",
        artifact="humphries_fig6",
        statement="On shuffled records the optimal threshold comes out above the bound at a small epsilon.",
        criterion="advantage less bound above 0 at epsilon 0.1 in some hospital (an oracle's bias on few records)",
        paper_value="slightly above",
        **_of("heart", checks.hospital_above_bound),
    ),
    Claim(
        id="humphries-fig7-order",
        artifact="humphries_fig7",
        statement="Members from one school are told better than the same records shuffled.",
        criterion="advantage of the optimal threshold non-IID less IID, mean over epsilon >= 1, above 0",
        **_of("student", checks.school),
    ),
    Claim(
        id="humphries-fig8-modest",
        artifact="humphries_fig8",
        statement="On Texas dependence helps less than on clusters of Adult, yet clearly for epsilon from 1 to 100.",
        criterion="mean gap below that of Adult; advantage non-IID above 1.2 times IID at epsilon 1, 10 and 100",
        tables=("replicates/texas", "replicates/adult_cluster"),
        check=checks.modest,
    ),
    Claim(
        id="humphries-fig8-acc",
        artifact="humphries_fig8",
        statement="On Texas members are classified a little better and non-members a little worse than if shuffled.",
        criterion="accuracy non-IID less IID without privacy at least 0 on members, at most 0 on non-members",
        **_of("texas", checks.texas_accuracy),
    ),
    Claim(
        id="humphries-fig9-order",
        artifact="humphries_fig9",
        statement="Census members among Adult non-members are told far better than if both are mixed, by every attack.",
        criterion="advantage non-IID less IID above 0.1 for all three attacks at epsilon 0.1, 1 and infinity",
        **_of("census_adult", checks.over_iid(("census",), (AVERAGE, OPTIMAL, SHADOW), (0.1, 1, np.inf), above(0.1))),
    ),
    _ceiling("fig2", "adult_cluster", ("cluster" + IID_SUFFIX,), (AVERAGE, SHADOW)),
    _ceiling("fig3", "compas_cluster", ("cluster" + IID_SUFFIX,)),
    _ceiling("fig4", "adult_gender", ("p50",), (AVERAGE, SHADOW)),
    _ceiling("fig5", "adult_education", ("p50",), (AVERAGE, SHADOW)),
    _ceiling("fig6", "heart", tuple(arm + IID_SUFFIX for arm in HOSPITALS)),
    _ceiling("fig7", "student", ("gabriel_pereira" + IID_SUFFIX,)),
    _ceiling("fig8", "texas", ("region_3" + IID_SUFFIX,), (AVERAGE, SHADOW)),
    _ceiling("fig9", "census_adult", ("census" + IID_SUFFIX,), (AVERAGE, SHADOW)),
)
