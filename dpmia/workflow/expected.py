"""What a job will cost: CPU time, memory and disk. One definition, for the bar, the forecast and the cluster.

Training is counted in steps, whose cost is measured on this machine (`dpmia.workflow.trial`) or, before that, follows
from the size of the network. All other jobs are short; what they take was read off the logs of whole runs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpmia.common.files import whole_file
from dpmia.common.plain import PlainData
from dpmia.common.reading.source import made
from dpmia.planning import jobs
from dpmia.planning.plan import Plan
from dpmia.settings import names
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData
from dpmia.settings.studies import LinearGenerator, Study
from dpmia.workflow.homes import TRAINED_BY
from dpmia.workflow.training_work import ExperimentWork, Trained, data_size

#: Seconds, some thirty years: more than any rate.
LONGEST = 1e9

#: Rules whose jobs train models, and so import torch and Lightning.
TRAINING = tuple(TRAINED_BY.values())


@dataclass(frozen=True)
class MachineRates(PlainData):
    """How fast a machine is.

    Attributes:
        machine: its name.
        start: CPU seconds until a training job has imported all it needs.
        speed: how many times as long as the reference machine it takes for all but training steps.
        steps: CPU seconds of a step of one model, by `key`; missing where they were not measured.
    """

    machine: str = "reference"
    start: float = 3.5
    speed: float = 1.0
    steps: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what no clock measures."""
        if wrong := [rate for rate in (self.start, self.speed, *self.steps.values()) if not 0 <= rate < LONGEST]:
            raise ValueError(f"{wrong[0]!r} is not a time")

    @classmethod
    def read(cls, path: Path) -> MachineRates:
        """Return what was measured on this machine; the reference machine's rates where nothing was.

        Raises:
            DataError: the file is damaged.
        """
        if not path.is_file():
            return cls()
        source = made(path)
        with source.faults("it is not what was written"):
            rates = cls.from_plain(source.json())
        return rates if rates.machine == platform.node() else cls()

    def write(self, path: Path) -> None:
        """Keep what was measured."""
        with whole_file(path) as part:
            part.write_text(json.dumps(self.plain(), indent=1), encoding="utf-8")


@dataclass(frozen=True)
class Expected:
    """What a job will cost.

    Attributes:
        start: CPU seconds until its script has imported what it needs.
        work: CPU seconds from there to its end.
        memory: MB at most.
        disk: MB of its outputs.
    """

    start: float
    work: float
    memory: float
    disk: float

    @property
    def seconds(self) -> float:
        """CPU seconds altogether."""
        return self.start + self.work

    def as_fork(self) -> Expected:
        """Return what it costs as a fork of a process that has the libraries (`dpmia.workflow.fork_server`)."""
        return replace(self, start=min(self.start, FORK))


#: CPU seconds that a script and its fork take to start.
FORK = 0.15


@dataclass(frozen=True)
class _Short:
    """A job without training: CPU seconds to start and to work on the reference machine; memory and disk in MB."""

    start: float
    work: float
    memory: float = 400
    disk: float = 0.1


_SHORT = {
    "attack_predictions": _Short(0.8, 1.0),
    "check_engines": _Short(3.1, 10.0, 900),
    "draw_splits": _Short(0.2, 0.4, 300, 0.5),
    "fetch_raw_files": _Short(0.3, 1.0, 200, 20),
    "find_clusters": _Short(1.1, 0.4),
    "judge_claims": _Short(1.1, 4.2, 1300),
    "make_artifact": _Short(1.1, 1.3),
    "make_audit": _Short(2.0, 3.0),
    "make_report": _Short(1.3, 6.6, 700, 10),
    "make_synthetic": _Short(0.2, 1.0, 300, 5),
    "measure_accuracy": _Short(0.7, 0.4),
    "measure_blind": _Short(1.2, 0.0, 500),
    "measure_exposure": _Short(0.3, 0.1),
    "measure_per_record": _Short(0.4, 0.8),
    "measure_sizes": _Short(0.3, 0.2, 300),
    "prepare_dataset": _Short(0.2, 2.0, 900, 20),
    "run_attack": _Short(0.4, 0.1),
    "run_study": _Short(0.3, 1.0, 500),
    "summarise_experiment": _Short(0.4, 0.4),
    "try_engines": _Short(3.1, 35.0, 900),
}
#: Of what is not listed: it only prints, or does nothing.
_LEAST = _Short(0.1, 0.1, 200, 0.0)

#: CPU seconds of an attack for one output of a model; of regressions for each attacked model, and once.
_OUTPUT, _REGRESSION, _REGRESSION_START = 9e-7, 0.05, 3.0
#: CPU seconds of an attack's own network for one output of a shadow model and one epoch.
_SHADOW_OUTPUT = 1.3e-7
#: CPU seconds of the blind baseline for one arm and replicate, and more for each record.
_BLIND, _BLIND_RECORD = 0.12, 3.5e-5

#: CPU seconds of a linear generator for one record, and of a regression for one split and parameter.
_RECORD_OF_STUDY, _FIT_OF_STUDY = 1.7e-7, 0.01

#: Kind of job that holds a whole data set -> how many times at most, of images (pixels are stored as bytes, and models
#: take them as floats) and of other data (floats; a table is read as texts).
_HELD = dict.fromkeys((*TRAINING, "check_engines"), (6, 2)) | {
    "draw_splits": (2, 2),
    "measure_blind": (2, 2),
    "measure_sizes": (2, 2),
    "prepare_dataset": (6, 30),
}

#: Memory in MB of a job that has imported Lightning; of models that are trained together, in parameters.
_IMPORTED, _TOGETHER = 500, 2e6

#: Engine -> CPU seconds of a step: of itself, for a parameter without and with privacy, for a multiplication.
_STEPS = {
    "CommandEngine": (5.0, 0.0, 0.0, 0.0),  # a guess: it is a program of the user's own
    "ConvolutionEngine": (3e-3, 2.5e-9, 8e-9, 1 / 7e9),
    "LightningEngine": (4e-4, 4e-9, 8e-9, 1 / 7e9),
    "OpacusEngine": (3e-3, 2e-8, 6e-7, 1 / 7e9),
    "PlainEngine": (4e-4, 4e-9, 8e-9, 1 / 7e9),
    "PrivateLightningEngine": (3e-3, 2e-8, 6e-7, 1 / 7e9),
    "ScikitLearnEngine": (1.0, 0.0, 0.0, 0.0),
    "StackedEngine": (5e-5, 2.5e-9, 8e-9, 1 / 11e9),
}


def key(trained: Trained) -> str:
    """Return a name for models whose steps cost the same."""
    fitted = trained.records if trained.recipe.epochs == 0 else 0
    recipe = replace(trained.recipe, epochs=0, learning_rate=0.0)
    alike = replace(trained, recipe=recipe, models=0, records=fitted, queries=0, by_epoch=0)
    return hashlib.sha256(json.dumps(alike.plain(), sort_keys=True).encode()).hexdigest()[:16]


def step_seconds(trained: Trained) -> float:
    """Return the CPU seconds of a step of one model on the reference machine, by the size of its network."""
    fixed, plain, private, product = _STEPS[trained.engine.partition(":")[2]]
    work, parameters = trained.network
    parameter = private if trained.recipe.clips(trained.private) else plain
    return fixed + parameter * parameters + product * work * trained.recipe.batch_size


class Expectations:
    """What the jobs of a plan will cost."""

    def __init__(self, plan: Plan, rates: MachineRates) -> None:
        """Expect what `rates` say."""
        self.plan, self.rates = plan, rates
        self._work: dict[str, ExperimentWork] = {}
        self._expected: dict[tuple[Any, ...], Expected] = {}

    def take(self, rates: MachineRates) -> None:
        """Expect from now on what other rates say."""
        self.rates = rates
        self._expected.clear()

    def of(self, kind: str, wildcards: Mapping[str, str]) -> Expected:
        """Return what a job will cost.

        Args:
            kind: of its rule.
            wildcards: of the job.
        """
        # Blocks of one kind cost the same; of the blind baseline, some measure fewer replicates.
        job = (
            kind,
            *(wildcards.get(name) for name in ("experiment", "epsilons", "attack", "arm", "study", "file", "prepared")),
            wildcards.get("block") if kind == "measure_blind" else None,
        )
        if job not in self._expected:
            self._expected[job] = self._work_out(kind, wildcards)
        return self._expected[job]

    def longest(self, kind: str, wildcards: Mapping[str, str]) -> float:
        """Return the seconds that a job may take: four times what is expected, and what its programs may take.

        Args:
            kind: of its rule.
            wildcards: of the job.
        """
        programs = sum(trained.models * (trained.timeout or 0.0) for trained in self.trained(kind, wildcards))
        return max(4 * self.of(kind, wildcards).seconds, programs)

    def _work_out(self, kind: str, wildcards: Mapping[str, str]) -> Expected:
        if kind in TRAINING:
            return self._training(self.trained(kind, wildcards), self._held(kind, wildcards))
        short = _SHORT.get(kind, _LEAST)
        seconds = short.work
        work = self._of(wildcards["experiment"]) if wildcards.get("experiment") in self.plan.experiments else None
        if work and kind == "run_attack":
            seconds += _attack(work, wildcards["attack"])
        if work and kind == "measure_blind":
            seconds += _blind(work, int(wildcards["block"]))
        if kind == "run_study" and wildcards.get("study") in self.plan.studies:
            seconds += _study(self.plan.studies[wildcards["study"]])
        read = 3 * work.targets()[1] * data_size(work.experiment)[2] * 4 / 1e6 if work else 0.0
        speed = self.rates.speed
        memory = short.memory + read + self._held(kind, wildcards)
        return Expected(short.start * speed, seconds * speed, memory, short.disk)

    def _held(self, kind: str, wildcards: Mapping[str, str]) -> float:
        """Return the MB of the data set that a job holds; of several, one after another, the largest.

        Synthetic data in the place of published ones are small: they do not count.
        """
        if kind not in _HELD:
            return 0.0
        of_images, of_others = _HELD[kind]
        synthetic, most = self.plan.config.data == "synthetic", 0.0
        for experiment in self._experiments(wildcards):
            if synthetic and not isinstance(experiment.dataset, OwnData):
                continue
            records, inputs, _, rows = data_size(experiment)
            raw = experiment.pool**2 if kind == "prepare_dataset" else 1
            most = max(most, records * inputs * (raw * of_images if rows else 4 * of_others) / 1e6)
        return most

    def _experiments(self, wildcards: Mapping[str, str]) -> list[Experiment]:
        """Return the experiments that a job is about."""
        every, sources = self.plan.experiments, self.plan.sources
        if "experiment" in wildcards:
            return [every[name] for name in (wildcards["experiment"],) if name in every]
        if "file" in wildcards:
            return [experiment for name, experiment in every.items() if sources[name].stem == wildcards["file"]]
        return [experiment for experiment in every.values() if jobs.dataset_id(experiment) == wildcards.get("prepared")]

    def trained(self, kind: str, wildcards: Mapping[str, str]) -> list[Trained]:
        """Return the models that a job trains; none for a job that trains none."""
        return self._of(wildcards["experiment"]).trained(kind, wildcards) if kind in TRAINING else []

    def _of(self, name: str) -> ExperimentWork:
        if name not in self._work:
            self._work[name] = ExperimentWork.of(self.plan.experiments[name])
        return self._work[name]

    def _training(self, models: list[Trained], held: float) -> Expected:
        seconds = 0.0
        for trained in models:
            measured = self.rates.steps.get(key(trained))
            seconds += trained.steps * (step_seconds(trained) * self.rates.speed if measured is None else measured)
            # A forward pass for each record, a third of a step's work.
            seconds += trained.models * trained.evaluated * trained.network[0] / 2e10 * self.rates.speed
        outputs = sum(trained.models * trained.queries * trained.data[1] * 4 for trained in models) / 1e6
        parameters = max((max(_TOGETHER, trained.network[1]) for trained in models), default=0.0) * 6 * 4 / 1e6
        data = max((trained.records * trained.data[0] * 4 * 4 for trained in models), default=0.0) / 1e6
        return Expected(self.rates.start, seconds, _IMPORTED + parameters + data + held + 2 * outputs, outputs)


def _attack(work: ExperimentWork, name: str) -> float:
    """Return the CPU seconds in which an attack works on one block."""
    experiment = work.experiment
    kind = names.ATTACKS[experiment.attacks[name].kind]
    models, outputs = work.targets()
    seconds = outputs * _OUTPUT
    if "features" in kind.uses:
        seconds += models * _REGRESSION + _REGRESSION_START
    if "shadows" in kind.uses and experiment.shadows:
        seconds += outputs * experiment.shadows.count * experiment.shadows.attack_epochs * _SHADOW_OUTPUT
    return seconds


def _blind(work: ExperimentWork, block: int) -> float:
    """Return the CPU seconds in which the blind baseline of one block is measured."""
    job = jobs.blind_job(work.experiment, block)
    if job is None:
        return 0.0
    fits = len(job.replicates) * (1 + len(job.with_loss))
    return fits * sum(_BLIND + _BLIND_RECORD * sizes.attacked for sizes in work.sizes.values())


def _study(study: Study) -> float:
    """Return the CPU seconds in which a study works."""
    if isinstance(study, LinearGenerator):
        return study.splits * study.runs * study.records * _RECORD_OF_STUDY
    return study.splits * len(study.parameters) * _FIT_OF_STUDY
