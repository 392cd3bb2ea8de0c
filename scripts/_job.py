"""What every script does around its work: find the library, log to the rule's file, tell errors in one message."""

from __future__ import annotations

import errno
import gc
import logging
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpmia.errors import UserError

# All that scripts import stays: looking for garbage in it takes a tenth of the time that starting takes.
gc.disable()


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run `main(snakemake)`.

    What a user can mend is told in one message, on the terminal and in the log, and ends the job; any other
    error is told with its traceback in both.
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
    except UserError as error:
        logging.error("%s", error)
        sys.exit(f"\nError in {snakemake.rule}: {error}\n")
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            logging.error("%s", traceback.format_exc())
            raise
        logging.raiseExceptions = False  # the log may be on the same disk
        logging.error("%s", error)
        sys.exit(f"\nError in {snakemake.rule}: {error}. Free some space and start again: what is finished stays.\n")
    except Exception:
        logging.error("%s", traceback.format_exc())
        raise
    finally:
        logging.info("start-up %.3f s, work %.3f s", started, time.process_time() - started)
        logging.captureWarnings(False)
        logging.root.removeHandler(handler)
        handler.close()
