"""The plan of a run: what all files of settings say, read and checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dpmia.common.errors import ConfigError, shown
from dpmia.common.files import is_file, is_folder
from dpmia.common.registry import suggestion
from dpmia.planning import jobs
from dpmia.planning.epsilon_grid import with_epsilons
from dpmia.planning.expand_groups import expand_groups
from dpmia.planning.experiment_files import file_names, with_bundled_tables
from dpmia.planning.known_sizes import check_known_sizes
from dpmia.planning.layers import merged_settings, overlaid, runs_at
from dpmia.planning.precision_budgets import with_precision_budgets
from dpmia.planning.yaml_file import read_keys
from dpmia.privacy.valid_combinations import AS_PUBLISHED
from dpmia.settings import names
from dpmia.settings.base import SCALES, Scale, Settings
from dpmia.settings.config import Config
from dpmia.settings.experiment import Experiment, ExperimentFile
from dpmia.settings.messages import checked, place
from dpmia.settings.predictions import Predictions
from dpmia.settings.studies import KINDS, Study

#: The `paper` of files whose experiments are an audit.
AUDIT = "audit"

#: Engines that no other can take the place of.
LOSS_OF_THEIR_OWN = tuple(name for name, kind in names.ENGINES.items() if kind.own_loss)

#: Names of experiment files, without folder and ending.
STEM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

_Resolved = TypeVar("_Resolved")


@dataclass(frozen=True)
class SettingsFile:
    """The file that an experiment, a study or a model known by its predictions is written in.

    Attributes:
        stem: name of the file without folder and ending.
        paper: its key `paper`.
        path: of the file, relative to the folder where the workflow runs, or absolute.
    """

    stem: str
    paper: str
    path: str


@dataclass(frozen=True)
class Plan:
    """All that is to be run.

    Attributes:
        config: `config.yaml` with what the command line changed.
        experiments: by name, at the scale of `config`.
        at_paper_scale: the same experiments at scale `paper`.
        studies: the same.
        studies_at_paper_scale: the same at scale `paper`.
        predictions: models of which there are predictions only, by name.
        sources: the file of each of these, by name.
        of_other_scales: names of experiments and studies that this scale does not run.
    """

    config: Config
    experiments: dict[str, Experiment]
    at_paper_scale: dict[str, Experiment]
    studies: dict[str, Study]
    studies_at_paper_scale: dict[str, Study]
    predictions: dict[str, Predictions]
    sources: dict[str, SettingsFile]
    of_other_scales: tuple[str, ...]

    @property
    def audits(self) -> dict[str, tuple[str, ...]]:
        """Stem of each file that `snakemake audit` reports on -> names of its experiments and predictions."""
        stems = dict.fromkeys(source.stem for source in self.sources.values() if source.paper == AUDIT)
        return {
            stem: tuple(
                name for name, source in self.sources.items() if source.stem == stem and name not in self.studies
            )
            for stem in stems
        }


def make_plan(config: Mapping[str, Any], root: Path, home: Path | None = None) -> Plan:
    """Read and check everything before anything runs.

    Args:
        config: keys and values of `config.yaml`, changed by the command line.
        root: folder to which paths in `config` are relative.
        home: folder of the workflow, whose experiments count where `root` has none.

    Raises:
        ConfigError: a wrong key or value anywhere, whichever scale it stands under.
    """
    for parts in names.PARTS.values():
        parts.check()
    settings = checked(Config, dict(config), "config")
    mirror = settings.data_mirror
    if settings.data == "real" and mirror is not None and not is_folder(root / mirror):
        raise ConfigError("config, data_mirror", f"{mirror!r} is not a folder", "Set it to null to download")
    experiments: dict[str, Experiment] = {}
    at_paper_scale: dict[str, Experiment] = {}
    studies: dict[str, Study] = {}
    studies_at_paper_scale: dict[str, Study] = {}
    predictions: dict[str, Predictions] = {}
    sources: dict[str, SettingsFile] = {}
    of_other_scales: list[str] = []
    file_of: dict[str, str] = {}
    file_of_stem: dict[str, str] = {}
    for name in file_names(settings.experiments, root, home):
        content = read_keys(root / name, name, "experiments/*.yaml have them")
        if home is not None and Path(name).is_absolute() and Path(name).is_relative_to(home):
            content = with_bundled_tables(content, root, home)
        stem = _check_stem(name, file_of_stem)
        file = checked(ExperimentFile, content, name)
        for section in ("predictions", "experiments", "studies"):
            for entry in getattr(file, section):
                if entry in file_of:
                    problem = f"the name {entry!r} is already used in {file_of[entry]}"
                    raise ConfigError(place(name, f"{section}.{entry}"), problem, "Rename one of the two")
                file_of[entry] = name
                if section == "predictions" or runs_at(getattr(file, section), entry, settings.scale, name, section):
                    sources[entry] = SettingsFile(stem, file.paper, name)
                else:
                    of_other_scales.append(entry)
        for entry, given in file.predictions.items():
            predictions[entry] = checked(Predictions, given, f"{name}, {entry}")
            _check_files(predictions[entry], root, f"{name}, {entry}")
        for experiment in file.experiments:
            resolve = partial(_experiment, file, experiment, name, root, settings.engine, settings.epsilons)
            at_scale = _at_each_scale(settings.scale, resolve)
            if experiment in sources:
                experiments[experiment], at_paper_scale[experiment] = at_scale[settings.scale], at_scale["paper"]
        for study in file.studies:
            study_at_scale = _at_each_scale(settings.scale, partial(_study, file, study, name))
            if study in sources:
                studies[study], studies_at_paper_scale[study] = study_at_scale[settings.scale], study_at_scale["paper"]
    return Plan(
        *(settings, experiments, at_paper_scale, studies, studies_at_paper_scale, predictions, sources),
        of_other_scales=tuple(of_other_scales),
    )


def _at_each_scale(scale: Scale, resolve: Callable[[Scale, str], _Resolved]) -> dict[Scale, _Resolved]:
    """Return what is resolved for each scale; a mistake of another scale than the run's is an error, too.

    The run's scale comes first: only a mistake that it does not have is reported with its scale.
    """
    others = [other for other in reversed(SCALES) if other != scale]
    return {scale: resolve(scale, ""), **{other: resolve(other, f" (scale {other})") for other in others}}


def _experiment(
    file: ExperimentFile,
    name: str,
    file_name: str,
    root: Path,
    engine: str | None,
    epsilons: Sequence[float] | None,
    scale: Scale,
    noted: str,
) -> Experiment:
    where = f"{file_name}{noted}, {name}"
    merged = expand_groups(merged_settings(file, "experiments", name, scale, file_name), root, where)
    training = merged.get("training", {})  # unchecked as yet
    if engine is not None and isinstance(training, dict) and training.get("engine") not in LOSS_OF_THEIR_OWN:
        merged = overlaid(merged, {"training": {"engine": engine}})
    try:
        experiment: Experiment = checked(Experiment, with_precision_budgets(merged, where), where)
    except ConfigError as error:
        if type(error) is not ConfigError or f"engine {engine!r}" not in error.problem:
            raise  # several mistakes, or one that has another cause
        remedy = "The key engine sets it for all experiments: name files that it can train in the key experiments"
        raise ConfigError(error.where, error.problem, " ".join(filter(None, (error.remedy, remedy)))) from None
    if epsilons is not None:
        merged = with_epsilons(merged, experiment, epsilons)
        experiment = checked(Experiment, with_precision_budgets(merged, where), where)
    check_known_sizes(experiment, root, where)
    if file.paper == AUDIT and experiment.privacy.accountant == AS_PUBLISHED[-1]:
        problem = "no theorem covers the accountant of the published code, so a report could state no guarantee"
        raise ConfigError(place(where, "privacy.accountant"), problem, "Use pld")
    if file.paper == AUDIT and not jobs.audited_attacks(experiment):
        problem = (
            "a report takes sizes and curves from an attack on all models that needs no models but reference models"
        )
        raise ConfigError(place(where, "attacks"), problem, "Add one: average_threshold: {}")
    return experiment


def _study(file: ExperimentFile, name: str, file_name: str, scale: Scale, noted: str) -> Study:
    where = f"{file_name}{noted}, {name}"
    merged = merged_settings(_bare(file), "studies", name, scale, file_name)
    study: Study = checked(_kind_of_study(merged, where), merged, where)
    return study


def _check_files(predictions: Predictions, root: Path, where: str) -> None:
    """Check that the tables of a model known by its predictions are there."""
    tables = {"path": predictions.path, **{f"references.{i}": path for i, path in enumerate(predictions.references)}}
    for key, path in tables.items():
        if not is_file(root / path):
            raise ConfigError(place(where, key), f"{path!r} is not a file in {root}", "Correct the path")


def _kind_of_study(merged: dict[str, Any], where: str) -> type[Settings]:
    kind = merged.get("kind")
    if kind is None:
        raise ConfigError(place(where, "kind"), "required key is missing", f"Kinds of study: {', '.join(KINDS)}")
    if not isinstance(kind, str) or kind not in KINDS:
        problem = f"{shown(kind)} is not one of {', '.join(map(repr, KINDS))}"
        raise ConfigError(place(where, "kind"), problem, suggestion(kind, KINDS))
    return KINDS[kind]


def _bare(file: ExperimentFile) -> ExperimentFile:
    """Return the file without what holds for all of its experiments: studies share no keys with them."""
    return file.model_copy(update={"defaults": {}, "scales": {}})


def _check_stem(file: str, file_of: dict[str, str]) -> str:
    """Return a file's name without folder and ending, which must be able to name a folder of results, and be new."""
    stem = Path(file).stem
    if not STEM.fullmatch(stem):
        problem = f"the name of {file!r} cannot be the name of a folder of results"
        remedy = "Rename the file: use letters, digits, dots, hyphens and underscores"
        raise ConfigError("config, experiments", problem, remedy)
    if stem in file_of:
        problem = f"{file_of[stem]} and {file} have the same name"
        raise ConfigError("config, experiments", problem, "Rename one: results are stored under this name")
    file_of[stem] = file
    return stem
