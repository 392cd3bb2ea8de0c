"""The numbers of an audit: of every attack on a model, and of every model, each with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpmia.common.optional import needed
from dpmia.common.plain import PlainData
from dpmia.metrics.intervals import Estimate
from dpmia.metrics.ranges import possible_range
from dpmia.metrics.ranking import LOW_RATES, largest_held_rate


@dataclass(frozen=True)
class Cell(PlainData):
    """A mean and its t interval.

    Attributes:
        mean: over replicates, or of one model.
        replicates: number of values that the mean is over.
        interval: what the interval is over, or why there is none (see `dpmia.metrics.intervals`).
        low: limit of the interval; None where there is none, as all that follow.
        high: limit of the interval.
        half_width: of the t interval.
        error: see `Estimate`.
        degrees: see `Estimate`.
        records_error: see `Estimate`.
    """

    mean: float
    replicates: int
    interval: str
    low: float | None = None
    high: float | None = None
    half_width: float | None = None
    error: float | None = None
    degrees: float | None = None
    records_error: float | None = None

    @classmethod
    def of(cls, estimate: Estimate, metric: str, compared: int = 1) -> Cell:
        """Return a mean with its interval.

        Args:
            estimate: the mean.
            metric: its name.
            compared: number of intervals that hold together (Bonferroni): so does the one of any that is chosen.
        """
        shown = estimate.mean, estimate.count, estimate.kind
        if math.isnan(estimate.error):
            return cls(*shown)
        level = 1 - 0.05 / compared  # of one interval
        low, high = estimate.limits(possible_range(metric), level)
        uncertainty = estimate.error, estimate.degrees, estimate.records_error
        return cls(*shown, low, high, estimate.half_width(level), *uncertainty)

    @property
    def estimate(self) -> Estimate:
        """The mean of a cell that has an interval, with its error."""
        uncertainty = needed(self.error), needed(self.degrees)
        return Estimate(self.mean, *uncertainty, self.replicates, self.interval, needed(self.records_error))

    def widened(self, metric: str, compared: int) -> Cell:
        """Return the cell with an interval that holds together with others, see `of`; as it is where it has none."""
        return self if self.low is None else Cell.of(self.estimate, metric, compared)

    def above(self, value: float) -> bool:
        """Return whether the mean is shown to lie above a value: its whole interval does."""
        return self.low is not None and self.low > value

    def below(self, value: float) -> bool:
        """Return whether the mean is shown to lie below a value: its whole interval does."""
        return self.high is not None and self.high < value


@dataclass(frozen=True)
class Entry(PlainData):
    """What an attack reaches on the models of one arm and one epsilon.

    Attributes:
        experiment: name.
        arm: name.
        label: the arm as people read it.
        iid: whether members and non-members come from one pool.
        epsilon: as text.
        attack: name.
        oracle: whether it picks its threshold with the membership labels.
        replicates: number of models.
        members: of one model; of the smallest, where models differ.
        nonmembers: of one model, as `members`.
        most_nonmembers: of the largest model, where models differ; None where they do not.
        metrics: name -> mean and interval; None where the data cannot show one.
        resolution: smallest false positive rate that the data can show.
        bound: (epsilon, delta) bound on the advantage; None where it does not hold or is not known.
        ceiling: exact upper bound on the advantage; None as `bound`.
        warning: why a bound is missing, or on what it rests.
        compared: number of intervals that hold together with those of `metrics`.
    """

    experiment: str
    arm: str
    label: str
    iid: bool
    epsilon: str
    attack: str
    oracle: bool
    replicates: int
    members: int
    nonmembers: int
    metrics: dict[str, Cell | None]
    resolution: float
    bound: float | None = None
    ceiling: float | None = None
    warning: str | None = None
    compared: int = 1
    most_nonmembers: int | None = None

    def guessed(self, metric: str) -> float:
        """Return the true positive rate of guessing at the threshold that a rate allows.

        It depends on the number of non-members, and is the largest of all models where these differ: the mean over
        models lies below it.
        """
        return largest_held_rate(LOW_RATES[metric], self.nonmembers, self.most_nonmembers or self.nonmembers)

    def cell(self, metric: str) -> Cell:
        """Return a metric that was measured.

        Raises:
            ValueError: it was not.
        """
        return needed(self.metrics[metric])

    @property
    def auc(self) -> Cell:
        """The AUC, of an entry that has one."""
        return self.cell("auc")


@dataclass(frozen=True)
class Accuracy(PlainData):
    """How good the models of one arm and one epsilon are.

    Attributes:
        experiment: name.
        arm: name.
        label: the arm as people read it.
        epsilon: as text.
        members: accuracy on members; None where it was not measured.
        nonmembers: accuracy on non-members; None as `members`.
        majority: accuracy on the non-members of always predicting the members' largest class; None as `members`.
    """

    experiment: str
    arm: str
    label: str
    epsilon: str
    members: Cell | None
    nonmembers: Cell | None
    majority: float | None


@dataclass(frozen=True)
class GroupRisk(PlainData):
    """The strongest attack where members come from one group and non-members from the others.

    Attributes:
        experiment: name.
        group: as it is spelled in the file.
        epsilon: as text.
        attack: the strongest.
        auc: its AUC.
        iid_auc: of the strongest attack on the same records shuffled; None without such an arm.
        dependence_index: AUC of the blind baseline; None where it was not measured.
        auc_excess: by how much the attack goes beyond the baseline; None as `dependence_index`.
    """

    experiment: str
    group: str
    epsilon: str
    attack: str
    auc: Cell
    iid_auc: Cell | None
    dependence_index: Cell | None
    auc_excess: Cell | None
