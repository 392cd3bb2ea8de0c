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
        mem_mb=more(3000),
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


for artifact in (*CHECKS, validation.KEPT_EPSILON):

    rule:
        name:
            f"make_{artifact.name}"
        input:
            [f"{RUN}/{table}.csv" for table in artifact.tables],
        output:
            **SCOPE.files(artifact),
        log:
            f"logs/{RUN}/make_artifact/{artifact.name}.log",
        conda:
            "../envs/dpmia.yaml"
        threads: 1
        resources:
            mem_mb=more(1000),
            runtime=more(20),
        params:
            caption=artifact.caption,
            tabulate=artifact.tabulate,
            draw=artifact.draw,
            tables=artifact.tables,
            facts={
                "synthetic": CONFIG.data == "synthetic",
                "scale": CONFIG.scale,
                "experiments": {name: {} for names in SCOPE.checked.values() for name in names},
                "not_run": {name: SCOPE.not_run[name] for name in SCOPE.private if not SCOPE.runs(name)},
                "without_data": artifact is validation.KEPT_EPSILON,
            },
            code=code("make_artifact.py", artifact.tabulate),
        message:
            f"Making {artifact.name}"
        script:
            "../scripts/make_artifact.py"

    rule:
        name:
            artifact.name
        input:
            SCOPE.files(artifact).values(),
        localrule: True
        message:
            f"{artifact.name} is made"

    describe(artifact.name, f"{words.title_of(artifact.name)}: a second opinion on the run.")
