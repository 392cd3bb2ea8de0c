"""Attack all models of an experiment. In: signals. Out: a tidy table, one row for each model and metric."""

from pathlib import Path

from _job import run

from dpmia.files import whole_file
from dpmia.measure import attack_table
from dpmia.registry import load


def main(snakemake):
    """Run the attack `params.attack`."""
    experiment, attack = snakemake.wildcards.experiment, snakemake.wildcards.attack
    table = attack_table(experiment, attack, load(snakemake.params.attack)(), snakemake.input, snakemake.params.seed)
    with whole_file(Path(snakemake.output[0])) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
