# At the start of a run: lock the folder, set the scheduling. At its end: report errors and CPU time.
import gc
import time
from collections import Counter
from contextlib import suppress

from snakemake import sourcecache
from snakemake.common import overwrite_function_params
from snakemake.logging import logger
from snakemake.resources import Resource

from dpmia.workflow.console import Console
from dpmia.workflow.digest import remember
from dpmia.common.errors import UserError
from dpmia.workflow.failures import last_words, read_failure, stopped, typed_command
from dpmia.workflow.fork_server import Server
from dpmia.workflow.interrupts import end_at_second_interrupt, quiet_interrupts
from dpmia.workflow.places import check_places

COMMAND = typed_command(sys.argv[1:])
# What stood behind the code digests of earlier runs.
CODE = ".snakemake/code"


quiet_interrupts(stopped(COMMAND))
if workflow.is_main_process:
    end_at_second_interrupt(stopped(COMMAND))
    try:
        check_places([".snakemake/run.lock"])
    except UserError as error:
        refuse(error)


def place_of(output):
    """Return an output that must be no folder: itself, or of a folder the file that Snakemake writes into it."""
    return os.path.join(output, ".snakemake_timestamp") if output.is_directory else output


def remember_pure_functions():
    """Note what Snakemake would find out again for each job: parameters of functions, and where it copies scripts to."""
    for rule_ in workflow.rules:
        of_resources = [getattr(value, "_evaluator", None) for value in rule_.resources.values()]
        for function in filter(callable, [*rule_.input, *rule_.params, *of_resources]):
            overwrite_function_params(function, signature(function).parameters)
    overwrite_function_params(Resource.evaluate, signature(Resource.evaluate).parameters)
    sourcecache.parse_uri = cache(sourcecache.parse_uri)


KINDS = {}


def kind_of(rule_name):
    """Return the kind of a rule: rules that are written in a loop share a script, and its name."""
    if not KINDS:
        scripts = {rule_.name: rule_.script for rule_ in workflow.rules}
        shared = Counter(scripts.values())
        KINDS.update(
            {name: Path(script).stem if script and shared[script] > 1 else name for name, script in scripts.items()}
        )
    return KINDS[rule_name]


# Jobs from which starting the fork server pays: it imports what two jobs would.
WORTH_SERVING = 4
SERVER = None
CONSOLE = None
for default in logger.handlers if workflow.is_main_process and not workflow.output_settings.verbose else ():
    if default.name == "DefaultStreamHandler":
        CONSOLE = Console(
            default, default.stream, kind_of, lambda: workflow.dryrun, lambda: [rule_.name for rule_ in workflow.rules]
        )
        logger.removeHandler(default)
        logger.addHandler(CONSOLE)
        break


onstart:
    global SERVER
    gc.enable()
    if CONFIG.data == "synthetic" and CONFIG.data_mirror is not None:
        logger.warning("data_mirror is ignored: the key data is 'synthetic', which generates the data.")
    # A target without outputs may run beside a live run, as it writes nothing, or files of its own that no job reads:
    # `claims`, `check_claims`. But `decide` changes the plan of the run, which its later jobs would follow.
    if any(job.output or job.rule.name == "decide" for job in workflow.dag.needrun_jobs()):
        from dpmia.common.files import bring_back, remove_leftovers
        from dpmia.workflow.lock import hold  # here: each job reads this file, and the import takes 20 ms

        try:
            check_places(place_of(file) for job in workflow.dag.needrun_jobs() for file in [*job.output, *job.log])
            if SHARED:  # rules/sharing.smk
                check_cache(Path(os.environ[VARIABLE]))
            hold(".snakemake/run.lock")
        except UserError as error:
            refuse(error)
        remember(CODE)
        for left in remove_leftovers(["resources", "results", "logs", CODE], alone=[".snakemake", "."]):
            logger.info(f"Removed what a killed job left: {left}")
        if ahead := bring_back(["resources", "results"]):
            logger.info(
                f"The clock was wrong: {len(ahead)} files are dated in the future, and now today: {ahead[0]}"
            )
    jobs_to_run = list(workflow.dag.needrun_jobs())
    if forks() and sum(job.is_script for job in jobs_to_run) >= WORTH_SERVING:
        SERVER = Server(REPOSITORY, Path(f"logs/{RUN}/fork_server/{time.time_ns()}.log"))
    if CONSOLE:
        cores = min(len(jobs_to_run), (workflow.cores if workflow.local_exec else workflow.nodes) or 1)
        CONSOLE.begin(expect(jobs_to_run, cores), cores)
    if workflow.local_exec:
        # Snakemake's limit of jobs a second wakes the scheduler once a second for every job that was ever finished:
        # after some hundred jobs, half of a core. Where jobs wait for cores, no limit is needed.
        workflow.scheduler.job_rate_limiter = None


def note_own_time():
    """End the fork server, and add this process to the logs that `costs` reads; what it has done before counts on."""
    if SERVER:
        SERVER.end()
    log = Path(f"logs/{RUN}/snakemake/{time.time_ns()}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"start-up {time.process_time():.3f} s, work 0.000 s\n")


onerror:
    if CONSOLE:
        CONSOLE.end()
    failures = [
        read_failure(job.rule.name, next(map(Path, job.log), None))
        for failed in workflow.scheduler.failed
        for job in (failed.jobs if failed.is_group() else [failed])
    ]
    message, exit_code = last_words(failures, COMMAND)
    print(f"\n{message}", file=sys.stderr)
    with suppress(OSError):  # what failed may have been the disk
        note_own_time()
    # Snakemake itself would print less helpful words after these, and exit with 1 whatever happened.
    raise SystemExit(exit_code)
