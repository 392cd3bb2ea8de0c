"""End with an error if an audit found more than the settings allow. In: the JSON of each report."""

from _job import run

from dpmia.audit.formatting import format_models
from dpmia.audit.limits import AuditLimits
from dpmia.common.errors import LimitError, UserError
from dpmia.common.formatting import format_interval
from dpmia.common.reading.source import made
from dpmia.workflow.failures import runner

#: Means that a message lists.
MOST_LISTED = 5


def main(snakemake):
    """Check the limits that the audits were made with."""
    print("\n".join(f"Report: {html}" for html in snakemake.input.html))
    limits = list(map(_limits, snakemake.input.json))
    reports = ", ".join(snakemake.input.html)
    if exceeded := [mean for one in limits for mean in one.exceeded]:
        raise LimitError("audit.fail_above", f"above a limit: {_listed(exceeded)}", f"Report: {reports}")
    if reasons := dict.fromkeys(item for one in limits for item in one.held.not_evaluated.items()):
        raise UserError(
            "audit.fail_above",
            f"cannot be evaluated for every model: {'; '.join(f'{metric}: {reason}' for metric, reason in reasons)}",
            "Add what is missing (replicates of the scale, non-members, a blind baseline), or change audit.fail_above "
            f"or audit.epsilons. Report: {reports}",
        )
    if undecided := [mean for one in limits for mean in one.undecided]:
        raise LimitError(
            "audit.fail_above",
            f"not shown to be within a limit, nor above it: {_listed(undecided)}",
            f"Add replicates ({runner()} decide with a budget) or, where there are predictions only, records. "
            f"Report: {reports}",
        )


def _limits(file):
    """Return the limits in the JSON of a report."""
    source = made(file)
    with source.faults("it is no report of an audit"):
        return AuditLimits.from_plain(source.json()["limits"])


def _listed(means):
    """Return the first means in words, with the limits that decide, and how many more there are."""
    listed = "; ".join(
        f"{mean.metric} {format_interval(mean.value, mean.low, mean.high)} of {mean.attack}"
        f"{' (turned round)' * mean.turned}, limit {mean.limit:g} "
        f"({format_models(mean.experiment, mean.arm, mean.epsilon)})"
        for mean in means[:MOST_LISTED]
    )
    return f"{listed}; and {len(means) - MOST_LISTED} more" if len(means) > MOST_LISTED else listed


run(main, snakemake)
