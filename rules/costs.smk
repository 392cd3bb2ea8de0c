# CPU time and its forecast, edits since the last run, and the list of targets. No inputs and no outputs: they always run.


rule costs:
    """Print the CPU time of each rule."""
    log:
        f"logs/{RUN}/print_costs.log",
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
        "../scripts/print_costs.py"


rule forecast:
    """Print what is missing of each target, and the time, memory and disk it will take on this machine."""
    input:
        lambda wildcards: alone("forecast"),
    log:
        f"logs/{RUN}/print_forecast.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        folder=RUN,
        table=lambda wildcards: forecast_table(),
        measured=lambda wildcards: bool(EXPECTATIONS.rates.steps),
    message:
        "Measuring this machine and forecasting"
    script:
        "../scripts/print_forecast.py"


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
        changed=lambda wildcards: changed_since(),
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
            rule_.name: rule_.docstring
            for rule_ in sorted(workflow.rules, key=lambda rule_: rule_.name in PAPER_OF)
            if rule_.docstring
        },
    message:
        "Listing the targets"
    script:
        "../scripts/list_targets.py"


rule list_parts:
    """List attacks, data sets, membership experiments and models, and where they come from."""
    log:
        f"logs/{RUN}/list_parts.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        parts={kind: parts.origins() for kind, parts in names.PARTS.items()},
    message:
        "Listing attacks, data sets, membership experiments and models"
    script:
        "../scripts/list_parts.py"
