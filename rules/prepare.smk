# From raw files to features, labels and attributes.


rule prepare_dataset:
    input:
        lambda wildcards: raw_paths(SCOPE.prepared[wildcards.prepared].dataset),
    output:
        f"{RESOURCES}/prepared/{{prepared}}.npz",
    log:
        f"logs/prepare_dataset/{CONFIG.data}-{CONFIG.scale}/{{prepared}}.log",
    # Others can read what a cache holds: no data of one's own go there.
    cache: not any(isinstance(entry.dataset, OwnData) for entry in SCOPE.prepared.values())
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("prepare_dataset"),
        runtime=more(20),
    params:
        job=lambda wildcards: jobs.prepare_job(SCOPE.prepared[wildcards.prepared]).plain(),
        content=lambda wildcards: own_contents(SCOPE.prepared[wildcards.prepared].dataset),
        code=lambda wildcards: code("prepare_dataset.py", jobs.prepare_job(SCOPE.prepared[wildcards.prepared]).module),
    message:
        "Preparing {wildcards.prepared}"
    script:
        "../scripts/prepare_dataset.py"
