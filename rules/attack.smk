# Attacks on signals, accuracy of the models, what needs no model, and their means over replicates.


rule run_attack:
    input:
        targets=lambda wildcards: signal_files(wildcards.experiment, int(wildcards.block), wildcards.attack),
        shadows=lambda wildcards: shadow_files(wildcards.experiment, wildcards.attack, int(wildcards.block)),
        references=lambda wildcards: reference_files(wildcards.experiment, wildcards.attack),
        distilled=lambda wildcards: distilled_files(wildcards.experiment, wildcards.attack, int(wildcards.block)),
        dataset=lambda wildcards: attack_data(wildcards.experiment, wildcards.attack),
    output:
        f"{RUN}/metrics/{{experiment}}/{{attack}}/block-{{block}}.csv",
    log:
        f"logs/{RUN}/run_attack/{{experiment}}/{{attack}}/block-{{block}}.log",
    benchmark:
        f"{RUN}/benchmarks/run_attack/{{experiment}}/{{attack}}/block-{{block}}.tsv"
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(120),
    params:
        job=lambda wildcards: jobs.attack_job(EXPERIMENTS[wildcards.experiment], wildcards.attack),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "run_attack.py", jobs.attack_job(EXPERIMENTS[wildcards.experiment], wildcards.attack)["attack"]
        ),
    message:
        "Attacking {wildcards.experiment}, block {wildcards.block}: {wildcards.attack}"
    script:
        "../scripts/run_attack.py"


rule measure_accuracy:
    input:
        lambda wildcards: signal_files(wildcards.experiment, int(wildcards.block)),
    output:
        f"{RUN}/accuracy/{{experiment}}/block-{{block}}.csv",
    log:
        f"logs/{RUN}/measure_accuracy/{{experiment}}/block-{{block}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        details=lambda wildcards: EXPERIMENTS[wildcards.experiment].details,
        code=code("measure_accuracy.py"),
    message:
        "Measuring the accuracy of the models of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/measure_accuracy.py"


rule measure_blind:
    input:
        dataset=lambda wildcards: prepared(wildcards.experiment),
        splits=f"{RUN}/splits/{{experiment}}/block-{{block}}.npz",
        targets=lambda wildcards: signal_files(wildcards.experiment, int(wildcards.block)),
    output:
        f"{RUN}/blind/{{experiment}}/block-{{block}}.csv",
    log:
        f"logs/{RUN}/measure_blind/{{experiment}}/block-{{block}}.log",
    benchmark:
        f"{RUN}/benchmarks/measure_blind/{{experiment}}/block-{{block}}.tsv"
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(240),
    params:
        job=lambda wildcards: jobs.blind_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)),
        seed=CONFIG.seed,
        code=code("measure_blind.py"),
    message:
        "Measuring the blind baseline of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/measure_blind.py"


rule measure_points:
    input:
        unpack(lambda wildcards: points_inputs(wildcards.experiment)),
    output:
        points=f"{RUN}/points/{{experiment}}.csv",
        nulls=f"{RUN}/nulls/{{experiment}}.csv",
    log:
        f"logs/{RUN}/measure_points/{{experiment}}.log",
    benchmark:
        f"{RUN}/benchmarks/measure_points/{{experiment}}.tsv"
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(120),
    params:
        job=lambda wildcards: jobs.points_job(EXPERIMENTS[wildcards.experiment]),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "measure_points.py",
            *(each["attack"] for each in jobs.points_job(EXPERIMENTS[wildcards.experiment])["attacks"].values()),
        ),
    message:
        "Looking at the attacks on {wildcards.experiment} record by record"
    script:
        "../scripts/measure_points.py"


rule measure_exposure:
    input:
        targets=lambda wildcards: [
            file
            for block in jobs.blocks(EXPERIMENTS[wildcards.experiment])
            for file in signal_files(wildcards.experiment, block)
        ],
        references=lambda wildcards: all_reference_files(wildcards.experiment),
    output:
        f"{RUN}/exposure/{{experiment}}.csv",
    log:
        f"logs/{RUN}/measure_exposure/{{experiment}}.log",
    benchmark:
        f"{RUN}/benchmarks/measure_exposure/{{experiment}}.tsv"
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        seed=CONFIG.seed,
        code=code("measure_exposure.py"),
    message:
        "Comparing the most exposed records of {wildcards.experiment} over seeds"
    script:
        "../scripts/measure_exposure.py"


rule summarise_experiment:
    input:
        lambda wildcards: metric_files(wildcards.experiment),
    output:
        replicates=f"{RUN}/replicates/{{experiment}}.csv",
        summary=f"{RUN}/summary/{{experiment}}.csv",
    log:
        f"logs/{RUN}/summarise_experiment/{{experiment}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(1000),
        runtime=more(20),
    params:
        code=code("summarise_experiment.py"),
    message:
        "Averaging {wildcards.experiment} over its replicates"
    script:
        "../scripts/summarise_experiment.py"
