# What the rules share: the plan made from the settings, and where each file stands.
import re
import sys
import time
from dataclasses import replace
from functools import cache
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

STARTED = time.time()
# Of this workflow, also where another one uses it as a module.
REPOSITORY = Path(str(workflow.current_basedir)).parent
if (REPOSITORY / "dpmia").is_dir():
    sys.path.insert(0, str(REPOSITORY))

from dpmia.datasets.raw.sources import fetched_together, files_at_hand, not_of_this_kind, not_to_be_had, required_files
from dpmia.workflow.digest import LIBRARY, code_digest, keep, recall, text_digest
from dpmia.common.errors import ConfigError, UserError
from dpmia.papers.bibliography import ABOUT
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.claims import CLAIMS
from dpmia.report import formatting as words
from dpmia.workflow.ending import ending
from dpmia.jobs.attacking import AuditedAttack
from dpmia.settings import facts, jobs, names, prediction_jobs, reference_jobs, studies
from dpmia.common.epsilon import spell_group
from dpmia.formats.looks import read_looks
from dpmia.settings.added_replicates import with_added_replicates
from dpmia.settings.own_data import OwnData
from dpmia.settings.resolve import SCALES, make_plan
from dpmia.workflow.changes import changed_settings
from dpmia.workflow.failures import CANNOT_RUN
from dpmia.workflow.layout import Layout
from dpmia.validation import artifacts as validation


def refuse(error):
    """End Snakemake before any job, with one message. A `WorkflowError` would add lines of the rules."""
    print(f"\nError: {error}", file=sys.stderr)
    raise SystemExit(CANNOT_RUN)


try:
    PLANNED = make_plan(config, Path.cwd(), REPOSITORY)
    # The replicates that `snakemake decide` added are a part of the settings.
    LOOKS = read_looks(Layout(PLANNED).run)
    PLAN = with_added_replicates(PLANNED, LOOKS.times if LOOKS else {})
except UserError as error:
    refuse(error)

CONFIG = PLAN.config
# Numbers inside of {...} on the command line arrive as texts.
config.update(CONFIG.model_dump(mode="json"))
validate(config, LIBRARY / "settings/config.schema.json")

EXPERIMENTS = PLAN.experiments
STUDIES = PLAN.studies
PREDICTIONS = PLAN.predictions
WITH_DATA = {name: each for name, each in {**EXPERIMENTS, **STUDIES}.items() if each.dataset is not None}
PREPARED = {jobs.dataset_id(each): each for each in WITH_DATA.values()}
LAYOUT = Layout(PLAN)
PAPER_OF = {artifact.name: paper for paper, artifacts in PAPERS.items() for artifact in artifacts}


def held(tables):
    """Return those of some tables whose experiments or studies the settings hold, and are no user's own."""
    held_names = {name for name in [*EXPERIMENTS, *STUDIES] if LAYOUT.of_paper(name)}
    return tuple(table for table in tables if table.split("/")[1] in held_names)


ARTIFACTS = {
    artifact.name: replace(artifact, tables=held(artifact.tables))
    for artifacts in PAPERS.values()
    for artifact in artifacts
    if held(artifact.tables) == artifact.tables or (artifact.each and held(artifact.tables))
}
CLUSTERED = {
    jobs.cluster_id(experiment): experiment
    for experiment in EXPERIMENTS.values()
    if experiment.membership.kind == "cluster"
}

RUN = LAYOUT.run
RESOURCES = LAYOUT.resources


def why_not(dataset):
    """Return why a data set is unavailable in this run; None where it is available."""
    if isinstance(dataset, OwnData):
        return not_of_this_kind(dataset.path, CONFIG.data)
    if CONFIG.data == "synthetic":
        return None
    return not_to_be_had(dataset, CONFIG.data_mirror, f"{RESOURCES}/raw/{dataset}", CONFIG.download)


# Experiment or study -> why its data are unavailable. A target that names one of them runs all the same, and fails.
NOT_RUN = {name: reason for name, each in WITH_DATA.items() if (reason := why_not(each.dataset))}


def describe(name, text):
    """Set what `help` prints of a rule, under whatever name another workflow uses it."""
    workflow.get_rule(workflow.modifier.modify_rulename(name)).docstring = text


def one_of(words):
    """Return a pattern for one of some words, for nothing where there are none."""
    return "|".join(map(re.escape, words)) or "(?!)"


wildcard_constraints:
    home=LAYOUT.home_pattern,
    audit=one_of(PLAN.audits),
    dataset=one_of(names.DATASETS),
    prepared=one_of(PREPARED),
    clusters=one_of(CLUSTERED),
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


def raw_paths(dataset):
    """Return the raw files of a data set, and the marker of synthetic ones."""
    if isinstance(dataset, OwnData):
        if reason := why_not(dataset):
            refuse(reason)
        return [dataset.path]
    folder = f"{RESOURCES}/raw/{dataset}"
    if CONFIG.data == "real":
        return [f"{folder}/{raw.file}" for raw in files_at_hand(dataset, CONFIG.data_mirror, folder, CONFIG.download)]
    return [*(f"{folder}/{raw.file}" for raw in required_files(dataset)), f"{folder}/SYNTHETIC.txt"]


def study_data(study):
    """Return the prepared data set of a study, nothing for one that takes none."""
    return [LAYOUT.prepared(study)] if study in WITH_DATA else []


def epsilon_group(groups, spelled):
    """Return the epsilons of a group by its name; a name that nothing has ends Snakemake."""
    for group in groups:
        if spell_group(group) == spelled:
            return group
    known = ", ".join(map(spell_group, groups))
    refuse(ConfigError(f"target, epsilon {spelled}", "no models are trained together at it", f"Name one of {known}"))


def block_of(wildcards):
    """Return the number of a block of replicates; one that the experiment does not have ends Snakemake."""
    block, known = int(wildcards.block), jobs.blocks(EXPERIMENTS[wildcards.experiment])
    if block not in known:
        where = f"target, {wildcards.experiment}, block {block}"
        refuse(ConfigError(where, "there is no such block", f"Name one from 0 to {max(known)}"))
    return block


def compares_seeds(experiment):
    """Return whether an experiment has as many replicates as lists of exposed records are compared over."""
    return EXPERIMENTS[experiment].replicates >= 3


def runs(name):
    """Return whether the data of an experiment or study are available; one without data always runs."""
    return name not in NOT_RUN


def looked_at(experiment):
    """Return whether an experiment has per-record results, and its data are available."""
    return EXPERIMENTS[experiment].per_record is not None and runs(experiment)


def artifact_tables(artifact):
    """Return the tables that an artifact is made of: the available ones, or all where none is."""
    return [table for table in artifact.tables if runs(table.split("/")[1])] or list(artifact.tables)


def made_by_all(artifact):
    """Return whether an artifact belongs to `all`: some of its tables are available, or it needs none."""
    return not artifact.tables or any(runs(table.split("/")[1]) for table in artifact.tables)


@cache
def facts_of(name, at_paper_scale=False):
    """Return the facts on an experiment that captions print; many figures share them."""
    return facts.run_facts((PLAN.at_paper_scale if at_paper_scale else EXPERIMENTS)[name])


def run_facts(artifact):
    """Return the facts on the run that an artifact's captions print."""
    with_data = any(table.split("/")[1] in WITH_DATA for table in artifact.tables)
    trained = [
        name
        for stage, name in (table.split("/") for table in artifact_tables(artifact))
        if stage in ("summary", "replicates", "per_record", "nulls")
    ]
    return {
        "synthetic": CONFIG.data == "synthetic" and with_data,
        "without_data": not with_data,
        "scale": CONFIG.scale,
        "experiments": {name: facts_of(name) for name in trained},
        "paper": {name: facts_of(name, at_paper_scale=True) for name in trained}
        | {
            name: PLAN.studies_at_paper_scale[name].model_dump()
            for stage, name in (table.split("/") for table in artifact_tables(artifact))
            if stage == "studies"
        },
        "not_run": {
            name: NOT_RUN[name] for name in (table.split("/")[1] for table in artifact.tables) if not runs(name)
        },
    }


# Experiments with private target models; those that can be trained again, by the file they are written in.
PRIVATE = [name for name in EXPERIMENTS if jobs.has_private_targets(EXPERIMENTS[name])]
CHECKED = {
    stem: [name for name in PRIVATE if runs(name) and PLAN.sources[name].stem == stem]
    for stem in dict.fromkeys(PLAN.sources[name].stem for name in PRIVATE if runs(name))
}
# Tables that belong to no paper.
CHECKS = [replace(artifact, tables=tuple(f"engines/{stem}" for stem in CHECKED)) for artifact in validation.ARTIFACTS]


def engine_checks(file):
    """Return which models of each experiment in a file are trained again, by the name of the experiment."""
    return {
        name: jobs.engine_check(
            EXPERIMENTS[name],
            CONFIG.scale,
            LAYOUT.prepared(name),
            LAYOUT.splits(name)[0],
            LAYOUT.private_signals(name, 0),
        )
        for name in CHECKED[file]
    }


def check_files(artifact):
    """Return the files of a table that belongs to no paper, by their ending."""
    return LAYOUT.artifact_files(artifact, "validation")


def artifact_files(artifact):
    """Return the files that an artifact consists of, by their ending."""
    return LAYOUT.artifact_files(artifact, PAPER_OF[artifact.name])


def reported(artifact):
    """Return the files of an artifact, one of them marked for the report that Snakemake itself makes."""
    files, paper = artifact_files(artifact), ABOUT[PAPER_OF[artifact.name]].short
    shown = {"figure": "png", "table": "csv"}[artifact.kind]
    labels = {"figure or table": words.title_of(artifact.name), "name": artifact.name}
    marked = report(files[shown], caption="report/artifact.rst", category=paper, labels=labels)
    return files | {shown: marked}


def resolved(experiments):
    """Return the settings of the papers' experiments and studies as plain data, without those that are not set."""
    return {
        name: each.model_dump(mode="json", exclude_none=True)
        for name, each in experiments.items()
        if LAYOUT.of_paper(name)
    }


def tables_of_all():
    """Return all available tables that figures and claims are made of."""
    of_artifacts = {
        table for artifact in ARTIFACTS.values() if made_by_all(artifact) for table in artifact_tables(artifact)
    }
    summaries = {LAYOUT.table("summary", experiment) for experiment in EXPERIMENTS if runs(experiment)}
    of_studies = {LAYOUT.table("studies", study) for study in STUDIES if runs(study)}
    return sorted({f"{RUN}/{table}.csv" for table in of_artifacts} | summaries | of_studies)


def available(paper):
    """Return the figures and tables of a paper that `all` makes."""
    return [each for each in ARTIFACTS.values() if PAPER_OF[each.name] == paper and made_by_all(each)]


def artifacts_of(paper):
    """Return the files of the available figures and tables of a paper."""
    return [file for artifact in available(paper) for file in artifact_files(artifact).values()]


def artifacts_of_all():
    """Return the files of all available figures and tables."""
    return [file for paper in PAPERS for file in artifacts_of(paper)]


def judged():
    """Return the facts on the run that verdicts on claims depend on."""
    return {
        "synthetic": CONFIG.data == "synthetic",
        "scale": CONFIG.scale,
        "not_run": not_run_of_papers(),
        "trained": {name: facts.trained(each) for name, each in EXPERIMENTS.items() if LAYOUT.of_paper(name)},
        "other_networks": {
            name: networks
            for name, each in EXPERIMENTS.items()
            if LAYOUT.of_paper(name) and (networks := facts.other_networks(each, PLAN.at_paper_scale[name]))
        },
        "times": LOOKS.times if LOOKS else None,
    }


def replicates_by_scale():
    """Return for each scale at which claims are judged the replicates, or splits, of each experiment and study."""
    found = {}
    for scale in [scale for scale in SCALES if scale != "smoke"]:
        plan = make_plan({**config, "scale": scale}, Path.cwd(), REPOSITORY)
        found[scale] = {name: each.replicates for name, each in plan.experiments.items()}
        found[scale] |= {name: each.splits for name, each in plan.studies.items()}
    return found


def not_run_of_papers():
    """Return why data are unavailable, for the experiments and studies of the papers."""
    return {name: reason for name, reason in NOT_RUN.items() if LAYOUT.of_paper(name)}


def published_data():
    """Return the prepared data sets of this run, those of a file of one's own left out: path -> data set."""
    return {
        LAYOUT.prepared(name): each.dataset
        for name, each in WITH_DATA.items()
        if runs(name) and not isinstance(each.dataset, OwnData)
    }


def progress_files():
    """Return by paper, and then by stage, the files that are made for it; experiments of no paper stand apart."""
    found = {}
    claimed = set()
    for paper in PAPERS:
        shown = available(paper)
        needed = dict.fromkeys(table.split("/")[1] for artifact in shown for table in artifact_tables(artifact))
        claimed |= set(needed)
        found[paper] = LAYOUT.stages(needed) | {
            "figures and tables": [next(iter(artifact_files(artifact).values())) for artifact in shown]
        }
    others = [name for name in [*EXPERIMENTS, *STUDIES] if name not in claimed and runs(name)]
    return found | ({"others": LAYOUT.stages(others)} if others else {})


def params_now(rule_name, path):
    """Return the parameters by name that a rule has for a file now; None where it makes it no more."""
    made_by = next((known for known in workflow.rules if known.name == rule_name), None)
    if made_by is None or not made_by.is_producer(path):
        return None
    wildcards = SimpleNamespace(**made_by.get_wildcards(path))
    return {
        name: value(wildcards) if callable(value) else value
        for name, value in made_by.params.items()
        if not callable(value) or len(signature(value).parameters) == 1
    }


def changed_since():
    """Return the settings that changed since results were made."""
    try:
        return changed_settings(Path(".snakemake/metadata"), params_now)
    except UserError as error:
        refuse(error)
