# As a run starts: no other may be at work here, and scheduling must not cost much. As it ends: what it cost.
import time

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from dpmia.digest import remember
from dpmia.errors import UserError
from dpmia.lock import hold

# What stood behind the code digests of earlier runs.
CODE = ".snakemake/code"


onstart:
    if CONFIG.data == "embedded" and CONFIG.data_mirror is not None:
        logger.warning("data_mirror is not looked at: the key data is 'embedded', which makes stand-in data.")
    # What writes nothing may look at a live run.
    if any(job.output for job in workflow.dag.needrun_jobs()):
        try:
            hold(".snakemake/run.lock")
        except UserError as error:
            raise WorkflowError(str(error)) from None
        remember(CODE)
    if workflow.local_exec:
        # Snakemake's limit of jobs a second wakes the scheduler once a second for every job that was ever finished:
        # after some hundred jobs, half of a core. Where jobs wait for cores, no limit is needed.
        workflow.scheduler.job_rate_limiter = None


def note_own_time():
    """Add this process to the logs that `costs` reads; what it has done before counts on."""
    log = Path(f"logs/{RUN}/snakemake/{time.time_ns()}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"start-up {time.process_time():.3f} s, work 0.000 s\n")


onerror:
    note_own_time()
