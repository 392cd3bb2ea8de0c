"""What every script does around its work: find the library, log to the rule's file, end with one error message."""

from __future__ import annotations

import errno
import gc
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpmia.common.errors import LimitError, UserError
from dpmia.workflow.failures import ABOVE_LIMIT, CANNOT_RUN, error_line, quiet_interrupts

# All that scripts import stays: looking for garbage in it takes a tenth of the time that starting takes.
gc.disable()

quiet_interrupts()


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run `main(snakemake)`.

    An error ends the job, and its message stands last in the log, from where the workflow prints it. The traceback of
    an error that no user can mend is printed, and logged before the message.
    """
    gc.freeze()
    gc.enable()
    started = time.process_time()
    handler = logging.FileHandler(snakemake.log[0], mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.root.addHandler(handler)
    logging.root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        main(snakemake)
        sys.stdout.flush()
    except BrokenPipeError:
        # `snakemake help | head`: nobody reads on. What is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if snakemake.output:
            raise
    except UserError as error:
        code = ABOVE_LIMIT if isinstance(error, LimitError) else CANNOT_RUN
        logging.error("%s", error_line(str(error), code))
        sys.exit(code)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            _log_unexpected(error, snakemake.log[0])
            raise
        logging.raiseExceptions = False  # the log may be on the same disk
        message = f"{error}. Free some space and start again: what is finished stays."
        logging.error("%s", error_line(message))
        # Not only in the log, for which there may be no space either.
        sys.exit(f"\nError in {snakemake.rule}: {message}\n")
    except Exception as error:
        _log_unexpected(error, snakemake.log[0])
        raise
    finally:
        logging.info("start-up %.3f s, work %.3f s", started, time.process_time() - started)
        logging.captureWarnings(False)
        logging.root.removeHandler(handler)
        handler.close()


def _log_unexpected(error: Exception, log: str) -> None:
    logging.error("%s", traceback.format_exc())
    logging.error("%s", error_line(f"{type(error).__name__}: {error}. Traceback: {log}"))
