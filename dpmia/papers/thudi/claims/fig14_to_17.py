"""Claims about figures 14 to 17: attacks P and R are no more precise than predicting every record a member."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import at_most, listed
from dpmia.claims.decisions import Condition, Every
from dpmia.claims.quantities import at_each, metric
from dpmia.claims.rows import Epsilons
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, TWO, measured

#: False positive rates of figure 16.
OTHER_RATES = (0.05, 0.2, 0.3, 0.5)


def _no_gain(attack: str, attacks: tuple[str, ...], epsilons: tuple[float, ...], tolerance: float) -> Every:
    """Return the rule that attacks' own decisions are hardly more precise than predicting every record a member.

    Precision is undefined where no record is predicted a member.
    """
    wanted = Epsilons(named=epsilons)
    gains = {
        f"{title}, {name}, p = {rate:g}": metric(experiment, arm, name, "precision")
        - metric(experiment, arm, name, "precision_baseline")
        for experiment, title in names.DATASETS.items()
        for name in attacks
        for rate, arm in ARMS.items()
    }
    cells, note = measured(at_each(wanted, gains), pd.Series.any, "nobody is called a member")
    quantity = f"positive accuracy of {attack} minus baseline, at every rate and {wanted}"
    return Every(Condition(quantity, at_most(tolerance), cells), note=note)


CLAIMS = tuple(
    Claim(id=name, artifact=artifact, statement=statement, tables=TWO, each=True, rule=rule)
    for name, artifact, statement, rule in (
        (
            "thudi-fig14-p-null",
            "thudi_fig14",
            "Attack P is no more precise than predicting every record a member.",
            _no_gain("attack P", (names.POPULATION,), (1, 3, 5, 9, 15), 0.06),
        ),
        (
            "thudi-fig15-r-null",
            "thudi_fig15",
            "Attack R is no more precise than predicting every record a member.",
            _no_gain("attack R", (names.REFERENCE[0.1],), (1, 3, 9, 15), 0.06),
        ),
        (
            "thudi-fig16-r-fpr",
            "thudi_fig16",
            "Other false positive rates do not help attack R.",
            _no_gain(
                f"attack R at false positive rates {listed(OTHER_RATES)}",
                tuple(names.REFERENCE[fpr] for fpr in OTHER_RATES),
                (1, 3, 9, 15),
                0.08,
            ),
        ),
        (
            "thudi-fig17-r-same-rate",
            "thudi_fig17",
            "Shadow models at the target's own rate do not help attack R.",
            _no_gain("attack R with shadow models at the target's rate", (names.REFERENCE_OWN_RATE,), (3, 7), 0.08),
        ),
    )
)
