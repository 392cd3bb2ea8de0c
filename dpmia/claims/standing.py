"""Where questions stand that replicates can answer: which are decided, and what would decide the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Prospect:
    """An undecided question that more replicates are likely to decide.

    Attributes:
        id: of the claim, or of the audit's limits.
        names: experiments and studies that get them.
        times: how many times their planned number it takes.
        core_hours: of what it takes; less where another question takes it, too.
    """

    id: str
    names: tuple[str, ...]
    times: int
    core_hours: float = 0.0


@dataclass(frozen=True)
class Standing:
    """Where the questions of one kind stand.

    Attributes:
        kind: what they are, for people.
        decided: those that are decided.
        reopened: of the others, those that are decided at `dpmia.claims.limits.ERROR`, and are not at its share for one
            look.
        prospects: undecided ones that more replicates are likely to decide.
        leaves: other undecided one -> why.
        unjudged: one without a verdict -> why.
    """

    kind: str
    decided: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()
    prospects: tuple[Prospect, ...] = ()
    leaves: Mapping[str, str] = field(default_factory=dict)
    unjudged: Mapping[str, str] = field(default_factory=dict)

    @property
    def undecided(self) -> list[str]:
        """Those that are undecided."""
        return [*(prospect.id for prospect in self.prospects), *self.leaves]

    def at_whole_error(self) -> Standing:
        """Return where they stand at `dpmia.claims.limits.ERROR`: no replicates are added."""
        prospects = tuple(prospect for prospect in self.prospects if prospect.id not in self.reopened)
        leaves = {name: reason for name, reason in self.leaves.items() if name not in self.reopened}
        decided = (*self.decided, *self.reopened)
        return replace(self, decided=decided, reopened=(), prospects=prospects, leaves=leaves)
