"""How arms are named: after their group, and IID arms after the arm that they belong to."""

from dpmia.common.slug import slug

IID_SUFFIX = "-iid"


def arm_name(group: str) -> str:
    """Return the name of the arm of a group: its letters and digits, in lower case."""
    return slug(group, "group")
