"""The command `dpmia`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import dpmia
from dpmia.cli.folders import init
from dpmia.cli.plans import add_plan, plan
from dpmia.cli.tables import add_attack, add_audit, attack, audit
from dpmia.common.errors import PlaceError, UserError
from dpmia.common.pipes import discard
from dpmia.workflow.failures import CANNOT_RUN
from dpmia.workflow.root import workflow_root

EPILOG = """\
Each command writes the YAML it used, which is yours to edit. Exit codes: 0 fine,
1 above a limit of the audit, 2 refused or failed. All targets: dpmia run help
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of all others."""

    def error(self, message: str) -> NoReturn:
        print(f"\nError: {self.prog}: {message}. Options: {self.prog} --help", file=sys.stderr)
        raise SystemExit(CANNOT_RUN)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = _Parser(
        prog="dpmia",
        description="Membership inference against private models: attacks, exact bounds, audits.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"dpmia {dpmia.__version__}")
    commands = found.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_audit(commands.add_parser("audit", help="train models of your table, attack them, report"))
    add_attack(commands.add_parser("attack", help="attack a model by a table of its predictions, report"))
    add_plan(commands.add_parser("plan", help="find noise, sampling rate or steps for a wanted bound"))
    folder = commands.add_parser("init", help="make a working folder with config and experiments")
    folder.add_argument("folder", metavar="FOLDER", help="a new or empty folder")
    run = commands.add_parser("run", help="run targets of the workflow; options go on to Snakemake", add_help=False)
    run.add_argument("arguments", metavar="TARGET", nargs=argparse.REMAINDER)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; an error is one message, and exit code 2.

    Args:
        arguments: of the command line; None for those of the process.
    """
    try:
        try:
            _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def _run(given: list[str]) -> None:
    try:
        if given[:1] == ["run"]:  # its options are Snakemake's
            _snakemake(given[1:])
        options = parser().parse_args(given)
        if options.command in ("audit", "attack"):
            _snakemake({"audit": audit, "attack": attack}[options.command](options))
        {"plan": plan, "init": init}[options.command](options)
    except (UserError, OSError) as error:
        message = PlaceError.of(error) if isinstance(error, OSError) else error
        if message is None:
            raise
        print(f"\nError: {message}", file=sys.stderr)
        raise SystemExit(CANNOT_RUN) from None


def _snakemake(arguments: Sequence[str]) -> NoReturn:
    """Become Snakemake on the workflow, in the working folder."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(workflow_root() / "Snakefile"), *arguments]
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
    os.execv(sys.executable, command)
