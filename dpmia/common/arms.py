"""How arms are named: after their group, and IID arms after the arm that they belong to."""

import re

IID_SUFFIX = "-iid"


def arm_name(group: str) -> str:
    """Return the name of the arm of a group: its letters and digits, in lower case."""
    word = re.sub(r"[^a-z0-9]+", "_", group.lower()).strip("_")
    return word if word[:1].isalpha() else f"group_{word}"
