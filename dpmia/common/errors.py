"""Errors that a user can mend: the place, what is wrong there, and what to do."""

from __future__ import annotations

import errno
from typing import Self

#: Signs of the longest message: names and values in it may be of any length.
LONGEST = 4_000


class UserError(Exception):
    """A mistake in the user's input or environment, reported in one message and without a traceback.

    Attributes:
        where: the place.
        problem: what is wrong there.
        remedy: what to do; empty where `problem` already says it.
    """

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        """Compose the message `<where>: <problem>. <remedy>.`

        Args:
            where: the place: a settings key, or a file with row and column.
            problem: what is wrong, with the value as the user wrote it.
            remedy: what to do; left out where `problem` already says it.
        """
        self.where, self.problem, self.remedy = where, problem, remedy
        where = where if where.strip() else repr(where)  # a path of no letters
        super().__init__(printable(f"{where}: {' '.join(map(_sentence, filter(None, (problem, remedy))))}"))

    def within(self, where: str) -> Self:
        """Return the same error with a place around its own: `<where>, <place>: ...`."""
        return type(self)(f"{where}, {self.where}", self.problem, self.remedy)


def shown(value: object) -> str:
    """Return a value as Python writes it; of an object whose own `repr` fails, the type."""
    try:
        return repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"


def words_of(error: BaseException) -> str:
    """Return type and message of an error; of one without a message, or whose own `str` fails, the type."""
    return f"{type(error).__name__}: {_message(error)}".removesuffix(": ")


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def printable(text: str) -> str:
    """Return a text with what names and values may hold to command a terminal spelt out."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return "".join(sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text)


class PlaceError(UserError):
    """A file that cannot be written where it must be: no space, no permission, something else in its place."""

    @classmethod
    def of(cls, error: OSError) -> Self | None:
        """Return the message of an error of the file system; None for one that no user can mend."""
        remedy = next((remedy for kinds, remedy in _REMEDIES.items() if error.errno in kinds), None)
        if remedy is None:
            return None
        place = str(error.filename2 or error.filename or "disk")  # of a rename, where it goes
        return cls(place, str(error.strerror), f"{remedy} and start again: what is finished stays")


#: What to do about errors of the file system.
_REMEDIES = {
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): "Free some space",
    (errno.EACCES, errno.EPERM, errno.EROFS): "Change its permissions, or run in another folder,",
    (errno.ENAMETOOLONG,): "Choose a shorter name",
    (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP): "Move away what stands there",
}


class MemoryShortError(UserError):
    """A job that needs more memory than it can have."""

    @classmethod
    def of(cls, error: BaseException) -> Self | None:
        """Return the message of an error of NumPy's or torch's allocation; None for any other error."""
        problem = _message(error) or "there is too little"
        if not isinstance(error, MemoryError) and not any(phrase in problem for phrase in _NO_MEMORY):
            return None
        return cls("memory", problem, "Choose a smaller model, batch or block, run fewer jobs at once, or add memory")


#: How torch says that it has no memory, on a processor and on a GPU: by a `RuntimeError`.
_NO_MEMORY = ("DefaultCPUAllocator: can't allocate memory", "out of memory")


class ConfigError(UserError):
    """A wrong key or value in `config.yaml`, on the command line or in `experiments/`."""

    @classmethod
    def of(cls, error: UserError) -> Self:
        """Return the same message as an error of the settings."""
        return cls(error.where, error.problem, error.remedy)


class DataError(UserError):
    """Raw data that is missing, damaged, or too small for the experiment."""


class TrainingError(UserError):
    """A model that cannot be trained: an unreachable privacy guarantee, a loss that is not finite."""


class AttackError(UserError):
    """An attack that returns invalid results, or that lacks what it needs."""


class KnowledgeError(AttackError):
    """Models of the attacker that are absent, damaged, or those of another run."""


class LimitError(UserError):
    """A model that is above a limit of the audit, or not shown to keep it."""


class UnnamedRunError(UserError):
    """A run that no commit names."""


class MissingExtraError(UserError, ImportError):
    """A library that is not installed, as it belongs to an extra of dpmia."""

    @classmethod
    def of(cls, error: ModuleNotFoundError, where: str, extra: str) -> Self:
        """Return the message of an import that failed."""
        return cls(where, f"{error.name} is not installed", f"Type: pip install 'dpmia[{extra}]'")


class ArgumentError(UserError, ValueError):
    """A wrong argument of a function of the Python interface (`dpmia.api`)."""
