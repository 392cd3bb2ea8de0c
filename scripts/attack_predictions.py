"""Attack a model known by its predictions only. In: tables of predictions. Out: signals, losses, tidy tables."""

from _job import run

from dpmia.evaluation.predictions import import_predictions, tables
from dpmia.formats.tables import write_table
from dpmia.jobs.attacking import AttackSpec, PredictionsJob


def main(snakemake):
    """Import the tables that `params.settings` name, and run `params.attacks`."""
    output, params = snakemake.output, snakemake.params
    import_predictions(PredictionsJob.from_plain(params.settings), output.signals, output.references)
    attacks = {name: AttackSpec.from_plain(attack).make() for name, attack in params.attacks.items()}
    found = tables(snakemake.wildcards.predictions, attacks, output.signals, output.references, params.seed)
    for table, path in zip(found, (output.replicates, output.summary), strict=True):
        write_table(path, table)


run(main, snakemake)
