# As a run starts: no other may be at work here. As it ends: what it cost.
import time

from snakemake.exceptions import WorkflowError

from dpmia.digest import remember
from dpmia.errors import UserError
from dpmia.lock import hold

# What stood behind the code digests of earlier runs.
CODE = ".snakemake/code"


onstart:
    # What writes nothing may look at a live run.
    if any(job.output for job in workflow.dag.needrun_jobs()):
        try:
            hold(".snakemake/run.lock")
        except UserError as error:
            raise WorkflowError(str(error)) from None
        remember(CODE)


def note_own_time():
    """Add this process to the logs that `costs` reads; what it has done before counts on."""
    log = Path(f"logs/{RUN}/snakemake/{time.time_ns()}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"start-up {time.process_time():.3f} s, work 0.000 s\n")


onerror:
    note_own_time()
