"""Claims about table 2: what attacks decide about single members and non-members. Intervals are over records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, pairwise

import pandas as pd

from dpmia.claims.claim import Claim, MissingRowsError, Tables
from dpmia.claims.comparisons import above, at_least, near
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.papers.ye import agreement
from dpmia.papers.ye.agreement import ALPHA, LEFT_OUT, TRUTH
from dpmia.papers.ye.claims.shared import POINTS, difference, of_arm, share
from dpmia.papers.ye.names import PAPER


class _Decisions:
    """What attacks decide about members, or about non-members, of all target models."""

    def __init__(self, tables: Tables, part: str) -> None:
        rows = of_arm(tables, agreement.CONFIGURATION)
        rows = rows[(rows["alpha"] == ALPHA) & (rows["part"] == part)]
        if rows.empty:
            raise MissingRowsError(f"no thresholds were set at alpha = {ALPHA}")
        self._says = pd.concat(
            {target: agreement.predictions(of_one, part) for target, of_one in rows.groupby("target")}
        )

    def agree(self, one: str, other: str) -> pd.Series:
        """Return 1 for each record about which two attacks, or an attack and the truth, say the same, else 0."""
        for letter in (one, other):
            if letter not in self._says:
                raise MissingRowsError(f"attack {letter} was not run")
        pair = self._says[[one, other]].dropna()
        return (pair[one] == pair[other]).astype(float)

    def right(self, letter: str) -> pd.Series:
        """Return 1 for each record about which an attack is right, else 0."""
        return self.agree(TRUTH, letter)


def _more_often_right(part: str, pairs: Iterable[tuple[str, str]]) -> Callable[[Tables], Cells]:
    """Return the measure of how much more often the first attack of each pair is right than the second."""
    pairs = tuple(pairs)

    def measure(tables: Tables) -> Cells:
        right = _Decisions(tables, part).right
        return {f"{more} less {less}": difference(right(more), right(less)) for more, less in pairs}

    return measure


def _d_with_l(tables: Tables) -> Cells:
    """Return by how much more D agrees with L than S, P and R do."""
    cells: Cells = {}
    for part in agreement.PARTS:
        agree = _Decisions(tables, part).agree
        for letter in "SPR":
            cells[f"{part}s, DL less {letter}L"] = difference(agree("D", LEFT_OUT), agree(letter, LEFT_OUT))
    return cells


def _s_with_p(tables: Tables) -> Cells:
    """Return by how much more S and P agree on non-members than other pairs do."""
    agree = _Decisions(tables, "nonmember").agree
    return {
        f"nonmembers, SP less {one}{other}": difference(agree("S", "P"), agree(one, other))
        for one, other in combinations(PAPER, 2)
        if (one, other) != ("S", "P")
    }


def _false_positive_rates(letters: Iterable[str]) -> Callable[[Tables], Cells]:
    letters = tuple(letters)

    def measure(tables: Tables) -> Cells:
        right = _Decisions(tables, "nonmember").right
        return {letter: share(1 - right(letter)) for letter in letters}

    return measure


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{more} minus {less}" for more, less in pairs)


#: By how many members they find: D first.
_STEPS = tuple(pairwise(("D", LEFT_OUT, "R", "S")))
#: Of non-members: L is right more often than D, and S, P and R more often than L.
_NONMEMBER_STEPS = ((LEFT_OUT, "D"), *((letter, LEFT_OUT) for letter in "SPR"))

CLAIMS = (
    Claim(
        id="ye-table2-gt-train",
        artifact="ye_table2",
        statement="Of members D finds the most, then L, R, S and P.",
        paper_value="0.992, 0.968, 0.772, 0.696, 0.662",
        tables=(POINTS,),
        rule=Every(
            Condition(f"TPR over records, {_pairs(_STEPS)}", above(0), _more_often_right("member", _STEPS)),
            Condition("TPR over records, S minus P", at_least(0), _more_often_right("member", (("S", "P"),))),
        ),
    ),
    Claim(
        id="ye-table2-gt-test",
        artifact="ye_table2",
        statement="About non-members D is wrong the most often, and L next.",
        paper_value="D 0.372, L 0.41, S 0.656, P 0.664, R 0.656",
        tables=(POINTS,),
        rule=Every(
            Condition(
                f"true negative rate over records, {_pairs(_NONMEMBER_STEPS)}",
                above(0),
                _more_often_right("nonmember", _NONMEMBER_STEPS),
            )
        ),
    ),
    Claim(
        id="ye-table2-d-closest-l",
        artifact="ye_table2",
        statement="Of all attacks D agrees the most with L; S and P agree the most with each other.",
        paper_value="DL 0.968 and 0.822, SP 0.948",
        tables=(POINTS,),
        rule=Every(
            Condition(
                "agreement of D and L minus that of S, P and R with L, on members and on non-members",
                at_least(0),
                _d_with_l,
            ),
            Condition("agreement of S and P minus that of every other pair, on non-members", at_least(0), _s_with_p),
        ),
    ),
    Claim(
        id="ye-table2-fpr-control",
        artifact="ye_table2",
        statement="S, P and R keep about to the false positive rate aimed at, D and L pass it.",
        paper_value="S 0.344, P 0.336, R 0.344, D 0.628, L 0.59",
        tables=(POINTS,),
        rule=Every(
            Condition(
                f"FPR over records of each of S, P, R, aimed at {ALPHA:g}",
                near(ALPHA, 0.1),
                _false_positive_rates("SPR"),
            ),
            Condition("FPR over records of D and L", above(0.45), _false_positive_rates(("D", LEFT_OUT))),
        ),
    ),
)
