"""What the targets of a run make: all files of each, and what is fetched for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from os.path import normpath
from pathlib import Path

from dpmia.common.errors import UserError
from dpmia.common.registry import suggestion
from dpmia.datasets.raw.sources import files_at_hand
from dpmia.formats.table_names import experiment_of
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
    _files: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def files(self, others: Iterable[str]) -> dict[str, list[str]]:
        """Return the files of each target, papers and audits first: target -> files. `all` makes some others, too."""
        scope, plan = self.scope, self.scope.plan
        made = [artifact for artifact in scope.artifacts.values() if scope.makes(artifact)]
        of_one = {
            artifact.name: self.files_of([experiment_of(table) for table in scope.tables(artifact)], [artifact])
            for artifact in made
        }
        papers = {
            paper: [file for artifact in made if PAPER_OF[artifact.name] == paper for file in of_one[artifact.name]]
            for paper in PAPERS
        }
        everything = [*self.files_of([*plan.experiments, *plan.studies], made), *others]
        return papers | self._of_audits() | {"all": everything} | of_one

    def _of_audits(self) -> dict[str, list[str]]:
        """Return the files that `audit` makes; nothing without an audit."""
        audits, plan = self.scope.plan.audits, self.scope.plan
        audited = [name for members in audits.values() for name in members if name in plan.experiments]
        reports = [self.scope.layout.audit_report(stem, "html") for stem in audits]
        return {"audit": [*self.files_of(audited, []), *reports]} if audits else {}

    def check(self, asked: Iterable[str]) -> None:
        """Refuse targets that are files of an experiment which has none such.

        Raises:
            UserError: there is one.
        """
        for target in filter(self.is_unknown, asked):
            file = normpath(target)
            name = self._experiment_of(file)
            remedy = suggestion(file, self._files_of(name)) or "Name another one"
            raise UserError(f"target {target}", f"{name} has no such file with these settings", remedy)

    def is_unknown(self, file: str) -> bool:
        """Return whether a file belongs to an experiment by its path, and is none that is made of it."""
        name = self._experiment_of(normpath(file))
        return bool(name) and normpath(file) not in self._files_of(name)

    def _experiment_of(self, file: str) -> str:
        """Return the experiment that a file belongs to by its path, or nothing."""
        match = self._pattern.match(file)
        return match[1] if match else ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.scope.plan.experiments)) or "(?!)"
        # Tables below `engines` are of files of settings, one of which may have the name of an experiment.
        return re.compile(rf"(?:{self.scope.layout.home_pattern})/(?!engines/)[a-z_]+/({names})[/.]")

    def _files_of(self, name: str) -> frozenset[str]:
        """Return all files that are made of an experiment."""
        if name not in self._files:
            self._files[name] = frozenset(self.scope.layout.files(name))
        return self._files[name]

    def files_of(self, work: Iterable[str], artifacts: Iterable[Artifact]) -> list[str]:
        """Return all files that are made for some experiments and studies, and one of each figure and table."""
        scope, layout, files = self.scope, self.scope.layout, list[str]()
        for name in filter(scope.runs, work):
            if name in scope.with_data:
                files += [*scope.raw_paths(scope.with_data[name].dataset), layout.prepared(name)]
            if name in scope.plan.studies:
                files.append(layout.table("studies", name))
                continue
            files += [*layout.clusters(name), *layout.expected(name)]
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
