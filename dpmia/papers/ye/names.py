"""What the artifacts expect to find in tables, and what the paper prints: names and numbers in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpmia.jobs.describing import ExperimentDescription

if TYPE_CHECKING:
    import pandas as pd

TRAIN, TEST = "train accuracy, %", "test accuracy, %"

#: Metrics of the model itself, which tables have as fractions.
MODEL_METRICS = {TRAIN: "accuracy_members", TEST: "accuracy_nonmembers"}

#: Attacks of the paper by the letter it gives them -> name in the experiments.
PAPER = {"S": "shadow_threshold", "P": "population", "R": "reference", "D": "distillation"}

#: Attacks beyond the paper, and the control, as tables and figures call them -> name in the experiments.
BEYOND = {
    "LiRA": "lira",
    "LiRA offline": "lira_offline",
    "RMIA offline": "rmia_offline",
    "quantile regression": "quantile_regression",
}
OTHERS = {"mean training loss": "average_threshold", "random scores": "random"}

ATTACKS = PAPER | BEYOND | OTHERS

#: Attacks of which every record has null losses of its own: none of K is rarer than 1 / (K + 1).
PER_RECORD = ("R", "D")


@dataclass(frozen=True)
class Configuration:
    """One row of the paper's tables 1 and 3 to 5.

    Attributes:
        experiment: the experiment that trains it.
        arm: its arm of the experiment, named as in the paper.
        label: as the paper names it, with the data set.
        printed: quantity (`TRAIN`, `TEST`, in percent, and the letters of `PAPER`) -> value and what stands after
            its "+-"; of accuracies that is a fraction, so it seems.
        settings: field of `dpmia.jobs.describing.ExperimentDescription` -> what the paper has; it leaves out the
            others. None where gradients are not clipped.
    """

    experiment: str
    arm: str
    label: str
    printed: dict[str, tuple[float, float]]
    settings: dict[str, float | None]

    @property
    def table(self) -> str:
        """The table of its attacks and target models."""
        return f"replicates/{self.experiment}"

    def described(self, experiments: Mapping[str, ExperimentDescription]) -> ExperimentDescription | None:
        """Return the description of its arm; None where it is not among the experiments."""
        description = experiments.get(self.experiment)
        return description.of_arm(self.arm) if description and self.arm in description.arms else None


#: Records trained on, by Roman number.
_MEMBERS = {"I": 2500, "II": 5000, "III": 10_000, "IV": 10_000}


def _rows(
    experiment: str,
    title: str,
    rows: dict[str, tuple[tuple[float, float], ...]],
    l2: dict[str, float],
    models: dict[str, int],
    clipping: dict[str, float],
    apart: dict[str, str],
) -> dict[str, Configuration]:
    """Return the configurations of one table by their names.

    Args:
        experiment: that has them as its arms.
        title: as in the paper.
        rows: name of a configuration -> accuracy on members and non-members, AUC of S, P, R, D.
        l2: penalty by what stands after the Roman number.
        models: all that were trained, where that is not 1000, by Roman number; one of them is the target.
        clipping: norm of gradients by Roman number; of the others none.
        apart: experiment of those that another one has, by name.
    """
    configurations = {}
    for name, values in rows.items():
        roman, letter = name.rstrip("ab"), name.lstrip("IV")
        configurations[name] = Configuration(
            apart.get(name, experiment),
            name,
            f"{title} {name}",
            dict(zip((TRAIN, TEST, *PAPER), values, strict=True)),
            {
                "members": _MEMBERS[roman],
                "references": models.get(roman, 1000) - 1,
                "l2": l2[letter],
                "clipped_to": clipping.get(roman),
            },
        )
    return configurations


#: Tables 1 and 3 to 5 of the paper: their configurations by name.
PURCHASE = _rows(
    "ye_purchase",
    "Purchase100",
    {
        "Ia": ((96.2, 0.031), (52.5, 0.026), (0.809, 0.017), (0.822, 0.014), (0.84, 0.023), (0.876, 0.009)),
        "Ib": ((51.3, 0.153), (35.0, 0.095), (0.628, 0.035), (0.646, 0.026), (0.643, 0.045), (0.652, 0.045)),
        "IIa": ((99.5, 0.004), (65.4, 0.009), (0.752, 0.008), (0.755, 0.006), (0.799, 0.009), (0.821, 0.004)),
        "IIb": ((64.1, 0.039), (49.9, 0.019), (0.599, 0.009), (0.609, 0.009), (0.613, 0.012), (0.635, 0.004)),
        "III": ((100.0, 0.0), (75.5, 0.004), (0.687, 0.003), (0.687, 0.003), (0.755, 0.004), (0.768, 0.002)),
        "IV": ((95.74, 0.01), (71.71, 0.009), (0.647, 0.004), (0.55, 0.005), (0.682, 0.009), (0.70, 0.005)),
    },
    l2={"a": 0, "b": 0.01, "": 0},
    models={"IV": 30},
    clipping={"IV": 2},
    apart={"IV": "ye_purchase_clipped"},
)
CIFAR10 = _rows(
    "ye_cifar10",
    "CIFAR-10",
    {
        "I": ((96.2, 0.046), (40.9, 0.029), (0.870, 0.018), (0.857, 0.023), (0.874, 0.018), (0.871, 0.007)),
        "II": ((97.8, 0.012), (45.9, 0.010), (0.860, 0.014), (0.868, 0.008), (0.858, 0.019), (0.889, 0.011)),
        "III": ((97.4, 0.004), (68.2, 0.011), (0.706, 0.011), (0.708, 0.009), (0.737, 0.014), (0.742, 0.003)),
    },
    l2={"": 0.001},
    models={"I": 400, "II": 400, "III": 30},
    clipping={},
    apart={"III": "ye_cifar10_vgg"},
)
CIFAR100 = _rows(
    "ye_cifar100",
    "CIFAR-100",
    {
        "Ia": ((97.4, 0.013), (14.9, 0.009), (0.959, 0.005), (0.960, 0.004), (0.964, 0.006), (0.957, 0.0003)),
        "Ib": ((89.8, 0.035), (13.9, 0.011), (0.937, 0.007), (0.941, 0.004), (0.938, 0.012), (0.941, 0.004)),
        "IIa": ((97.9, 0.006), (20.4, 0.006), (0.944, 0.004), (0.945, 0.003), (0.945, 0.006), (0.936, 0.0)),
        "IIb": ((87.9, 0.020), (19.63, 0.007), (0.905, 0.007), (0.906, 0.007), (0.904, 0.008), (0.893, 0.002)),
    },
    l2={"a": 0, "b": 0.005},
    models={},
    clipping={},
    apart={},
)
MNIST = _rows(
    "ye_mnist",
    "MNIST",
    {
        "Ia": ((97.9, 0.004), (95.8, 0.007), (0.50, 0.004), (0.50, 0.005), (0.557, 0.009), (0.549, 0.006)),
        "Ib": ((94.2, 0.005), (93.4, 0.006), (0.497, 0.005), (0.496, 0.004), (0.544, 0.014), (0.522, 0.005)),
        "IIa": ((98.6, 0.001), (97.1, 0.002), (0.496, 0.005), (0.496, 0.006), (0.551, 0.011), (0.544, 0.004)),
        "IIb": ((94.6, 0.003), (94.5, 0.003), (0.491, 0.005), (0.49, 0.005), (0.52, 0.011), (0.497, 0.004)),
    },
    l2={"a": 0, "b": 0.05},
    models={},
    clipping={},
    apart={},
)

#: All configurations, in the paper's order.
CONFIGURATIONS = tuple(row for table in (PURCHASE, CIFAR10, CIFAR100, MNIST) for row in table.values())

#: What figures of ROC curves show, from left to right.
ROC = {
    "fig3": (PURCHASE["Ia"], PURCHASE["IIa"]),
    "fig4": (CIFAR10["III"], PURCHASE["IV"]),
    "roc_mnist": (MNIST["Ia"], MNIST["IIa"]),
}


def tables_of(configurations: Iterable[Configuration]) -> tuple[str, ...]:
    """Return the tables of some configurations, each once."""
    return tuple(dict.fromkeys(row.table for row in configurations))


def rows_of(
    tables: Mapping[str, pd.DataFrame], configurations: Iterable[Configuration]
) -> Iterator[tuple[Configuration, pd.DataFrame]]:
    """Yield those of some configurations that were run, each with its rows.

    Args:
        tables: named `replicates/<experiment>`; of other names there are no rows.
        configurations: in the order in which they are wanted.
    """
    for row in configurations:
        if row.table in tables:
            rows = tables[row.table]
            rows = rows[rows["arm"] == row.arm]
            if len(rows):
                yield row, rows
