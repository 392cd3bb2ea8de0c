"""End with an error if an audit found more than the settings allow. In: the JSON of each report."""

from _job import run

from dpmia.common.errors import LimitError, UserError
from dpmia.common.reading.source import made


def main(snakemake):
    """Check the limits that the audits were made with."""
    print("\n".join(f"Report: {html}" for html in snakemake.input.html))
    limits = [made(file).json()["limits"] for file in snakemake.input.json]
    reports = ", ".join(snakemake.input.html)
    exceeded = [each for one in limits for each in one["exceeded"]]
    if exceeded:
        listed = "; ".join(
            f"{each['metric']} {each['value']:.3f} of {each['attack']} ({each['experiment']}, {each['arm']}, "
            f"epsilon {each['epsilon']})"
            for each in exceeded[:5]
        )
        raise LimitError(
            "audit.fail_above",
            f"{len(exceeded)} above a limit ({limits[0]['fail_above']}): {listed}",
            f"Report: {reports}",
        )
    if not_evaluated := sorted({metric for one in limits for metric in one["not_evaluated"]}):
        raise UserError(
            "audit.fail_above",
            f"the limits of {', '.join(not_evaluated)} cannot be evaluated in every arm: too few non-members, no blind "
            "baseline, or no model with the epsilons that the limits are for",
            f"Limit advantage or auc, or use more records. Report: {reports}",
        )


run(main, snakemake)
