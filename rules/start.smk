# As a run starts: no other may be at work here, and a dry run tells which edits of code are behind it.
import re
import sys
import time
from collections import Counter, defaultdict
from itertools import product

from snakemake.exceptions import WorkflowError

from dpmia.digest import changed_modules, remember
from dpmia.errors import UserError
from dpmia.lock import hold

# What stood behind the code digests of earlier runs.
CODE = ".snakemake/code"


def code_changes(jobs):
    """Return, for each file whose edit is why jobs run again, how many jobs of which rules."""
    found = defaultdict(Counter)
    for job in jobs:
        reason = workflow.dag.reason(job).params_changed
        before, now = (
            [value.strip("'") for value in values if re.fullmatch("'[0-9a-f]{16}'", value)]
            for values in (reason.only_old, reason.only_new)
        )
        for old, new in product(before, now):
            for file in changed_modules(old, new, CODE) or ["what was not recorded"]:
                found[file][job.rule.name] += 1
    return {file: ", ".join(f"{rule} ({count})" for rule, count in rules.items()) for file, rules in found.items()}


onstart:
    needed = workflow.dag.needrun_jobs()
    if workflow.dryrun:
        for file, rules in code_changes(needed).items():
            print(f"Run again because of {file}: {rules}", file=sys.stderr)
    # What writes nothing may look at a live run.
    elif any(job.output for job in needed):
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
