"""Claims about figures 14 to 17: attacks P and R are no more precise than predicting every record a member."""

from __future__ import annotations

import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import at_most, listed_numbers
from dpmia.claims.decisions import Condition
from dpmia.claims.quantities import mean_over, metric
from dpmia.claims.rows import Epsilons
from dpmia.papers.thudi import names
from dpmia.papers.thudi.claims.shared import ARMS, measured

#: The largest gain that counts as none. The paper prints no number; ours were set before any model was trained, with
#: more room for figures 16 and 17. For comparison: figure 4 marks gains of LiRA of .02 to .08.
NO_GAIN, NO_GAIN_WITH_SCATTER = 0.06, 0.08

#: False positive rates of figure 16.
OTHER_RATES = (0.05, 0.2, 0.3, 0.5)
OTHERS = tuple(names.REFERENCE[rate] for rate in OTHER_RATES)


def _no_gain(
    id: str, statement: str, what: str, attacks: tuple[str, ...], at: tuple[float, ...], tolerance: float, artifact: str
) -> Claim:
    """Return the claim that attacks' own decisions are hardly more precise than predicting every record a member.

    The paper sees no improvement "with respect to" the sampling rate: so each rate is judged, over all epsilons.
    Precision is undefined where no record is predicted a member.
    """
    epsilons = Epsilons(named=at, attacks=attacks)
    gains = {
        f"{title}, {name}, p = {rate:g}": metric(experiment, arm, name, "precision")
        - metric(experiment, arm, name, "precision_baseline")
        for experiment, title in names.DATASETS.items()
        for name in attacks
        for rate, arm in ARMS.items()
    }
    cells, note = measured(mean_over(epsilons, gains), pd.Series.any, "no record is predicted a member")
    quantity = f"precision of {what} minus baseline, mean over {epsilons}, at every rate"
    condition = Condition(quantity, at_most(tolerance), cells, epsilons=epsilons)
    return claim(id, statement, condition, note=note, artifact=artifact, tables=names.TWO, some_suffice=True)


CLAIMS = (
    _no_gain(
        "thudi-fig14-p-null",
        "Attack P is no more precise than predicting every record a member.",
        "attack P",
        (names.POPULATION,),
        (1, 3, 5, 9, 15),
        NO_GAIN,
        artifact="thudi_fig14",
    ),
    _no_gain(
        "thudi-fig15-r-null",
        "Attack R is no more precise than predicting every record a member.",
        "attack R",
        (names.REFERENCE[0.1],),
        (1, 3, 9, 15),
        NO_GAIN,
        artifact="thudi_fig15",
    ),
    _no_gain(
        "thudi-fig16-r-fpr",
        "Other false positive rates do not help attack R.",
        f"attack R at false positive rates {listed_numbers(OTHER_RATES)}",
        OTHERS,
        (1, 3, 9, 15),
        NO_GAIN_WITH_SCATTER,
        artifact="thudi_fig16",
    ),
    _no_gain(
        "thudi-fig17-r-same-rate",
        "Shadow models at the target's own rate do not help attack R.",
        "attack R with shadow models at the target's rate",
        (names.REFERENCE_OWN_RATE,),
        (3, 7),
        NO_GAIN_WITH_SCATTER,
        artifact="thudi_fig17",
    ),
)
