# Where the time went, what was edited since, what can be asked for. No inputs and no outputs: they always run.
from inspect import signature
from types import SimpleNamespace

from dpmia.workflow.changes import changed_settings


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


rule costs:
    """Print the CPU time of each rule."""
    log:
        f"logs/{RUN}/tell_costs.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        folder=f"logs/{RUN}",
    message:
        "Reporting CPU time per rule"
    script:
        "../scripts/tell_costs.py"


rule explain:
    """Print the code and settings that changed since results were made, with the rules that they rerun."""
    log:
        f"logs/{RUN}/explain.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        metadata=".snakemake/metadata",
        code=CODE,
        changed=lambda wildcards: changed_settings(Path(".snakemake/metadata"), params_now),
    message:
        "Comparing code and settings with those that made what is here"
    script:
        "../scripts/explain.py"


rule help:
    """Print this list."""
    log:
        f"logs/{RUN}/help.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        targets=lambda wildcards: {
            known.name: known.docstring
            for known in sorted(workflow.rules, key=lambda known: known.name in PAPER_OF)
            if known.docstring
        },
    message:
        "Listing the targets"
    script:
        "../scripts/list_targets.py"
