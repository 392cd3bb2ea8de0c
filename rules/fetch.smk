# Raw files: made up (embedded), or the publishers' own (real).


rule fetch_raw_file:
    output:
        "resources/real/raw/{dataset}/{file}",
    log:
        "logs/fetch_raw_file/{dataset}/{file}.log",
    cache: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(500),
        runtime=more(30),
        # Not a parameter: where the right bytes come from changes nothing that follows.
        data_mirror=CONFIG.data_mirror or "",
    params:
        raw=lambda wildcards: next(raw for raw in raw_files(wildcards.dataset) if raw.file == wildcards.file).__dict__,
        code=code("fetch_raw_file.py"),
    message:
        "Fetching {wildcards.dataset}/{wildcards.file}"
    script:
        "../scripts/fetch_raw_file.py"


for dataset, writer in names.STAND_INS.items():

    rule:
        name:
            f"make_stand_in_{dataset}"
        output:
            [f"resources/embedded-{CONFIG.scale}/raw/{dataset}/{raw.file}" for raw in required_files(dataset)],
            marker=f"resources/embedded-{CONFIG.scale}/raw/{dataset}/STAND-IN.txt",
        log:
            f"logs/make_stand_in/{CONFIG.scale}/{dataset}.log",
        conda:
            "../envs/dpmia.yaml"
        threads: 1
        resources:
            mem_mb=more(1000),
            runtime=more(10),
        params:
            writer=writer,
            seed=CONFIG.seed,
            scale=CONFIG.scale,
            code=code("make_stand_in.py", writer),
        message:
            f"Making stand-in data for {dataset}"
        script:
            "../scripts/make_stand_in.py"
