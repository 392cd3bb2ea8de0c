"""What a caption says about the run."""

from __future__ import annotations

from collections.abc import Iterable

from dpmia.common.formatting import format_setting
from dpmia.jobs.describing import ExperimentDescription
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import Configuration

#: What a caption says of one configuration, with one place -> the field that stands there.
SHOWN = {
    **{"{} epochs": "epochs", "batch {}": "batch_size", "{} records": "members", "{} targets": "replicates"},
    **{"{} reference models": "references", "gradients clipped to {}": "clipped_to"},
    "RMIA offline with a = {}": "offline_a",
}


def run_note(run_summary: RunSummary, configurations: Iterable[Configuration]) -> str:
    """Return in a few sentences on which data, and how, the models of a figure were trained.

    Args:
        run_summary: of the run.
        configurations: what the figure shows; of those that were not run nothing is said.
    """
    sentences = []
    for row in configurations:
        here, paper = row.described(run_summary.experiments), row.described(run_summary.paper)
        if here:
            sentences.append(f"{row.label}: {drawing.here_and_paper(_items(here), _items(paper) if paper else None)}")
    return " ".join([f"{run_summary.source}, scale {run_summary.scale}.", *sentences, run_summary.skipped]).strip()


def _items(run: ExperimentDescription) -> dict[str, str]:
    items = {"{}": drawing.format_network(run.architecture), "trained by {}": run.optimiser.upper()}
    for item, key in SHOWN.items():
        value = getattr(run, key)
        if value is not None:
            items[item] = format_setting(value)
    return items
