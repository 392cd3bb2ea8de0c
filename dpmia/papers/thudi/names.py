"""What the figures expect to find in tables: names of experiments, arms and attacks, in one place.

Figures of models read the table `replicates/<experiment>`: one row for each model, attack and metric, with the columns
of `dpmia.formats.rows.COLUMNS`. Metrics are those of `dpmia.metrics.precision`; figures 5 and 6 read
`accuracy_validation_best` and `accuracy_validation` of the attack `dpmia.formats.rows.NO_ATTACK`.
"""

from __future__ import annotations

from dataclasses import dataclass

MNIST, CIFAR10, SVHN = "thudi_mnist", "thudi_cifar10", "thudi_svhn"

#: Experiments of attacked models, and what they are called in figures.
DATASETS = {MNIST: "MNIST", CIFAR10: "CIFAR-10", SVHN: "SVHN-extended"}

#: Experiments of figures 5 and 6, whose epsilon follows from the arm and the bound to keep.
BUDGETS = {f"{experiment}_budget": title for experiment, title in DATASETS.items()}

#: Attacked models -> models that are trained without privacy: those of figure 12, and positive controls.
CONTROLS = {experiment: f"{experiment}_control" for experiment in (CIFAR10, MNIST)}

#: Attacked models -> models that are trained with clipping, and without noise.
CLIPPED = {experiment: f"{experiment}_clipped" for experiment in (CIFAR10, MNIST)}

#: Tables of the attacked models, of those without SVHN, and of models without privacy.
ALL = tuple(f"replicates/{experiment}" for experiment in DATASETS)
TWO = tuple(f"replicates/{experiment}" for experiment in (CIFAR10, MNIST))
NOT_PRIVATE = tuple(f"replicates/{experiment}" for experiment in CONTROLS.values())

#: Sampling rates of the paper; arms are named `p0.1`, ..., `p0.9`.
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)

#: Epsilons of the attacked models.
EPSILONS = (1.0, 3.0, 5.0, 7.0, 9.0, 12.0, 15.0)

#: LiRA with shadow models at rate .5: one variance for all points, and one for each point.
LIRA, LIRA_PER_POINT = "lira", "lira_per_point"

#: What captions say of the first; both are our choices.
LIRA_NOTE = "LiRA with one variance for all points, one query per image, without its mirror image."

#: Figure 13: LiRA by the rate of its shadow models.
LIRA_BY_RATE = {rate: LIRA if rate == 0.5 else f"lira_shadows_{round(100 * rate)}" for rate in RATES}

#: Attack P at a false positive rate of .1.
POPULATION = "population"

#: Attack R by its false positive rate; shadow models at rate .5.
REFERENCE = {fpr: f"reference_{round(100 * fpr):02d}" for fpr in (0.05, 0.1, 0.2, 0.3, 0.5)}

#: Figure 17: attack R at a false positive rate of .1 with shadow models at the rate of the target model.
REFERENCE_OWN_RATE = "reference_10_own_rate"


def rate_of(arm: str) -> float:
    """Return the sampling rate of an arm: .1 of `p0.1`."""
    return float(arm.removeprefix("p"))


def arm_of(rate: float) -> str:
    """Return the arm of a sampling rate."""
    return f"p{rate:g}"


@dataclass(frozen=True)
class Panel:
    """One panel of a figure.

    Attributes:
        title: as it stands above the panel.
        experiment: whose models it shows.
        attacks: names of the attacks it shows.
    """

    title: str
    experiment: str
    attacks: tuple[str, ...]


def panels(experiments: tuple[str, ...], *attacks: str) -> list[Panel]:
    """Return one panel for each experiment, all with the same attacks."""
    titles = DATASETS | {CONTROLS[name]: DATASETS[name] for name in CONTROLS}
    return [Panel(titles[name], name, attacks) for name in experiments]
