"""Entries of an audit made by hand, and what is said of them."""

from scipy.stats import t

from dpmia.audit import advice
from dpmia.audit.plain import plain_words
from dpmia.metrics.intervals import REPLICATES

FACTS = {
    "model": "mlp 64",
    "delta": 1e-5,
    "relation": "replace_one",
    "compares": "replace_one",
    "independent": False,
    "references": 12,
    "mismatched_attacks": [],
    "attacks_not_run": [],
}


NO_LIMITS = {"low": None, "high": None, "half_width": None}

#: 97.5 % quantile of Student's t with three degrees of freedom.
T_3 = float(t.isf(0.025, 3))


def cell(mean, half, records_error=0.0):
    limits = {"low": mean - half, "high": mean + half, "half_width": half}
    uncertainty = {"error": half / T_3, "degrees": 3.0, "records_error": records_error}
    return {"mean": mean, "replicates": 4, "interval": REPLICATES} | limits | uncertainty


def entry(**changed):
    base = {
        "experiment": "clinic", "arm": "north", "label": "North", "iid": False, "epsilon": "inf", "oracle": False,
        "attack": "lira_offline", "replicates": 4, "members": 300, "nonmembers": 300, "auc": cell(0.6, 0.02),
        "auc_excess": cell(0.1, 0.02), "tpr_at_1pct_fpr": cell(0.02, 0.01), "advantage": None,
    }  # fmt: skip
    return base | changed


def plain_text(*entries, facts=FACTS):
    return " ".join(text for section in plain_words(entries, "clinic", facts) for text in section["paragraphs"])


def blind(**changed):
    return entry(attack="blind", auc=cell(0.5, 0.02), **changed)


def verdict(*entries, facts=FACTS):
    (judged,) = advice.verdicts(entries, "clinic", facts)
    return judged["verdict"], judged["reason"]


def of_predictions(same_pool):
    return FACTS | {"model": "mine", "delta": None, "same_pool": same_pool}
