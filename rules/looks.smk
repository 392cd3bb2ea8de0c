# What `snakemake decide` adds: the replicates of the next look, and the command that makes them.
#
# A plan of Snakemake has one number of replicates. So each look ends the process, whose job `decide` has written the
# numbers beside the results, and the same command starts anew with them: on a cluster, after an interruption, or as any
# other target, what is missing then are jobs as all others.
import atexit
import os


def efforts(tables, audits):
    """Return what more replicates of experiments and studies take."""
    from dpmia.workflow.efforts import efforts_of, replicated

    audited = (name for stem in audits for name in PLAN.audits[stem] if name in EXPERIMENTS)
    tables = tables | {name: LAYOUT.table("replicates", name) for name in audited}
    doubled = with_added_replicates(PLANNED, dict.fromkeys(tables, 2))
    once = jobs_of(file for name in tables for file in replicated(RunLayout(PLANNED), name))
    measure_rates((kind, dict(wildcards)) for (_, wildcards), kind in once.items())
    expected = Expectations(doubled, EXPECTATIONS.rates)

    def core_hours(files):
        return sum(expected.of(kind, dict(wildcards)).seconds for (_, wildcards), kind in jobs_of(files).items()) / 3600

    return efforts_of(PLANNED, doubled, tables, core_hours)


@cache
def to_judge():
    """Return what is judged, tables and audits. Called by the target itself, so that a refusal comes first."""
    from dpmia.workflow.efforts import audits_to_judge, tables_to_judge

    if CONFIG.budget is None:
        refuse(ConfigError("config, budget", "decide needs a budget", "Add --config budget=0.5, in core-hours"))
    tables, audits = tables_to_judge(SCOPE, LOOKS), audits_to_judge(SCOPE, LOOKS)
    if not tables and not audits:
        first = "Make some first, by the same command with the target all, audit, or that of a paper"
        refuse(UserError(RUN, "no results that claims or limits of audits could be judged on are here", first))
    if workflow.dryrun and workflow.is_main_process:
        from dpmia.claims.judge import JudgedRun
        from dpmia.workflow.next_look import next_look

        there = {stem: path for stem, path in audits.items() if Path(path).exists()}
        run = JudgedRun.from_plain(SCOPE.judge_job(TIMES).plain())
        print(next_look(run, there, efforts(tables, audits), CONFIG.budget, LOOKS)[1])
    return tables, audits


def start_again():
    """Start the same command anew when this process has ended, with what was read from the settings as it is then."""

    def start():
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])

    atexit.register(start)
