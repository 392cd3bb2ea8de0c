"""How members and non-members are drawn: independently, or from groups; and the IID arm of each draw."""

from __future__ import annotations

import numpy as np

from dpmia.errors import DataError
from dpmia.splits.split import Split

ALL = "all"


def iid(groups: np.ndarray, rng: np.random.Generator, *, members: int, nonmembers: int) -> Split:
    """Draw members and non-members uniformly from one and the same pool (Exp_IID of Yeom et al. 2018).

    Args:
        groups: group of every record; only its length counts here.
        rng: source of randomness.
        members: size of the training set.
        nonmembers: number of records outside of it.

    Returns:
        A split whose population is every other record; no validation set.

    Raises:
        DataError: more records are asked for than there are.
    """
    _require(len(groups), members + nonmembers, "members + nonmembers")
    order = rng.permutation(len(groups))
    return Split(
        members=order[:members],
        nonmembers=order[members : members + nonmembers],
        population=order[members + nonmembers :],
        validation=np.empty(0),
    )


def group(
    groups: np.ndarray, rng: np.random.Generator, *, group: str, members: int | str, nonmembers: int | str
) -> Split:
    """Draw members from one group and non-members from all the others (Exp_MM of Humphries et al. 2023, III-C).

    Args:
        groups: group of every record, as text.
        rng: source of randomness.
        group: the group that members come from.
        members: size of the training set, or `all`.
        nonmembers: number of records from the other groups, or `all`.

    Returns:
        A split without a validation set. Its population holds, of the members' group and of the others,
        at most as many of the remaining records as were drawn there, as in Table II of the paper.

    Raises:
        DataError: the group does not exist or is smaller than what is asked of it.
    """
    inside, outside = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
    if not len(inside):
        known = ", ".join(sorted(set(groups.tolist())))
        raise DataError("group", repr(group), f"one of {known}")
    drawn = []
    for rows, wanted, what in (
        (inside, members, f"members from group {group!r}"),
        (outside, nonmembers, f"nonmembers from the groups other than {group!r}"),
    ):
        count = len(rows) if wanted == ALL else int(wanted)
        _require(len(rows), count, what)
        rows = rng.permutation(rows)
        drawn.append((rows[:count], rows[count : 2 * count]))
    (chosen, rest), (others, other_rest) = drawn
    return Split(chosen, others, np.concatenate([rest, other_rest]), np.empty(0))


def shuffled(split: Split, rng: np.random.Generator) -> Split:
    """Return the IID arm of a split: the same members and non-members pooled, shuffled, and cut to the same sizes.

    Source: Humphries et al. 2023, IV-A. The population stays.
    """
    pool = rng.permutation(np.concatenate([split.members, split.nonmembers]))
    cut = len(split.members)
    return Split(pool[:cut], pool[cut:], split.population, np.empty(0))


def _require(there: int, wanted: int, what: str) -> None:
    if wanted < 1 or wanted > there:
        raise DataError(what, f"{wanted} asked for and {there} records there", f"1 to {there}", "Lower the number.")
