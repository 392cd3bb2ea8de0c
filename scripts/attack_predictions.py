"""Attack a model known by its predictions only. In: tables of predictions. Out: signals, losses, tidy tables."""

from _job import run

from dpmia.evaluation.predictions import read_predictions, tables
from dpmia.formats.tables import write_table
from dpmia.jobs.attacking import AttackSpec, PredictionsJob


def main(snakemake):
    """Read the tables that `params.settings` name, and run `params.attacks`; nothing is written if one fails."""
    output, params = snakemake.output, snakemake.params
    given = read_predictions(PredictionsJob.from_plain(params.settings))
    attacks = {name: AttackSpec.from_plain(attack).make() for name, attack in params.attacks.items()}
    measured = tables(snakemake.wildcards.predictions, attacks, given, params.seed)
    given.save(output.signals, output.references)
    for table, path in zip(measured, (output.replicates, output.summary), strict=True):
        write_table(path, table)


run(main, snakemake)
