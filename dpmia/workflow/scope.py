"""What a run makes of its plan: experiments whose data are available, and the figures and tables that rest on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.errors import ConfigError
from dpmia.datasets.raw.sources import data_mode_mismatch, files_at_hand, required_files, unavailable_reason
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.formats.table_names import OF_MODELS, experiment_of
from dpmia.jobs.checking import EngineCheck
from dpmia.jobs.describing import ExperimentDescription
from dpmia.jobs.judging import JudgeJob
from dpmia.papers.artifact import Artifact, RunSummary
from dpmia.papers.catalogue import PAPERS
from dpmia.planning import descriptions, jobs
from dpmia.planning.plan import Plan
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData
from dpmia.settings.studies import Regression
from dpmia.workflow.layout import RunLayout

#: Figure or table -> its paper.
PAPER_OF = {artifact.name: paper for paper, artifacts in PAPERS.items() for artifact in artifacts}


@dataclass(frozen=True)
class Scope:
    """Experiments and studies of a plan, its figures and tables, and which of them this run can make.

    Attributes:
        layout: the paths of the plan.
    """

    layout: RunLayout
    _descriptions: dict[tuple[str, bool], ExperimentDescription] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.layout.plan

    # Data.

    @cached_property
    def with_data(self) -> dict[str, Experiment | Regression]:
        """Experiments and studies that take a data set, by name."""
        studies = {name: study for name, study in self.plan.studies.items() if isinstance(study, Regression)}
        return {**self.plan.experiments, **studies}

    @property
    def reads_own_records(self) -> bool:
        """Whether a user's own records, or a model's outputs on them, are among the data: files are then private.

        Tables of one's own that are marked as synthetic, such as that of the example, run with synthetic data only.
        """
        tables = [name for name, entry in self.with_data.items() if isinstance(entry.dataset, OwnData)]
        return bool(self.plan.predictions) or (self.plan.config.data == "real" and any(map(self.runs, tables)))

    @cached_property
    def prepared(self) -> dict[str, Experiment | Regression]:
        """Prepared data set -> an experiment or study that takes it."""
        return {jobs.dataset_id(entry): entry for entry in self.with_data.values()}

    @cached_property
    def clustered(self) -> dict[str, Experiment]:
        """Clusters of records -> an experiment that takes them."""
        every = self.plan.experiments.values()
        return {
            jobs.cluster_id(experiment): experiment for experiment in every if experiment.membership.kind == "cluster"
        }

    @cached_property
    def not_run(self) -> dict[str, str]:
        """Experiment or study -> why its data are unavailable. A target that names one runs all the same, and fails.

        One whose tables are there needs no data: figures and verdicts are made of these.
        """
        missing = {name: self._why_not(entry.dataset) for name, entry in self.with_data.items()}
        return {name: reason for name, reason in missing.items() if reason and not self._is_measured(name)}

    @property
    def not_run_of_papers(self) -> dict[str, str]:
        """`not_run` without a user's own."""
        return {name: reason for name, reason in self.not_run.items() if self.layout.of_paper(name)}

    def runs(self, name: str) -> bool:
        """Return whether the data of an experiment or study are available; one without data always runs."""
        return name not in self.not_run

    def raw_paths(self, dataset: Any) -> list[str]:
        """Return the raw files of a data set, and the marker of synthetic ones.

        Raises:
            ConfigError: a file of one's own is not for a run of this kind.
        """
        if isinstance(dataset, OwnData):
            if reason := self._why_not(dataset):
                raise ConfigError("config, data", reason, "Change it, or name another file")
            return [dataset.path]
        folder = f"{self.layout.resources}/raw/{dataset}"
        config = self.plan.config
        if config.data == "real":
            return [
                f"{folder}/{raw.file}" for raw in files_at_hand(dataset, config.data_mirror, folder, config.download)
            ]
        return [*(f"{folder}/{raw.file}" for raw in required_files(dataset)), f"{folder}/{SYNTHETIC_MARK}"]

    def study_data(self, study: str) -> list[str]:
        """Return the prepared data set of a study, nothing for one that takes none."""
        return [self.layout.prepared(study)] if study in self.with_data else []

    def published_data(self) -> dict[str, Any]:
        """Return the prepared data sets of this run, those of a file of one's own left out: path -> data set."""
        return {
            self.layout.prepared(name): entry.dataset
            for name, entry in self.with_data.items()
            if self.runs(name) and not isinstance(entry.dataset, OwnData)
        }

    @property
    def audited_epsilons(self) -> set[str]:
        """Epsilons of the models that audits report on, spelled; of predictions the stated one."""
        audited = {name for members in self.plan.audits.values() for name in members}
        trained = [experiment.epsilons for name, experiment in self.plan.experiments.items() if name in audited]
        stated = [predictions.epsilon for name, predictions in self.plan.predictions.items() if name in audited]
        every = [*(epsilon for groups in trained for group in groups for epsilon in group), *stated]
        return {spell_epsilon(epsilon) for epsilon in every if epsilon is not None}

    # Tables.

    def held(self, tables: Iterable[str]) -> tuple[str, ...]:
        """Return those of some tables whose experiments or studies the plan holds, and are no user's own."""
        held = {name for name in [*self.plan.experiments, *self.plan.studies] if self.layout.of_paper(name)}
        return tuple(table for table in tables if experiment_of(table) in held)

    def tables_of(self, paper: str) -> list[str]:
        """Return the available tables that the claims of a paper, and its figures and tables, are made of."""
        from dpmia.papers.claims import claims

        read = {
            table for claim in claims()[paper] for table in self.held(claim.tables) if self.runs(experiment_of(table))
        }
        read |= {table for artifact in self.available(paper) for table in self.tables(artifact)}
        return sorted(f"{self.layout.run}/{table}.csv" for table in read)

    def tables_of_all(self) -> list[str]:
        """Return all available tables that figures and claims are made of."""
        shown = [artifact for artifact in self.artifacts.values() if self.makes(artifact)]
        tables = {f"{self.layout.run}/{table}.csv" for artifact in shown for table in self.tables(artifact)}
        ran = [name for name in self.plan.experiments if self.runs(name)]
        tables |= {self.layout.table(stage, name) for stage in ("summary", "replicates") for name in ran}
        return sorted(tables | {self.layout.table("studies", name) for name in self.plan.studies if self.runs(name)})

    # Figures and tables.

    @cached_property
    def artifacts(self) -> dict[str, Artifact]:
        """Figures and tables of the papers that the plan holds experiments for, by name."""
        return {
            artifact.name: replace(artifact, tables=held)
            for of_paper in PAPERS.values()
            for artifact in of_paper
            for held in [self.held(artifact.tables)]
            if held == artifact.tables or (artifact.some_suffice and held)
        }

    def tables(self, artifact: Artifact) -> list[str]:
        """Return the tables that an artifact is made of: the available ones, or all where none is.

        Those of a check are of files of experiments, whatever the experiments are called.
        """
        if artifact.name not in PAPER_OF:
            return list(artifact.tables)
        return [table for table in artifact.tables if self.runs(experiment_of(table))] or list(artifact.tables)

    def makes(self, artifact: Artifact) -> bool:
        """Return whether an artifact belongs to `all`: some of its tables are available, or it needs none."""
        return not artifact.tables or any(self.runs(experiment_of(table)) for table in artifact.tables)

    def available(self, paper: str) -> list[Artifact]:
        """Return the figures and tables of a paper that `all` makes."""
        return [
            artifact
            for artifact in self.artifacts.values()
            if PAPER_OF[artifact.name] == paper and self.makes(artifact)
        ]

    def files(self, artifact: Artifact) -> dict[str, str]:
        """Return the files that an artifact consists of, by their ending; those of no paper lie in a folder apart."""
        return self.layout.artifact_files(artifact, PAPER_OF.get(artifact.name, "validation"))

    def files_of(self, paper: str) -> list[str]:
        """Return the files of the available figures and tables of a paper."""
        return [file for artifact in self.available(paper) for file in self.files(artifact).values()]

    def progress(self) -> dict[str, dict[str, list[str]]]:
        """Return by paper, and then by stage, the files that are made for it; experiments of no paper stand apart."""
        by_paper: dict[str, dict[str, list[str]]] = {}
        claimed: set[str] = set()
        for paper in PAPERS:
            shown = self.available(paper)
            needed = dict.fromkeys(experiment_of(table) for artifact in shown for table in self.tables(artifact))
            claimed |= set(needed)
            made = {"figures and tables": [next(iter(self.files(artifact).values())) for artifact in shown]}
            by_paper[paper] = self.layout.stages(needed) | made
        every = [*self.plan.experiments, *self.plan.studies]
        others = [name for name in every if name not in claimed and self.runs(name)]
        return by_paper | ({"others": self.layout.stages(others)} if others else {})

    # What pages say of the run.

    def run_summary(self, artifact: Artifact) -> RunSummary:
        """Return what an artifact's captions say of the run."""
        if artifact.name not in PAPER_OF:
            return self._summary_of_check(artifact)
        with_data = any(experiment_of(table) in self.with_data for table in artifact.tables)
        shown = [table.split("/") for table in self.tables(artifact)]
        trained = [name for stage, name in shown if stage in OF_MODELS]
        at_paper_scale = self.plan.studies_at_paper_scale
        return RunSummary(
            synthetic=self.plan.config.data == "synthetic" and with_data,
            scale=self.plan.config.scale,
            experiments={name: self._description_of(name) for name in trained},
            paper={name: self._description_of(name, at_paper_scale=True) for name in trained},
            studies={name: at_paper_scale[name].model_dump() for stage, name in shown if stage == "studies"},
            not_run={name: self.not_run[name] for name in map(experiment_of, artifact.tables) if not self.runs(name)},
            without_data=not with_data,
        )

    def _of_paper(self, name: str) -> bool:
        return name in self.plan.sources and self.layout.of_paper(name)

    def judge_job(self, times: Mapping[str, int] | None, only: Sequence[str] | None = None) -> JudgeJob:
        """Return what verdicts on claims depend on in the run.

        Args:
            times: experiment -> how many times its planned replicates it has; None where none were added.
            only: files of the tables to judge on; None for whatever is there.
        """
        of_papers = {
            name: experiment for name, experiment in self.plan.experiments.items() if self.layout.of_paper(name)
        }
        others = {
            name: descriptions.other_networks(experiment, self.plan.at_paper_scale[name])
            for name, experiment in of_papers.items()
        }
        of_other_scales = dict.fromkeys(self.plan.of_other_scales, f"not run at scale {self.plan.config.scale}")
        return JudgeJob(
            folder=Path(self.layout.run),
            synthetic=self.plan.config.data == "synthetic",
            scale=self.plan.config.scale,
            not_run=of_other_scales | self.not_run_of_papers,
            trained={name: descriptions.trained(experiment) for name, experiment in of_papers.items()},
            other_networks={name: networks for name, networks in others.items() if networks},
            times=None if times is None else {name: times[name] for name in times if self._of_paper(name)},
            only=None if only is None else list(only),
        )

    def settings(self, at_paper_scale: bool = False) -> dict[str, Any]:
        """Return the settings of the papers' experiments and studies as plain data, without those that are not set.

        Args:
            at_paper_scale: those at scale `paper`; else those of this run.
        """
        plan = self.plan
        paper = {**plan.at_paper_scale, **plan.studies_at_paper_scale}
        shown = paper if at_paper_scale else {**plan.experiments, **plan.studies}
        return {
            name: entry.model_dump(mode="json", exclude_none=True)
            for name, entry in shown.items()
            if self.layout.of_paper(name)
        }

    # A second opinion on the engines.

    @cached_property
    def private(self) -> list[str]:
        """Experiments with private target models."""
        return [name for name, experiment in self.plan.experiments.items() if jobs.has_private_targets(experiment)]

    @cached_property
    def checked(self) -> dict[str, list[str]]:
        """File of experiments -> those of it whose private models can be trained again."""
        by_file: dict[str, list[str]] = {}
        for name in filter(self.runs, self.private):
            by_file.setdefault(self.plan.sources[name].stem, []).append(name)
        return by_file

    def engine_checks(self, file: str) -> dict[str, EngineCheck]:
        """Return which models of each experiment in a file are trained again, by the name of the experiment."""
        return {
            name: jobs.engine_check(
                self.plan.experiments[name],
                self.plan.config.scale,
                self.layout.prepared(name),
                self.layout.splits(name)[0],
                self.layout.private_signals(name, 0),
            )
            for name in self.checked[file]
        }

    def _is_measured(self, name: str) -> bool:
        """Return whether the table of a published experiment or study is there, by replicate or split."""
        stage = "studies" if name in self.plan.studies else "replicates"
        return self.layout.of_paper(name) and Path(self.layout.table(stage, name)).is_file()

    def _why_not(self, dataset: Any) -> str | None:
        """Return why a data set is unavailable in this run; None where it is available."""
        config = self.plan.config
        if isinstance(dataset, OwnData):
            return data_mode_mismatch(dataset.path, config.data)
        if config.data == "synthetic":
            return None
        folder = f"{self.layout.resources}/raw/{dataset}"
        return unavailable_reason(dataset, config.data_mirror, folder, config.download)

    def _summary_of_check(self, artifact: Artifact) -> RunSummary:
        """Return what a second opinion says of the run: of its engines, or of engines alone."""
        return RunSummary(
            synthetic=self.plan.config.data == "synthetic",
            scale=self.plan.config.scale,
            checked=[name for names in self.checked.values() for name in names],
            not_run={name: self.not_run[name] for name in self.private if not self.runs(name)},
            without_data=any(table.startswith("guarantees/") for table in artifact.tables),
        )

    def _description_of(self, name: str, at_paper_scale: bool = False) -> ExperimentDescription:
        """Return what captions say of an experiment; many figures share it."""
        key = (name, at_paper_scale)
        if key not in self._descriptions:
            plans = self.plan.at_paper_scale if at_paper_scale else self.plan.experiments
            self._descriptions[key] = descriptions.describe_experiment(plans[name])
        return self._descriptions[key]
