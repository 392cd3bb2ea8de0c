"""What a caption says about the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import Configuration

#: What a caption says of one configuration, with one place -> the key that stands there.
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
    of_paper = RunSummary(run_summary.synthetic, run_summary.scale, run_summary.paper)
    sentences = [
        f"{row.label}: {drawing.here_and_paper(_items(run), _items(row.run(of_paper)) or None)}"
        for row in configurations
        if (run := row.run(run_summary))
    ]
    return " ".join([f"{run_summary.source}, scale {run_summary.scale}.", *sentences, run_summary.skipped]).strip()


def _items(run: Mapping[str, Any]) -> dict[str, str]:
    if not run:
        return {}
    items = {"{}": drawing.format_network(run["model"]), "trained by {}": run["optimiser"].upper()}
    for item, key in SHOWN.items():
        value = run.get(key)
        if value is not None:
            items[item] = f"{value:,g}" if isinstance(value, int | float) else str(value)
    return items
