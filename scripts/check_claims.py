"""Judge claims in worlds of known truth. In: whatever tables a run has by now. Out: shares as CSV and Markdown."""

from pathlib import Path

from _job import run

from dpmia.claims.claim import EXPERIMENT
from dpmia.claims.judge import JudgedRun
from dpmia.claims.power import LADDER, planned_counts, power, verdict_shares
from dpmia.claims.render import worlds_markdown
from dpmia.common.files import whole_file
from dpmia.formats.tables import write_table
from dpmia.papers.claims import claims


def main(snakemake):
    """Judge every experimental claim of which a table is there, and write beside the tables."""
    params = snakemake.params
    about = JudgedRun(Path(params.folder), params.synthetic, params.scale, times=params.times)
    there = [
        claim
        for paper in claims().values()
        for claim in paper
        if claim.kind == EXPERIMENT and about.tables(claim.tables)
    ]
    tables = about.tables({table for claim in there for table in claim.tables})
    planned = planned_counts(there, params.planned)
    shares = verdict_shares(
        there,
        tables,
        sorted({*LADDER, *(each for counts in planned.values() for each in counts.values())}),
        error=about.error,
    )
    write_table(about.folder / "claim-worlds.csv", shares)
    page = about.folder / "claim-worlds.md"
    with whole_file(page) as part:
        part.write_text(worlds_markdown(shares, power(shares, there, tables), planned, about), encoding="utf-8")
    print(f"{len(there)} claims judged in worlds of known truth: {page}")


run(main, snakemake)
