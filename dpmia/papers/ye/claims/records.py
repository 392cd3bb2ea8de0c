"""Claims about single records: decisions (table 2), null losses and thresholds (figures 1, 2), margins (figure 5).

Intervals are over records; all target models together, which are taken as given: others would differ by more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, at_least, at_most, below, near
from dpmia.claims.decisions import Cells, Condition, Every, Exact, Together
from dpmia.claims.rows import named
from dpmia.formats.rows import MissingRowsError
from dpmia.papers.ye import agreement, histograms, margins
from dpmia.papers.ye.agreement import ALPHA, LEAVE_ONE_OUT, TRUTH
from dpmia.papers.ye.histograms import LossFigure
from dpmia.papers.ye.names import PAPER, Configuration

#: Thresholds that differ by less, in nats, are the same.
SAME = 1e-6


def _of_arm(tables: Mapping[str, pd.DataFrame], row: Configuration) -> pd.DataFrame:
    """Return the rows of a configuration in the one table of single records.

    Raises:
        MissingRowsError: there are none.
    """
    ((name, rows),) = tables.items()
    rows = rows[rows["arm"] == row.arm]
    if rows.empty:
        raise MissingRowsError(f"{name} has no rows of {row.label}")
    return rows


def _share(of_records: pd.Series) -> np.ndarray:
    """Return 0 or 1 for each record, and two more of either kind, so that few records decide nothing.

    Source: Agresti and Coull 1998.
    """
    return np.append(of_records.astype(float), [0, 0, 1, 1])


def _difference(more: pd.Series, less: pd.Series) -> np.ndarray:
    """Return the difference on the records that both are about, and one more of either sign.

    Source: after Agresti and Min 2005.
    """
    return np.append((more - less).dropna(), [1, -1])


def _predictions(tables: Tables, part: str) -> pd.DataFrame:
    """Return what attacks predict on members, or on non-members, of all target models, beside the truth."""
    rows = _of_arm(tables, agreement.CONFIGURATION)
    rows = rows[(rows["alpha"] == ALPHA) & (rows["membership"] == part)]
    if rows.empty:
        raise MissingRowsError(f"no thresholds were set at alpha = {ALPHA}")
    return pd.concat({target: agreement.predictions(of_one, part) for target, of_one in rows.groupby("target")})


def _agree(predictions: pd.DataFrame, one: str, other: str) -> pd.Series:
    """Return 1 for each record on which two attacks, or an attack and the truth, agree, else 0."""
    for letter in (one, other):
        if letter not in predictions:
            raise MissingRowsError(f"attack {letter} was not run")
    pair = predictions[[one, other]].dropna()
    return (pair[one] == pair[other]).astype(float)


def _more_agreement(pairs: Mapping[str, tuple[str, str, str]]) -> Callable[[Tables], Cells]:
    """Return the measure of how much more often one pair agrees than another.

    Args:
        pairs: name of a cell -> `member` or `nonmember`, the pair and the other one, each as two letters; with the
            letter T (the truth) a pair agrees where the attack is right.
    """

    def measure(tables: Tables) -> Cells:
        predictions = {part: _predictions(tables, part) for part in dict.fromkeys(part for part, *_ in pairs.values())}
        return {
            name: _difference(_agree(predictions[part], *_attacks(one)), _agree(predictions[part], *_attacks(other)))
            for name, (part, one, other) in pairs.items()
        }

    return measure


def _attacks(pair: str) -> list[str]:
    return [TRUTH if letter == "T" else letter for letter in pair]


def _more_often_right(part: str, pairs: Iterable[tuple[str, str]]) -> Callable[[Tables], Cells]:
    """Return the measure of how much more often the first attack of each pair is right than the second."""
    return _more_agreement({f"{more} less {less}": (part, f"T{more}", f"T{less}") for more, less in pairs})


_d_with_l = _more_agreement(
    {f"{part}s, DL less {letter}L": (part, "DL", f"{letter}L") for part in agreement.PARTS for letter in "SPR"}
)
_s_with_p = _more_agreement(
    {
        f"nonmembers, SP less {pair}": ("nonmember", "SP", pair)
        for pair in map("".join, combinations(PAPER, 2))
        if pair != "SP"
    }
)


def _false_positive_rates(letters: Collection[str]) -> Callable[[Tables], Cells]:
    def measure(tables: Tables) -> Cells:
        predictions = _predictions(tables, "nonmember")
        return {letter: _share(1 - _agree(predictions, TRUTH, letter)) for letter in letters}

    return measure


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{more} minus {less}" for more, less in pairs)


def _null_losses(tables: Tables, figure: LossFigure) -> pd.DataFrame:
    """Return the null losses that a figure shows."""
    _of_arm(tables, figure.configuration)
    losses = figure.null_losses(tables)
    if losses.empty:
        raise MissingRowsError("the target models have no two members of one class in common")
    return losses


def _widest(tables: Tables) -> float:
    """Return the interquartile range of the null losses of R or D, whichever is wider, minus that of S."""
    losses = _null_losses(tables, histograms.FIG1).groupby(["attack", "point"])["null_loss"]
    spreads = (losses.quantile(0.75) - losses.quantile(0.25)).unstack("point")
    return float((named(spreads, "R", "D").max() - named(spreads, "S").max()).max())


def _distances(tables: Tables) -> pd.DataFrame:
    """Return how far the thresholds of two target models lie apart, by attack and record."""
    losses = _null_losses(tables, histograms.FIG2)
    thresholds = losses.groupby(["attack", "point", "model"])["threshold"].first().unstack("model")
    return (thresholds[1] - thresholds[2]).abs().unstack("point")


def _margins(tables: Tables, panel: str) -> pd.DataFrame:
    """Return the margins of members in one panel of figure 5."""
    _of_arm(tables, margins.CONFIGURATION)
    return named(margins.margins(tables).set_index("panel"), panel)


def _further_below_d(tables: Tables) -> Cells:
    """Return for each member whether its loss is further below the threshold of D than below that of R."""
    r_and_d = _margins(tables, "b")
    return {"share of members": _share(r_and_d["x"] < r_and_d["y"])}


def _correlation(tables: Tables) -> float:
    s_and_p = _margins(tables, "a")
    return s_and_p["x"].corr(s_and_p["y"])


#: By how many members they find: D first.
_STEPS = tuple(pairwise(("D", LEAVE_ONE_OUT, "R", "S")))
#: Of non-members: L is right more often than D, and S, P and R more often than L.
_NONMEMBER_STEPS = ((LEAVE_ONE_OUT, "D"), *((letter, LEAVE_ONE_OUT) for letter in "SPR"))

_table2 = partial(claim, artifact="ye_table2", tables=("per_record/ye_purchase",))

CLAIMS = (
    _table2(
        "ye-table2-gt-train",
        "Of members D finds the most, then L, R, S and P.",
        Condition(
            f"TPR over records (target models as given), {_pairs(_STEPS)}",
            above(0),
            _more_often_right("member", _STEPS),
        ),
        Condition(
            "TPR over records (target models as given), S minus P",
            at_least(0),
            _more_often_right("member", (("S", "P"),)),
        ),
        paper_value="0.992, 0.968, 0.772, 0.696, 0.662",
    ),
    _table2(
        "ye-table2-gt-test",
        "About non-members D is wrong the most often, and L next.",
        Condition(
            f"true negative rate over records (target models as given), {_pairs(_NONMEMBER_STEPS)}",
            above(0),
            _more_often_right("nonmember", _NONMEMBER_STEPS),
        ),
        paper_value="D 0.372, L 0.41, S 0.656, P 0.664, R 0.656",
    ),
    _table2(
        "ye-table2-d-closest-l",
        "Of all attacks D agrees the most with L; S and P agree the most with each other.",
        Condition(
            "agreement of D and L minus that of S, P and R with L, on members and on non-members",
            at_least(0),
            _d_with_l,
        ),
        Condition("agreement of S and P minus that of every other pair, on non-members", at_least(0), _s_with_p),
        paper_value="DL 0.968 and 0.822, SP 0.948",
    ),
    _table2(
        "ye-table2-fpr-control",
        "S, P and R keep about to the false positive rate aimed at, D and L pass it.",
        Condition(
            f"FPR over records (target models as given) of each of S, P, R, aimed at {ALPHA:g}",
            near(ALPHA, 0.1),
            _false_positive_rates("SPR"),
        ),
        Condition(
            "FPR over records (target models as given) of D and L",
            above(0.45),
            _false_positive_rates(("D", LEAVE_ONE_OUT)),
        ),
        paper_value="S 0.344, P 0.336, R 0.344, D 0.628, L 0.59",
    ),
    claim(
        "ye-fig1-concentration",
        "The losses from which R and D take thresholds are more concentrated than those of S.",
        Condition(
            "interquartile range of the null losses of R and of D minus that of S, in nats, larger of two records",
            below(0),
            _widest,
        ),
        artifact="ye_fig1",
        tables=("nulls/ye_purchase",),
        rule=Exact,
        note="two records; the wider of R and D less S, in nats",
    ),
    claim(
        "ye-fig2-model-dependence",
        "From one target model to another the thresholds of R stay, and those of P and D change.",
        Condition(
            "distance between the thresholds of R under two target models, in nats, larger of two records",
            at_most(SAME),
            lambda tables: named(_distances(tables), "R").to_numpy().max(),
        ),
        Condition(
            "that of P and of D, smaller of two records",
            above(SAME),
            lambda tables: named(_distances(tables), "P", "D").min(axis=1).to_dict(),
        ),
        artifact="ye_fig2",
        tables=("nulls/ye_purchase",),
        rule=Exact,
        note="two records, in nats; P at least {1:.3g}, D at least {2:.3g}",
    ),
    Claim(
        id="ye-fig5-r-vs-d",
        artifact="ye_fig5",
        statement="Most members are further below the threshold of D than below that of R; S and P are alike.",
        tables=("per_record/ye_purchase",),
        rule=Together(
            Every(
                Condition(
                    "share of members further below the threshold of D than below that of R, over records "
                    "(target models as given)",
                    above(0.5),
                    _further_below_d,
                ),
            ),
            Exact(
                Condition("correlation of the margins of S and P", above(0.8), _correlation),
                note="correlation of the margins of S and P",
            ),
        ),
    ),
)
