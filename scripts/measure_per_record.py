"""Look at attacks record by record. In: signals, losses of the attacker's models. Out: verdicts, and null losses."""

from _job import run

from dpmia.evaluation.attacks import AttackersModels
from dpmia.evaluation.per_record import nulls_table, per_record_table
from dpmia.formats.tables import write_table
from dpmia.jobs.attacking import PerRecordJob


def main(snakemake):
    """Look at the attacks of `params.job`."""
    job, given = PerRecordJob.from_plain(snakemake.params.job), snakemake.input
    experiment, seed = snakemake.wildcards.experiment, snakemake.params.seed
    attacks = {name: attack.make() for name, attack in job.attacks.items()}
    models = AttackersModels(references=given.references, distilled=given.distilled, leave_one_out=given.leave_one_out)
    common = (experiment, attacks, given.targets, seed, models)
    arms, alphas = job.arms, job.alphas
    tables = {
        snakemake.output.per_record: per_record_table(*common, arms=arms, alphas=alphas, count=job.count),
        snakemake.output.nulls: nulls_table(*common, arms=arms, alpha=alphas[0]),
    }
    for path, table in tables.items():
        write_table(path, table)


run(main, snakemake)
