"""What `snakemake decide` judges in a run, and what more replicates would take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from dpmia.claims.deciding import Effort
from dpmia.formats.looks import Looks
from dpmia.papers.claims import claims
from dpmia.planning.plan import Plan
from dpmia.settings.studies import Regression
from dpmia.workflow.layout import RunLayout
from dpmia.workflow.scope import Scope


def tables_to_judge(scope: Scope, looks: Looks | None) -> dict[str, str]:
    """Return the tables of claims that more replicates would change: experiment or study -> path.

    Args:
        scope: of the run.
        looks: those before; a table that one of them gave replicates to counts whether it is there or not.
    """
    read = dict.fromkeys(table for of_paper in claims().values() for claim in of_paper for table in claim.tables)
    tables = {}
    for stage, name in (table.split("/") for table in read):
        raisable = stage == "replicates" or isinstance(scope.plan.studies.get(name), Regression)
        path = f"{scope.layout.run}/{stage}/{name}.csv"
        judged = Path(path).exists() or (looks is not None and name in looks.times)
        if raisable and judged and name in scope.with_data and scope.layout.of_paper(name) and scope.runs(name):
            tables[name] = path
    return tables


def audits_to_judge(scope: Scope, looks: Looks | None) -> dict[str, str]:
    """Return the audits with limits that were made, or that a look gave replicates to: audit -> its results."""
    audits = {}
    for stem, members in scope.plan.audits.items() if scope.plan.config.audit.fail_above else ():
        path = scope.layout.audit_report(stem, "json")
        added = looks is not None and any(name in looks.times for name in members)
        if all(map(scope.runs, members)) and (Path(path).exists() or added):
            audits[stem] = path
    return audits


def efforts_of(
    planned: Plan, doubled: Plan, tables: Mapping[str, str], core_hours: Callable[[Iterable[str]], float]
) -> dict[str, Effort]:
    """Return what more replicates of some experiments and studies take.

    Args:
        planned: without what looks added.
        doubled: with twice the replicates.
        tables: experiment or study -> its table.
        core_hours: takes files; returns what the jobs take that make them, with twice the replicates.
    """
    now, then, efforts = RunLayout(planned), RunLayout(doubled), {}
    for name, table in tables.items():
        if name in planned.studies:
            # One job makes all splits: a doubling takes what all of them take.
            study = planned.studies[name]
            assert isinstance(study, Regression)
            efforts[name] = Effort(study.splits, core_hours([table]), audited=not now.of_paper(name))
            continue
        before = {*replicated(now, name)}
        new = [file for file in replicated(then, name) if file not in before]
        again = now.all_references(name)
        again += [file for file in now.metrics(name) if again and "/metrics/" in file]
        replicates = planned.experiments[name].replicates
        efforts[name] = Effort(replicates, core_hours(new), core_hours(again), not now.of_paper(name))
    return efforts


def replicated(layout: RunLayout, name: str) -> list[str]:
    """Return the files of all jobs of an experiment that have a block; nothing for a study."""
    if name in layout.plan.studies:
        return []
    return [*layout.splits(name), *layout.models(name), *layout.metrics(name)]
