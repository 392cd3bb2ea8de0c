"""What a finished run prints on the terminal. Light: it is read whenever the workflow is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dpmia.common.reading.rows import named
from dpmia.workflow.failures import runner


def ending(folder: Path, started: float, data: str, scale: str) -> str:
    """Return where the report is, how many claims have each verdict, and what to type for real data.

    Nothing where this run has made no report: it had nothing to do, or has another target.

    Args:
        folder: of the run.
        started: when this run began, in seconds of the file system's clock.
        data: `synthetic` or `real`.
        scale: of the run.
    """
    report = folder / "report.html"
    if not report.is_file() or report.stat().st_mtime < started:
        return ""
    verdicts = Counter(row["verdict"] for row in named(folder / "claims.csv"))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    report_lines = [f"Report: {report}", f"Claims: {counts}"]
    if data == "synthetic":
        command = f"{runner()} --cores all --config data=real scale={scale}"
        report_lines.append(f"These are synthetic records. For the real data: {command}")
    return "\n" + "\n".join(report_lines) + "\n"
