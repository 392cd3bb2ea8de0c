"""Errors that a user can act on: what was found, what was expected, where, and what to do."""

from __future__ import annotations


class UserError(Exception):
    """A mistake in the user's input or surroundings, told in one message and without a traceback."""

    def __init__(self, where: str, found: str, expected: str, remedy: str = "") -> None:
        """Compose the message.

        Args:
            where: the place: a config key, or a file with row and column.
            found: what stands there.
            expected: what should stand there.
            remedy: what to do; left out where `expected` already says it.
        """
        message = f"{where}: found {found}; expected {expected}."
        super().__init__(f"{message} {remedy}" if remedy else message)


class ConfigError(UserError):
    """A wrong key or value in `config.yaml`, on the command line or in `experiments/`."""


class DataError(UserError):
    """Raw data that is missing, damaged, or too small for what is asked of it."""


class TrainingError(UserError):
    """A model that cannot be trained as asked: an impossible privacy target, a loss that is not finite."""


class AttackError(UserError):
    """An attack that returns what no attack may, or that has too few models to work with."""


class LimitError(UserError):
    """A model that is above a limit of the audit."""
