# What the papers claim, judged. No inputs and no outputs: it takes the tables that are there, and always runs.


rule claims:
    log:
        f"logs/{RUN}/judge_claims.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        folder=RUN,
        stand_in=CONFIG.data == "embedded",
        scale=CONFIG.scale,
        not_run=NOT_RUN,
    message:
        "Judging the claims of the papers"
    script:
        "../scripts/judge_claims.py"
