"""What a caption says about the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpmia.papers.artifact import Facts
from dpmia.papers.ye.names import Configuration


def run_note(facts: Facts, configurations: Iterable[Configuration]) -> str:
    """Return in a few sentences on which data, and how, the models of a figure were trained.

    Args:
        facts: of the run.
        configurations: what the figure shows; of those that were not run nothing is said.
    """
    sentences = [_of_one(row, run) for row in configurations if (run := row.run(facts))]
    return " ".join([f"{facts.source}, scale {facts.scale}.", *sentences, facts.skipped]).strip()


def _of_one(row: Configuration, run: dict[str, Any]) -> str:
    description = f"{run['model']}, {run['optimiser'].upper()}, {run['epochs']} epochs, batch {run['batch_size']}"
    for fact, words in (("members", "{} records"), ("replicates", "{} targets"), ("references", "{} reference models")):
        if run.get(fact) is not None:
            description += f", {words.format(run[fact])}"
    if run.get("clipped_to") is not None:
        description += f", gradients clipped to {run['clipped_to']:g}"
    if run.get("offline_a") is not None:
        description += f", RMIA offline with a = {run['offline_a']}"
    return f"{row.label}: {description}."
