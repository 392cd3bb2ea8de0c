"""Names of figures and tables as people say them."""

from __future__ import annotations

import re

#: `fig2c_reverse`, `table2`: kind, number, variant.
_NUMBERED = re.compile(r"(fig|table)(\d+[a-z]?)(?:_(.+))?$")
_TITLES = {
    "bounds_all": "Bounds of all papers",
    "engines_agree": "Engines compared",
    "engines_keep_epsilon": "Engines under attack",
    "accountants_agree": "Accountants compared",
}
#: Of names without a number.
_WORDS = {"roc_mnist": "ROC on MNIST"}
_KINDS = {"fig": "Figure", "table": "Table"}


def title_of(artifact: str) -> str:
    """Return an artifact's name as people say it: `Figure 2, reverse`, `Table 2`, `Theory`."""
    name = artifact.partition("_")[2]
    numbered = _NUMBERED.match(name)
    if not numbered:
        return _TITLES.get(artifact, _WORDS.get(name, name.replace("_", " ").capitalize()))
    kind, number, variant = numbered.groups()
    return f"{_KINDS[kind]} {number}" + (f", {variant.replace('_', ' ')}" if variant else "")


def title_in(paper: str, artifact: str) -> str:
    """Return an artifact's name with that of its paper, if it has one: `Humphries et al., figure 2`."""
    title = title_of(artifact)
    if artifact in _TITLES:
        return title
    return f"{paper}, {title if title[:2].isupper() else title[0].lower() + title[1:]}"
