# What needs no model.


rule plan:
    """Plan noise and sampling rate for a bound on precision."""
    output:
        csv=update("results/plan/plan.csv"),
        pdf=update("results/plan/plan.pdf"),
        png=update("results/plan/plan.png"),
    log:
        "logs/plan.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(1000),
        runtime=more(20),
    params:
        plan=CONFIG.plan.request().plain(),
        code=code("plan.py"),
    message:
        "Planning a training run that keeps the precision of attacks below {params.plan[bound]}"
    script:
        "../scripts/plan.py"
