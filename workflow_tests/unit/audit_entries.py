"""Entries of an audit made by hand, and what is said of them."""

from dataclasses import replace

from scipy.stats import t

from dpmia.audit.entries import Cell, Entry
from dpmia.audit.findings import METRICS
from dpmia.audit.plain import plain_words
from dpmia.audit.verdicts import verdicts
from dpmia.jobs.auditing import AuditedDescription
from dpmia.metrics.intervals import REPLICATES, TOO_FEW

DESCRIPTION = AuditedDescription(
    model="mlp 64",
    attacks_not_run=[],
    delta=1e-5,
    relation="replace_one",
    compares="replace_one",
    references=12,
)

#: 97.5 % quantile of Student's t with three degrees of freedom.
T_3 = float(t.isf(0.025, 3))


def cell(mean, half, records_error=0.0):
    uncertainty = {"error": half / T_3, "degrees": 3.0, "records_error": records_error}
    return Cell(mean, 4, REPLICATES, mean - half, mean + half, half, **uncertainty)


def bare(mean, replicates=2, interval=TOO_FEW):
    """Return a mean without an interval."""
    return Cell(mean, replicates, interval)


def entry(**changes):
    base = Entry(
        experiment="clinic", arm="north", label="North", iid=False, epsilon="inf", oracle=False,
        attack="lira_offline", replicates=4, members=300, nonmembers=300, resolution=1 / 300,
        metrics=dict.fromkeys(METRICS)
        | {"auc": cell(0.6, 0.02), "auc_excess": cell(0.1, 0.02), "tpr_at_1pct_fpr": cell(0.02, 0.01)},
    )  # fmt: skip
    return changed(base, **changes)


def changed(entry, **changes):
    """Return an entry with other attributes or metrics."""
    metrics = {name: changes.pop(name) for name in METRICS if name in changes}
    return replace(entry, metrics=entry.metrics | metrics, **changes)


def plain_text(*entries, description=DESCRIPTION):
    return " ".join(text for section in plain_words(entries, description) for text in section.paragraphs)


def blind(**changes):
    return entry(attack="blind", auc=cell(0.5, 0.02), **changes)


def verdict(*entries, description=DESCRIPTION):
    (judged,) = verdicts(entries, description)
    return judged.verdict, judged.reason


def of_predictions(same_pool):
    return AuditedDescription("mine", [], same_pool=same_pool)
