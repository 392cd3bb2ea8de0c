"""The settings of one experiment from layers: defaults of its file, what it is like, its own keys, its scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpmia.common.errors import ConfigError
from dpmia.common.registry import suggestion
from dpmia.settings import names
from dpmia.settings.base import Scale
from dpmia.settings.experiment import ExperimentEntry, ExperimentFile
from dpmia.settings.messages import place

#: Scale -> the scales whose changes make it, where that is not itself alone: `night` is `paper` with cuts.
BUILDS_ON: Mapping[Scale, tuple[Scale, ...]] = {"night": ("paper", "night")}


def merged_settings(file: ExperimentFile, section: str, name: str, scale: Scale, where: str) -> dict[str, Any]:
    """Return the settings of one experiment or study, not yet checked; later layers count more.

    Args:
        file: that holds it.
        section: `experiments` or `studies`.
        name: of the experiment or study.
        scale: at which it is wanted.
        where: the file's name, for messages.

    Raises:
        ConfigError: what it is like is not there, or a null takes away nothing.
    """
    entries = getattr(file, section)
    line = _ancestry(entries, name, place(where, section))
    merged = file.defaults
    for ancestor in line:
        _check_nulls(merged, entries[ancestor].model_extra, place(where, ancestor))
        merged = overlaid(merged, entries[ancestor].model_extra)
    for each_scale in BUILDS_ON.get(scale, (scale,)):
        merged = overlaid(merged, file.scales.get(each_scale, {}), give_back=False)
        for ancestor in line:
            layer = entries[ancestor].scales.get(each_scale, {})
            _check_nulls(merged, layer, place(where, f"{ancestor}.scales.{each_scale}"))
            merged = overlaid(merged, layer, give_back=False)
    return _without_null(merged)


def runs_at(entries: Mapping[str, ExperimentEntry], name: str, scale: Scale, file: str, section: str) -> bool:
    """Return whether an experiment or study is run at a scale: the last of its line that names scales decides."""
    line = _ancestry(entries, name, place(file, section))
    named = [scales for ancestor in line if (scales := entries[ancestor].at_scales) is not None]
    return not named or scale in named[-1]


def overlaid(below: Any, above: Any, give_back: bool = True) -> Any:
    """Return settings with those above on top; what null took away stays away unless they may give it back."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    stays_away = set() if give_back else {key for key, value in below.items() if value is None}
    return below | {
        key: overlaid(below.get(key), value, give_back) for key, value in above.items() if key not in stays_away
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and one without keys in the place of anything else: it is refused later."""
    return value if isinstance(value, Mapping) else {}


def _check_nulls(below: Any, above: Any, where: str) -> None:
    """Refuse null for an arm or an attack that nothing has: a misspelt name would take away nothing."""
    for key, kinds in (("arms", ()), ("attacks", names.ATTACKS)):
        present, taken = (_mapping(_mapping(layer).get(key)) for layer in (below, above))
        for name, value in taken.items():
            if value is None and name not in present and name not in kinds:
                others = {*present, *(other for other, given in taken.items() if given is not None)}
                raise ConfigError(place(where, f"{key}.{name}"), "null takes away nothing", suggestion(name, others))


def _ancestry(entries: Mapping[str, ExperimentEntry], name: str, where: str) -> list[str]:
    """Return the experiments that `name` is like, the first ancestor first and `name` last."""
    line = [name]
    while (parent := entries[line[0]].like) is not None:
        if parent not in entries or parent in line:
            problem = "leads back to itself" if parent in line else "is not in this section of the file"
            near = suggestion(parent, set(entries) - set(line))
            raise ConfigError(place(where, f"{line[0]}.like"), f"{parent!r} {problem}", near)
        line.insert(0, parent)
    return line


def _without_null(settings: Any) -> Any:
    if not isinstance(settings, dict):
        return settings
    return {key: _without_null(value) for key, value in settings.items() if value is not None}
