# What `snakemake decide` adds: the replicates of the next look, and the command that makes them.
#
# A plan of Snakemake has one number of replicates. So each look ends the process, whose job `decide` has written the
# numbers beside the results, and the same command starts anew with them: on a cluster, after an interruption, or as any
# other target, what is missing then are jobs as all others.
import atexit
import os

from dpmia.settings.studies import Regression


def decided_by():
    """Return the tables of this run that more replicates would change, by experiment or study."""
    from dpmia.papers.claims import claims

    read = dict.fromkeys(table for of_paper in claims().values() for claim in of_paper for table in claim.tables)
    found = {}
    for stage, name in (table.split("/") for table in read):
        raisable = stage == "replicates" or isinstance(STUDIES.get(name), Regression)
        path = f"{RUN}/{stage}/{name}.csv"
        if raisable and name in SCOPE.with_data and LAYOUT.of_paper(name) and SCOPE.runs(name):
            if Path(path).exists() or (LOOKS and name in LOOKS.times):
                found[name] = path
    return found


def audits_to_decide():
    """Return the audits with limits that were made, or that a look gave replicates to, with their results."""
    found = {}
    for stem, members in PLAN.audits.items() if CONFIG.audit.fail_above else ():
        path = LAYOUT.audit_report(stem, "json")
        if all(map(SCOPE.runs, members)) and (
            Path(path).exists() or (LOOKS and any(name in LOOKS.times for name in members))
        ):
            found[stem] = path
    return found


def efforts():
    """Return what more replicates of experiments and studies take, as plain data."""
    from dpmia.claims.deciding import Effort

    audited = (name for stem in audits_to_decide() for name in PLAN.audits[stem] if name in EXPERIMENTS)
    tables = decided_by() | {name: LAYOUT.table("replicates", name) for name in audited}
    twice = with_added_replicates(PLANNED, dict.fromkeys(tables, 2))
    planned, doubled = Layout(PLANNED), Layout(twice)
    once = {name: models_and_metrics(planned, name) for name in tables}
    measure_rates((kind, dict(wildcards)) for files in once.values() for (_, wildcards), kind in jobs_of(files).items())
    expected = Expectations(twice, EXPECTATIONS.rates)

    def core_hours(files):
        return sum(expected.of(kind, dict(each)).seconds for (_, each), kind in jobs_of(files).items()) / 3600

    found = {}
    for name, table in tables.items():
        if name in STUDIES:
            # One job makes all splits: a doubling takes what all of them take.
            found[name] = Effort(PLANNED.studies[name].splits, core_hours([table]))
            continue
        new = [file for file in models_and_metrics(doubled, name) if file not in once[name]]
        again = planned.all_references(name)
        again += [file for file in planned.metrics(name) if again and "/metrics/" in file]
        found[name] = Effort(PLANNED.experiments[name].replicates, core_hours(new), core_hours(again))
    return {name: effort.plain() for name, effort in found.items()}


def models_and_metrics(layout, name):
    """Return the files of all jobs of an experiment that have a block; nothing for a study."""
    if name in STUDIES:
        return []
    return [*layout.splits(name), *layout.models(name), *layout.metrics(name)]


@cache
def tables_to_decide():
    """Return what is judged: tables, and audits. Called by the target itself, so that a refusal comes first."""
    if CONFIG.budget is None:
        refuse(ConfigError("config, budget", "decide needs a budget", "Add --config budget=0.5, in core-hours"))
    tables, audits = decided_by(), audits_to_decide()
    if not tables and not audits:
        first = "Make some first, by the same command with the target all, audit, or that of a paper"
        refuse(UserError(RUN, "no results that claims or limits of audits could be judged on are here", first))
    if workflow.dryrun and workflow.is_main_process:
        from dpmia.workflow.next_look import next_look

        there = {stem: path for stem, path in audits.items() if Path(path).exists()}
        print(next_look(SCOPE.judged(TIMES) | {"folder": RUN}, there, efforts(), CONFIG.budget, LOOKS)[1])
    return [*tables.values(), *audits.values()]


def start_again():
    """Start the same command anew when this process has ended, with what was read from the settings as it is then."""

    def start():
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])

    atexit.register(start)
