"""Membership experiments: which records train the model, and which stay outside."""

from __future__ import annotations

#: kind of an arm in the settings -> function that draws one split. Imported only when used.
EXPERIMENTS = {
    "iid": "dpmia.splits.draws:iid",
    "group": "dpmia.splits.draws:group",
    "cluster": "dpmia.splits.draws:group",
}
