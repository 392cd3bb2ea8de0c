"""End with an error if an audit found more than the settings allow. In: `audit.json`."""

import json
from pathlib import Path

from _job import run

from dpmia.errors import UserError


def main(snakemake):
    """Check the limits that the audit was made with."""
    audit = json.loads(Path(snakemake.input.json).read_text(encoding="utf-8"))
    limits = audit["limits"]
    print(f"Report: {snakemake.input.html}")
    if limits["exceeded"]:
        told = "; ".join(
            f"{each['metric']} {each['value']:.3f} of {each['attack']} ({each['experiment']}, {each['arm']}, "
            f"epsilon {each['epsilon']})"
            for each in limits["exceeded"][:5]
        )
        raise UserError(
            "audit.fail_above", f"{len(limits['exceeded'])} above a limit: {told}",
            f"at most {limits['fail_above']}", f"The report is written: {snakemake.input.html}",
        )  # fmt: skip
    if limits["untold"]:
        raise UserError(
            "audit.fail_above",
            f"limits for {', '.join(limits['untold'])}, which cannot be told in every arm: too few non-members, no "
            "blind baseline, or no model with the epsilons that the limits are for",
            "limits that can be checked",
            f"Limit advantage or auc, or take more records. The report is written: {snakemake.input.html}",
        )


run(main, snakemake)
