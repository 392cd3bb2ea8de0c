"""How members and non-members are drawn: independently, or from groups; and the IID arm of each draw."""

from __future__ import annotations

import numpy as np

from dpmia.common.errors import DataError
from dpmia.jobs.drawing import ALL, records_wanted
from dpmia.splits.split import Split


def iid(
    groups: np.ndarray,
    rng: np.random.Generator,
    *,
    members: int | float,
    nonmembers: int | float,
    population: int | float | str = ALL,
    most: int | None = None,
) -> Split:
    """Draw members and non-members uniformly from one and the same pool (Exp_IID of Yeom et al. 2018).

    Args:
        groups: group of every record; only its length counts here.
        rng: source of randomness.
        members: size of the training set, or its share of all records.
        nonmembers: number of records outside of it, or their share.
        population: number of further records that the attacker has, their share, or `all` others.
        most: records that a share gives at most; None for no limit.

    Returns:
        A split without a validation set.

    Raises:
        DataError: more records are to be drawn than there are.
    """
    members, nonmembers = records_wanted(members, len(groups), most), records_wanted(nonmembers, len(groups), most)
    rest = len(groups) - members - nonmembers if population == ALL else records_wanted(population, len(groups), most)
    for wanted, what in ((members, "members"), (nonmembers, "nonmembers")):
        _require(len(groups), wanted, what)
    _require(len(groups), members + nonmembers + max(rest, 0), "members + nonmembers + population")
    order = rng.permutation(len(groups))
    outside = members + nonmembers
    return Split(
        members=order[:members],
        nonmembers=order[members:outside],
        population=order[outside : outside + rest],
        validation=np.empty(0),
    )


def group(
    groups: np.ndarray,
    rng: np.random.Generator,
    *,
    group: str,
    members: int | float | str,
    nonmembers: int | float | str,
    most: int | None = None,
) -> Split:
    """Draw members from one group and non-members from all the others (Exp_MM of Humphries et al. 2023, III-C).

    Args:
        groups: group of every record, as text.
        rng: source of randomness.
        group: the group that members come from.
        members: size of the training set, its share of the group, or `all`.
        nonmembers: number of records from the other groups, their share, or `all`.
        most: records that a share gives at most; None for no limit.

    Returns:
        A split without a validation set. Its population holds, of the members' group and of the others,
        at most as many of the remaining records as were drawn there, as in Table II of the paper.

    Raises:
        DataError: the group does not exist or is smaller than what is to be drawn from it.
    """
    inside, outside = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
    if not len(inside):
        listing = ", ".join(sorted(set(groups.tolist())))
        raise DataError("group", f"{group!r} is not one of {listing}")
    drawn = []
    for rows, wanted, what in (
        (inside, members, f"members from group {group!r}"),
        (outside, nonmembers, f"nonmembers from the groups other than {group!r}"),
    ):
        count = records_wanted(wanted, len(rows), most)
        _require(len(rows), count, what)
        rows = rng.permutation(rows)
        drawn.append((rows[:count], rows[count : 2 * count]))
    (chosen, rest), (others, other_rest) = drawn
    return Split(chosen, others, np.concatenate([rest, other_rest]), np.empty(0))


def bias(
    groups: np.ndarray,
    rng: np.random.Generator,
    *,
    group: str,
    share: float,
    members: int,
    nonmembers: int,
    validation: int,
) -> Split:
    """Draw members with another proportion of two groups than non-members, who come from both alike.

    Source: Humphries et al. 2023, IV-C.

    Args:
        groups: group of every record, as text; two groups.
        rng: source of randomness.
        group: the group whose share among the members is given.
        share: of that group among members and validation records, 0 to 1.
        members: size of the training set.
        nonmembers: number of non-members, half of them from each group.
        validation: number of further records with the members' proportion; they may be non-members too.

    Returns:
        A split whose population holds, of each group, at most as many of the remaining records as there are members,
        as in Table II of the paper.

    Raises:
        DataError: there are not two groups, or one of them is too small.
    """
    names = sorted(set(groups.tolist()))
    if group not in names or len(names) != 2:
        raise DataError("group", f"{group!r} is not one of two groups; there are {', '.join(names)}")
    parts: dict[str, list[np.ndarray]] = {"members": [], "nonmembers": [], "population": [], "validation": []}
    of_group = (round(share * members), nonmembers // 2, round(share * validation))
    of_other = (members - of_group[0], nonmembers - of_group[1], validation - of_group[2])
    other = next(name for name in names if name != group)
    for name, (inside, outside, checked) in ((group, of_group), (other, of_other)):
        rows = rng.permutation(np.flatnonzero(groups == name))
        if inside + max(outside, checked) > len(rows):
            raise DataError(
                f"group {name!r}",
                f"{inside + max(outside, checked)} records are required, and there are {len(rows)}",
                "Lower members, nonmembers or validation",
            )
        parts["members"].append(rows[:inside])
        parts["nonmembers"].append(rows[inside : inside + outside])
        parts["population"].append(rows[inside + outside :][:members])
        parts["validation"].append(rng.choice(rows[inside:], checked, replace=False))
    for name in ("members", "nonmembers"):
        _require(len(groups), sum(map(len, parts[name])), name)
    return Split(**{name: np.concatenate(rows) for name, rows in parts.items()})


def bernoulli(
    groups: np.ndarray,
    rng: np.random.Generator,
    *,
    records: int | str,
    rate: float,
    queries: int | str = ALL,
    validation: int = 0,
    population: int | float | str = ALL,
) -> Split:
    """Let each record of a pool join the training set with one probability, independently of the others.

    The pool and the query records are the first ones of the data set, so that all draws share them: each record
    is in the training sets of some of an attacker's models and not in those of others.

    Source: Thudi et al. 2024, section 3.2 (the sampling) and 4.2 (the first 1000 records are attacked).

    Args:
        groups: group of every record; only its length counts here.
        rng: source of randomness.
        records: size of the pool, or `all`.
        rate: probability to join, in (0, 1).
        queries: how many records of the pool the attacker queries the model on, or `all` of it.
        validation: how many records after the pool measure accuracy; all draws share them too.
        population: how many records after those the attacker has, their share of the data set, or `all` that are left.

    Returns:
        A split of random sizes. Members and non-members are the query records that joined and that did not;
        the other records that joined are background.

    Raises:
        DataError: more records are to be drawn than there are, the rate is none, or no query record joined, or
            each of them: then there is nothing to infer.
    """
    if not 0 < rate < 1:
        raise DataError("rate", f"{rate!r} is not a number above 0 and below 1")
    size = len(groups) if records == ALL else int(records)
    rest = len(groups) - size - validation if population == ALL else records_wanted(population, len(groups), None)
    _require(len(groups), size + validation + max(rest, 0), "records of the pool, for validation and population")
    count = size if queries == ALL else int(queries)
    _require(size, count, "records to attack")
    joins = rng.random(size) < rate
    members, nonmembers = np.flatnonzero(joins[:count]), np.flatnonzero(~joins[:count])
    if not len(members) or not len(nonmembers):
        raise DataError(
            f"records that join at rate {rate}",
            f"{len(members)} of {count} attacked records are members; both members and non-members are needed",
            "Attack more records (membership.queries), or choose a rate nearer to 0.5",
        )
    background = count + np.flatnonzero(joins[count:])
    outside = np.arange(size, size + validation + rest)
    return Split(members, nonmembers, outside[validation:], outside[:validation], background)


def shuffled(split: Split, rng: np.random.Generator) -> Split:
    """Return the IID arm of a split: the same members and non-members pooled, shuffled, and cut to the same sizes.

    The population stays, and so does the background, on which all models are trained.

    Source: Humphries et al. 2023, IV-A.
    """
    pool = rng.permutation(np.concatenate([split.members, split.nonmembers]))
    cut = len(split.members)
    return Split(pool[:cut], pool[cut:], split.population, np.empty(0), split.background)


def _require(there: int, wanted: int, what: str) -> None:
    if there and 0 <= wanted < 1:
        raise DataError(what, f"{wanted} of {there} records would be drawn", "Give more records, or a larger number")
    if wanted < 1 or wanted > there:
        remedy = f"Lower a number, or give more records: {there} is the most in all" if there else ""
        raise DataError(what, f"{wanted} records are required, and there are {there}", remedy)
