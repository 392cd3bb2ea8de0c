"""Turn raw files into features, labels and attributes. In: raw files. Out: one prepared data set."""

import logging
from pathlib import Path

from _job import run

from dpmia.common.plugins import errors_of_file
from dpmia.common.registry import load
from dpmia.datasets.canaries import with_canaries
from dpmia.datasets.raw.sources import require_published
from dpmia.jobs.drawing import PrepareJob

log = logging.getLogger(__name__)


def main(snakemake):
    """Read and encode the data set as `params.job` says."""
    job = PrepareJob.from_plain(snakemake.params.job)
    module, reading = load(job.module), job.reading
    with errors_of_file(job.module, "data set", every=True):
        folder = Path(snakemake.input[0]).parent
        raw = module.read(folder) if reading is None else module.read(folder, reading)
        dataset = module.encode(raw, **job.options)
        for file in dataset.provenance.files:
            log.info("%s: %s rows", file.name, file.rows)
        log.info("%s: %d records, %d features", dataset.name, *dataset.x.shape[:2])
        if not dataset.provenance.synthetic and reading is None:
            require_published(dataset.name, dataset.provenance.files)
    described = () if reading is None else module.describe(dataset.provenance)
    for line in described:
        log.info("%s", line)
    if job.canaries is not None:
        dataset = with_canaries(dataset, job.canaries)
        log.info("%d canaries (%s) replace the first records", job.canaries.count, ", ".join(job.canaries.kinds))
    dataset.save(snakemake.output[0])
    for line in described:
        print(line)


run(main, snakemake)
