"""What stands below a figure: how its models were trained, and what its bands and bars are."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.figure import Figure

from dpmia.metrics.intervals import BOTH, FEWEST, RECORDS, REPLICATES, SPLITS
from dpmia.papers.artifact import Facts

OPTIMISERS = {"adam": "Adam", "sgd": "SGD"}

#: Sampler -> what it makes.
SAMPLES = {"poisson": "Poisson batches", "shuffle": "shuffled epochs"}

#: Characters of a caption in one inch.
CHARACTERS = 17


def caption(figure: Figure, text: str) -> None:
    """Write `text` below the panels, wrapped to the figure's width."""
    width = int(figure.get_size_inches()[0] * CHARACTERS)
    figure.supxlabel(textwrap.fill(text, width), fontsize=7, color="0.35", x=0.01, ha="left")


def interval_facts(table: pd.DataFrame) -> str:
    """Return a sentence on what the bands and bars of a figure are, from the column `interval` of its table."""
    kinds = [kind for kind in (REPLICATES, BOTH, RECORDS, SPLITS) if (table["interval"] == kind).any()]
    if not kinds:
        return f"No intervals: fewer than {FEWEST} replicates, or all values equal."
    return f"Bands and bars: 95 % intervals over {', or over '.join(kinds)}."


def run_facts(facts: Facts, table: pd.DataFrame) -> str:
    """Return in a few sentences how the models of a figure were trained and what the bands are."""
    alike: dict[str, list[str]] = {}
    for fact in facts.experiments.values():
        alike.setdefault(_models(fact), []).append(fact["dataset"])
    models = "; ".join(f"of {', '.join(dict.fromkeys(datasets))}: {how}" for how, datasets in alike.items())
    privacy = " ".join(dict.fromkeys(map(_privacy, facts.experiments.values())))
    how = f"{facts.source}, scale {facts.scale}. Models {models}. {privacy}"
    return f"{how} {interval_facts(table)} {facts.skipped}".strip()


def _accountant(fact: dict) -> str:
    name, _, rest = fact["accountant"].partition("_")
    return f"{name.upper()} {rest.replace('_', ' ')}".strip()


def format_batches(fact: dict) -> str:
    """Return how the batches of models with and without privacy are sampled."""
    private, other = (SAMPLES[fact[key]] for key in ("sampling", "sampling_without_privacy"))
    return f"{private} (without privacy, too)" if private == other else f"{private} ({other} without privacy)"


def _clipping(fact: dict) -> str:
    return f"clip norm {fact['clip_norm']:g}" + ("" if fact["clipped_to"] is None else " (without privacy, too)")


def _models(fact: dict) -> str:
    parts = [fact["model"], fact["sizes"], fact["passes"]]
    parts += [
        f"{fact['replicates']} replicates",
        f"{fact['references']} reference models" if fact["references"] else "",
        f"clusters of different classes paired {fact['pairing']}" if fact["pairing"] else "",
    ]
    return ", ".join(filter(None, parts))


def _privacy(fact: dict) -> str:
    return (
        f"DP-{OPTIMISERS[fact['optimiser']]}, {format_batches(fact)}, {_clipping(fact)}, "
        f"δ = {fact['delta']:g}, {fact['relation'].replace('_', '-')}, {_accountant(fact)} accountant."
    )
