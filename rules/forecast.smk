# What jobs will take: for the bar of a run and its announcement, for `snakemake forecast`, and for requests to a cluster.
import json
import os
import subprocess

from dpmia.workflow import forecast
from dpmia.workflow.expected import Expectations, MachineRates, key
from dpmia.workflow.fork_server import can_serve, environment_with
from dpmia.workflow.forecast_file import remember as remember_forecast

# How fast this machine is, as far as it was measured.
RATES = Path(".snakemake/rates.json")
try:
    EXPECTATIONS = Expectations(PLAN, MachineRates.read(RATES))
except UserError as error:
    refuse(error)
# Numbers of cores that `snakemake forecast` shows, beside that of the command.
MANY_CORES = (16, 128)


def memory_for(kind):
    """Return the MB that a job requests: twice what is expected, and as much again for each further attempt."""
    return lambda wildcards, attempt: attempt * max(
        1000, round(2 * EXPECTATIONS.of(kind, dict(wildcards.items())).memory)
    )


def minutes_for(kind):
    """Return the minutes that a job requests, and as many again for each further attempt."""
    return lambda wildcards, attempt: attempt * max(20, round(EXPECTATIONS.longest(kind, dict(wildcards.items())) / 60))


def measure_rates(wanted):
    """Time what some jobs train, where this machine has never trained that.

    Args:
        wanted: kind and wildcards of each job.
    """
    kinds, steps = {}, {}
    for kind, wildcards in wanted:
        for trained in EXPECTATIONS.trained(kind, wildcards):
            name = key(trained)
            kinds[name], steps[name] = trained, steps.get(name, 0) + trained.steps
    missing = sorted(kinds.keys() - EXPECTATIONS.rates.steps.keys(), key=lambda name: -steps[name])
    if missing:
        measured = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "dpmia.workflow.trial", RATES],
            input=json.dumps([kinds[name].plain() for name in missing]),
            env=environment_with(REPOSITORY),
            text=True,
        )
        if measured.returncode:
            logger.warning("This machine could not be timed: forecasts are those of the reference machine.")
        EXPECTATIONS.take(MachineRates.read(RATES))


def forks():
    """Return whether scripts of this run are forks of one process (`dpmia.workflow.fork_server`)."""
    here = workflow.is_main_process and workflow.local_exec
    return here and can_serve() and not workflow.deployment_settings.deployment_method


def expected_of(kind, wildcards):
    """Return what a job will cost in this run."""
    expected = EXPECTATIONS.of(kind, wildcards)
    return expected.as_fork() if forks() else expected


def expect(jobs_to_run, cores):
    """Return the CPU seconds of each job by its number; say so first if the run will be long."""
    wanted = {job.jobid: (kind_of(job.rule.name), job.wildcards_dict) for job in jobs_to_run}
    expected = {number: expected_of(*job) for number, job in wanted.items()}
    if forecast.Forecast(tuple(expected.values())).wall(cores) > forecast.LONG:
        measure_rates(wanted.values())
        expected = {number: expected_of(*job) for number, job in wanted.items()}
        logger.info(forecast.announcement(forecast.Forecast(tuple(expected.values())), cores))
    folder = Path(f"logs/{RUN}")
    logs = {Path(job.log[0]): expected[job.jobid].seconds for job in jobs_to_run if job.output and job.log}
    of_run = {log.relative_to(folder).as_posix(): round(logs[log], 2) for log in logs if log.is_relative_to(folder)}
    if of_run:  # a command that only prints writes nothing
        try:
            remember_forecast(of_run, folder)
        except UserError as error:
            refuse(error)
    return {number: cost.seconds for number, cost in expected.items()}


def jobs_of(files):
    """Return the jobs that make some files.

    Returns:
        Rule and wildcards of each job -> its kind.
    """
    exact = {str(file): rule_ for rule_ in workflow.rules for file in rule_.output if not file.contains_wildcard()}
    patterns = [rule_ for rule_ in workflow.rules if any(file.contains_wildcard() for file in rule_.output)]
    kinds = {}
    for file in dict.fromkeys(files):
        made_by = exact.get(file) or next((rule_ for rule_ in patterns if rule_.is_producer(file)), None)
        if made_by is not None:
            wildcards = () if file in exact else tuple(made_by.get_wildcards(file).items())
            kinds[made_by.name, wildcards] = kind_of(made_by.name)
    return kinds


def alone(target):
    """Refuse other targets beside one that is about all of them: Snakemake would make them. Return no files."""
    if others := sorted({*workflow.dag_settings.targets} - {target}):
        problem = f"it is about all targets, and would make {', '.join(others)}"
        refuse(UserError(target, problem, f"Ask for {target} alone: each target has a line"))
    return []


def forecast_table():
    """Return what is missing of each target and what it will take."""
    pages = [f"{RUN}/report.html", f"{RUN}/claims.csv", *(f"{RUN}/engines/{file}.csv" for file in SCOPE.checked)]
    files = TARGETS.files(pages)
    missing = {name: jobs_of(file for file in made if not Path(file).exists()) for name, made in files.items()}
    measure_rates((kind, dict(wildcards)) for (_, wildcards), kind in missing["all"].items())
    forecasts = {
        name: forecast.Forecast(
            tuple(expected_of(kind, dict(wildcards)) for (_, wildcards), kind in of_target.items()),
            TARGETS.download_of(files[name]),
        )
        for name, of_target in missing.items()
        if of_target
    }
    return forecast.table(forecasts, workflow.cores or os.cpu_count(), MANY_CORES)
