# Raw files: synthetic, or the publishers' own (real).

# What is fetched together: a file, or those of one archive. Runs on synthetic data fetch nothing.
FETCHED = [
    files for dataset in (names.DATASETS if CONFIG.data == "real" else ()) for files in fetched_together(dataset)
]
SINGLE = {f"{raw.dataset}/{raw.file}": raw for raw, *others in FETCHED if not others}


rule fetch_raw_file:
    output:
        # A file that is there stays, if it is right: offline it could not be fetched again.
        update("resources/real/raw/{raw}"),
    log:
        "logs/fetch_raw_file/{raw}.log",
    wildcard_constraints:
        raw=one_of(SINGLE),
    cache: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(500),
        runtime=more(30),
        # No parameters: where the right bytes come from changes nothing that follows.
        data_mirror=CONFIG.data_mirror or "",
        download=int(CONFIG.download),
    params:
        files=lambda wildcards: [SINGLE[wildcards.raw].plain()],
        code=code("fetch_raw_files.py"),
    message:
        "Fetching {wildcards.raw}"
    script:
        "../scripts/fetch_raw_files.py"


for files in FETCHED:
    if len(files) > 1:

        rule:
            name:
                f"fetch_{files[0].dataset}"
            output:
                [
                    update(path)
                    for path in multiext(f"resources/real/raw/{files[0].dataset}/", *(raw.file for raw in files))
                ],
            log:
                f"logs/fetch_raw_file/{files[0].dataset}.log",
            cache: True
            conda:
                "../envs/dpmia.yaml"
            threads: 1
            resources:
                mem_mb=more(500),
                runtime=more(30),
                data_mirror=CONFIG.data_mirror or "",
                download=int(CONFIG.download),
            params:
                files=[raw.plain() for raw in files],
                code=code("fetch_raw_files.py"),
            message:
                f"Fetching {len(files)} files of {files[0].dataset}"
            script:
                "../scripts/fetch_raw_files.py"


for dataset, writer in names.SYNTHETIC.items():

    rule:
        name:
            f"make_synthetic_{dataset}"
        output:
            [f"resources/synthetic-{CONFIG.scale}/raw/{dataset}/{raw.file}" for raw in required_files(dataset)],
            marker=f"resources/synthetic-{CONFIG.scale}/raw/{dataset}/{SYNTHETIC_MARK}",
        log:
            f"logs/make_synthetic/{CONFIG.scale}/{dataset}.log",
        conda:
            "../envs/dpmia.yaml"
        threads: 1
        resources:
            mem_mb=more(1000),
            runtime=more(10),
        params:
            writer=writer,
            dataset=dataset,
            seed=CONFIG.seed,
            scale=CONFIG.scale,
            code=code("make_synthetic.py", writer, f"dpmia.datasets.synthetic.{dataset}"),
        message:
            f"Making synthetic data for {dataset}"
        script:
            "../scripts/make_synthetic.py"
