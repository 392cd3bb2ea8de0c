"""Plan a private training run by a bound on positive accuracy. Out: table and picture."""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.papers import drawing
from dpmia.papers.plan_picture import draw
from dpmia.privacy.planner import plan


def main(snakemake):
    """Plan as `params.plan` says."""
    table = plan(**snakemake.params.plan)
    with drawing.style():
        drawing.save(draw(table), snakemake.output.pdf, snakemake.output.png)
    with whole_file(Path(snakemake.output.csv)) as part:
        table.to_csv(part, index=False)
    print(table.to_markdown(index=False, floatfmt=".4g"))


run(main, snakemake)
