# What the rules share: the plan made from the settings, and where each file stands.
import os
import re
import sys
import time
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from functools import cache
from inspect import signature
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

STARTED = time.time()
# Of this workflow, also where another one uses it as a module.
REPOSITORY = Path(str(workflow.current_basedir)).parent
if (REPOSITORY / "dpmia").is_dir():
    sys.path.insert(0, str(REPOSITORY))

from dpmia.datasets.raw.sources import all_raw_files, fetched_together, required_files
from dpmia.workflow.digest import code_digest, keep, recall, text_digest
from dpmia.common.errors import ConfigError, UserError
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.claims import CLAIMS
from dpmia.report import titles
from dpmia.workflow.ending import ending
from dpmia.planning import jobs, prediction_jobs, reference_jobs
from dpmia.settings import names, studies
from dpmia.common.epsilon import spell_epsilon, spell_group
from dpmia.common.files import file_digest
from dpmia.formats.looks import read_looks
from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.planning.added_replicates import with_added_replicates
from dpmia.settings.own_data import OwnData
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES
from dpmia.workflow.audited import audit_job
from dpmia.workflow.changes import changed_settings
from dpmia.workflow.commit import named_commit
from dpmia.workflow.failures import refuse
from dpmia.workflow.layout import RunLayout
from dpmia.workflow.root import LIBRARY
from dpmia.workflow.scope import PAPER_OF, Scope
from dpmia.workflow.targets import Targets
from dpmia.validation import artifacts as validation

try:
    PLANNED = make_plan(config, Path.cwd(), REPOSITORY)
    all_raw_files()  # once, as those of installed packages may be wrong; what follows looks them up
    # The replicates that `snakemake decide` added are a part of the settings.
    ALL_LOOKS = read_looks(RunLayout(PLANNED).run, PLANNED.config.seed)
    LOOKS = ALL_LOOKS and ALL_LOOKS.renamed({key: name for name, key in RunLayout(PLANNED).keys.items()})
    TIMES = LOOKS.times if LOOKS else None
    PLAN = with_added_replicates(PLANNED, TIMES or {})
except UserError as error:
    refuse(error)

CONFIG = PLAN.config
# Numbers inside of {...} on the command line arrive as texts.
config.update(CONFIG.model_dump(mode="json"))
validate(config, LIBRARY / "settings/config.schema.json")

EXPERIMENTS = PLAN.experiments
STUDIES = PLAN.studies
PREDICTIONS = PLAN.predictions
LAYOUT = RunLayout(PLAN)
SCOPE = Scope(LAYOUT)
TARGETS = Targets(SCOPE)
if SCOPE.reads_own_records:
    os.umask(0o077)  # jobs inherit it: what is made of a user's own records is for that user alone
# Tables on engines, which belong to no paper.
CHECKS = [
    replace(artifact, tables=tuple(f"engines/{stem}" for stem in SCOPE.checked)) for artifact in validation.ARTIFACTS
]
RUN = LAYOUT.run
RESOURCES = LAYOUT.resources


def describe(name, text):
    """Set what `help` prints of a rule, under whatever name another workflow uses it."""
    workflow.get_rule(workflow.modifier.modify_rulename(name)).docstring = text


def one_of(values):
    """Return a pattern for one of some words, for nothing where there are none."""
    return "|".join(map(re.escape, values)) or "(?!)"


wildcard_constraints:
    home=LAYOUT.home_pattern,
    audit=one_of(PLAN.audits),
    dataset=one_of(names.DATASETS),
    prepared=one_of(SCOPE.prepared),
    clusters=one_of(SCOPE.clustered),
    experiment=one_of(EXPERIMENTS),
    attack=one_of({attack: None for experiment in EXPERIMENTS.values() for attack in experiment.attacks}),
    arm=one_of(sorted({arm for experiment in EXPERIMENTS.values() for arm in jobs.arms(experiment)})),
    epsilons=r"[0-9.e+_inf-]+",
    block=r"\d+",
    target_block=r"\d+",
    replicate=r"\d+",
    study=one_of(STUDIES),
    file=one_of(sorted({source.stem for source in PLAN.sources.values()})),
    predictions=one_of(PREDICTIONS),
    paper=one_of(PAPERS),
    artifact=one_of(PAPER_OF),


# What earlier runs read of the modules here: parsing them is a quarter of starting.
SYNTAX = ".snakemake/syntax.json"
try:
    recall(SYNTAX)
except UserError as error:
    refuse(error)


def code(script, *specs):
    """Return the digest of a script and of the modules that it reaches or loads by name."""
    return code_digest(REPOSITORY / "scripts" / script, specs)


def more(amount):
    """Return a resource of which each further attempt of a job gets as much again."""
    return lambda wildcards, attempt: attempt * amount


def memory_of_tables(least):
    """Return the MB that a job requests to read tables: seven times their size were measured (a table of 105 MB)."""
    return lambda wildcards, input, attempt: attempt * max(least, round(8 * input.size_mb))


def raw_paths(dataset):
    """Return the raw files of a data set, and the marker of synthetic ones; a file that does not fit ends Snakemake."""
    try:
        return SCOPE.raw_paths(dataset)
    except UserError as error:
        refuse(error)


def epsilon_group(groups, spelled):
    """Return the epsilons of a group by its name."""
    return next(group for group in groups if spell_group(group) == spelled)


def check_command():
    """Refuse a command with two `--config`, and files of experiments that no job makes: Snakemake knows neither yet."""
    if sum(word.partition("=")[0] in ("--config", "-C") for word in sys.argv) > 1:
        problem = "it is there more than once, and Snakemake takes the last one alone"
        refuse(UserError("--config", problem, "Write all keys after one --config"))
    try:
        TARGETS.check(sys.argv[1:])
    except UserError as error:
        refuse(error)


def files_of_paper(paper):
    """Return the function that finds the files of a paper; where there are none, the target ends Snakemake."""

    def files(wildcards):
        if paper_files := SCOPE.files_of(paper):
            return paper_files
        why = dict.fromkeys(reason for name, reason in SCOPE.not_run.items() if PLAN.sources[name].paper == paper)
        problem = "; ".join(["none of its figures and tables can be made", *why])
        remedy = "" if why else f"Name experiments/{paper}.yaml in the key experiments"
        refuse(UserError(f"target {paper}", problem, remedy))

    return files


def reported(artifact):
    """Return the files of an artifact; of a paper's, one is marked for the report that Snakemake itself makes."""
    files = SCOPE.files(artifact)
    if artifact.name not in PAPER_OF:
        return files
    shown = {"figure": "png", "table": "csv"}[artifact.kind]
    labels = {"figure or table": titles.title_of(artifact.name), "name": artifact.name}
    marked = report(
        files[shown], caption="report/artifact.rst", category=BIBLIOGRAPHY[PAPER_OF[artifact.name]].short, labels=labels
    )
    return files | {shown: marked}


def replicates_by_scale():
    """Return for each scale at which claims are judged the replicates, or splits, of each experiment and study."""
    by_scale = {}
    for scale in [scale for scale in SCALES if scale != "smoke"]:
        plan = make_plan({**config, "scale": scale}, Path.cwd(), REPOSITORY)
        by_scale[scale] = {name: experiment.replicates for name, experiment in plan.experiments.items()}
        by_scale[scale] |= {name: study.splits for name, study in plan.studies.items()}
    return by_scale


@cache
def contents(*files):
    """Return the digests of a user's files: one that is replaced counts, whatever its date."""
    return [file_digest(file) for file in files if Path(file).is_file()]


def own_contents(dataset):
    """Return the same of the files of a data set of one's own; those of published ones have checksums."""
    return contents(*raw_paths(dataset)) if isinstance(dataset, OwnData) else []


def params_now(rule_name, path):
    """Return the parameters by name that a rule has for a file now; None where the file is not made any more."""
    made_by = next((rule_ for rule_ in workflow.rules if rule_.name == rule_name), None)
    if made_by is None or not made_by.is_producer(path):
        return None
    if not Path(path).exists() or TARGETS.is_unknown(path):
        return None
    wildcards = SimpleNamespace(**made_by.get_wildcards(path))
    # What was taken out of the settings is refused, or is not there: such a file is not made any more.
    with suppress(Exception, SystemExit), redirect_stderr(StringIO()):
        return {
            name: value(wildcards) if callable(value) else value
            for name, value in made_by.params.items()
            if not callable(value) or len(signature(value).parameters) == 1
        }
    return None


def changed_since():
    """Return the settings that changed since results were made."""
    try:
        return changed_settings(Path(".snakemake/metadata"), params_now)
    except UserError as error:
        refuse(error)
