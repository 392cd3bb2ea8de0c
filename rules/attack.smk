# Attacks on signals, accuracy of the models, and their means over replicates.


rule run_attack:
    input:
        lambda wildcards: signal_files(wildcards.experiment),
    output:
        f"{RUN}/metrics/{{experiment}}/{{attack}}.csv",
    log:
        f"logs/{RUN}/run_attack/{{experiment}}/{{attack}}.log",
    benchmark:
        f"{RUN}/benchmarks/run_attack/{{experiment}}/{{attack}}.tsv"
    params:
        attack=lambda wildcards: names.ATTACKS[wildcards.attack],
        seed=CONFIG.seed,
        code=lambda wildcards: code("run_attack.py", names.ATTACKS[wildcards.attack]),
    threads: 1
    resources:
        mem_mb=3000,
        runtime=120,
    conda:
        "../envs/dpmia.yaml"
    message:
        "Attacking {wildcards.experiment}: {wildcards.attack}"
    script:
        "../scripts/run_attack.py"


rule measure_accuracy:
    input:
        lambda wildcards: signal_files(wildcards.experiment),
    output:
        f"{RUN}/metrics/{{experiment}}/accuracy.csv",
    log:
        f"logs/{RUN}/measure_accuracy/{{experiment}}.log",
    params:
        code=code("measure_accuracy.py"),
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    conda:
        "../envs/dpmia.yaml"
    message:
        "Measuring the accuracy of the models of {wildcards.experiment}"
    script:
        "../scripts/measure_accuracy.py"


rule summarise_experiment:
    input:
        lambda wildcards: [
            f"{RUN}/metrics/{wildcards.experiment}/{name}.csv"
            for name in [*EXPERIMENTS[wildcards.experiment].attacks, "accuracy"]
        ],
    output:
        f"{RUN}/summary/{{experiment}}.csv",
    log:
        f"logs/{RUN}/summarise_experiment/{{experiment}}.log",
    params:
        code=code("summarise_experiment.py"),
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    conda:
        "../envs/dpmia.yaml"
    message:
        "Averaging {wildcards.experiment} over its replicates"
    script:
        "../scripts/summarise_experiment.py"
