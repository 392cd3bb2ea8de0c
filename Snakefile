import atexit
import gc
import os
import sys
from pathlib import Path

from snakemake.utils import min_version, validate

min_version("9.0")
# Whether this is the workflow that was started, and none uses it as a module: `is_module` is also true of the former.
STARTED_ITSELF = workflow.modifier.parent_modifier is None
# What is imported stays: garbage is looked for in what comes after it, and less often. Planning leaves hardly any, and
# looking for it would take a tenth of its time: `onstart`, which no module runs, begins with that.
gc.freeze()
gc.set_threshold(50_000, 20, 20)
if STARTED_ITSELF:
    gc.disable()


# Settings of the working folder; elsewhere, and where another workflow uses this one as a module, those beside this file.
SETTINGS = f"{workflow.current_basedir}/config.yaml"
if os.path.exists("config.yaml") and STARTED_ITSELF:
    SETTINGS = "config.yaml"
    sys.path.insert(0, str(workflow.current_basedir))

    from dpmia.common.errors import UserError
    from dpmia.planning.yaml_file import read_keys
    from dpmia.workflow.failures import refuse

    # A message of Snakemake's own would have lines of the rules.
    try:
        read_keys(Path(SETTINGS), SETTINGS, "scale: smoke")
    except UserError as error:
        refuse(error)


configfile: SETTINGS


report: "rules/report/workflow.rst"


include: "rules/common.smk"
include: "rules/audit_inputs.smk"
include: "rules/sharing.smk"
include: "rules/start.smk"
include: "rules/forecast.smk"
include: "rules/looks.smk"


onsuccess:
    note_own_time()
    if CONSOLE:
        CONSOLE.end()
    print(ending(Path(RUN), STARTED, CONFIG.data, CONFIG.scale), end="")
    if any(job.rule.name == "decide" for job in workflow.dag.jobs) and read_looks(RUN, CONFIG.seed) != ALL_LOOKS:
        start_again()


rule all:
    """Make every figure, table, claim and the report: of all papers, and of experiments of your own."""
    input:
        [file for paper in PAPERS for file in SCOPE.files_of(paper)],
        SCOPE.tables_of_all(),
        [file for experiment in EXPERIMENTS if SCOPE.runs(experiment) for file in LAYOUT.of_records(experiment)],
        [file for artifact in CHECKS for file in SCOPE.files(artifact).values()],
        f"{RUN}/report.html",
    localrule: True
    message:
        "Everything is made"


for paper in PAPERS:

    rule:
        name:
            paper
        input:
            files_of_paper(paper),
        localrule: True
        message:
            f"The figures and tables of {BIBLIOGRAPHY[paper].short} are made"

    describe(paper, f"Make the figures and tables of {BIBLIOGRAPHY[paper].short}.")


include: "rules/fetch.smk"
include: "rules/prepare.smk"
include: "rules/split.smk"
include: "rules/train.smk"
include: "rules/attack.smk"
include: "rules/study.smk"
include: "rules/theory.smk"
include: "rules/figures.smk"
include: "rules/engines.smk"
include: "rules/claims.smk"
include: "rules/audit.smk"
include: "rules/reported.smk"
include: "rules/report.smk"
include: "rules/costs.smk"


remember_pure_functions()
refuse_forced_cache()
if STARTED_ITSELF and workflow.is_main_process:
    check_command()
# Modules that jobs reach by name are read after the rules, when jobs are planned.
atexit.register(keep, Path(SYNTAX).resolve())
