"""What every script does around its work: find the library, log to the rule's file, end with one error message."""

from __future__ import annotations

import gc
import logging
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpmia.workflow.interrupts import end_at_first_interrupt, end_with_parent, is_interrupt, quiet_interrupts

# Ctrl-C may come while the rest is imported.
quiet_interrupts()
end_at_first_interrupt()

from dpmia.common.errors import LimitError, MemoryShortError, PlaceError, UserError
from dpmia.common.pipes import discard
from dpmia.workflow.failures import ABOVE_LIMIT, CANNOT_RUN, error_line
from dpmia.workflow.fork_server import hand_over, seconds_of_client

# All that scripts import stays: looking for garbage in it takes a tenth of the time that starting takes.
gc.disable()

# What comes after this in a script, its imports of large libraries first of all, is for the process that runs it.
hand_over()


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run `main(snakemake)`.

    An error ends the job, and its message stands last in the log, from where the workflow prints it. The traceback of
    an error that no user can mend is printed, and logged before the message.
    """
    gc.freeze()
    gc.enable()
    end_with_parent()
    started, begun = time.process_time(), time.monotonic()
    try:
        handler = logging.FileHandler(snakemake.log[0], mode="w")
    except OSError as error:
        sys.exit(f"\nError in {snakemake.rule}: {PlaceError.of(error) or error}\n")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.root.addHandler(handler)
    logging.root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        main(snakemake)
        sys.stdout.flush()
    except BrokenPipeError as error:
        # `snakemake help | head`: nobody reads on. What is still buffered goes nowhere.
        discard(sys.stdout)
        if not all(Path(file).exists() for file in snakemake.output):
            _log_unexpected(error, snakemake.log[0])
            raise
    except UserError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        code = ABOVE_LIMIT if isinstance(error, LimitError) else CANNOT_RUN
        logging.error("%s", error_line(str(error), code))
        sys.exit(code)
    except OSError as error:
        message = PlaceError.of(error)
        if message is None:
            _log_unexpected(error, snakemake.log[0])
            raise
        logging.raiseExceptions = False  # the log may be on the same disk
        logging.error("%s", error_line(str(message)))
        # Not only in the log, for which there may be no space either.
        sys.exit(f"\nError in {snakemake.rule}: {message}\n")
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        if short := MemoryShortError.of(error):
            logging.error("%s", error_line(str(short), CANNOT_RUN))
            sys.exit(CANNOT_RUN)
        _log_unexpected(error, snakemake.log[0])
        raise
    finally:
        logging.info(
            "start-up %.3f s, work %.3f s, wall %.3f s, memory %.0f MB",
            *(started + seconds_of_client(), time.process_time() - started, time.monotonic() - begun),
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
        )
        logging.captureWarnings(False)
        logging.root.removeHandler(handler)
        handler.close()


def _log_unexpected(error: Exception, log: str) -> None:
    logging.error("%s", traceback.format_exc())
    logging.error("%s", error_line(f"{type(error).__name__}: {error}. Traceback: {log}"))
