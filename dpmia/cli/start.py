"""The entry point of the command `dpmia`: with a message where the libraries of the workflow are not installed."""

from dpmia.common.errors import MissingExtraError
from dpmia.workflow.failures import refuse


def main() -> None:
    """Run the command `dpmia`."""
    try:
        from dpmia.cli.main import main as run
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] == "dpmia":
            raise
        refuse(MissingExtraError.of(error, "dpmia", "workflow"))
    run()
