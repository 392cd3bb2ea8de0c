# Studies: models, attacks and measurements in one job each.


rule run_study:
    input:
        lambda wildcards: SCOPE.study_data(wildcards.study),
    output:
        "{home}/studies/{study}.csv",
    log:
        "logs/{home}/run_study/{study}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(240),
    params:
        study=lambda wildcards: names.STUDIES[STUDIES[wildcards.study].kind],
        options=lambda wildcards: studies.options(STUDIES[wildcards.study]),
        seed=CONFIG.seed,
        code=lambda wildcards: code("run_study.py", names.STUDIES[STUDIES[wildcards.study].kind]),
    message:
        "Running the study {wildcards.study}"
    script:
        "../scripts/run_study.py"
