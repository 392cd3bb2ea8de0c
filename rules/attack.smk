# Attacks on signals, accuracy of the models, what needs no model, and their means over replicates.


rule run_attack:
    input:
        targets=lambda wildcards: LAYOUT.signals(wildcards.experiment, int(wildcards.block), wildcards.attack),
        shadows=lambda wildcards: LAYOUT.shadows(wildcards.experiment, wildcards.attack, int(wildcards.block)),
        references=lambda wildcards: LAYOUT.references(wildcards.experiment, wildcards.attack),
        distilled=lambda wildcards: LAYOUT.distilled(wildcards.experiment, wildcards.attack, int(wildcards.block)),
        dataset=lambda wildcards: LAYOUT.attack_data(wildcards.experiment, wildcards.attack),
    output:
        "{home}/metrics/{experiment}/{attack}/block-{block}.csv",
    log:
        "logs/{home}/run_attack/{experiment}/{attack}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("run_attack"),
        runtime=minutes_for("run_attack"),
    params:
        job=lambda wildcards: jobs.attack_job(EXPERIMENTS[wildcards.experiment], wildcards.attack).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "run_attack.py", jobs.attack_job(EXPERIMENTS[wildcards.experiment], wildcards.attack).attack
        ),
    message:
        "Attacking {wildcards.experiment}, block {wildcards.block}: {wildcards.attack}"
    script:
        "../scripts/run_attack.py"


rule measure_accuracy:
    input:
        lambda wildcards: LAYOUT.signals(wildcards.experiment, int(wildcards.block)),
    output:
        "{home}/accuracy/{experiment}/block-{block}.csv",
    log:
        "logs/{home}/measure_accuracy/{experiment}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("measure_accuracy"),
        runtime=minutes_for("measure_accuracy"),
    params:
        details=lambda wildcards: EXPERIMENTS[wildcards.experiment].details,
        code=code("measure_accuracy.py"),
    message:
        "Measuring the accuracy of the models of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/measure_accuracy.py"


rule measure_blind:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        targets=lambda wildcards: LAYOUT.signals(wildcards.experiment, int(wildcards.block)),
    output:
        "{home}/blind/{experiment}/block-{block}.csv",
    log:
        "logs/{home}/measure_blind/{experiment}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("measure_blind"),
        runtime=minutes_for("measure_blind"),
    params:
        job=lambda wildcards: jobs.blind_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)).plain(),
        seed=CONFIG.seed,
        code=code("measure_blind.py"),
    message:
        "Measuring the blind baseline of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/measure_blind.py"


rule measure_per_record:
    input:
        unpack(lambda wildcards: LAYOUT.per_record_inputs(wildcards.experiment)),
    output:
        per_record="{home}/per_record/{experiment}.csv",
        nulls="{home}/nulls/{experiment}.csv",
    log:
        "logs/{home}/measure_per_record/{experiment}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("measure_per_record"),
        runtime=minutes_for("measure_per_record"),
    params:
        job=lambda wildcards: jobs.per_record_job(EXPERIMENTS[wildcards.experiment]).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "measure_per_record.py",
            *(spec.attack for spec in jobs.per_record_job(EXPERIMENTS[wildcards.experiment]).attacks.values()),
        ),
    message:
        "Attacking single records of {wildcards.experiment}"
    script:
        "../scripts/measure_per_record.py"


rule measure_exposure:
    input:
        targets=lambda wildcards: LAYOUT.all_signals(wildcards.experiment),
        references=lambda wildcards: LAYOUT.all_references(wildcards.experiment),
    output:
        "{home}/exposure/{experiment}.csv",
    log:
        "logs/{home}/measure_exposure/{experiment}.log",
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
        metrics=lambda wildcards: LAYOUT.metrics(wildcards.experiment),
        splits=lambda wildcards: LAYOUT.splits(wildcards.experiment),
    output:
        replicates="{home}/replicates/{experiment}.csv",
        summary="{home}/summary/{experiment}.csv",
    log:
        "logs/{home}/summarise_experiment/{experiment}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_of_tables(1000),
        runtime=more(20),
    params:
        code=code("summarise_experiment.py"),
    message:
        "Averaging {wildcards.experiment} over its replicates"
    script:
        "../scripts/summarise_experiment.py"
