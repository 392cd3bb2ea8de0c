"""What the targets of a run make: all files of each, and what is fetched for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpmia.datasets.raw.sources import files_at_hand
from dpmia.papers.artifact import Artifact
from dpmia.papers.catalogue import PAPERS
from dpmia.settings import names
from dpmia.workflow.scope import PAPER_OF, Scope


@dataclass(frozen=True)
class Targets:
    """The targets of a run.

    Attributes:
        scope: of the run.
    """

    scope: Scope

    def files(self, others: Iterable[str]) -> dict[str, list[str]]:
        """Return the files of each target, papers first: target -> files. `all` makes some others, too."""
        scope, plan = self.scope, self.scope.plan
        made = [artifact for artifact in scope.artifacts.values() if scope.makes(artifact)]
        of_one = {
            artifact.name: self.files_of([table.split("/")[1] for table in scope.tables(artifact)], [artifact])
            for artifact in made
        }
        papers = {
            paper: [file for artifact in made if PAPER_OF[artifact.name] == paper for file in of_one[artifact.name]]
            for paper in PAPERS
        }
        everything = [*self.files_of([*plan.experiments, *plan.studies], made), *others]
        return papers | {"all": everything} | of_one

    def files_of(self, work: Iterable[str], artifacts: Iterable[Artifact]) -> list[str]:
        """Return all files that are made for some experiments and studies, and one of each figure and table."""
        scope, layout, files = self.scope, self.scope.layout, list[str]()
        for name in filter(scope.runs, work):
            if name in scope.with_data:
                files += [*scope.raw_paths(scope.with_data[name].dataset), layout.prepared(name)]
            if name in scope.plan.studies:
                files.append(layout.table("studies", name))
                continue
            files += [*layout.clusters(name), *layout.splits(name), *layout.models(name), *layout.metrics(name)]
            files.append(layout.table("summary", name))
            if scope.looked_at(name):
                files += [*layout.leave_one_out(name), layout.table("per_record", name)]
            if scope.compares_seeds(name):
                files.append(layout.table("exposure", name))
        return files + [next(iter(scope.files(artifact).values())) for artifact in artifacts]

    def download_of(self, files: Iterable[str]) -> float:
        """Return the MB that are to be fetched for those of some files that are missing."""
        config, raw_files = self.scope.plan.config, f"{self.scope.layout.resources}/raw"
        if config.data != "real" or config.data_mirror is not None:
            return 0.0
        wanted = {file for file in files if not Path(file).exists()}
        return sum(
            (raw.bytes or 0) / 1e6
            for dataset in names.DATASETS
            for raw in files_at_hand(dataset, None, f"{raw_files}/{dataset}", config.download)
            if f"{raw_files}/{dataset}/{raw.file}" in wanted
        )
