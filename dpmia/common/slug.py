"""Names of files and folders after texts of the user's."""

import re


def slug(text: str, prefix: str) -> str:
    """Return a name of lower-case letters, digits and underscores: those of a text, and one `_` for all between them.

    Args:
        text: any.
        prefix: a word that stands before a name which would not begin with a letter, and alone where nothing is left.
    """
    word = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return word if word[:1].isalpha() else f"{prefix}_{word}".rstrip("_")
