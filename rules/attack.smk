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
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=120,
    params:
        attack=lambda wildcards: names.ATTACKS[wildcards.attack],
        seed=CONFIG.seed,
        code=lambda wildcards: code("run_attack.py", names.ATTACKS[wildcards.attack]),
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
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        code=code("measure_accuracy.py"),
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
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        code=code("summarise_experiment.py"),
    message:
        "Averaging {wildcards.experiment} over its replicates"
    script:
        "../scripts/summarise_experiment.py"
