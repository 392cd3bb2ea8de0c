"""The page on tables of results names what stands in them."""

import re

import numpy as np
import pytest

from dpmia.attacks.base import Outcome
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY
from dpmia.formats.rows import COLUMNS, NO_ATTACKS, RECORDS
from dpmia.metrics import ranges
from dpmia.metrics.ranking import LOW_RATES
from dpmia.settings.generate import ROOT

PAGE = (ROOT / "docs/results.md").read_text(encoding="utf-8")
NAMED = {*re.findall(r"`([^`\n]+)`", PAGE)}


@pytest.mark.parametrize("name", [*COLUMNS, RECORDS, *LIMITS, *UNCERTAINTY, "replicates", *NO_ATTACKS])
def test_columns_are_named(name):
    assert name in NAMED


def test_metrics_are_named():
    is_member = np.arange(300) < 150
    scores = np.random.default_rng(0).normal(size=300)
    measured = Outcome(np.arange(300), is_member, scores, scores > 0, details=True, fair=True).metrics()
    of_attacks = {re.sub("@.*", "@", metric) for metric in measured}
    of_models = {f"{what}_{part}" for what in ("accuracy", "loss") for part in ("members", "nonmembers", "validation")}
    of_models |= {name.replace("tpr_", "tpr_ceiling_") for name in LOW_RATES} | {"tpr_ceiling@"}
    of_models |= {name for name in ranges._EXACT if name.endswith("_ceiling")} - {"tpr_ceiling"}
    named = {re.sub("<.*>", "", name) for name in NAMED}
    assert of_attacks | of_models | {"advantage_excess", "auc_excess"} <= named
