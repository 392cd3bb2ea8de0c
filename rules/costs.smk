# Where the time went, and what was edited since. No inputs and no outputs: they take what is there, and always run.


rule costs:
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
        "Telling where the time went"
    script:
        "../scripts/tell_costs.py"


rule explain:
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
    message:
        "Telling which edits of code run what again"
    script:
        "../scripts/explain.py"
