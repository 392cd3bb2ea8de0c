"""Claims about figures 14 to 17: attacks P and R are no more precise than predicting every record a member."""

from __future__ import annotations

from itertools import product

import pandas as pd

from dpmia.claims.claim import Claim, Finding, Tables
from dpmia.claims.comparisons import at_most, listed
from dpmia.claims.decisions import Cells, Condition, Every
from dpmia.claims.rows import Epsilons
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, TWO, datasets

#: False positive rates of figure 16.
OTHER_RATES = (0.05, 0.2, 0.3, 0.5)


def _no_gain(attack: str, attacks: tuple[str, ...], epsilons: tuple[float, ...], tolerance: float) -> Every:
    """Return the rule that attacks' own decisions are hardly more precise than predicting every record a member.

    Models of whose records none is called a member have no precision.
    """
    wanted = Epsilons(named=epsilons)

    def precisions(tables: Tables) -> dict[str, tuple[pd.Series, pd.Series]]:
        """Return precision and baseline of each attack at each rate and epsilon of each data set."""
        return {
            f"{title}, {name}, p = {rate:g}, ε = {format_epsilon(epsilon)}": (
                rows(arm, epsilon, name, "precision"),
                rows(arm, epsilon, name, "precision_baseline"),
            )
            for title, rows in datasets(tables).items()
            for name, (rate, arm) in product(attacks, ARMS.items())
            for epsilon in rows.epsilons(wanted, arm, name, "precision")
        }

    def gains(tables: Tables) -> Cells:
        return {
            name: precision - baseline
            for name, (precision, baseline) in precisions(tables).items()
            if not precision.isna().all()
        }

    def with_silent(tables: Tables, finding: Finding) -> str:
        silent = len(precisions(tables)) - len(gains(tables))
        return finding.note + (f"; in {silent} more nobody is called a member" if silent else "")

    quantity = f"positive accuracy of {attack} minus baseline, at every rate and {wanted}"
    return Every(Condition(quantity, at_most(tolerance), gains), note=with_silent)


CLAIMS = (
    Claim(
        id="thudi-fig14-p-null",
        artifact="thudi_fig14",
        statement="Attack P is no more precise than predicting every record a member.",
        tables=TWO,
        each=True,
        rule=_no_gain("attack P", (names.POPULATION,), (1, 3, 5, 9, 15), 0.06),
    ),
    Claim(
        id="thudi-fig15-r-null",
        artifact="thudi_fig15",
        statement="Attack R is no more precise than predicting every record a member.",
        tables=TWO,
        each=True,
        rule=_no_gain("attack R", (names.REFERENCE[0.1],), (1, 3, 9, 15), 0.06),
    ),
    Claim(
        id="thudi-fig16-r-fpr",
        artifact="thudi_fig16",
        statement="Other false positive rates do not help attack R.",
        tables=TWO,
        each=True,
        rule=_no_gain(
            f"attack R at false positive rates {listed(OTHER_RATES)}",
            tuple(names.REFERENCE[fpr] for fpr in OTHER_RATES),
            (1, 3, 9, 15),
            0.08,
        ),
    ),
    Claim(
        id="thudi-fig17-r-same-rate",
        artifact="thudi_fig17",
        statement="Shadow models at the target's own rate do not help attack R.",
        tables=TWO,
        each=True,
        rule=_no_gain("attack R with shadow models at the target's rate", (names.REFERENCE_OWN_RATE,), (3, 7), 0.08),
    ),
)
