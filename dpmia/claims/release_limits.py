"""Limits that the models of an audit must keep (`audit.fail_above`), decided by confidence limits as claims are.

Models keep their limits if every mean is shown to: each by its own one-sided limit, wrong with probability `error`
(intersection-union test, Berger 1982). They exceed one if any mean is shown to lie above it, by limits that are
wrong with probability `error` together (Bonferroni over all means, and Holm's steps after the first). In between
nothing is decided, and more replicates may decide it (`dpmia.claims.deciding`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from dpmia.claims.limits import ERROR, ERROR_OF_LOOK, WITHOUT_LIMIT
from dpmia.claims.standing import Prospect, Standing
from dpmia.common.plain import PlainData
from dpmia.formats.looks import TIMES
from dpmia.metrics.intervals import Estimate
from dpmia.metrics.ranges import possible_range

#: Shown to keep all limits; shown to exceed one; neither. Some limit is for what was not measured; there is no limit.
PASSED, FAILED, UNDECIDED, NOT_EVALUATED, NONE = "passed", "failed", "undecided", "not_evaluated", "none"


@dataclass(frozen=True)
class HeldMean(PlainData):
    """A mean and the limit that it must keep.

    Attributes:
        experiment: name.
        arm: name.
        epsilon: as text.
        attack: name.
        metric: name.
        limit: the largest value that the mean may have.
        replicates: their number, also where some have no number.
        estimate: the mean and its error.
        turned: whether it is of the attack turned round, which takes low scores for those of members.
    """

    experiment: str
    arm: str
    epsilon: str
    attack: str
    metric: str
    limit: float
    replicates: int
    estimate: Estimate
    turned: bool = False

    @property
    def mirrored(self) -> HeldMean:
        """The AUC of the attack turned round."""
        return replace(self, estimate=replace(self.estimate, mean=1 - self.estimate.mean), turned=not self.turned)

    def keeps_limit(self, error: float) -> bool:
        """Return whether the mean is shown to keep its limit; an AUC and its mirror image both must.

        Each is shown by a one-sided limit that is wrong with probability `error`, and so are both together.
        """
        low, high = self.interval(error)
        return high <= self.limit and (self.metric != "auc" or 1 - low <= self.limit)

    def interval(self, error: float) -> tuple[float, float]:
        """Return one-sided limits of the mean, each wrong with probability `error`."""
        return self.estimate.limits(possible_range(self.metric), 1 - 2 * error)


def exceeding(means: Sequence[HeldMean], error: float = ERROR) -> dict[HeldMean, float]:
    """Return the means that are shown to exceed their limit, the worst first, each with the limit that shows it.

    Once some are, the limits of the others alone must hold together (Holm 1979).
    """
    exceeded: dict[HeldMean, float] = {}
    left = list(means)
    while left:
        lower = {mean: mean.interval(error / len(left))[0] for mean in left}
        new = {mean: low for mean, low in lower.items() if low > mean.limit}
        if not new:
            break
        exceeded |= new
        left = [mean for mean in left if mean not in new]
    return dict(sorted(exceeded.items(), key=lambda item: item[0].limit - item[0].estimate.mean))


def unsure(means: Sequence[HeldMean], error: float = ERROR) -> list[HeldMean]:
    """Return the means that are not shown to keep their limit, nor to exceed it."""
    above = exceeding(means, error)
    return [mean for mean in means if mean not in above and not mean.keeps_limit(error)]


def verdict_on(means: Sequence[HeldMean], error: float = ERROR) -> str:
    """Return `FAILED`, `UNDECIDED` or `PASSED`; the first and the last are wrong with probability `error` at most."""
    if exceeding(means, error):
        return FAILED
    return UNDECIDED if unsure(means, error) else PASSED


@dataclass(frozen=True)
class Held(PlainData):
    """The limits of one audit and how its models do.

    Attributes:
        means: all that a limit is for.
        not_evaluated: metric that some arm or model cannot show with an interval -> why not.
    """

    means: list[HeldMean]
    not_evaluated: dict[str, str]

    def verdict(self, error: float = ERROR) -> str:
        """Return one of the verdicts; what exceeds a limit does so whatever else cannot be evaluated."""
        if exceeding(self.means, error):
            return FAILED
        if self.not_evaluated:
            return NOT_EVALUATED
        return verdict_on(self.means, error) if self.means else NONE


def stand_of_limits(
    audits: Mapping[str, Held], repeatable: Container[str], times: Mapping[str, int] | None
) -> Standing:
    """Return where the limits of audits stand, judged at the share of the error that one look has.

    Args:
        audits: name of each audit -> its limits; those without any are passed over.
        repeatable: experiments of which there can be more replicates.
        times: experiment -> how many times its planned replicates it has; None where no look was taken.
    """
    decided, reopened, prospects = [], [], []
    leaves: dict[str, str] = {}
    unjudged: dict[str, str] = {}
    for name, held in audits.items():
        verdict = held.verdict(ERROR_OF_LOOK)
        if verdict in (PASSED, FAILED):
            decided.append(name)
        elif verdict == NOT_EVALUATED:
            unjudged[name] = "; ".join(f"{metric}: {reason}" for metric, reason in held.not_evaluated.items())
        elif verdict == UNDECIDED:
            if times is None and held.verdict() != UNDECIDED:
                reopened.append(name)
            prospect = _prospect(name, held.means, repeatable, times or {})
            if isinstance(prospect, Prospect):
                prospects.append(prospect)
            else:
                leaves[name] = prospect
    return Standing("limits of audits", tuple(decided), tuple(reopened), tuple(prospects), leaves, unjudged)


def _prospect(
    audit: str, means: Sequence[HeldMean], repeatable: Container[str], times: Mapping[str, int]
) -> Prospect | str:
    """Return how many replicates would decide limits if means stay as they are, or why none would."""
    names = tuple(sorted({mean.experiment for mean in means}))
    if fixed := [name for name in names if name not in repeatable]:
        return f"{', '.join(fixed)} cannot have more replicates: predictions only, or unavailable data"
    now = max(times.get(name, 1) for name in names)
    if now == TIMES[-1]:
        return f"all {len(TIMES)} looks are taken"

    def decided(more: float) -> bool:
        later = [replace(mean, estimate=mean.estimate.with_replicates(more)) for mean in means]
        return verdict_on(later, ERROR_OF_LOOK) != UNDECIDED

    enough = [later for later in TIMES if later > now and decided(later / now)]
    if enough:
        return Prospect(audit, names, enough[0])
    if not decided(WITHOUT_LIMIT):
        return "it takes more records, not more replicates"
    return f"too close to call: {TIMES[-1]} times its planned replicates do not decide it at these means"
