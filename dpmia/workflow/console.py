"""What a run prints while it works: a line for each job, how far it is, and what takes long.

It replaces Snakemake's handler of the terminal. It is no logger plug-in because Snakemake finds those by listing the
top-level packages of the environment, and `pip install --editable` adds none to that list.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dpmia.common.errors import PlaceError, UserError
from dpmia.common.formatting import format_percent, text_table
from dpmia.common.pipes import discard
from dpmia.common.registry import suggestion
from dpmia.workflow.failures import refuse, runner
from dpmia.workflow.progress import Progress, last_line, spell_left

if TYPE_CHECKING:
    from tqdm import tqdm

#: Events of Snakemake, and beginnings of its messages, for which the line of each job stands.
_SILENT = ("resources_info", "job_started", "progress", "group_info")
_NOISE = (
    "Reasons:\n",  # rules by the tens; `snakemake explain` names edited files and changed settings
    *("Using shell: ", "Conda environments: ignored", "Select jobs to execute", "Execute "),
    "Assuming unrestricted shared filesystem usage",
)
#: The same, which Snakemake writes as a warning.
_CACHEABLE = "Workflow defines that rule "

#: What Snakemake says of a target that nothing makes.
_NO_RULE = re.compile(r"No rule to produce (.+) \(if you use input functions")

#: Seconds between two lines on what takes long, and between two looks at the bar.
HEARTBEAT, REFRESH = 60.0, 2.0

#: Jobs that one heartbeat names.
MOST_NAMED = 3


@dataclass(frozen=True)
class _Job:
    message: str
    log: Path | None
    started: float


def unknown_target(target: str, targets: Iterable[str]) -> UserError:
    """Return the error of a target, a name or a file, that nothing makes."""
    problem = "no rule makes this file with these settings" if "/" in target else "there is none of this name"
    return UserError(f"target {target}", problem, suggestion(target, targets) or f"All targets: {runner()} help")


def _mendable(error: BaseException | None) -> UserError | None:
    """Return what a user can mend of an error, or of those that Snakemake has made it of; None for nothing."""
    while error is not None:
        message = PlaceError.of(error) if isinstance(error, OSError) else error
        if isinstance(message, UserError):
            return message
        error = error.__context__
    return None


class Console(logging.Handler):
    """Prints Snakemake's log: plain lines, and on a terminal a bar below them."""

    def __init__(
        self,
        replaced: logging.Handler,
        stream: TextIO,
        kind_of: Callable[[str], str],
        dryrun: Callable[[], bool] = lambda: False,
        targets: Callable[[], Iterable[str]] = tuple,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Print on `stream`.

        Args:
            replaced: Snakemake's own handler. Its filters decide what is printed, its formatter how all else is.
            stream: where to print.
            kind_of: returns the kind of a rule; the table of jobs counts kinds.
            dryrun: returns whether nothing is run; Snakemake knows it only after it has read the rules.
            targets: returns the names of all targets.
            clock: returns seconds.
        """
        super().__init__()
        self.filters = replaced.filters
        self.setFormatter(replaced.formatter)
        self._stream, self._kind_of, self._clock = stream, kind_of, clock
        self._dryrun, self._targets = dryrun, targets
        self._running: dict[int, _Job] = {}
        self._progress: Progress | None = None
        self._bar: tqdm[Any] | None = None
        self._guard = threading.RLock()
        self._over = threading.Event()

    def begin(self, expected: Mapping[int, float], cores: float) -> None:
        """Show from now on how far the run is; of a run of one job, nothing.

        Args:
            expected: seconds that each job will take, by its number.
            cores: jobs that run at once.
        """
        if len(expected) > 1:
            self._progress = Progress(expected, cores, self._clock())
            if self._stream.isatty():
                from tqdm import tqdm  # here: most commands draw no bar

                self._bar = tqdm(total=1.0, file=self._stream, bar_format="|{bar:30}| {desc}", leave=False, nrows=20)
        threading.Thread(target=self._watch, daemon=True).start()

    def end(self) -> None:
        """Remove the bar: what follows is printed by others."""
        self._over.set()
        with self._guard:
            if self._bar is not None:
                self._bar.close()
                self._bar = None

    def close(self) -> None:
        """Leave the terminal clean."""
        self.end()
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Print what a record says, if anything.

        Raises:
            SystemExit: Snakemake ends as planning jobs met a user's mistake, as a file cannot be written, or as nothing
                makes a target. It would exit with 1, which says of an audit that a model is above a limit, and its
                words would help less.
        """
        kind = getattr(record, "exception", "")
        error = _mendable(sys.exc_info()[1]) if kind else None
        if error is None and kind == "MissingRuleException" and (missing := _NO_RULE.search(record.getMessage())):
            error = unknown_target(missing[1], self._targets())
        if error is not None and threading.current_thread() is threading.main_thread():
            self.end()
            refuse(error, self._stream)
        try:
            text = self._text(record)
            if text:
                self._print(text)
            self.show()
        except Exception:
            self.handleError(record)

    def beat(self) -> None:
        """Print what has been running for a minute or more, the longest first."""
        with self._guard:
            long = [job for job in self._running.values() if self._clock() - job.started >= HEARTBEAT]
        long.sort(key=lambda job: job.started)
        for job in long[:MOST_NAMED]:
            state = last_line(job.log) if job.log else ""
            self._print(self._stamped(f"  {job.message}: {state or 'at work'}"))
        if len(long) > MOST_NAMED:
            self._print(self._stamped(f"  and {len(long) - MOST_NAMED} more jobs"))

    def show(self) -> None:
        """Draw the bar."""
        with self._guard:
            if self._bar is not None and self._progress is not None:
                self._bar.n = self._progress.share(self._clock())
                self._bar.ncols = shutil.get_terminal_size().columns - 1  # 80 where a terminal does not say
                self._bar.set_description_str(
                    f"{self._far(self._progress)}, {self._progress.done} of {self._progress.jobs} jobs"
                )

    def _watch(self) -> None:
        """Look after the jobs that run until the run ends."""
        last = self._clock()
        while not self._over.wait(REFRESH):
            if self._clock() - last >= HEARTBEAT:
                last = self._clock()
                self.beat()
            self.show()

    def _text(self, record: logging.LogRecord) -> str:
        event, fields = getattr(record, "event", None), vars(record)
        if event == "job_info" and fields["rule_msg"]:
            return self._started(fields)
        if event == "job_finished":
            return self._ended(fields["job_id"])
        if event == "job_error":
            # Its message follows at the end of the run, and once.
            self._ended(fields["jobid"], well=False)
            return self._stamped(f"Failed: {fields['rule_name']}, log: {', '.join(fields['log'])}")
        if event == "run_info":
            return self._table(fields["stats"])
        message = record.getMessage() if record.msg else ""
        if event in _SILENT or message.startswith((_CACHEABLE, *(_NOISE if record.levelno == logging.INFO else ()))):
            return ""
        if fields.get("exception") == "RuleException" or "Look above for error messages" in message:
            return ""
        return self.format(record)

    def _started(self, fields: Mapping[str, Any]) -> str:
        """Return the line of a job that starts, or of a dry run would start."""
        number, message, log = fields["jobid"], str(fields["rule_msg"]), fields["log"]
        if self._dryrun():
            return message
        with self._guard:
            self._running[number] = _Job(message, Path(log[0]) if log else None, self._clock())
            if self._progress is not None:
                self._progress.start(number, self._clock())
        return self._stamped(message)

    def _ended(self, number: int, well: bool = True) -> str:
        with self._guard:
            self._running.pop(number, None)
            if well and self._progress is not None:
                self._progress.finish(number)
        return ""

    def _stamped(self, text: str) -> str:
        """Return a text after the time and, where no bar says so, how far the run is."""
        now = time.strftime("%H:%M:%S", time.localtime(self._clock()))
        if self._progress is None or self._bar is not None:
            return f"{now}  {text}"
        return f"{now}  [{self._far(self._progress)}]  {text}"

    def _far(self, progress: Progress) -> str:
        now = self._clock()
        return f"{format_percent(round(progress.share(now), 2)):>5}, {spell_left(progress.left(now))} left"

    def _print(self, text: str) -> None:
        with self._guard:
            try:
                if self._bar is not None:
                    self._bar.write(text, file=self._stream)
                else:
                    self._stream.write(f"{text}\n")
                    self._stream.flush()
            except BrokenPipeError:
                # `snakemake ... 2>&1 | head`: nobody reads on. The run goes on, and so do its jobs.
                discard(self._stream)

    def _table(self, stats: Mapping[str, int]) -> str:
        """Return how many jobs of each kind a run has; nothing for a run of one job."""
        if stats["total"] == 1 and not self._dryrun():
            return ""
        kinds: Counter[str] = Counter()
        for rule, count in stats.items():
            kinds[rule if rule == "total" else self._kind_of(rule)] += count
        kinds["total"] = kinds.pop("total")
        return f"\n{text_table(kinds.items(), ('job', 'count'))}\n"
