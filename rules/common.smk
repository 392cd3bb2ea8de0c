# What the rules share: the plan made from the settings, and where each file stands.
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

from snakemake.exceptions import WorkflowError

STARTED = time.time()
REPOSITORY = Path(workflow.basedir)
sys.path.insert(0, str(REPOSITORY))

from dpmia.datasets.sources import fetched_together, files_at_hand, not_of_this_kind, not_to_be_had, required_files
from dpmia.digest import code_digest, text_digest
from dpmia.errors import UserError
from dpmia.papers.about import ABOUT
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.claims import CLAIMS
from dpmia.report import words
from dpmia.report.ending import ending
from dpmia.settings import facts, jobs, names, studies
from dpmia.settings.epsilon import spell_group
from dpmia.settings.own_data import OwnData
from dpmia.settings.resolve import make_plan

try:
    PLAN = make_plan(config, Path.cwd())
except UserError as error:
    raise WorkflowError(str(error)) from None

CONFIG = PLAN.config
# Numbers inside of {...} on the command line arrive as texts.
config.update(CONFIG.model_dump(mode="json"))
validate(config, REPOSITORY / "dpmia/settings/config.schema.json")

EXPERIMENTS = PLAN.experiments
STUDIES = PLAN.studies
PREDICTIONS = PLAN.predictions
WITH_DATA = {name: each for name, each in {**EXPERIMENTS, **STUDIES}.items() if each.dataset is not None}
PREPARED = {jobs.dataset_id(each): each for each in WITH_DATA.values()}
PAPER_OF = {artifact.name: paper for paper, artifacts in PAPERS.items() for artifact in artifacts}


def held(tables):
    """Return those of some tables whose experiments or studies the settings hold."""
    return tuple(table for table in tables if table.split("/")[1] in {*EXPERIMENTS, *STUDIES})


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

RUN = f"results/{CONFIG.data}-{CONFIG.scale}"
# Stand-ins have as many rows as the scale needs; real files are the same at every scale.
RESOURCES = "resources/real" if CONFIG.data == "real" else f"resources/embedded-{CONFIG.scale}"


def why_not(dataset):
    """Return why a data set cannot be had in this run; None where it can."""
    if isinstance(dataset, OwnData):
        return not_of_this_kind(dataset.path, CONFIG.data)
    if CONFIG.data == "embedded":
        return None
    return not_to_be_had(dataset, CONFIG.data_mirror, f"{RESOURCES}/raw/{dataset}", CONFIG.download)


# Experiment or study -> why its data cannot be had. What is asked for by name is tried all the same, and fails.
NOT_RUN = {name: reason for name, each in WITH_DATA.items() if (reason := why_not(each.dataset))}


def one_of(words):
    """Return a pattern for one of some words, for nothing where there are none."""
    return "|".join(map(re.escape, words)) or "(?!)"


wildcard_constraints:
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
    predictions=one_of(PREDICTIONS),
    paper=one_of(PAPERS),
    artifact=one_of(PAPER_OF),


def code(script, *specs):
    """Return the digest of a script and of the modules that it reaches or loads by name."""
    return code_digest(REPOSITORY / "scripts" / script, specs)


def more(amount):
    """Return a resource of which each further attempt of a job gets as much again."""
    return lambda wildcards, attempt: attempt * amount


def prepared(experiment):
    """Return the prepared data set of an experiment."""
    return f"{RESOURCES}/prepared/{jobs.dataset_id(EXPERIMENTS[experiment])}.npz"


def raw_paths(dataset):
    """Return the raw files of a data set, and the marker of made-up ones."""
    if isinstance(dataset, OwnData):
        if reason := why_not(dataset):
            raise WorkflowError(reason)
        return [dataset.path]
    folder = f"{RESOURCES}/raw/{dataset}"
    if CONFIG.data == "real":
        return [f"{folder}/{raw.file}" for raw in files_at_hand(dataset, CONFIG.data_mirror, folder, CONFIG.download)]
    return [*(f"{folder}/{raw.file}" for raw in required_files(dataset)), f"{folder}/STAND-IN.txt"]


def study_data(study):
    """Return the prepared data set of a study, nothing for one that takes none."""
    return [f"{RESOURCES}/prepared/{jobs.dataset_id(STUDIES[study])}.npz"] if study in WITH_DATA else []


def cluster_files(experiment):
    """Return the clusters of an experiment whose groups are clusters, nothing for another."""
    settings = EXPERIMENTS[experiment]
    return [f"{RUN}/clusters/{jobs.cluster_id(settings)}.npz"] if settings.membership.kind == "cluster" else []


def split_files(experiment):
    """Return the split files of an experiment, one for each block."""
    return [f"{RUN}/splits/{experiment}/block-{block}.npz" for block in jobs.blocks(EXPERIMENTS[experiment])]


def signal_files(experiment, block, attack=None):
    """Return the signal files of the target models of a block, one for each group of epsilons that is attacked."""
    settings = EXPERIMENTS[experiment]
    groups = settings.epsilons if attack is None else jobs.attacked_groups(settings, attack)
    return [f"{RUN}/signals/{experiment}/{spell_group(epsilons)}/block-{block}.npz" for epsilons in groups]


def shadow_files(experiment, attack, block):
    """Return the signal files of the shadow models of a block, nothing for an attack without them."""
    kind = names.ATTACKS[EXPERIMENTS[experiment].attacks[attack].kind]
    return [f"{RUN}/shadows/{experiment}/block-{block}.npz"] if "shadows" in kind.uses else []


def reference_files(experiment, attack):
    """Return the files of the reference models that an attack uses, nothing for an attack without them."""
    settings = EXPERIMENTS[experiment]
    if "references" not in names.ATTACKS[settings.attacks[attack].kind].uses:
        return []
    return [
        f"{RUN}/references/{experiment}/{spell_group(epsilons)}/block-{block}.npz"
        for epsilons in jobs.reference_groups(settings, attack)
        for block in jobs.reference_blocks(settings)
    ]


def all_reference_files(experiment):
    """Return the files of all reference models of an experiment, each once."""
    return sorted({file for attack in EXPERIMENTS[experiment].attacks for file in reference_files(experiment, attack)})


def distilled_files(experiment, attack, block):
    """Return the files of the models distilled from the targets of a block, nothing for an attack without them."""
    settings = EXPERIMENTS[experiment]
    if "distilled" not in names.ATTACKS[settings.attacks[attack].kind].uses:
        return []
    return [
        f"{RUN}/distilled/{experiment}/{spell_group(epsilons)}/targets-{block}/block-{number}.npz"
        for epsilons in jobs.attacked_groups(settings, attack)
        for number in jobs.reference_blocks(settings)
    ]


def points_inputs(experiment):
    """Return the files that attacks are looked at record by record from, by what they hold."""
    settings = EXPERIMENTS[experiment]
    attacks = [name for name in jobs.points_job(settings)["attacks"] if name in settings.attacks]
    found = {
        "targets": [path for block in jobs.blocks(settings) for path in signal_files(experiment, block)],
        "references": [path for attack in attacks for path in reference_files(experiment, attack)],
        "distilled": [
            path
            for attack in attacks
            for block in jobs.blocks(settings)
            for path in distilled_files(experiment, attack, block)
        ],
        "left_out": [
            f"{RUN}/left_out/{experiment}/{arm}/target-{replicate}/block-{block}.npz"
            for arm, replicate, block in jobs.left_out_blocks(settings)
        ],
    }
    return {name: list(dict.fromkeys(paths)) for name, paths in found.items()}


def attack_data(experiment, attack):
    """Return the prepared data set for an attack that sees the records' features, nothing for another."""
    kind = names.ATTACKS[EXPERIMENTS[experiment].attacks[attack].kind]
    return [prepared(experiment)] if "features" in kind.uses else []


def metric_files(experiment):
    """Return the tidy tables of an experiment, of all its blocks: attacks, accuracy and the blind baseline."""
    settings = EXPERIMENTS[experiment]
    tables = [*(f"metrics/{experiment}/{attack}" for attack in settings.attacks), f"accuracy/{experiment}"]
    return [
        f"{RUN}/{table}/block-{block}.csv"
        for block in jobs.blocks(settings)
        for table in [*tables, *([f"blind/{experiment}"] if jobs.blind_job(settings, block) else [])]
    ]


def epsilon_group(groups, spelled):
    """Return the epsilons of a group by its name."""
    return next(group for group in groups if spell_group(group) == spelled)


def compares_seeds(experiment):
    """Return whether an experiment has as many replicates as lists of exposed records are compared over."""
    return EXPERIMENTS[experiment].replicates >= 3


def runs(name):
    """Return whether the data of an experiment or study can be had; one without data always runs."""
    return name not in NOT_RUN


def looked_at(experiment):
    """Return whether the attacks of an experiment are looked at record by record, and its data can be had."""
    return EXPERIMENTS[experiment].points is not None and runs(experiment)


def artifact_tables(artifact):
    """Return the tables that an artifact is made of: those that can be had, or all where none can."""
    return [table for table in artifact.tables if runs(table.split("/")[1])] or list(artifact.tables)


def made_by_all(artifact):
    """Return whether an artifact belongs to `all`: some of its tables can be had, or it needs none."""
    return not artifact.tables or any(runs(table.split("/")[1]) for table in artifact.tables)


def artifact_files(artifact):
    """Return the files that an artifact consists of, by their ending."""
    folder, endings = {
        "figure": ("figures", ("pdf", "png", "csv")),
        "table": ("tables", ("csv", "md")),
    }[artifact.kind]
    return {ending: f"{RUN}/{folder}/{PAPER_OF[artifact.name]}/{artifact.name}.{ending}" for ending in endings}


def run_facts(artifact):
    """Return what the pictures of an artifact say about the run."""
    with_data = any(table.split("/")[1] in WITH_DATA for table in artifact.tables)
    return {
        "stand_in": CONFIG.data == "embedded" and with_data,
        "without_data": not with_data,
        "scale": CONFIG.scale,
        "experiments": {
            name: facts.run_facts(EXPERIMENTS[name])
            for stage, name in (table.split("/") for table in artifact_tables(artifact))
            if stage in ("summary", "replicates", "points", "nulls")
        },
        "not_run": {
            name: NOT_RUN[name] for name in (table.split("/")[1] for table in artifact.tables) if not runs(name)
        },
    }


def audit_part(name):
    """Return what the report of an audit takes of an experiment, or of a model known by its answers only."""
    if name in PREDICTIONS:
        settings = PREDICTIONS[name]
        references = [f"{RUN}/references/{name}/given/block-0.npz"]
        return {
            "facts": {"model": name.replace("_", " "), "epochs": 0, "delta": None, "independent": False},
            "groups": {},
            "attacks": {attack: job | {"files": references} for attack, job in jobs.given_attacks(settings).items()},
            "summary": f"{RUN}/summary/{name}.csv",
            "signals": [f"{RUN}/signals/{name}/given/block-0.npz"],
            "dataset": None,
            "splits": None,
        }
    settings = EXPERIMENTS[name]
    return {
        "facts": facts.audit_facts(settings),
        "groups": jobs.groups(settings),
        "attacks": {
            attack: jobs.attack_job(settings, attack) | {"files": reference_files(name, attack)}
            for attack in jobs.audited_attacks(settings)
        },
        "summary": f"{RUN}/summary/{name}.csv",
        "signals": [file for block in jobs.blocks(settings) for file in signal_files(name, block)],
        "dataset": prepared(name),
        "splits": split_files(name)[0],
    }


def audit_files(part):
    """Return the files that an `audit_part` names."""
    references = dict.fromkeys(file for job in part["attacks"].values() for file in job["files"])
    return [
        *(part[name] for name in ("summary", "dataset", "splits") if part[name]),
        *part["signals"],
        *references,
    ]


def audit_report(ending):
    """Return a file of the report of an audit, asked for by the target itself.

    Of the rules below a target Snakemake takes errors for "this file cannot be made", and an older report for good.

    Raises:
        WorkflowError: there is nothing to audit, or a file of one's own is not for a run of this kind.
    """
    if not PLAN.audit:
        found = f"no experiment or predictions in a file with the line 'paper: audit' ({', '.join(CONFIG.experiments)})"
        raise WorkflowError(str(UserError("config, key 'experiments'", found, "something to audit")))
    for name in PLAN.audit:
        if name in NOT_RUN and isinstance(EXPERIMENTS[name].dataset, OwnData):
            raise WorkflowError(NOT_RUN[name])
    return f"{RUN}/audit.{ending}"


def reported(artifact):
    """Return the files of an artifact, one of them marked for the report that Snakemake itself makes."""
    files, paper = artifact_files(artifact), ABOUT[PAPER_OF[artifact.name]].short
    shown = {"figure": "png", "table": "csv"}[artifact.kind]
    labels = {"figure or table": words.title_of(artifact.name), "name": artifact.name}
    marked = report(files[shown], caption="report/artifact.rst", category=paper, labels=labels)
    return files | {shown: marked}


def tables_of_all():
    """Return all tables that figures and claims are made of, of what can be had."""
    of_artifacts = {
        table for artifact in ARTIFACTS.values() if made_by_all(artifact) for table in artifact_tables(artifact)
    }
    summaries = {f"summary/{experiment}" for experiment in EXPERIMENTS if runs(experiment)}
    of_studies = {f"studies/{study}" for study in STUDIES if runs(study)}
    return [f"{RUN}/{table}.csv" for table in sorted(of_artifacts | summaries | of_studies)]


def artifacts_of_all():
    """Return the files of all figures and tables that can be had."""
    return [
        file for artifact in ARTIFACTS.values() if made_by_all(artifact) for file in artifact_files(artifact).values()
    ]


def judged():
    """Return what those who judge claims are told about the run."""
    return {
        "stand_in": CONFIG.data == "embedded",
        "scale": CONFIG.scale,
        "not_run": NOT_RUN,
        "trained": {name: facts.trained(each) for name, each in EXPERIMENTS.items()},
    }


def published_data():
    """Return the prepared data sets of this run, those of a file of one's own left out: path -> data set."""
    return {
        f"{RESOURCES}/prepared/{jobs.dataset_id(each)}.npz": each.dataset
        for name, each in WITH_DATA.items()
        if runs(name) and not isinstance(each.dataset, OwnData)
    }


def model_files(experiment):
    """Return the files of all models of an experiment: targets, and the attacker's own."""
    settings = EXPERIMENTS[experiment]
    files = [file for block in jobs.blocks(settings) for file in signal_files(experiment, block)]
    for attack in settings.attacks:
        files += reference_files(experiment, attack)
        for block in jobs.blocks(settings):
            files += [*shadow_files(experiment, attack, block), *distilled_files(experiment, attack, block)]
    return list(dict.fromkeys(files))


def progress_files():
    """Return by paper, and then by stage, the files that are made for it; experiments of no paper stand apart."""
    found = {}
    claimed = set()
    for paper in PAPERS:
        shown = [
            artifact for artifact in ARTIFACTS.values() if PAPER_OF[artifact.name] == paper and made_by_all(artifact)
        ]
        needed = dict.fromkeys(table.split("/")[1] for artifact in shown for table in artifact_tables(artifact))
        claimed |= set(needed)
        found[paper] = stage_files(needed) | {
            "figures and tables": [next(iter(artifact_files(artifact).values())) for artifact in shown]
        }
    others = [name for name in [*EXPERIMENTS, *STUDIES] if name not in claimed and runs(name)]
    return found | ({"others": stage_files(others)} if others else {})


def stage_files(names_of):
    """Return the files of experiments and studies, by stage."""
    experiments = [name for name in names_of if name in EXPERIMENTS]
    return {
        "data": list(dict.fromkeys(prepared(name) for name in experiments)),
        "training": [file for name in experiments for file in model_files(name)],
        "attacks": [file for name in experiments for file in metric_files(name)],
        "studies": [f"{RUN}/studies/{name}.csv" for name in names_of if name in STUDIES],
    }
