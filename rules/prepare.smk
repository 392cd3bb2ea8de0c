# From raw files to features, labels and attributes.


def experiment_with(prepared_id):
    """Return an experiment that uses a prepared data set."""
    return next(experiment for experiment in EXPERIMENTS.values() if jobs.dataset_id(experiment) == prepared_id)


def raw_inputs(wildcards):
    """Return the raw files of a prepared data set, and the marker of made-up ones."""
    dataset = experiment_with(wildcards.prepared).dataset
    marker = [] if CONFIG.data == "real" else [f"{RESOURCES}/raw/{dataset}/STAND-IN.txt"]
    return raw_paths(dataset) + marker


rule prepare_dataset:
    input:
        raw_inputs,
    output:
        f"{RESOURCES}/prepared/{{prepared}}.npz",
    log:
        f"logs/prepare_dataset/{CONFIG.data}-{CONFIG.scale}/{{prepared}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        module=lambda wildcards: names.DATASETS[experiment_with(wildcards.prepared).dataset],
        attributes=lambda wildcards: experiment_with(wildcards.prepared).attributes,
        code=lambda wildcards: code("prepare_dataset.py", names.DATASETS[experiment_with(wildcards.prepared).dataset]),
    message:
        "Preparing {wildcards.prepared}"
    script:
        "../scripts/prepare_dataset.py"
