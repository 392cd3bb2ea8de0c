# Where the time went. No inputs and no outputs: it takes the logs that are there, and always runs.


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
