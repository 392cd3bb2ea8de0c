"""Where the settings of a run deviate from the sizes of the papers, and all settings as they were resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from dpmia.common.epsilon import format_epsilon

#: Settings that change how jobs are cut and no result.
WITHOUT_EFFECT = ("block",)

#: Settings in the words of readers.
_WORDS = {
    "training.epochs": "epochs",
    "replicates": "replicates",
    "epsilons": "ε",
    "blind.replicates": "replicates of the blind baseline",
    "shadows.attack_epochs": "epochs of the attack model",
    "shadows.count": "shadow models",
    "references.count": "reference models",
    "pool": "pixels averaged over squares of side",
    "membership.members": "members",
    "membership.nonmembers": "non-members",
    "membership.records": "candidate records",
}


@dataclass(frozen=True)
class Deviation:
    """A setting that some experiments have otherwise than at scale `paper`; `experiments` are those alike."""

    setting: str
    here: str
    paper: str
    experiments: tuple[str, ...]


def deviations(here: Mapping[str, Mapping[str, Any]], paper: Mapping[str, Mapping[str, Any]]) -> list[Deviation]:
    """Return the settings that differ, those of most experiments first.

    Args:
        here: experiment -> its resolved settings.
        paper: the same at scale `paper`.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, published in paper.items():
        ours, theirs = (dict(_flat(settings)) for settings in (here[name], published))
        for key in dict.fromkeys([*ours, *theirs]):
            if ours.get(key) != theirs.get(key) and key not in WITHOUT_EFFECT:
                found.setdefault((_name(key), _value(key, ours), _value(key, theirs)), []).append(name)
    rows = [Deviation(*key, tuple(experiments)) for key, experiments in found.items()]
    together = {
        row.setting: sum(len(other.experiments) for other in rows if other.setting == row.setting) for row in rows
    }
    return sorted(rows, key=lambda row: (-together[row.setting], row.setting, -len(row.experiments)))


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return resolved settings as YAML with one line for each leaf or short list."""
    return yaml.safe_dump(dict(settings), sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _name(key: str) -> str:
    if key in _WORDS:
        return _WORDS[key]
    first, _, rest = key.partition(".")
    arm, _, below = rest.partition(".")
    return f"{_WORDS.get(below, below)} of arm {arm}" if first == "arms" else key.replace("_", " ").replace(".", ", ")


def _value(key: str, settings: Mapping[str, Any]) -> str:
    value = settings.get(key)
    if value is None:
        return "–"
    if key.rpartition(".")[2] == "epsilons":
        return ", ".join(format_epsilon(float(epsilon)) for group in value for epsilon in _listed(group))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _listed(group: Any) -> list[Any]:
    return group if isinstance(group, list) else [group]
