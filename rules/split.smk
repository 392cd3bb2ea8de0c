# Which records train a model and which stay outside.


rule find_clusters:
    input:
        dataset=lambda wildcards: f"{RESOURCES}/prepared/{jobs.dataset_id(CLUSTERED[wildcards.clusters])}.npz",
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
        job=lambda wildcards: jobs.cluster_job(CLUSTERED[wildcards.clusters]),
        code=code("find_clusters.py"),
    message:
        "Clustering {wildcards.clusters}"
    script:
        "../scripts/find_clusters.py"


rule draw_splits:
    input:
        dataset=lambda wildcards: prepared(wildcards.experiment),
        clusters=lambda wildcards: cluster_files(wildcards.experiment),
    output:
        f"{RUN}/splits/{{experiment}}/block-{{block}}.npz",
    log:
        f"logs/{RUN}/draw_splits/{{experiment}}/block-{{block}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(20),
    params:
        job=lambda wildcards: jobs.split_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)),
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
        dataset=lambda wildcards: prepared(wildcards.experiment),
        splits=lambda wildcards: split_files(wildcards.experiment)[0],
    output:
        f"{RUN}/sizes/{{experiment}}.csv",
    log:
        f"logs/{RUN}/measure_sizes/{{experiment}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(1000),
        runtime=more(10),
    params:
        code=code("measure_sizes.py"),
    message:
        "Counting the records of {wildcards.experiment}"
    script:
        "../scripts/measure_sizes.py"
