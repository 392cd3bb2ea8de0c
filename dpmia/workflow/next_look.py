"""The next look of a run: for the job `decide`, and for a dry run, which writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from dpmia.claims.deciding import Effort, describe, propose
from dpmia.claims.drawn_cells import replicates_of_table
from dpmia.claims.judge import JudgedRun
from dpmia.claims.open_claims import stand_of_claims
from dpmia.claims.release_limits import Held, stand_of_limits
from dpmia.common.reading.source import made
from dpmia.formats.looks import Look, Looks
from dpmia.papers.claims import claims


def next_look(
    run: JudgedRun,
    audits: Mapping[str, str],
    efforts: Mapping[str, Effort],
    budget: float,
    looks: Looks | None,
) -> tuple[Look | None, str]:
    """Return the replicates to add, None where none are worth it, and what to print.

    Args:
        run: the run and its tables.
        audits: name of each audit -> its `audit-<name>.json`.
        efforts: experiment or study -> what more of its replicates take.
        budget: core-hours of all looks together.
        looks: those before.
    """
    held = {f"audit {name}": _held(file) for name, file in audits.items()}
    if missing := _missing(run, held, efforts, looks):
        first = f"The last look is not complete: replicates of {', '.join(missing)} are to be made first."
        return (
            None,
            f"{first} If no job makes them, delete their tables in replicates/: they are too new for "
            "--rerun-triggers mtime, or were copied from elsewhere.",
        )
    times = looks.times if looks else None
    audited = {name for name, effort in efforts.items() if effort.audited}
    of_papers = times and {name: given for name, given in times.items() if name not in audited}
    standings = (
        stand_of_claims(chain.from_iterable(claims().values()), run, {*efforts} - audited, of_papers),
        stand_of_limits(held, efforts, times),
    )
    proposal = propose(standings, efforts, budget, looks)
    return proposal.look, describe(proposal, efforts, budget)


def _held(file: str) -> Held:
    """Return the limits in the JSON of an audit.

    Raises:
        DataError: it is damaged.
    """
    source = made(file)
    with source.faults("it is no report of an audit"):
        return Held.from_plain(source.json()["limits"]["held"])


def _missing(
    run: JudgedRun, audits: Mapping[str, Held], efforts: Mapping[str, Effort], looks: Looks | None
) -> list[str]:
    """Return the experiments and studies whose results lack replicates that the last look asked for."""
    audited = {mean.experiment: mean.replicates for held in audits.values() for mean in held.means}
    missing = []
    for name, times in (looks.times if looks else {}).items():
        if name not in efforts:
            continue
        tables = run.tables([f"replicates/{name}", f"studies/{name}"])
        of_paper = max(map(replicates_of_table, tables.values()), default=0)
        if (audited.get(name, 0) if efforts[name].audited else of_paper) < efforts[name].replicates * times:
            missing.append(name)
    return missing
