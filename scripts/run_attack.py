"""Attack the target models of one block. In: signals. Out: a tidy table, one row for each model and metric."""

from pathlib import Path

from _job import run

from dpmia.datasets.table import Dataset
from dpmia.files import whole_file
from dpmia.measure import attack_table
from dpmia.registry import load


def main(snakemake):
    """Run the attack `params.job`."""
    job, wildcards = snakemake.params.job, snakemake.wildcards
    table = attack_table(
        wildcards.experiment,
        wildcards.attack,
        load(job["attack"])(**job["options"]),
        snakemake.input.targets,
        snakemake.params.seed,
        shadows=snakemake.input.shadows,
        references=snakemake.input.references,
        distilled=snakemake.input.distilled,
        features=Dataset.load(snakemake.input.dataset[0]).inputs if snakemake.input.dataset else None,
        reference_arm=job["reference_arm"],
        details=job["details"],
        epsilons=job["epsilons"],
    )
    with whole_file(Path(snakemake.output[0])) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
