"""Train some private models of experiments again, by Opacus. In: data sets, splits, signals. Out: differences, CSV."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.rows import write_rows
from dpmia.formats.signals import load_all
from dpmia.formats.stages import ENGINES
from dpmia.jobs.checking import EngineCheck
from dpmia.splits.split import load_splits
from dpmia.validation.retraining import compare


def main(snakemake):
    """Compare the engines of the experiments of `params.checks`, one after another."""
    torch.set_num_threads(snakemake.threads)
    rows = []
    for experiment, plain in snakemake.params.checks.items():
        check = EngineCheck.from_plain(plain)
        dataset = Dataset.load(check.dataset)
        splits = load_splits(check.splits, dataset)
        signals = load_all(check.signals, len(dataset))
        rows += compare(experiment, check.engine, check.models, dataset, splits, signals, check.work)
    write_rows(snakemake.output[0], rows, ENGINES)


run(main, snakemake)
