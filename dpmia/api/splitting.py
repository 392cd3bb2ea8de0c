"""Draw members and non-members from records of one's own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpmia.api.arrays import array_of, integer, number, same_rows
from dpmia.common.errors import ArgumentError, shown, words_of
from dpmia.common.limits import MOST_MODELS, MOST_RECORDS
from dpmia.common.registry import load, suggestion
from dpmia.common.seeds import derive_seed
from dpmia.jobs.drawing import ALL
from dpmia.settings import names
from dpmia.splits.draws import shuffled
from dpmia.splits.split import Split


def split(
    data: ArrayLike | int,
    kind: str = "iid",
    *,
    groups: ArrayLike | None = None,
    replicates: int = 1,
    iid_arm: bool = False,
    seed: int = 1,
    **sizes: Any,
) -> list[Split]:
    """Return membership experiments: which records to train on, and which to hold out for attacks.

    Args:
        data: anything with one row for each record (features, labels), or the number of records.
        kind: `iid`: members and non-members from one pool; `group`: members from one group, non-members from the
            others; `bias`: two groups in other proportions; `bernoulli`: each record joins by the toss of a coin.
        groups: group of each record, as text, for `group` and `bias`.
        replicates: independent draws.
        iid_arm: return the IID arm: the same records, members and non-members pooled and shuffled.
        seed: the same seed gives the same splits; a replicate does not depend on the number of replicates.
        **sizes: arguments of the kind, as in `dpmia.splits.draws`: `members`, `nonmembers` and perhaps `population` for
            `iid`; `group`, `members`, `nonmembers` for `group`; `records`, `rate` for `bernoulli`; ...

    Returns:
        For each replicate a `dpmia.splits.split.Split`: sorted row numbers `members`, `nonmembers`, `population`, ...

    Raises:
        ArgumentError: an argument is wrong.
        DataError: more records are to be drawn than there are.

    Examples:
        >>> from dpmia import split
        >>> one, two = split(1000, members=300, nonmembers=300, replicates=2)
        >>> len(one.members), len(one.nonmembers), len(one.population)
        (300, 300, 400)
        >>> bool((one.members == two.members).all())
        False
    """
    where = "split"
    if not isinstance(kind, str) or kind not in names.MEMBERSHIP:
        remedy = f"Kinds: {', '.join(names.MEMBERSHIP)}. {suggestion(kind, names.MEMBERSHIP)}".strip()
        raise ArgumentError(f"{where}, kind", f"{shown(kind)} is not a membership experiment", remedy)
    same_rows("split", {"data": data, "groups": groups})
    records = _records(data)
    replicates, seed = integer(replicates, f"{where}, replicates"), integer(seed, f"{where}, seed")
    if not 2 <= records <= MOST_RECORDS:
        raise ArgumentError(where, f"{shown(records)} records", f"Give 2 to {MOST_RECORDS}")
    if not 1 <= replicates <= MOST_MODELS:
        raise ArgumentError(where, f"{replicates} replicates", f"Give 1 to {MOST_MODELS}")
    if not isinstance(iid_arm, bool | np.bool_):
        raise ArgumentError(f"{where}, iid_arm", f"{shown(iid_arm)} is neither True nor False")
    draw = load(names.MEMBERSHIP[kind])
    _check_sizes(draw, kind, sizes)
    of_records = np.zeros(records, dtype="<U1")
    if groups is not None:
        of_records = _texts(groups)
        if of_records.shape != (records,):
            problem = f"an array of shape {of_records.shape} in place of ({records},)"
            raise ArgumentError(f"{where}, groups", problem, "Give the group of each record")
    elif "group" in inspect.signature(draw).parameters:
        raise ArgumentError(f"{where}, groups", "missing", f"The kind {kind!r} needs the group of each record")
    splits = []
    for replicate in range(replicates):
        drawn = draw(of_records, np.random.default_rng(derive_seed(seed, "split", replicate)), **sizes)
        rng = np.random.default_rng(derive_seed(seed, "shuffle", replicate))
        splits.append(shuffled(drawn, rng) if iid_arm else drawn)
    return splits


def _records(data: ArrayLike | int) -> int:
    if isinstance(data, int | np.integer) and not isinstance(data, bool):
        return int(data)
    if isinstance(data, str | bytes | Mapping):  # the path of a file; columns: neither's length is that of the records
        problem = f"{shown(data)} is a {'mapping' if isinstance(data, Mapping) else 'text'}"
        raise ArgumentError("split, data", problem, "Give records, or their number")
    try:
        return len(data)  # type: ignore[arg-type]
    except Exception:  # TypeError; of a nested tensor, another
        raise ArgumentError("split, data", f"{shown(data)} has no rows", "Give records, or their number") from None


def _texts(groups: ArrayLike) -> np.ndarray:
    """Return groups as text, whatever they are: names, numbers, a column of a data frame."""
    where = "split, groups"
    try:
        # As objects: of texts and a NaN, NumPy would make the text "nan".
        mixed = isinstance(groups, list | tuple)
        values = array_of(groups, where) if hasattr(groups, "detach") else np.asarray(groups, object if mixed else None)
        texts = values if values.dtype.kind in "OUS" else array_of(groups, where)
        if missing := int(np.sum(pd.isna(texts))):
            raise ArgumentError(where, f"{missing} values are missing", "Give them a name, or leave these records out")
        return texts.astype(str)
    except UnicodeDecodeError as error:
        raise ArgumentError(where, "some values are bytes, and no text", "Give texts or numbers") from error
    except ValueError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(where, "rows of different lengths", "Give one group for each record") from error
    except Exception as error:  # whatever an object's own conversion raises; a signalling NaN of decimal
        problem = f"some values cannot be written as text ({words_of(error)})"
        raise ArgumentError(where, problem, "Give texts or numbers") from error


def _check_sizes(draw: Any, kind: str, sizes: dict[str, Any]) -> None:
    taken = {
        name: parameter
        for name, parameter in inspect.signature(draw).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for name in sizes:
        if name not in taken:
            remedy = f"Arguments of {kind!r}: {', '.join(taken)}. {suggestion(name, taken)}".strip()
            raise ArgumentError(f"split, {name}", f"the kind {kind!r} does not take it", remedy)
    for name, parameter in taken.items():
        if parameter.default is inspect.Parameter.empty and name not in sizes:
            raise ArgumentError(f"split, {name}", "missing", f"Arguments of {kind!r}: {', '.join(taken)}")

    def takes_all(name: str) -> bool:
        return "str" in str(taken[name].annotation)

    for name, size in sizes.items():
        where = f"split, {name}"
        if name == "group":
            if not isinstance(size, str):
                raise ArgumentError(where, f"{shown(size)} is not a text", f"Name the group by its text: {str(size)!r}")
        elif not (size is None and name == "most") and not (isinstance(size, str) and size == ALL and takes_all(name)):
            sizes[name] = given = number(size, where)
            if not 0 <= given < math.inf or (given > 1 and name in ("share", "rate")):
                raise ArgumentError(where, f"{shown(size)} is not a number of records, nor a share of them")
            shares_or_numbers = name not in ("share", "rate") and "float" in str(taken[name].annotation)
            if isinstance(size, float) and given == 1 and shares_or_numbers:
                raise ArgumentError(where, "1.0 may be all records or a single one", "Give their number as an integer")
            if name not in ("share", "rate") and (given >= 1 or "float" not in str(taken[name].annotation)):
                sizes[name] = integer(given, where)
