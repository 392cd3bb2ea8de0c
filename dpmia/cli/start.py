"""The entry point of the command `dpmia`: with a message where the libraries of the workflow are not installed."""

import sys

from dpmia.workflow.failures import CANNOT_RUN


def main() -> None:
    """Run the command `dpmia`."""
    try:
        from dpmia.cli.main import main as run
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] == "dpmia":
            raise
        remedy = "Type: pip install 'dpmia[workflow]'."
        print(f"\nError: dpmia: {error.name} is not installed. {remedy}", file=sys.stderr)
        raise SystemExit(CANNOT_RUN) from None
    run()
