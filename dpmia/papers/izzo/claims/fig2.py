"""Claims about figure 2: the error of covariances with noise for MIP and for DP.

The settings of the figure (numbers of records and of dimensions, the moments, the ranges) are lost in the source. With
ours its claims can be measured, but neither outcome would decide about the paper's: their verdict is "settings lost".
"""

from __future__ import annotations

import pandas as pd

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import at_least, below
from dpmia.claims.decisions import Condition, Undecidable
from dpmia.formats.rows import MissingRowsError
from dpmia.papers.izzo.fig2 import STUDY

SETTINGS_LOST = "the paper's settings are lost in the source; with ours neither outcome decides"

#: From this M on MIP is to win at every eta.
LARGER = 4


def _errors(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the errors of MIP as the paper prints it, by (moment, eta) and run, and of DP, by eta and run."""
    rows = tables[STUDY]
    printed = rows[(rows["method"] == "mip") & (rows["calibration"] == "corollary_8") & (rows["radius"] == "laplace")]
    dp = rows[rows["method"] == "dp"]
    if printed.empty or dp.empty:
        raise MissingRowsError(f"{STUDY} has no errors of MIP by corollary 8 or none of DP")
    mip = printed.pivot(index=["moment", "eta"], columns="run", values="relative_error")
    return mip, dp.pivot(index="eta", columns="run", values="relative_error")


def _gaps(tables: Tables) -> dict[float, pd.DataFrame]:
    """Return the error of MIP minus that of DP, by eta and run, for each moment."""
    mip, dp = _errors(tables)
    return {moment: rows.droplevel("moment") - dp for moment, rows in mip.groupby("moment")}


def _gaps_of_larger(tables: Tables) -> dict[str, pd.Series]:
    """Return the gaps of each M from `LARGER` on at every eta, by name."""
    larger = {moment: gap for moment, gap in _gaps(tables).items() if moment >= LARGER}
    if not larger:
        raise MissingRowsError(f"{STUDY} has no moment of {LARGER} or more")
    return {f"M = {moment:g}, {eta}": gap for moment, gaps in larger.items() for eta, gap in _by_eta(gaps).items()}


def _by_eta(errors: pd.DataFrame) -> dict[str, pd.Series]:
    return {f"η = {eta:g}": of_eta for eta, of_eta in errors.iterrows()}


def _where_better(tables: Tables, finding: Finding) -> str:
    """Return at which eta MIP is better, for each moment."""
    better = []
    for moment, gap in _gaps(tables).items():
        worse = gap.index[gap.mean(axis=1) >= 0]
        last = "none" if worse.max() == gap.index.max() else f"above {worse.max():g}"
        better.append(f"M = {moment:g}: {'all' if worse.empty else last}")
    return f"at {finding.note}; η where MIP is better, {', '.join(better)}"


def _smallest_of_mip(tables: Tables) -> float:
    mip, _ = _errors(tables)
    return mip.mean(axis=1).min()


def _beside_mip(tables: Tables, finding: Finding) -> str:
    return f"at {finding.note}; smallest of MIP {_smallest_of_mip(tables):.3f}"


CLAIMS = (
    Claim(
        id="izzo-fig2-mip-beats-dp",
        artifact="izzo_fig2",
        statement="From some eta on MIP has a smaller error than DP for every M, for the larger M at every eta.",
        tables=(STUDY,),
        about_data=False,
        rule=Undecidable(
            SETTINGS_LOST,
            Condition(
                f"relative error of MIP minus that of DP, at every M from {LARGER} on and every eta",
                below(0),
                _gaps_of_larger,
            ),
            note=_where_better,
        ),
    ),
    Claim(
        id="izzo-fig2-dp-noise",
        artifact="izzo_fig2",
        statement="The relative error of DP stays near 1 or above at every eta, that of MIP falls below.",
        tables=(STUDY,),
        about_data=False,
        rule=Undecidable(
            SETTINGS_LOST,
            Condition("relative error of DP, at every eta", at_least(0.9), lambda tables: _by_eta(_errors(tables)[1])),
            Condition("smallest mean relative error of MIP over M and eta", below(1), _smallest_of_mip),
            note=_beside_mip,
        ),
    ),
)
