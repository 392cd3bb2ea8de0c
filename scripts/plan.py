"""Plan a private training run by a bound on the precision of attacks. Out: table and picture."""

from _job import run

from dpmia.formats.tables import write_table
from dpmia.papers import drawing
from dpmia.papers.plan_picture import draw
from dpmia.privacy.plan_request import PlanRequest
from dpmia.privacy.planner import plan


def main(snakemake):
    """Plan as `params.plan` says."""
    table = plan(PlanRequest.from_plain(snakemake.params.plan))
    with drawing.style():
        drawing.save(draw(table), snakemake.output.pdf, snakemake.output.png)
    write_table(snakemake.output.csv, table)
    print(table.to_markdown(index=False, floatfmt=".4g"))


run(main, snakemake)
