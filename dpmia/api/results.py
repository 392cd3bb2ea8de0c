"""What the Python interface returns of attacks: frozen, readable, ready for tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia.common.errors import ArgumentError
from dpmia.common.formatting import format_interval
from dpmia.common.registry import suggestion
from dpmia.metrics.ranking import tpr_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dpmia.api.bounding import UpperBound


@dataclass(frozen=True, repr=False)
class Measurement:
    """A measured number and its 95 % interval over records.

    Attributes:
        value: NaN where the records are too few to measure it.
        low: lower limit; NaN where there is none.
        high: upper limit; NaN where there is none.
    """

    value: float
    low: float
    high: float

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return "not measurable" if np.isnan(self.value) else format_interval(self.value, self.low, self.high)


@dataclass(frozen=True, repr=False)
class AttackResult:
    """One attack on one model.

    Attributes:
        name: of the attack.
        oracle: whether its decisions use the true membership: an upper limit, no attack.
        records: int64, shape (members + non-members,): rows of the arrays that were given, population left out.
        is_member: bool, the truth of these records.
        scores: float64, higher = more likely a member.
        decisions: bool, True where the attack predicts "member".
        advantage: true positive rate less false positive rate of the decisions.
        auc: area under the ROC of the scores.
        tpr_at_fpr: false positive rate -> largest true positive rate up to it. Its limits are of the true positive rate
            that the scores have at this rate on all records (`dpmia.metrics.low_rates.tpr_limits`).
        resolution: smallest false positive rate above 0 that the non-members can show; below it nothing is measured.
    """

    name: str
    oracle: bool
    records: np.ndarray
    is_member: np.ndarray
    scores: np.ndarray
    decisions: np.ndarray
    advantage: Measurement
    auc: Measurement
    tpr_at_fpr: Mapping[float, Measurement]
    resolution: float

    def measurements(self) -> dict[str, Measurement]:
        """Return every measured number by its name."""
        rates = {tpr_name(rate): tpr for rate, tpr in self.tpr_at_fpr.items()}
        return {"advantage": self.advantage, "auc": self.auc, **rates}

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each record: record, is_member, score, decision."""
        import pandas as pd

        columns = {"record": self.records, "is_member": self.is_member}
        return pd.DataFrame({**columns, "score": self.scores, "decision": self.decisions})

    def __repr__(self) -> str:
        oracle = " (oracle)" if self.oracle else ""
        lines = [f"  {name:<18} {value}" for name, value in self.measurements().items()]
        return "\n".join([f"AttackResult: {self.name}{oracle}", *lines, f"  {'resolution':<18} {self.resolution:g}"])


@dataclass(frozen=True, repr=False)
class AttackResults(Mapping[str, AttackResult]):
    """Several attacks on one model: a mapping from the name of an attack to its result.

    Attributes:
        results: by name.
    """

    results: Mapping[str, AttackResult]

    def __getitem__(self, name: str) -> AttackResult:
        try:
            return self.results[name]
        except KeyError:
            hint = suggestion(name, self.results)
            remedy = hint or "Name it in the argument 'attacks' of attack()."
            raise KeyError(f"{name!r} was not run; attacks: {', '.join(self.results)}. {remedy}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each attack and metric: attack, oracle, metric, value, low, high, resolution."""
        import pandas as pd

        rows = [
            (name, result.oracle, metric, measurement.value, measurement.low, measurement.high, result.resolution)
            for name, result in self.results.items()
            for metric, measurement in result.measurements().items()
        ]
        return pd.DataFrame(rows, columns=["attack", "oracle", "metric", "value", "low", "high", "resolution"])

    def plot(self, bound: UpperBound | None = None) -> Figure:
        """Draw the ROC curves on logarithmic axes, from the smallest false positive rate that can be measured.

        Args:
            bound: an exact upper bound to draw above them, from `upper_bound`.

        Raises:
            ArgumentError: `bound` is something else, or there is a single non-member.
        """
        from dpmia.api.bounding import UpperBound
        from dpmia.api.drawing import roc_figure

        if bound is not None and not isinstance(bound, UpperBound):
            problem = f"an object of type {type(bound).__name__} is no exact upper bound"
            raise ArgumentError("plot, bound", problem, "Give what dpmia.upper_bound(...) returns")
        return roc_figure(self, bound)

    def __repr__(self) -> str:
        first = next(iter(self.results.values()))
        members = int(first.is_member.sum())
        head = f"AttackResults: {members} members, {len(first.is_member) - members} non-members"
        names = [name + (" (oracle)" if result.oracle else "") for name, result in self.results.items()]
        table = [["", *first.measurements()]]
        for name, result in zip(names, self.results.values(), strict=True):
            table.append([name, *map(repr, result.measurements().values())])
        foot = f"95 % intervals over records. Smallest measurable false positive rate: {first.resolution:g}"
        return "\n".join([head, *aligned(table), foot])


def aligned(table: list[list[str]]) -> list[str]:
    """Return the lines of a table of text with columns of one width."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
