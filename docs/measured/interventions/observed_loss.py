"""An attack for `yeom_table1.yaml`: the average threshold at the loss that training itself reports."""

import numpy as np

from dpmia.attacks.threshold import LossScore
from dpmia.formats.signals import CURVE


class ObservedLoss(LossScore):
    """Predicts "member" where the loss is at most the mean loss over the batches of the last epoch.

    That is what training reports ("the average training loss observed during training", Yeom et al. 2018, VI-A). Each
    batch is met before the step that it makes, so this mean is above that of the trained model on its members.
    """

    def decisions(self, signal, scores):
        """See `Attack.decisions`."""
        observed = signal.curve[:, CURVE.index("loss")]
        return -scores <= observed[np.isfinite(observed)][-1]
