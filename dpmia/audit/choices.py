"""Which results of an audit are reported: the strongest attack, with an interval that allows for its choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpmia.audit.entries import Cell, Entry
from dpmia.formats.rows import BLIND


def select(
    entries: Sequence[Entry],
    *,
    experiment: str | None = None,
    arm: str | None = None,
    epsilon: str | None = None,
    iid: bool | None = None,
) -> list[Entry]:
    """Return the entries that agree with all that is given."""
    return [
        entry
        for entry in entries
        if experiment in (None, entry.experiment)
        and arm in (None, entry.arm)
        and epsilon in (None, entry.epsilon)
        and iid in (None, entry.iid)
    ]


def attacks_of(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of real attacks: no oracles (random scores are one), not the blind baseline."""
    return [entry for entry in entries if not entry.oracle and entry.attack != BLIND]


def chosen_from(entries: Sequence[Entry], metric: str, compared: int | None = None) -> list[Entry]:
    """Return the attacks of which any may be reported.

    An attack is chosen on the records that it is reported on, so intervals are widened until those of all attacks that
    it is chosen from hold together (Bonferroni): then the one of any choice holds. Means are as measured.

    Args:
        entries: those to choose from.
        metric: one that they have; entries where it was not measured are passed over.
        compared: number of attacks whose intervals hold together; None for the number of entries.

    Returns:
        The entries with wider intervals, of all metrics.
    """
    measured = [entry for entry in attacks_of(entries) if entry.metrics[metric] is not None]
    return [_widened(entry, len(measured) if compared is None else compared) for entry in measured]


def best(entries: Sequence[Entry], metric: str = "auc", compared: int | None = None) -> Entry | None:
    """Return the strongest attack as `chosen_from` returns it; None without any.

    The strongest has the largest lower limit of the metric, so that a wide interval around a lucky mean does not win;
    attacks without an interval count after all others, by their mean.
    """
    return max(chosen_from(entries, metric, compared), key=lambda entry: _lower_limit(entry.cell(metric)), default=None)


def best_of_two(entries: Sequence[Entry], metric: str) -> Entry | None:
    """Return what `best` does, with intervals that hold together with as many of a second metric."""
    entry = best(entries, metric)
    return entry and best(entries, metric, compared=2 * entry.compared)


def without_interval(entries: Sequence[Entry], metric: str, above: Entry) -> Entry | None:
    """Return the attack with the largest mean of those without an interval, if it exceeds that of another; else None.

    Too few replicates give no interval: such a model may be the one that is most at risk, and nothing shows it.

    Args:
        entries: those to choose from.
        metric: by which the largest is chosen.
        above: the attack that is reported.
    """
    bare = [entry for entry in attacks_of(entries) if (cell := entry.metrics[metric]) is not None and cell.low is None]
    largest = max(bare, key=lambda entry: entry.cell(metric).mean, default=None)
    return largest if largest is not None and largest.cell(metric).mean > above.cell(metric).mean else None


def blind_of(entries: Sequence[Entry], entry: Entry) -> Entry | None:
    """Return the blind baseline of the same models; None where it was not measured."""
    same = select(entries, experiment=entry.experiment, arm=entry.arm, epsilon=entry.epsilon)
    return next((other for other in same if other.attack == BLIND), None)


def _lower_limit(cell: Cell) -> tuple[bool, float]:
    return (False, cell.mean) if cell.low is None else (True, cell.low)


def _widened(entry: Entry, compared: int) -> Entry:
    wider = {name: cell and cell.widened(name, compared) for name, cell in entry.metrics.items()}
    return replace(entry, metrics=wider, compared=compared)
