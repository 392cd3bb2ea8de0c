"""From files to concrete experiments: defaults, the experiment, its scale, checked together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml

from dpmia.errors import ConfigError
from dpmia.settings.messages import checked
from dpmia.settings.schema import Config, Experiment, ExperimentFile

SCALES = get_args(Config.model_fields["scale"].annotation)


@dataclass(frozen=True)
class Plan:
    """All that is to be run.

    Attributes:
        config: `config.yaml` with what the command line changed.
        experiments: by name, at the scale of `config`.
        papers: experiment -> paper.
    """

    config: Config
    experiments: dict[str, Experiment]
    papers: dict[str, str]


def make_plan(config: Mapping[str, Any], root: Path) -> Plan:
    """Read and check everything before anything runs.

    Args:
        config: keys and values of `config.yaml`, changed by the command line.
        root: folder to which paths in `config` are relative.

    Raises:
        ConfigError: a wrong key or value anywhere, whichever scale it stands under.
    """
    settings = checked(Config, dict(config), "config")
    mirror = settings.data_mirror
    if settings.data == "real" and mirror is not None and not (root / mirror).is_dir():
        raise ConfigError("config, key 'data_mirror'", repr(mirror), "a folder that exists, or null to download")
    experiments: dict[str, Experiment] = {}
    papers: dict[str, str] = {}
    for name in settings.experiments:
        file = checked(ExperimentFile, _read_yaml(root / name, name), name)
        for experiment in file.experiments:
            if experiment in papers:
                raise ConfigError(f"{name}, key 'experiments.{experiment}'", "a name that is taken", "a new name")
            papers[experiment] = file.paper
            for scale in SCALES:
                resolved = checked(Experiment, _merged(file, experiment, scale), f"{name}, {experiment} ({scale})")
                if scale == settings.scale:
                    experiments[experiment] = resolved
    return Plan(settings, experiments, papers)


def _merged(file: ExperimentFile, name: str, scale: str) -> dict[str, Any]:
    """Return the settings of one experiment; later layers count more."""
    own = file.experiments[name]
    merged: dict[str, Any] = {}
    for layer in (file.defaults, own.model_extra, file.scales.get(scale, {}), own.scales.get(scale, {})):
        merged = _overlaid(merged, layer)
    return merged


def _overlaid(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        return below | {key: _overlaid(below.get(key), value) for key, value in above.items()}
    return above


def _read_yaml(path: Path, name: str) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            "config, key 'experiments'", repr(name), f"a file that can be read ({error.strerror})"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(name, f"bytes that are no text ({error})", "YAML in UTF-8") from None
    try:
        return yaml.load(text, _EachKeyOnce)
    except yaml.YAMLError as error:
        raise ConfigError(name, f"text that is not YAML ({' '.join(str(error).split())})", "YAML") from None


class _EachKeyOnce(yaml.SafeLoader):
    """YAML in which a key that stands twice is a mistake; by itself the parser lets the last one win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} twice", key.start_mark)
        return super().construct_mapping(node, deep)
