"""Attack the target models of one block. In: signals. Out: a tidy table, one row for each model and metric."""

from _job import run

from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.attacks import AttackersModels, attack_rows
from dpmia.formats.rows import write_rows
from dpmia.jobs.attacking import AttackJob


def main(snakemake):
    """Run the attack `params.job`."""
    job, wildcards = AttackJob.from_plain(snakemake.params.job), snakemake.wildcards
    dataset = Dataset.load(snakemake.input.dataset[0]) if snakemake.input.dataset else None
    models = AttackersModels(
        snakemake.input.shadows,
        snakemake.input.references,
        snakemake.input.distilled,
        reference_arm=job.reference_arm,
    )
    rows = attack_rows(
        wildcards.experiment,
        wildcards.attack,
        job.make(),
        snakemake.input.targets,
        snakemake.params.seed,
        models,
        features=None if dataset is None else dataset.inputs,
        count=None if dataset is None else len(dataset),
        details=job.details,
        epsilons=job.epsilons,
    )
    write_rows(snakemake.output[0], rows)


run(main, snakemake)
