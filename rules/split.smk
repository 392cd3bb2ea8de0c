# Which records train a model and which stay outside.


rule find_clusters:
    input:
        dataset=lambda wildcards: f"{RESOURCES}/prepared/{jobs.dataset_id(SCOPE.clustered[wildcards.clusters])}.npz",
    output:
        f"{RUN}/clusters/{{clusters}}.npz",
    log:
        f"logs/{RUN}/find_clusters/{{clusters}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(30),
    params:
        job=lambda wildcards: jobs.cluster_job(SCOPE.clustered[wildcards.clusters]).plain(),
        code=code("find_clusters.py"),
    message:
        "Clustering {wildcards.clusters}"
    script:
        "../scripts/find_clusters.py"


rule draw_splits:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        clusters=lambda wildcards: LAYOUT.clusters(wildcards.experiment),
    output:
        "{home}/splits/{experiment}/block-{block}.npz",
    log:
        "logs/{home}/draw_splits/{experiment}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("draw_splits"),
        runtime=more(20),
    params:
        job=lambda wildcards: jobs.split_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "draw_splits.py", names.MEMBERSHIP[EXPERIMENTS[wildcards.experiment].membership.kind]
        ),
    message:
        "Drawing the splits of {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/draw_splits.py"


rule measure_sizes:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        splits=lambda wildcards: LAYOUT.splits(wildcards.experiment)[0],
    output:
        "{home}/sizes/{experiment}.csv",
    log:
        "logs/{home}/measure_sizes/{experiment}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("measure_sizes"),
        runtime=more(10),
    params:
        code=code("measure_sizes.py"),
    message:
        "Counting the records of {wildcards.experiment}"
    script:
        "../scripts/measure_sizes.py"
