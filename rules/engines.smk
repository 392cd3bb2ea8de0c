# A second opinion: some private models of each experiment, trained again by Opacus (one job for each file of
# experiments, as Opacus takes seconds to import); and attacks on the guarantees of the engines.


rule check_engines:
    input:
        lambda wildcards: [
            file
            for check in SCOPE.engine_checks(wildcards.file).values()
            for file in (check.dataset, check.splits, *check.signals)
        ],
    output:
        f"{RUN}/engines/{{file}}.csv",
    log:
        f"logs/{RUN}/check_engines/{{file}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("check_engines"),
        runtime=more(60),
    params:
        checks=lambda wildcards: {name: check.plain() for name, check in SCOPE.engine_checks(wildcards.file).items()},
        code=lambda wildcards: code(
            "check_engines.py",
            *sorted(
                {spec for name in SCOPE.checked[wildcards.file] for spec in jobs.training_code(EXPERIMENTS[name])}
            ),
        ),
    message:
        "Training some models of {wildcards.file} again, by Opacus"
    script:
        "../scripts/check_engines.py"


rule try_engines:
    output:
        f"{RUN}/guarantees/engines.csv",
    log:
        f"logs/{RUN}/try_engines.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(20),
    params:
        engines={engine: names.ENGINES[engine].private for engine in validation.TRIED},
        seed=CONFIG.seed,
        code=code("try_engines.py", *(names.ENGINES[engine].private for engine in validation.TRIED)),
    message:
        "Trying by attack whether the engines keep their epsilon"
    script:
        "../scripts/try_engines.py"
