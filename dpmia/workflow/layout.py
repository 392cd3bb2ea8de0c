"""Where every file of a run lies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from math import isinf

from dpmia.common.epsilon import spell_group
from dpmia.common.limits import LISTS_COMPARED
from dpmia.papers.artifact import Artifact
from dpmia.papers.catalogue import PAPERS
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.plan import AUDIT, Plan
from dpmia.settings import names
from dpmia.settings.experiment import Experiment
from dpmia.settings.studies import LinearGenerator
from dpmia.workflow.homes import AUDITS, OWN

#: Kind of artifact -> its folder, and the endings of its files.
_ARTIFACTS = {"figure": ("figures", ("pdf", "svg", "png", "md", "csv")), "table": ("tables", ("csv", "md"))}


@dataclass(frozen=True)
class RunLayout:
    """The paths of one plan, relative to the working folder.

    The experiments of the five papers share the folder of the run. Those of a user's file have a folder of their own
    below it, the file's home: an audit called `student` and the experiment `student` of a paper never share a file.
    """

    plan: Plan

    @property
    def run(self) -> str:
        """The folder of the run."""
        return f"results/{self.plan.config.data}-{self.plan.config.scale}"

    @property
    def resources(self) -> str:
        """The folder of raw and prepared data: made for one scale, or real and the same at every scale."""
        config = self.plan.config
        return "resources/real" if config.data == "real" else f"resources/{config.data}-{config.scale}"

    def home(self, name: str) -> str:
        """Return the folder that holds the results of an experiment, study or model known by its predictions."""
        source = self.plan.sources[name]
        if source.paper in PAPERS:
            return self.run
        return f"{self.run}/{AUDITS if source.paper == AUDIT else OWN}/{source.stem}"

    @property
    def keys(self) -> dict[str, str]:
        """Name of each experiment and study -> its name in the run, among those of other files of settings."""
        names = [*self.plan.experiments, *self.plan.studies]
        return {name: f"{self.home(name)}/{name}".removeprefix(f"{self.run}/") for name in names}

    def of_paper(self, name: str) -> bool:
        """Return whether an experiment or study belongs to one of the papers, and is no user's own."""
        return self.home(name) == self.run

    @property
    def home_pattern(self) -> str:
        """A regular expression for the homes of this plan, each followed by a stage and a name that belongs there."""
        homes: dict[str, list[str]] = {}
        for name in self.plan.sources:
            homes.setdefault(self.home(name), []).append(name)
        patterns = [rf"{re.escape(home)}(?=/[a-z_]+/(?:{'|'.join(names)})[/.])" for home, names in homes.items()]
        return "|".join(patterns) or "(?!)"

    def table(self, stage: str, name: str) -> str:
        """Return the table that a stage makes of an experiment or study: `summary`, `replicates`, `studies`, ..."""
        return f"{self.home(name)}/{stage}/{name}.csv"

    def audit_report(self, stem: str, ending: str) -> str:
        """Return the report of the audit in the file `<stem>.yaml`, as `html` or `json`."""
        return f"{self.run}/audit-{stem}.{ending}"

    def artifact_files(self, artifact: Artifact, paper: str) -> dict[str, str]:
        """Return the files that a figure or table consists of, by their ending."""
        folder, endings = _ARTIFACTS[artifact.kind]
        return {ending: f"{self.run}/{folder}/{paper}/{artifact.name}.{ending}" for ending in endings}

    def prepared(self, name: str) -> str:
        """Return the prepared data set of an experiment, or of a study that takes one."""
        entry = self.plan.experiments.get(name) or self.plan.studies[name]
        if isinstance(entry, LinearGenerator):
            raise ValueError(f"{name}: a study that draws its own records has no prepared data set")
        return f"{self.resources}/prepared/{jobs.dataset_id(entry)}.npz"

    def clusters(self, name: str) -> list[str]:
        """Return the clusters of an experiment whose groups are clusters, nothing for another."""
        experiment = self.plan.experiments[name]
        if experiment.membership.kind != "cluster":
            return []
        return [f"{self.run}/clusters/{jobs.cluster_id(experiment)}.npz"]

    def splits(self, name: str) -> list[str]:
        """Return the split files of an experiment, one for each block."""
        return [f"{self.home(name)}/splits/{name}/block-{block}.npz" for block in jobs.blocks(self._experiment(name))]

    def signals(self, name: str, block: int, attack: str | None = None) -> list[str]:
        """Return the signals of the target models of a block, one file for each group of epsilons that is attacked."""
        experiment = self._experiment(name)
        groups = experiment.epsilons if attack is None else jobs.attacked_groups(experiment, attack)
        return [f"{self.home(name)}/signals/{name}/{spell_group(epsilons)}/block-{block}.npz" for epsilons in groups]

    def private_signals(self, name: str, block: int) -> list[str]:
        """Return the signals of the target models of a block, without groups of epsilons that hold `inf` only."""
        groups = self._experiment(name).epsilons
        private = [not all(map(isinf, group)) for group in groups]
        return list(compress(self.signals(name, block), private))

    def all_signals(self, name: str) -> list[str]:
        """Return the signals of all target models of an experiment."""
        return [file for block in jobs.blocks(self._experiment(name)) for file in self.signals(name, block)]

    def shadows(self, name: str, attack: str, block: int) -> list[str]:
        """Return the signals of the shadow models of a block, nothing for an attack without them."""
        return [f"{self.home(name)}/shadows/{name}/block-{block}.npz"] if self._uses(name, attack, "shadows") else []

    def references(self, name: str, attack: str) -> list[str]:
        """Return the files of the reference models that an attack uses, nothing for an attack without them."""
        if not self._uses(name, attack, "references"):
            return []
        experiment = self._experiment(name)
        return [
            f"{self.home(name)}/references/{name}/{spell_group(epsilons)}/block-{block}.npz"
            for epsilons in reference_jobs.groups(experiment, attack)
            for block in reference_jobs.blocks(experiment)
        ]

    def all_references(self, name: str) -> list[str]:
        """Return the files of all reference models of an experiment, each once."""
        return sorted({file for attack in self._experiment(name).attacks for file in self.references(name, attack)})

    def distilled(self, name: str, attack: str, block: int) -> list[str]:
        """Return the files of the models distilled from the targets of a block, nothing for an attack without them."""
        if not self._uses(name, attack, "distilled"):
            return []
        experiment = self._experiment(name)
        return [
            f"{self.home(name)}/distilled/{name}/{spell_group(epsilons)}/targets-{block}/block-{number}.npz"
            for epsilons in jobs.attacked_groups(experiment, attack)
            for number in reference_jobs.blocks(experiment)
        ]

    def models(self, name: str) -> list[str]:
        """Return the files of all models of an experiment: targets, and the attacker's own."""
        experiment = self._experiment(name)
        files = self.all_signals(name)
        for attack in experiment.attacks:
            files += self.references(name, attack)
            for block in jobs.blocks(experiment):
                files += [*self.shadows(name, attack, block), *self.distilled(name, attack, block)]
        return list(dict.fromkeys(files))

    def leave_one_out(self, name: str) -> list[str]:
        """Return the files of all models without one record; nothing where no attack takes them.

        They are not among `models`: one card stands for many models there.
        """
        experiment = self._experiment(name)
        if experiment.per_record is None:
            return []
        return [
            f"{self.home(name)}/leave_one_out/{name}/{arm}/target-{replicate}/block-{block}.npz"
            for arm, replicate, block in jobs.leave_one_out_blocks(experiment)
        ]

    def per_record_inputs(self, name: str) -> dict[str, list[str]]:
        """Return the files that attacks are evaluated from record by record, by what they hold."""
        experiment = self._experiment(name)
        attacks = [attack for attack in jobs.per_record_job(experiment).attacks if attack in experiment.attacks]
        files = {
            "targets": self.all_signals(name),
            "references": [path for attack in attacks for path in self.references(name, attack)],
            "distilled": [
                path
                for attack in attacks
                for block in jobs.blocks(experiment)
                for path in self.distilled(name, attack, block)
            ],
            "leave_one_out": self.leave_one_out(name),
        }
        return {kind: list(dict.fromkeys(paths)) for kind, paths in files.items()}

    def attack_data(self, name: str, attack: str) -> list[str]:
        """Return the prepared data set for an attack that sees the records' features, nothing for another."""
        return [self.prepared(name)] if self._uses(name, attack, "features") else []

    def metrics(self, name: str) -> list[str]:
        """Return the tidy tables of an experiment, of all its blocks: attacks, accuracy and the blind baseline."""
        experiment, home = self._experiment(name), self.home(name)
        tables = [*(f"metrics/{name}/{attack}" for attack in experiment.attacks), f"accuracy/{name}"]
        return [
            f"{home}/{table}/block-{block}.csv"
            for block in jobs.blocks(experiment)
            for table in [*tables, *([f"blind/{name}"] if jobs.blind_job(experiment, block) else [])]
        ]

    def expected(self, name: str) -> list[str]:
        """Return the files that a run makes of an experiment, whatever it shows: splits, models, metrics and means."""
        files = [*self.splits(name), *self.models(name), *self.metrics(name), self.table("summary", name)]
        if self._experiment(name).per_record:
            files += self.leave_one_out(name)
        return files + self.of_records(name)

    def of_records(self, name: str) -> list[str]:
        """Return the tables of an experiment about single records, where it has them."""
        experiment = self._experiment(name)
        measured = {
            "per_record": experiment.per_record is not None,
            "exposure": experiment.replicates >= LISTS_COMPARED,
        }
        return [self.table(stage, name) for stage, is_measured in measured.items() if is_measured]

    def files(self, name: str) -> list[str]:
        """Return all files that can be made of an experiment."""
        stages = ["sizes", "replicates", *(["nulls"] if self._experiment(name).per_record else [])]
        return [*self.expected(name), *(self.table(stage, name) for stage in stages)]

    def stages(self, selected: Iterable[str]) -> dict[str, list[str]]:
        """Return the files of experiments and studies, by stage."""
        selected = list(selected)
        experiments = [name for name in selected if name in self.plan.experiments]
        return {
            "data": list(dict.fromkeys(self.prepared(name) for name in experiments)),
            "training": [file for name in experiments for file in [*self.models(name), *self.leave_one_out(name)]],
            "attacks": [file for name in experiments for file in self.metrics(name)],
            "studies": [self.table("studies", name) for name in selected if name in self.plan.studies],
        }

    def given(self, name: str) -> dict[str, str]:
        """Return the signals of a model known by its predictions, and the losses of its reference models."""
        return {kind: f"{self.home(name)}/{kind}/{name}/given/block-0.npz" for kind in ("signals", "references")}

    def _experiment(self, name: str) -> Experiment:
        return self.plan.experiments[name]

    def _uses(self, name: str, attack: str, kind: str) -> bool:
        return kind in names.ATTACKS[self._experiment(name).attacks[attack].kind].uses
