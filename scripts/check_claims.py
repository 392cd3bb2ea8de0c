"""Judge claims in worlds of known truth. In: whatever tables a run has by now. Out: shares as CSV and Markdown."""

from _job import run

from dpmia.claims.claim import EXPERIMENT
from dpmia.claims.judge import JudgedRun
from dpmia.claims.power import LADDER, planned_counts, power, verdict_shares
from dpmia.claims.render import worlds_markdown
from dpmia.common.errors import UserError
from dpmia.common.files import whole_file
from dpmia.formats.tables import write_table
from dpmia.papers.claims import claims

FIRST = "Make some first, by the same command with the target all, or that of a paper"


def main(snakemake):
    """Judge every experimental claim of which a table is there, and write beside the tables."""
    params = snakemake.params
    judged = JudgedRun.from_plain(params.run)
    there = [
        claim
        for paper in claims().values()
        for claim in paper
        if claim.kind == EXPERIMENT and judged.tables(claim.tables)
    ]
    if not there:
        raise UserError(str(judged.folder), "no results that claims could be judged on are here", FIRST)
    tables = judged.tables({table for claim in there for table in claim.tables})
    planned = planned_counts(there, params.planned)
    shares = verdict_shares(
        there,
        tables,
        sorted({*LADDER, *(count for counts in planned.values() for count in counts.values())}),
        error=judged.error,
    )
    write_table(judged.folder / "claim-worlds.csv", shares)
    page = judged.folder / "claim-worlds.md"
    with whole_file(page) as part:
        part.write_text(
            worlds_markdown(shares, power(shares, there, tables, error=judged.error), planned, judged), encoding="utf-8"
        )
    print(f"{len(there)} claims judged in worlds of known truth: {page}")


run(main, snakemake)
