"""Where the settings of a run deviate from the sizes of the papers, and all settings as they were resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from dpmia.common.epsilon import format_epsilon
from dpmia.common.formatting import MISSING

#: Last parts of keys that change how jobs are cut or computed, and no result.
WITHOUT_EFFECT = ("block", "engine", "jobs")

#: Groups of settings whose members may be missing on one side.
GROUPS = ("arms", "attacks")

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
    "membership.population": "population",
    "membership.queries": "queries",
    "membership.validation": "validation records",
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
    by_difference: dict[tuple[str, str, str], list[str]] = {}
    for name, published in paper.items():
        for difference in _differences(here[name], published):
            by_difference.setdefault(difference, []).append(name)
    rows = [Deviation(*difference, tuple(experiments)) for difference, experiments in by_difference.items()]
    together: dict[str, int] = {}
    for row in rows:
        together[row.setting] = together.get(row.setting, 0) + len(row.experiments)
    return sorted(rows, key=lambda row: (-together[row.setting], row.setting, -len(row.experiments)))


def _differences(here: Mapping[str, Any], paper: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each setting of one experiment that differs, with its values; arms with the same difference together."""
    for group in GROUPS:
        members = [list(settings.get(group, ())) for settings in (here, paper)]
        if set(members[0]) != set(members[1]):
            yield group, ", ".join(members[0]), ", ".join(members[1])
    ours, theirs = ({key: _value(key, value) for key, value in _flat(settings)} for settings in (here, paper))
    of_arms: dict[tuple[str, str, str], list[str]] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        first, _, rest = key.partition(".")
        member, _, below = rest.partition(".")
        value, published = ours.get(key, MISSING), theirs.get(key, MISSING)
        if value == published or key.rpartition(".")[2] in WITHOUT_EFFECT:
            continue
        if first in GROUPS and not (member in here[first] and member in paper[first]):
            continue
        if first == "arms":
            of_arms.setdefault((below, value, published), []).append(member)
        else:
            yield _name(key), value, published
    for (key, value, published), arms in of_arms.items():
        yield f"{_name(key)} of {'arms' if len(arms) > 1 else 'arm'} {', '.join(arms)}", value, published


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
    name = _WORDS.get(key) or _WORDS.get(f"membership.{key}")
    return name or key.removeprefix("training.").replace("_", " ").replace(".", ", ")


def _value(key: str, value: Any) -> str:
    if key.rpartition(".")[2] in ("epsilons", "with_loss"):
        epsilons = (float(epsilon) for group in value for epsilon in (group if isinstance(group, list) else [group]))
        return ", ".join(map(format_epsilon, sorted(epsilons)))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
