"""What a caption says about the run."""

from __future__ import annotations

from dpmia.papers.artifact import Facts
from dpmia.papers.ye.names import BY_EXPERIMENT


def run_note(facts: Facts) -> str:
    """Return in a few sentences on which data, and how, the models of a figure were trained."""
    told = [_of_one(name, run) for name, run in facts.experiments.items() if name in BY_EXPERIMENT]
    return " ".join([f"{facts.source}, scale {facts.scale}.", *told, facts.left_out]).strip()


def _of_one(experiment: str, run: dict) -> str:
    told = f"{run['model']}, {run['optimiser'].upper()}, {run['epochs']} epochs, batch {run['batch_size']}"
    for fact, words in (("members", "{} records"), ("replicates", "{} targets"), ("references", "{} reference models")):
        if run.get(fact) is not None:
            told += f", {words.format(run[fact])}"
    if run.get("clipped_to") is not None:
        told += f", gradients clipped to {run['clipped_to']:g}"
    return f"{BY_EXPERIMENT[experiment].label}: {told}."
