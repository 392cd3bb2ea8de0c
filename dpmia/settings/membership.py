"""Settings of a membership experiment: how members and non-members are drawn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dpmia.settings import names
from dpmia.settings.base import Count, OneOf, Settings, Size, require_keys


class Membership(Settings):
    """How members and non-members are drawn; what differs between arms stands in `arms`."""

    kind: Annotated[str, OneOf(names.MEMBERSHIP, files=True)]
    """`iid`: all from one pool; `group`: members from one group, non-members from the others; `cluster`: as `group`,
    with groups made by k-means; `bias`: members from two groups in another proportion than non-members; `bernoulli`:
    each record of a pool joins the training set with one probability. `my_draws.py:draw` is a function in a file."""
    members: Size | None = None
    """All but `bernoulli`: size of the training set. `iid`: or a share of the records between 0 and 1; `group` and
    `cluster`: or a share of those of the group, or `all` of them."""
    nonmembers: Size | None = None
    """All but `bernoulli`: records outside of the training set to attack, likewise; of `group` and `cluster`, from the
    other groups."""
    population: Size | None = None
    """`iid`, `bernoulli`: further records that the attacker has, or a share; default: `all` others. `bernoulli`:
    the first ones after those for validation."""
    records: Count | None = None
    """`bernoulli`: size of the pool, the first records of the data set, or `all`."""
    queries: Count | None = None
    """`bernoulli`: records of the pool, the first ones, that are attacked; default: `all`."""
    canaries: Annotated[list[Literal["mislabelled", "outlier"]], Field(min_length=1)] | None = None
    """`bernoulli`: worst-case records replace the query records, one kind after the other in turn: `mislabelled` has
    another label than its own, `outlier` every feature at its smallest or largest value and a label drawn at random. At
    rate 0.5 guesses of their membership bound epsilon from below."""
    by: str | None = None
    """`group`, `bias`: the attribute that holds the groups (hospital, school, sex); that of one's own file where left
    out."""
    most: Annotated[int, Field(ge=1)] | None = None
    """`iid`, `group`: a share gives so many records at most, so that large tables take no longer than others."""
    smallest: Annotated[int, Field(ge=1)] | None = None
    """`group`, with `arms: each group`: fewest records of a group that has an arm, and of all others together;
    default: 100."""
    merge: dict[str, Annotated[list[str], Field(min_length=1)]] | None = None
    """`bias`: groups made of several values of the attribute, by the group's name."""
    validation: Annotated[int, Field(ge=1)] | None = None
    """Records that measure accuracy only. `bias`: drawn as the members are; `bernoulli`: the first ones after the
    pool."""
    clusters: Annotated[int, Field(ge=2)] | None = None
    """`cluster`: clusters for each class."""
    pairing: Literal["nearest", "farthest"] | None = None
    """`cluster`: which clusters of different classes form one group, by the distance of their centres."""
    cluster_seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """`cluster`: seed of k-means; one clustering serves all replicates."""
    restarts: Annotated[int, Field(ge=1)] | None = None
    """`cluster`: restarts of k-means; the best counts."""

    arguments: dict[str, Any] | None = None
    """Further arguments of a function of a plug-in or of a file, by the names that it gives them."""

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> Membership:
        if self.kind not in names.MEMBERSHIP.built_in:
            given = set(self.model_dump(exclude={"kind"}, exclude_none=True))
            allowed = {"by", "arguments", "members", "nonmembers", "population", "validation"}
            require_keys(f"kind {self.kind!r}, which is not built in,", given, set(), allowed)
            return self
        if self.arguments is not None:
            raise ValueError(f"kind {self.kind!r} does not take arguments: it is built in")
        needed, allowed = MEMBERSHIP_KEYS[self.kind]
        given = {key for key in OPTIONAL_MEMBERSHIP_KEYS if getattr(self, key) is not None}
        require_keys(f"kind {self.kind!r}", given, needed, allowed)
        if self.kind in ("iid", "bias") and "all" in (self.members, self.nonmembers):
            raise ValueError(f"kind {self.kind!r} cannot be combined with members or nonmembers 'all'. Give numbers")
        if len(set(self.canaries or ())) != len(self.canaries or ()):
            raise ValueError(f"canaries names a kind more than once: {', '.join(self.canaries or ())}")
        if self.canaries is not None and not isinstance(self.queries, int):
            raise ValueError("canaries needs the number of records that they replace. Set queries")
        shares = [size for size in (self.members, self.nonmembers, self.population) if isinstance(size, float)]
        if self.most is not None and not shares:
            raise ValueError("most cannot be combined with whole numbers of records: it limits shares. Remove it")
        if shares and self.kind == "bias":
            raise ValueError("kind 'bias' cannot be combined with shares of members or nonmembers. Give numbers")
        if self.kind == "iid" and sum(shares) > 1:
            raise ValueError(f"shares of members, nonmembers and population {shares} add up to more than 1")
        return self


_SIZES = {"members", "nonmembers"}

#: kind of membership experiment -> keys that it needs, keys that it may have.
MEMBERSHIP_KEYS: dict[str, tuple[set[str], set[str]]] = {
    "iid": (_SIZES, {"population", "most"}),
    "group": (_SIZES | {"by"}, {"smallest", "most"}),
    "cluster": (_SIZES | {"clusters", "pairing", "cluster_seed", "restarts"}, set()),
    "bias": (_SIZES | {"by", "validation"}, {"merge"}),
    "bernoulli": ({"records"}, {"queries", "validation", "population", "canaries"}),
}
OPTIONAL_MEMBERSHIP_KEYS = set().union(*(needed | allowed for needed, allowed in MEMBERSHIP_KEYS.values()))

#: Keys of a membership experiment that its drawing function takes.
DRAWING_KEYS = ("members", "nonmembers", "population", "validation", "records", "queries", "most")

#: kind of membership experiment -> keys that each arm needs, keys that it may have.
ARM_KEYS: dict[str, tuple[set[str], set[str]]] = {
    "iid": (set(), {"members", "nonmembers", "population"}),
    "group": ({"group"}, set()),
    "cluster": ({"group"}, set()),
    "bias": ({"group", "share"}, set()),
    "bernoulli": ({"rate"}, set()),
}


def arm_keys(kind: str) -> tuple[set[str], set[str]]:
    """Return the keys that each arm of a kind needs, and those that it may have; of a plug-in, those in common."""
    return ARM_KEYS.get(kind, (set(), {"group", "arguments"}))


#: Kinds whose members and non-members come from one pool: each arm is its own IID arm.
INDEPENDENT = ("iid", "bernoulli")

#: Kinds whose target models are trained on the members that are attacked, and on nothing else.
TRAINED_ON_MEMBERS = ("iid", "group", "cluster", "bias")

#: Kinds whose members come from one group, and non-members from the others.
GROUPED = ("group", "cluster")
