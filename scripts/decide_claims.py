"""Judge what is undecided, and choose what to add. In: tables and audits of a run. Out: text, and its looks."""

from _job import run

from dpmia.claims.deciding import Effort
from dpmia.claims.judge import JudgedRun
from dpmia.formats.looks import Looks, write_looks
from dpmia.workflow.next_look import next_look


def main(snakemake):
    """Print what to add to the run that `params` describe, and write it where the next run reads it."""
    params = snakemake.params
    looks = Looks.from_plain(params.looks) if params.looks else None
    here = looks and looks.renamed({key: name for name, key in params.named.items()})
    judged = JudgedRun.from_plain(params.run)
    efforts = {name: Effort.from_plain(effort) for name, effort in params.efforts.items()}
    look, message = next_look(judged, params.audits, efforts, params.budget, here)
    print(message)
    if look:
        look = look.renamed(params.named)
        write_looks(judged.folder, (looks or Looks([], params.seed)).and_then(look))
        print("\nThese replicates come next. Whatever stops that, the same command goes on.")
    elif looks:
        print("\nFigures, verdicts and the report with all added replicates: the same command with the target all")


run(main, snakemake)
