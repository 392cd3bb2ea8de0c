"""Table 5 of Ye et al.: the AUC of attacks R and D by the number of their models, and by estimator.

python docs/measured/interventions/ye_table5_models.py results/real-night, after a run of ye_table5 there.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.attacks.base import Knowledge
from dpmia.attacks.estimators import ESTIMATORS
from dpmia.attacks.hypothesis import Distillation, Reference
from dpmia.evaluation.attacks import AttackersModels
from dpmia.formats.losses import References
from dpmia.formats.signals import MEMBER, NONMEMBER, load_signals
from dpmia.metrics.intervals import mean_interval
from dpmia.metrics.ranking import ranking

SAME = "logit_gaussian"
ATTACKS = {"R": (Reference, "references"), "D": (Distillation, "distilled")}


def of_some(models, first, count):
    """Return `count` of the models, from the first."""
    chosen = slice(first, first + count)
    return References(models.losses[chosen], models.trained_on[chosen])


def auc_of(letter, estimator, signal, models):
    """Return the AUC of an attack on one target model."""
    attack, kind = ATTACKS[letter]
    scores = attack(estimator=estimator).scores(signal, Knowledge(**{kind: models}), None)
    return ranking(scores, signal.membership == MEMBER)["auc"]


def rows_of(signal, knowledge):
    """Yield the changed setting, the attack and its AUC; with fewer models, the mean over disjoint sets of them."""
    for letter, (_, kind) in ATTACKS.items():
        models = getattr(knowledge, kind)
        total = len(models.losses)
        for estimator in ESTIMATORS:
            yield f"estimator {estimator}, {total} models", letter, auc_of(letter, estimator, signal, models)
        for count in (total // 4, total // 2):
            parts = [of_some(models, first, count) for first in range(0, total - count + 1, count)]
            of_parts = [auc_of(letter, SAME, signal, part) for part in parts]
            yield f"estimator {SAME}, {count} models", letter, np.mean(of_parts)


def main(home, experiment="ye_mnist"):
    """Print R less D for each configuration and change, with its 95 % interval over replicates."""
    references = sorted(Path(home, "references", experiment, "inf").glob("*.npz"))
    rows = []
    for file in sorted(Path(home, "signals", experiment, "inf").glob("*.npz")):
        folder = Path(home, "distilled", experiment, "inf", file.stem.replace("block", "targets"))
        models = AttackersModels(references=references, distilled=sorted(folder.glob("*.npz")))
        for signal in load_signals(file):
            knowledge = models.knowledge_of(queried := signal.of(MEMBER, NONMEMBER))
            rows += [(signal.card.arm, signal.card.replicate, *row) for row in rows_of(queried, knowledge)]
    table = pd.DataFrame(rows, columns=["arm", "replicate", "changed", "attack", "auc"])
    by_attack = table.pivot_table(index=["arm", "changed", "replicate"], columns="attack", values="auc")
    for (arm, changed), aucs in by_attack.groupby(["arm", "changed"]):
        less = mean_interval((aucs["R"] - aucs["D"]).to_numpy())
        limits = f"{less.mean:.4f} [{less.low:.4f}, {less.high:.4f}]"
        print(f"{arm:4}{changed:36}R {aucs.R.mean():.4f}  D {aucs.D.mean():.4f}  {limits}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # records without two models in a set: .04 % at most, by the messages
    main(*sys.argv[1:])
