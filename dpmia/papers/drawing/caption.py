"""Sentences of captions: how the models of a figure were trained, here and in the paper, and what its bands are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from dpmia.common.formatting import format_significant
from dpmia.jobs.describing import ExperimentDescription
from dpmia.metrics.intervals import BOTH, FEWEST, RECORDS, REPLICATES, SPLITS
from dpmia.papers.artifact import RunSummary

OPTIMISERS = {"adam": "Adam", "sgd": "SGD"}

#: Sampler -> what it makes.
SAMPLES = {"poisson": "Poisson batches", "shuffle": "shuffled epochs"}

#: Data set -> its name in captions.
DATASETS = {
    **{"adult": "Adult", "census_adult": "Census + Adult", "compas": "COMPAS", "heart": "Heart disease"},
    **{"student": "Student performance", "texas": "Texas hospital stays", "purchase100": "Purchase100"},
    **{"mnist": "MNIST", "cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "svhn": "SVHN", "iwpc": "IWPC"},
}

#: Network -> its name in captions.
NETWORKS = {
    **{"mlp": "MLP", "vgg": "VGG", "alexnet": "AlexNet", "tramer boneh": "CNN of Tramèr and Boneh"},
    **{"growing": "CNN of size s", "two convolutions": "CNN with two convolutions"},
}

ACCOUNTANTS = {
    "pld": "PLD accountant",
    "rdp": "RDP accountant",
    "rdp_as_published": "accountant of the published code (RDP, not covered by a theorem)",
}

#: The arms are named only where they differ: panels and legends name those of the figure.
ARMS = "arms {}"

#: A sentence that compares a run with the paper begins so.
PAIRS = "Here / paper's scale"

#: What differs: a text with one place, such as `{} epochs`, -> what stands there.
Items = Mapping[str, str]


def interval_caption(table: pd.DataFrame) -> str:
    """Return a sentence on what the bands and bars of a figure are, from the column `interval` of its table."""
    kinds = [kind for kind in (REPLICATES, BOTH, RECORDS, SPLITS) if (table["interval"] == kind).any()]
    if not kinds:
        return f"No intervals: fewer than {FEWEST} replicates, or all values equal."
    return f"Bands and bars: 95 % intervals over {', or over '.join(kinds)}."


def run_caption(run_summary: RunSummary, table: pd.DataFrame) -> str:
    """Return in a few sentences how the models of a figure were trained and what the bands are."""
    training, privacy = training_caption(run_summary), privacy_caption(run_summary)
    return f"{training} {privacy} {interval_caption(table)} {run_summary.skipped}".strip()


def training_caption(run_summary: RunSummary) -> str:
    """Return on which data and how the models of a figure were trained, here and at the paper's scale."""
    alike: dict[tuple[str, tuple[str, ...]], list[tuple[Items, Items | None]]] = {}
    for name, description in run_summary.experiments.items():
        here, paper = items(description), items(run_summary.paper[name]) if name in run_summary.paper else None
        if paper is None or here.get(ARMS) == paper.get(ARMS):
            here.pop(ARMS, None)
            paper = paper and {item: value for item, value in paper.items() if item != ARMS}
        alike.setdefault((description.dataset, (*here, "", *(paper or ()))), []).append((here, paper))
    texts: dict[str, list[str]] = {}
    for (dataset, _), pairs in alike.items():
        heres, papers = zip(*pairs, strict=True)
        how = here_and_paper(_merged(heres), _merged(papers) if papers[0] else None)
        texts.setdefault(how, []).append(format_dataset(dataset))
    models = [f"{', '.join(dict.fromkeys(datasets))}: {how}" for how, datasets in texts.items()]
    return " ".join([f"{run_summary.source}, scale {run_summary.scale}.", *models])


def _merged(several: Sequence[Items]) -> Items:
    """Return what holds for experiments that state the same items; values that differ as `4 or 5`."""
    return {item: " or ".join(dict.fromkeys(experiment[item] for experiment in several)) for item in several[0]}


def privacy_caption(run_summary: RunSummary) -> str:
    """Return how private models were trained and accounted for."""
    return " ".join(dict.fromkeys(map(_privacy, run_summary.experiments.values())))


def here_and_paper(here: Items, paper: Items | None) -> str:
    """Return what is the same here and in the paper, and as pairs what is not, as sentences.

    Args:
        here: items of the run.
        paper: the same of the paper's scale; None where it is not known.
    """
    reference = here if paper is None else paper
    same = [item.format(value) for item, value in here.items() if reference.get(item) == value]
    pairs = [
        item.format(f"{here.get(item, 'none')} / {reference.get(item, 'none')}")
        for item in {**here, **reference}
        if here.get(item) != reference.get(item)
    ]
    sentences = [f"{', '.join(same)}."] if same else []
    if pairs:
        sentences.append(f"{PAIRS}: {'; '.join(pairs)}.")
    return " ".join(sentences)


def items(description: ExperimentDescription) -> dict[str, str]:
    """Return what a caption says of the training of an experiment."""
    sizes = re.match(r"([\d,]+(?: or [\d,]+)*) (.+)", description.sizes)
    epochs, _, batch = description.passes.partition(", ")
    values = {
        "{}": format_network(description.architecture),
        f"{{}} {sizes[2]}" if sizes else "": sizes[1] if sizes else "",
        "{} epochs": epochs.removesuffix(" epochs"),
        "batch {}": batch.removeprefix("batch "),
        "{} replicates": str(description.replicates),
        "{} reference models": str(description.references or ""),
        "clusters of different classes paired {}": description.pairing or "",
        "ε {}": ", ".join(description.epsilons) if description.epsilons != ["∞"] else "",
        ARMS: ", ".join(description.arms) if len(description.arms) > 1 else "",
    }
    return {item: value for item, value in values.items() if value}


def format_network(name: str) -> str:
    """Return a network with its details as captions have it: `MLP 256-256 (ReLU)` of `mlp 256-256 (ReLU)`."""
    return re.sub(rf"\b({'|'.join(NETWORKS)})\b", lambda match: NETWORKS[match[0]], name)


def format_dataset(name: str) -> str:
    """Return the name of a data set as captions have it."""
    return DATASETS.get(name, name)


def format_batches(description: ExperimentDescription) -> str:
    """Return how the batches of models with and without privacy are sampled."""
    private, other = SAMPLES[description.sampling], SAMPLES[description.sampling_without_privacy]
    return f"{private} (without privacy, too)" if private == other else f"{private} ({other} without privacy)"


def _clipping(description: ExperimentDescription) -> str:
    without = "" if description.clipped_to is None else " (without privacy, too)"
    return f"clip norm {description.clip_norm:g}{without}"


def _privacy(description: ExperimentDescription) -> str:
    optimiser = OPTIMISERS[description.optimiser]
    if description.epsilons == ["∞"]:
        clipping = "" if description.clipped_to is None else f", {_clipping(description)}"
        return f"{optimiser}, {SAMPLES[description.sampling_without_privacy]}{clipping}, no privacy."
    return (
        f"DP-{optimiser}, {format_batches(description)}, {_clipping(description)}, "
        f"δ = {format_significant(description.delta)}, {description.relation.replace('_', '-')}, "
        f"{ACCOUNTANTS[description.accountant]}."
    )
