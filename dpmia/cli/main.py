"""The command `dpmia`."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import yaml

import dpmia
from dpmia.cli.attack import add_attack, attack
from dpmia.cli.audit import add_audit, audit
from dpmia.cli.audit_settings import AuditSettings
from dpmia.cli.init import init
from dpmia.cli.plan import add_plan, plan
from dpmia.cli.settings_file import write_settings
from dpmia.common.errors import ConfigError, PlaceError, UserError
from dpmia.common.files import is_file
from dpmia.common.pipes import discard
from dpmia.common.registry import suggestion
from dpmia.planning.plan import make_plan
from dpmia.workflow.failures import TYPED, refuse
from dpmia.workflow.root import workflow_root

#: Options of Snakemake that take files of settings.
CONFIG_FILES = ("--configfile", "--configfiles")

EPILOG = """\
audit, attack and plan write the YAML that they used, which is yours to edit.
Exit codes: 0 fine, 1 an audit's limit is not shown to be kept, 2 refused or
failed. All targets: dpmia run help
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of all others, and are those of the command that is meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse an unknown option here, where the options of the command are known; see `ArgumentParser`."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = suggestion(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(" ".join(filter(None, (f"unknown: {' '.join(unknown)}.", near))))
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        refuse(UserError(self.prog, message, f"Options: {self.prog} --help"))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    main_parser = _Parser(
        prog="dpmia",
        description="Membership inference against private models: attacks, exact bounds, audits.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main_parser.add_argument("--version", action="version", version=f"dpmia {dpmia.__version__}")
    commands = main_parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_audit(commands.add_parser("audit", help="train models of your table, attack them, report"))
    add_attack(commands.add_parser("attack", help="attack a model by a table of its predictions, report"))
    add_plan(commands.add_parser("plan", help="find noise, sampling rate or steps for a wanted bound"))
    folder = commands.add_parser("init", help="make a working folder with config and experiments")
    folder.add_argument("folder", metavar="FOLDER", help="a new or empty folder")
    run = commands.add_parser("run", help="run targets of the workflow; options go on to Snakemake", add_help=False)
    run.add_argument("arguments", metavar="TARGET", nargs=argparse.REMAINDER)
    return main_parser


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
        os.environ[TYPED] = shlex.join(["dpmia", *given])
        if given[:1] == ["run"]:  # its options are Snakemake's
            _snakemake(given[1:])
        options = parser().parse_args(given)
        if options.command in ("audit", "attack"):
            _audit({"audit": audit, "attack": attack}[options.command](options), options.overwrite, options.dry_run)
        {"plan": plan, "init": init}[options.command](options)
    except (UserError, OSError) as error:
        message = PlaceError.of(error) if isinstance(error, OSError) else error
        if message is None:
            raise
        refuse(message)


def _audit(given: AuditSettings, overwrite: bool, dry_run: bool) -> NoReturn:
    """Write the settings of an audit and run it; of a dry run, no settings stay."""
    again = shlex.join(["dpmia", "run", *given.run(given.file)])
    with _file_of(given) as file:
        _check(given, file)
        write_settings(given.file, given.settings, again, overwrite, trial=dry_run)
        if dry_run:
            raise SystemExit(subprocess.call(_command([*given.run(file), "--dry-run"])))
    _snakemake(given.run(given.file))


@contextmanager
def _file_of(given: AuditSettings) -> Iterator[Path]:
    """Give a file with the settings for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="dpmia-") as folder:
        file = Path(folder, given.file)
        file.write_text(yaml.safe_dump(given.settings, sort_keys=False), encoding="utf-8")
        yield file


def _check(given: AuditSettings, file: Path) -> None:
    """Refuse settings that the workflow would refuse, before they are written.

    Raises:
        ConfigError: they are such.
    """
    try:
        make_plan(given.config(file), Path.cwd())
    except UserError as error:
        where = error.where.replace(str(file), f"the settings of {given.file}")
        raise ConfigError(where, error.problem, error.remedy) from None


def _command(arguments: Sequence[str]) -> list[str]:
    """Return the command that runs Snakemake on the workflow, in the working folder."""
    return [sys.executable, "-m", "snakemake", "--snakefile", str(workflow_root() / "Snakefile"), *arguments]


def _check_config_files(arguments: Sequence[str]) -> None:
    """Refuse files of settings that are not there, of which Snakemake prints its own traceback."""
    files, listed = [], False
    for argument in arguments:
        option, equals, file = argument.partition("=")
        if argument.startswith("-"):
            listed = option in CONFIG_FILES and not equals
            files += [file] if option in CONFIG_FILES and equals else []
        elif listed:
            files.append(argument)
    if absent := [file for file in files if not is_file(Path(file))]:
        raise UserError(absent[0], "there is no such file", f"Paths start at {Path.cwd()}")


def _snakemake(arguments: Sequence[str]) -> NoReturn:
    """Become Snakemake."""
    _check_config_files(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
    os.execv(sys.executable, _command(arguments))
